/** Turns that hosts name by id: kept until they are released, or until there are too many of them. */
import { runCall } from "./call.ts";
import { AgentError, quote } from "./errors.ts";
import { runNotify } from "./events.ts";
import type { CallOptions, CallRequest } from "./request.ts";
import type { Result } from "./result.ts";
import type { Turn } from "./turn.ts";

export class TurnStore {
  readonly #most: number;
  readonly #onEnd: (id: string) => Promise<void> | void;
  /** Used last, so ended last. */
  readonly #kept = new Map<string, { turn: Turn; calls: number; ended: boolean }>();

  /** `onEnd` hears of each turn once, when it has been released and its last call has ended. */
  constructor(most = 4096, onEnd: (id: string) => Promise<void> | void = () => {}) {
    this.#onEnd = onEnd;
    this.#most = most;
  }

  /** Of too many, the one that was idle longest ends. */
  async add(turn: Turn): Promise<void> {
    this.#kept.set(turn.id, { turn, calls: 0, ended: false });
    if (this.#kept.size <= this.#most) return;
    for (const [id, { calls }] of this.#kept) if (calls === 0) return await this.release(id);
  }

  /** Runs a call in a turn, given itself or by id. Never rejects but for an unknown turn. */
  async call(turn: Turn | string, request: CallRequest, options: CallOptions): Promise<Result> {
    const id = typeof turn === "string" ? turn : turn.id;
    const kept = this.#kept.get(id);
    const found = typeof turn === "string" ? kept?.turn : turn;
    if (!found) {
      throw new AgentError(`Cannot run a call in turn ${quote(id)}: no such turn`, "prepare a new one");
    }
    if (!kept) return await runCall(found, request, options);
    this.#kept.delete(id);
    this.#kept.set(id, kept);
    kept.calls++;
    try {
      return await runCall(found, request, options);
    } finally {
      kept.calls--;
      if (kept.ended && kept.calls === 0) await this.#onEnd(id);
    }
  }

  /** Ends a turn. Calls in flight keep it. */
  async release(id: string): Promise<void> {
    const kept = this.#kept.get(id);
    if (!kept) return;
    this.#kept.delete(id);
    const { handlers, handlerLimits } = kept.turn;
    await runNotify(handlers.turn_end, handlerLimits, [Object.freeze({ id })]);
    kept.ended = true;
    if (kept.calls === 0) await this.#onEnd(id);
  }

  async releaseAll(): Promise<void> {
    for (const id of [...this.#kept.keys()]) await this.release(id);
  }
}
