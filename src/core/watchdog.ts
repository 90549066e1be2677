import { host } from "./runtime.ts";

/** The longest time that a timer of the runtimes can wait; a longer one would fire at once. */
export const LONGEST_MS = 2 ** 31 - 1;

/** One timer for any number of deadlines: a timer per handler would cost more than most handlers. */
export class Watchdog {
  readonly #entries = new Set<{ deadline: number; expire: () => void }>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #due = Infinity;

  /** Calls `expire` once after `ms`, unless the returned function is called before. */
  watch(ms: number, expire: () => void): () => void {
    const entry = { deadline: host.now() + ms, expire };
    this.#entries.add(entry);
    if (entry.deadline < this.#due) this.#arm(entry.deadline);
    return () => {
      this.#entries.delete(entry);
      if (this.#entries.size === 0) this.#disarm();
    };
  }

  /** `work`, or a rejection with `late()` after `ms`. */
  limit<T>(work: PromiseLike<T>, ms: number, late: () => Error): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = this.watch(ms, () => reject(late()));
      work.then((value) => {
        stop();
        resolve(value);
      }, (error) => {
        stop();
        reject(error);
      });
    });
  }

  #arm(deadline: number): void {
    clearTimeout(this.#timer);
    this.#due = deadline;
    const ms = Math.min(Math.max(0, Math.ceil(deadline - host.now())), LONGEST_MS);
    this.#timer = setTimeout(() => this.#expire(), ms);
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#due = Infinity;
  }

  #expire(): void {
    const now = host.now();
    this.#disarm();
    const due = [...this.#entries].filter(({ deadline }) => deadline <= now).sort((a, b) =>
      a.deadline - b.deadline
    );
    // One that another's end has just stopped is not there any more.
    for (const entry of due) if (this.#entries.delete(entry)) entry.expire();
    let next = Infinity;
    for (const { deadline } of this.#entries) next = Math.min(next, deadline);
    if (next < this.#due) this.#arm(next);
  }
}

/** True for promises and anything else with a `then`; plain values are taken without a turn of the loop. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null &&
    typeof (value as { then?: unknown }).then === "function";
}
