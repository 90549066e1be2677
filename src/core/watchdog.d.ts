/** One timer for any number of deadlines: a timer per handler would cost more than most handlers. */
export declare class Watchdog {
    #private;
    /** Calls `expire` once after `ms`, unless the returned function is called before. */
    watch(ms: number, expire: () => void): () => void;
    /** `work`, or a rejection with `late()` after `ms`. */
    limit<T>(work: PromiseLike<T>, ms: number, late: () => Error): Promise<T>;
}
/** True for promises and anything else with a `then`; plain values are taken without a turn of the loop. */
export declare function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T>;
