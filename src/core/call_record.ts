/** What is told of a call besides its result: what was done to it at each step, by whom, and how long it took. */
import type { HandlerLimits } from "./events.ts";
import { HandlerTimes } from "./handler_times.ts";
import type { HookCall } from "./hooks.ts";
import type { Ended, Result } from "./result.ts";
import type { StreamEvent } from "./stream.ts";
import { changesBetween, millis, told, type TrailStep } from "./trail.ts";
import type { Turn } from "./turn.ts";

type ToolEnd = Extract<StreamEvent, { type: "tool_end" }>;
type Args = Readonly<Record<string, unknown>>;

export class CallRecord {
  /** Where a yes was needed: whether somebody gave it. */
  asked: boolean | undefined;
  /** How many blocks stand after what the tool gave: of hooks, and of notices. */
  notes = 0;
  notices = 0;
  /** What the tool gave, whoever changed it then. */
  original: Ended | undefined;

  readonly #turn: Turn;
  /** Where somebody wants to know: all but what did nothing. */
  readonly #trail: TrailStep[] | undefined;
  readonly #rewrittenBy: string[] = [];
  readonly #changedBy: string[] = [];
  #ran: Result["rewritten"];
  #times: HandlerTimes | undefined;
  #limits: HandlerLimits | undefined;

  constructor(turn: Turn) {
    this.#turn = turn;
    if (turn.keepsTrails) this.#trail = [];
  }

  step(step: TrailStep): void {
    this.#trail?.push(step);
  }

  /** What was done, with the time it took; `step` is taken over. */
  timed(step: TrailStep, ms: number): void {
    step.ms = millis(ms);
    this.#trail?.push(step);
  }

  /** The arguments are others from now on. */
  rewritten(step: TrailStep["step"], by: string, before: Args, after: Args): void {
    this.#rewrittenBy.push(by);
    this.#trail?.push({ step, did: "rewritten", by, changed: changesBetween(before, after) });
  }

  /** The result is another from now on. */
  changed(by: string): void {
    this.#changedBy.push(by);
  }

  /** For hooks: takes what each one says. */
  get heard(): HookCall["heard"] {
    const trail = this.#trail;
    return trail && ((step, hook, reason, ms) => {
      trail.push({ step, did: "said", by: `hook "${hook}"`, reason, ms: millis(ms) });
    });
  }

  /** The turn's limits for handlers, with a clock for this call. */
  get limits(): HandlerLimits {
    return this.#limits ??= this.#limitsWith(this.#times = new HandlerTimes());
  }

  #limitsWith(times: HandlerTimes): HandlerLimits {
    const { watchdog, timeoutMs, report } = this.#turn.handlerLimits;
    return {
      watchdog,
      timeoutMs,
      took: (handler, ms) => times.add(handler, ms),
      report: (fault) => {
        this.step({ step: fault.event, did: "failed", by: `plugin "${fault.mod}"`, reason: fault.message });
        report(fault);
      },
    };
  }

  /** What ran in place of what was asked for, so that log and audit tell the truth. */
  ran(args: () => Args): Result["rewritten"] {
    if (this.#rewrittenBy.length === 0) return undefined;
    return this.#ran ??= {
      args: this.#turn.gate.redactor.redactJson(args()),
      by: [...new Set(this.#rewrittenBy)],
    };
  }

  /** The event that ends the call; `fit` as for a result. */
  end(result: Result, fit: (ended: Ended) => Ended): ToolEnd {
    const event: ToolEnd = { type: "tool_end", ...result };
    const mods = this.#times?.told();
    if (mods) event.mods = mods;
    if (this.#trail && this.#trail.length > 0) event.trail = told(this.#trail, this.#turn.gate.redactor);
    if (this.asked !== undefined) event.asked = this.asked;
    if (this.notes > 0) event.notes = this.notes;
    if (this.notices > 0) event.notices = this.notices;
    if (this.#changedBy.length > 0) {
      event.changedBy = [...new Set(this.#changedBy)];
      if (this.original && this.#turn.keepsOriginals) event.original = originalOf(fit(this.original));
    }
    return event;
  }
}

/** The fields of a result that a replay needs. */
function originalOf({ content, status, outcome, stdout, stderr, exitCode }: Ended): ToolEnd["original"] {
  return {
    content,
    status,
    outcome,
    ...(stdout && { stdout }),
    ...(stderr && { stderr }),
    ...(exitCode !== undefined && { exitCode }),
  };
}
