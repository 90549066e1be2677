/** How a call ends before its time: by a step that says no, by somebody, or because its time ran out. */
import { AgentError } from "./errors.ts";
import type { CallOptions } from "./request.ts";
import { INTERRUPTED, type Outcome } from "./result.ts";
import type { Watchdog } from "./watchdog.ts";

/** Ends a call early with an outcome of its own; the message is the result's text. */
export class Stop extends AgentError {
  readonly outcome: Outcome;
  constructor(outcome: Outcome, message: string, hint?: string) {
    super(message, hint);
    this.outcome = outcome;
  }
}

/** Was a call stopped because its time ran out, not by somebody? For what a tool says of its abort. */
export function ranOutOfTime({ reason }: AbortSignal): boolean {
  return reason instanceof Stop && reason.outcome === "timeout";
}

/** How long a running tool may take to end after an abort, before the call ends without it. */
const GRACE_MS = 4000;

/** One call's abort, from its caller's signal and its time limit. */
export class Abort {
  readonly #options: Pick<CallOptions, "signal" | "timeoutMs">;
  readonly #watchdog: Watchdog;
  readonly #onSignal = () => this.#abort("interrupted");
  #stopTimer: (() => void) | undefined;
  #controller: AbortController | undefined;
  #onAbort: (() => void) | undefined;
  /** Set once it happened. */
  why: "interrupted" | "timeout" | undefined;
  /** The tool runs: it gets a moment to end its processes. */
  running = false;
  /** The call has ended without its tool; whatever comes of that one is for nobody. */
  abandoned = false;

  constructor(options: Pick<CallOptions, "signal" | "timeoutMs">, watchdog: Watchdog) {
    this.#options = options;
    this.#watchdog = watchdog;
    const { signal, timeoutMs } = options;
    if (signal?.aborted) this.why = "interrupted";
    else signal?.addEventListener("abort", this.#onSignal, { once: true });
    if (timeoutMs) this.#stopTimer = watchdog.watch(timeoutMs, () => this.#abort("timeout"));
  }

  /** Made on demand: most calls are never aborted and most tools never look. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.why) this.#controller.abort(new Stop(this.why, INTERRUPTED));
    }
    return this.#controller.signal;
  }

  /** Throws where the call was aborted: every step asks before it does anything. */
  heed(): void {
    if (this.why) throw new Stop(this.why, INTERRUPTED);
  }

  /** `live`, or an end soon after an abort. */
  race<T>(live: Promise<T>): Promise<T> {
    const { signal, timeoutMs } = this.#options;
    if (!signal && !timeoutMs) return live;
    return new Promise((resolve, reject) => {
      const end = () => {
        this.abandoned = true;
        reject(new Stop(this.why!, INTERRUPTED));
      };
      this.#onAbort = () => this.running ? void this.#watchdog.watch(GRACE_MS, end) : end();
      if (this.why) this.#onAbort();
      live.then(resolve, reject);
    });
  }

  /** The call is over: nothing is listened to any more. */
  done(): void {
    this.#options.signal?.removeEventListener("abort", this.#onSignal);
    this.#stopTimer?.();
  }

  #abort(why: "interrupted" | "timeout"): void {
    if (this.why) return;
    this.why = why;
    this.#controller?.abort(new Stop(why, INTERRUPTED));
    this.#onAbort?.();
  }
}
