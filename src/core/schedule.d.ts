import type { Traits } from "./tool.ts";
/** What a call claims: keys, absent for everything; alone or with other readers. */
export interface Claim {
    readonly keys: readonly string[] | undefined;
    readonly alone: boolean;
}
export declare function claimOf(traits: Traits): Claim;
/** One call's place in the queue. */
export interface Ticket {
    /** Says what the call will probably claim; later calls that conflict with it wait. */
    declare(claim: Claim): void;
    /**
     * Waits until nothing conflicts; `undefined` when that is so already. The signal is asked for only where there is
     * something to wait for; its abort rejects with its reason.
     */
    enter(claim: Claim, signal?: () => AbortSignal): Promise<void> | undefined;
    /** Ends the claim. Safe to call more than once. */
    leave(): void;
}
interface Entry {
    /** Arrival of the outermost call, then of this one. */
    order: number;
    place: number;
    parent: Entry | undefined;
    root: Entry | undefined;
    claim: Claim | undefined;
    running: boolean;
    wake: (() => void) | undefined;
    /** While waiting: the entries it waits for. */
    waitsFor: readonly Entry[];
}
export declare class Schedule {
    #private;
    /** A ticket in order of arrival; a nested call passes its parent's and inherits its claims. */
    take(parent?: Ticket): Ticket;
    /** How many calls hold or wait for something. */
    get size(): number;
    declare(entry: Entry, claim: Claim): void;
    enter(entry: Entry, claim: Claim, makeSignal: (() => AbortSignal) | undefined): Promise<void> | undefined;
    leave(entry: Entry): void;
}
export {};
