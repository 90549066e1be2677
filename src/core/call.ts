/**
 * The life of one call. Mod, external and built-in tools all go this way, from top to bottom:
 *
 *  0 receive   ticket, `tool_start` in the stream
 *  1 find      mod, external, built-in, alias
 *  2 check     coerce, parse, adapt to the canonical form, traits
 *  3 deny      deny rules, on the call as it came
 *  4 mods      `tool_start`: rewrite, answer, refuse
 *  5 hooks     PreToolUse
 *  6 permit    rules, mode, mods' checks, hooks' decisions on the final call
 *  7 wait      for the schedule
 *  8 run
 *  9 admit     shape, redact, cut
 * 10 hooks     PostToolUse, PostToolUseFailure
 * 11 mods      `tool_end`: replace
 * 12 fit      redact, make well-formed, clamp, stamp
 * 13 log
 */
import { AgentError, messageOf, quote } from "./errors.ts";
import { type Handler, HandlerFault, type ModCall, runChain, runFirst, runNotify } from "./events.ts";
import type { Family, HookView } from "./face.ts";
import { CallContext, type Caller, TurnPlace } from "./context.ts";
import type { HookCall, HookDecision } from "./hooks.ts";
import { OutputStreams, type StreamName } from "./output_streams.ts";
import { host } from "./runtime.ts";
import { type Asked, type Decision, openToHooks } from "./permission.ts";
import type { Entry } from "./registry.ts";
import { INTERRUPTED, type Outcome, type Result, type Shaped, text, textOf, unknownTool } from "./result.ts";
import { claimOf, type Ticket } from "./schedule.ts";
import { argumentError, type Checked, deepFreeze } from "./schema.ts";
import type { Place, Traits } from "./tool.ts";
import type { Turn } from "./turn.ts";
import { CallView, faceView, modResult } from "./views.ts";
import { isThenable } from "./watchdog.ts";

export interface CallRequest {
  id?: string;
  name: string;
  args: unknown;
  /** The dialect's family, where a name stands for several tools. */
  family?: Family;
  /** The call could not be read: it fails with this sentence, by the same path as any other. */
  malformed?: string;
}

/** `person`: the call stands on somebody's command line. `script`, `model`: an `ask` needs somebody to answer. */
export type Origin = "person" | "script" | "model";

/** The part of an `AbortSignal` that a call uses; a cold start can't afford the real one. */
export interface AbortLike {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

export interface CallOptions {
  origin?: Origin;
  signal?: AbortLike | undefined;
  timeoutMs?: number | undefined;
  /** Every step but the running. */
  dryRun?: boolean;
  /** Asks whoever can answer whether a call may run; absent: nobody can. */
  ask?: ((question: Question) => Promise<boolean>) | undefined;
  /** Characters of output that the stream carries; the rest is only counted. Default 30,000. */
  streamLimit?: number;
}

export interface Question {
  name: string;
  args: Readonly<Record<string, unknown>>;
  reason: string;
  /** A rule that would settle it for good. */
  rule: string;
}

/** Runs one call. Never rejects: whatever happens is told by the result, and logged once. */
export function runCall(turn: Turn, request: CallRequest, options: CallOptions = {}): Promise<Result> {
  return new Call(turn, request, options).run();
}

/** Ends a call early with an outcome of its own; the message is the result's text. */
class Stop extends AgentError {
  readonly outcome: Outcome;
  constructor(outcome: Outcome, message: string, hint?: string) {
    super(message, hint);
    this.outcome = outcome;
  }
}

/** What PreToolUse hooks came to, as far as permission looks at it. */
interface HookSays {
  decision: HookDecision | undefined;
  reason: string;
}
const NO_OPINION: HookSays = { decision: undefined, reason: "" };

/** Was a call stopped because its time ran out, not by somebody? For what a tool says of its abort. */
export function ranOutOfTime({ reason }: AbortSignal): boolean {
  return reason instanceof Stop && reason.outcome === "timeout";
}

/** How long a running tool may take to end after an abort, before the call ends without it. */
const ABORT_GRACE_MS = 4000;
const STREAM_LIMIT = 30_000;

class Call implements Caller {
  readonly #turn: Turn;
  readonly #request: CallRequest;
  readonly #options: CallOptions;
  readonly #parent: Call | undefined;
  readonly id: string;
  readonly #started = host.now();
  readonly #ticket: Ticket;

  #entry: Entry | undefined;
  #args: Record<string, unknown> = {};
  #traits: Traits | undefined;
  #outcome: Outcome = "success";
  #running = false;
  #output: OutputStreams | undefined;
  #faceView: ModCall["face"] | undefined;
  /** What the tool returned, for the hooks' `tool_response`. */
  #data: unknown;
  readonly #notes: string[] = [];

  #controller: AbortController | undefined;
  #aborted: "interrupted" | "timeout" | undefined;
  #onAbort: (() => void) | undefined;

  constructor(turn: Turn, request: CallRequest, options: CallOptions, parent?: Call) {
    this.#turn = turn;
    this.#request = request;
    this.#options = options;
    this.#parent = parent;
    this.id = request.id ?? turn.callId();
    this.#ticket = turn.schedule.take(parent ? parent.#ticket : undefined);
  }

  async run(): Promise<Result> {
    this.#receive();
    const stopWatching = this.#watchAbort();
    let shaped: Shaped;
    try {
      const live = this.#live();
      shaped = this.#options.signal || this.#options.timeoutMs ? await this.#unlessAborted(live) : await live;
    } catch (error) {
      shaped = this.#failed(error);
    }
    try {
      shaped = await this.#afterMods(shaped);
      shaped = this.#fit(shaped);
    } catch (error) {
      shaped = this.#fit(this.#failed(error));
    } finally {
      stopWatching();
      this.#ticket.leave();
    }
    return this.#record(shaped);
  }

  async #live(): Promise<Shaped> {
    this.#heedAbort();
    const entry = this.#find();
    await this.#check(entry);
    await this.#heedDenyRules(entry);
    const answered = this.#turn.handlers.tool_start.length > 0 ? await this.#beforeMods(entry) : undefined;
    if (answered) return answered;
    const hookSays = this.#turn.hooks.wants("PreToolUse") ? await this.#beforeHooks(entry) : NO_OPINION;
    await this.#permit(entry, hookSays);
    await this.#wait();
    if (this.#options.dryRun) return dryRun(entry, this.#traits!);
    return await this.#afterHooks(entry, await this.#execute(entry));
  }

  // 0 ─ receive

  #receive(): void {
    const { gate, emit } = this.#turn;
    const { name, args } = this.#request;
    const { at } = gate.stamp();
    const parent = this.#parent?.id;
    emit({ type: "tool_start", id: this.id, parent, name, args: gate.redactor.redactJson(args), at });
  }

  // 1 ─ find

  #find(): Entry {
    const { name, family, malformed } = this.#request;
    if (malformed !== undefined) throw new Stop("invalid", malformed);
    const entry = this.#turn.find(name, family);
    if (!entry) {
      const { message, hint } = unknownTool(name, this.#turn.near(name));
      throw new Stop("unknown", message, hint);
    }
    this.#entry = entry;
    return entry;
  }

  // 2 ─ check

  async #check(entry: Entry): Promise<void> {
    const checking = entry.check(this.#request.args ?? {});
    const checked = isThenable(checking) ? await checking : checking;
    if (!checked.ok) throw invalid(this.#request.name, checked, entry);
    await this.#adopt(entry, entry.toCanonical(checked.value));
    this.#ticket.declare(claimOf(this.#traits!));
  }

  /** Takes canonical arguments as the call's own: checked, frozen, with the traits they have. */
  #adopt(entry: Entry, args: unknown): void | Promise<void> {
    const checking = entry.checkCanonical(args);
    if (isThenable(checking)) return checking.then((checked) => this.#take(entry, checked));
    this.#take(entry, checking);
  }

  #take(entry: Entry, checked: Checked): void {
    if (!checked.ok) throw invalid(this.#request.name, checked, entry);
    this.#args = deepFreeze(checked.value);
    try {
      this.#traits = deepFreeze(entry.tool.traits(this.#args, this.#place()));
    } catch (error) {
      throw new Stop("invalid", `Cannot call ${this.#request.name}: ${messageOf(error)}`, hintOf(error));
    }
  }

  #place(): Place {
    return new TurnPlace(this.#turn.session.cwd);
  }

  // 3 and 6 ─ permission

  /** On the call as it came, and again on whatever a mod or a hook makes of it. */
  #heedDenyRules(entry: Entry): void | Promise<void> {
    const denying = this.#turn.policy.denied(this.#asked(entry));
    return denying?.then((denied) => {
      if (denied) throw this.#refusal(entry, denied);
    });
  }

  #asked(entry: Entry): Asked {
    const { cwd, folders, mode } = this.#turn.session;
    return { entry, traits: this.#traits!, cwd, folders, mode };
  }

  async #permit(
    entry: Entry,
    hookSays: HookSays,
  ): Promise<void> {
    this.#heedAbort();
    const { policy, handlers, handlerLimits } = this.#turn;
    const deciding = policy.decide(this.#asked(entry));
    let decision = isThenable(deciding) ? await deciding : deciding;
    if (handlers.permission.length > 0) {
      const call = this.#modCall();
      const answer = await runFirst(handlers.permission, handlerLimits, [call], (h) => this.#concerns(h))
        .catch((fault) => this.#refuseFault(fault));
      if (answer) throw new Stop("denied", `Cannot run ${entry.name}: ${answer.deny}`);
    }
    if (hookSays.decision === "ask" && decision.behavior === "allow") {
      decision = { ...decision, behavior: "ask", reason: hookSays.reason || "a hook asks for leave" };
    }
    if (hookSays.decision === "allow" && openToHooks(decision, this.#turn.session.mode)) return;
    if (decision.behavior === "deny") throw this.#refusal(entry, decision);
    if (decision.behavior === "ask" && !await this.#granted(entry, decision)) {
      throw this.#refusal(entry, decision);
    }
  }

  /** A call on the command line is a person's own: to ask them again would be rude. */
  async #granted(entry: Entry, decision: Decision): Promise<boolean> {
    if (this.#options.origin === "person") return true;
    const { ask } = this.#options;
    if (!ask) return false;
    const rule = decision.allowWith ?? entry.name;
    const args = this.#turn.gate.redactor.redactJson(this.#args);
    return await ask({ name: this.#request.name, args, reason: decision.reason, rule });
  }

  #refusal(entry: Entry, { behavior, reason, allowWith, byRule }: Decision): Stop {
    const message = `Cannot run ${this.#request.name}: ${
      behavior === "ask" ? "nobody said yes" : "denied"
    } (${reason})`;
    if (behavior === "deny" && byRule) return new Stop("denied", message);
    return new Stop(
      "denied",
      message,
      `a person can allow it with --allow ${shellQuote(allowWith ?? entry.name)}`,
    );
  }

  // 4 ─ mods, before

  async #beforeMods(entry: Entry): Promise<Shaped | undefined> {
    const { handlers: { tool_start: handlers }, handlerLimits } = this.#turn;
    if (handlers.length === 0) return undefined;
    let answered: Shaped | undefined;
    let call = this.#modCall();
    try {
      await runChain(
        handlers,
        handlerLimits,
        (handler) => this.#concerns(handler) ? [call] : undefined,
        (answer, handler) => {
          this.#heedAbort();
          if ("deny" in answer) throw new Stop("denied", `Cannot run ${this.#request.name}: ${answer.deny}`);
          if ("result" in answer) {
            this.#outcome = "answered";
            answered = this.#shapeFor(entry, answer.result);
            return true;
          }
          const renew = () => void (call = this.#modCall());
          const rewriting = this.#rewrite(entry, answer.args, `plugin "${handler.mod}"`);
          return isThenable(rewriting) ? rewriting.then(renew) : renew();
        },
      );
    } catch (error) {
      this.#refuseFault(error);
    }
    return answered;
  }

  /** A gate that is broken is shut. */
  #refuseFault(error: unknown): never {
    if (!(error instanceof HandlerFault)) throw error;
    throw new Stop("denied", `Cannot run ${this.#request.name}: ${error.message}`);
  }

  /** New arguments from a mod or a hook go the same way as the model's: check, traits, deny rules. */
  #rewrite(entry: Entry, args: unknown, by: string): void | Promise<void> {
    const blame = (error: unknown): never => {
      throw new Stop("invalid", `${messageOf(error)} (arguments as rewritten by ${by})`, hintOf(error));
    };
    let adopting: void | Promise<void> = undefined;
    try {
      adopting = this.#adopt(entry, args);
    } catch (error) {
      blame(error);
    }
    if (isThenable(adopting)) return adopting.catch(blame).then(() => this.#heedDenyRules(entry));
    return this.#heedDenyRules(entry);
  }

  #concerns(handler: Pick<Handler, "tools" | "effect">): boolean {
    const { tools, effect } = handler;
    if (effect !== undefined && this.#traits?.effect !== effect) return false;
    if (tools === undefined) return true;
    const names = this.#entry?.names;
    return tools.some((name) => names ? names.has(name) : name === this.#request.name);
  }

  #modCall(): ModCall {
    const { session, glob } = this.#turn;
    const view = {
      id: this.id,
      parent: this.#parent?.id,
      name: this.#request.name,
      tool: this.#entry?.tool.name ?? "",
      args: this.#args,
      face: this.#faceView ??= faceView(this.#request.args),
      traits: this.#traits,
      family: this.#entry?.family,
      cwd: session.cwd,
      dryRun: this.#options.dryRun ?? false,
    };
    return new CallView(view, glob);
  }

  // 5 ─ hooks, before

  async #beforeHooks(entry: Entry): Promise<HookSays> {
    this.#heedAbort();
    const asking = this.#turn.hooks.pre(this.#hookCall(entry));
    if (!asking) return NO_OPINION;
    const verdict = await asking;
    this.#heedAbort();
    this.#notes.push(...verdict.contexts);
    if (verdict.decision === "deny") {
      throw new Stop(
        "denied",
        `Cannot run ${this.#request.name}: ${verdict.reason || "a PreToolUse hook blocked it"}`,
      );
    }
    if (verdict.input) {
      const canonical = entry.hooks ? entry.hooks.rewrite(verdict.input, this.#args) : verdict.input;
      await this.#rewrite(entry, canonical, "a PreToolUse hook");
    }
    return verdict;
  }

  #hookView(entry: Entry): HookView {
    return entry.hooks?.view(this.#args, this.#place()) ?? { name: entry.name, input: this.#args };
  }

  #hookCall(entry: Entry, signal: () => AbortSignal | undefined = () => this.signal): HookCall {
    const { session } = this.#turn;
    const view = this.#hookView(entry);
    return {
      id: this.id,
      view,
      names: [this.#request.name, entry.tool.name, view.name, ...entry.hooks?.alsoMatches ?? []],
      agent: {
        name: this.#request.name,
        args: this.#request.args,
        tool: entry.tool.name,
        family: entry.family,
        effect: this.#traits!.effect,
      },
      session: { id: session.id, cwd: session.cwd, project: session.project, mode: session.mode },
      asked: this.#asked(entry),
      get signal() {
        return signal();
      },
    };
  }

  // 7 ─ wait

  async #wait(): Promise<void> {
    this.#heedAbort();
    const waiting = this.#ticket.enter(claimOf(this.#traits!), () => this.signal);
    if (waiting) await waiting;
    this.#heedAbort();
  }

  // 8 ─ run

  async #execute(entry: Entry): Promise<Shaped> {
    const heard = (clean: string, stream: StreamName) => this.#heard(clean, stream);
    this.#output = new OutputStreams(this.#turn, this.id, this.#options.streamLimit ?? STREAM_LIMIT, heard);
    this.#running = true;
    try {
      const running = entry.tool.run(this.#args, new CallContext(this.#turn, entry, this, this.#place()));
      this.#data = isThenable(running) ? await running : running;
    } catch (error) {
      return this.#failed(error);
    } finally {
      this.#running = false;
      this.#output.end();
    }
    return this.#admit(entry);
  }

  output(chunk: string, stream: StreamName): void {
    this.#output!.push(chunk, stream);
  }

  #heard(clean: string, stream: StreamName): void {
    const { handlers: { tool_output: handlers }, handlerLimits } = this.#turn;
    if (handlers.length === 0) return;
    const payload = Object.freeze({ stream, text: clean });
    void runNotify(handlers, handlerLimits, [this.#modCall(), payload], (handler) => this.#concerns(handler));
  }

  /** What a mod calls on its own account is the model's at most: only the outer call was typed by a person. */
  nested(name: string, args: Record<string, unknown>): Promise<Result> {
    const { dryRun, ask, origin = "model" } = this.#options;
    const options = {
      signal: this.signal,
      origin: origin === "person" ? "script" as const : origin,
      dryRun,
      ask,
    };
    return new Call(this.#turn, { name, args }, options, this).run();
  }

  get person(): boolean {
    return this.#options.origin === "person";
  }

  // 9 ─ admit

  #admit(entry: Entry): Shaped {
    const shaped = this.#shapeFor(entry, entry.present(this.#data, this.#args));
    // A tool knows that it was stopped, the call knows why.
    if (shaped.outcome === "interrupted") this.#outcome = this.#aborted ?? shaped.outcome;
    else if (shaped.outcome) this.#outcome = shaped.outcome;
    else if (shaped.status === "error") this.#outcome = "error";
    return shaped;
  }

  #shapeFor(entry: Entry | undefined, value: unknown): Shaped {
    const { gate } = this.#turn;
    const name = entry?.tool.name ?? this.#request.name;
    return gate.admit(value, name, gate.limitOf(entry?.names ?? [name], entry?.tool.limit));
  }

  // 10 ─ hooks, after

  async #afterHooks(entry: Entry, shaped: Shaped): Promise<Shaped> {
    const { hooks, gate } = this.#turn;
    const failed = shaped.status === "error";
    if (!hooks.wants(failed ? "PostToolUseFailure" : "PostToolUse")) return this.#withNotes(shaped);
    // Hooks still hear of a call that was stopped: its abort is not theirs.
    const call = this.#aborted ? this.#hookCall(entry, () => undefined) : this.#hookCall(entry);
    const duration = this.#duration();
    const response = () => {
      const data = entry.hooks ? entry.hooks.response(this.#data, this.#args, this.#place()) : shaped.content;
      return gate.redactor.redactJson(data);
    };
    const asking = failed
      ? hooks.failure(call, textOf(shaped.content), this.#aborted === "interrupted", duration)
      : hooks.post(call, response(), duration);
    const verdict = asking ? await asking : undefined;
    if (verdict) this.#notes.push(...verdict.notes);
    if (verdict?.output === undefined) return this.#withNotes(shaped);
    // What a hook took out of the text stands nowhere else either.
    const { status, exitCode } = shaped;
    const replaced = this.#shapeFor(entry, verdict.output);
    return this.#withNotes({ ...replaced, status, ...(exitCode !== undefined && { exitCode }) });
  }

  /** Feedback and context of hooks stand after the result, each a block of its own. */
  #withNotes(shaped: Shaped): Shaped {
    if (this.#notes.length === 0) return shaped;
    const notes = this.#notes.splice(0).flatMap((note) => text(note));
    return { ...shaped, content: [...shaped.content, ...notes] };
  }

  // 11 ─ mods, after

  async #afterMods(shaped: Shaped): Promise<Shaped> {
    const { handlers: { tool_end: handlers }, handlerLimits } = this.#turn;
    if (handlers.length === 0) return shaped;
    let current = shaped;
    let payload = modResult(this.#result(current));
    const call = this.#modCall();
    await runChain(
      handlers,
      handlerLimits,
      (handler) => this.#concerns(handler) ? [call, payload] : undefined,
      (answer) => {
        // What isn't said stays: a mod that rewords the text doesn't lose the exit code.
        const { content, ...rest } = this.#shapeFor(this.#entry, answer.result);
        const stated = typeof answer.result === "object" && "status" in answer.result;
        current = { ...current, ...rest, content, status: stated ? rest.status : current.status };
        if (stated && (this.#outcome === "success" || this.#outcome === "error")) this.#outcome = rest.status;
        payload = modResult(this.#result(current));
      },
    );
    return current;
  }

  // 12 ─ fit

  #fit(shaped: Shaped): Shaped {
    return this.#turn.gate.finish(shaped, this.#entry?.tool.name ?? this.#request.name);
  }

  // 13 ─ log

  #record(shaped: Shaped): Result {
    const result = this.#result(shaped);
    this.#turn.emit({ type: "tool_end", ...result });
    return result;
  }

  #result(shaped: Shaped): Result {
    const { content, status, stdout, stderr, exitCode, overflow, structured } = shaped;
    const result: Partial<Result> = { id: this.id, name: this.#request.name };
    if (this.#entry) result.tool = this.#entry.tool.name;
    result.outcome = this.#outcome;
    result.status = status;
    result.content = content;
    if (stdout) result.stdout = stdout;
    if (stderr) result.stderr = stderr;
    if (exitCode !== undefined) result.exitCode = exitCode;
    if (overflow !== undefined) result.overflow = overflow;
    if (structured !== undefined) result.structured = structured;
    result.durationMs = this.#duration();
    const { at, weekday } = this.#turn.gate.stamp();
    result.at = at;
    result.weekday = weekday;
    return result as Result;
  }

  #duration(): number {
    return Math.round((host.now() - this.#started) * 100) / 100;
  }

  /** An error anywhere in the life of a call becomes its result. */
  #failed(error: unknown): Shaped {
    this.#outcome = this.#aborted ?? (error instanceof Stop ? error.outcome : "error");
    let message = messageOf(error);
    if (this.#aborted === "interrupted") message = INTERRUPTED;
    if (this.#aborted === "timeout") {
      message = `Cannot finish ${this.#request.name}: no result within ${this.#options.timeoutMs} ms`;
    }
    const hint = this.#aborted ? undefined : hintOf(error);
    const shaped = this.#shapeFor(this.#entry, {
      content: hint === undefined ? message : `${message}\n\nhint: ${hint}`,
      status: "error",
    });
    return this.#withNotes(shaped);
  }

  // ─ abort

  /** Made on demand: most calls are never aborted and most tools never look. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(new Stop(this.#aborted, INTERRUPTED));
    }
    return this.#controller.signal;
  }

  #watchAbort(): () => void {
    const { signal, timeoutMs } = this.#options;
    const abort = () => this.#abort("interrupted");
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
    const stopTimer = timeoutMs
      ? this.#turn.handlerLimits.watchdog.watch(timeoutMs, () => this.#abort("timeout"))
      : undefined;
    return () => {
      signal?.removeEventListener("abort", abort);
      stopTimer?.();
    };
  }

  #abort(why: "interrupted" | "timeout"): void {
    if (this.#aborted) return;
    this.#aborted = why;
    this.#controller?.abort(new Stop(why, INTERRUPTED));
    this.#onAbort?.();
  }

  #heedAbort(): void {
    if (this.#aborted) throw new Stop(this.#aborted, INTERRUPTED);
  }

  /** `live`, or an end soon after an abort: a running tool gets a moment to end its processes. */
  #unlessAborted(live: Promise<Shaped>): Promise<Shaped> {
    const { watchdog } = this.#turn.handlerLimits;
    return new Promise((resolve, reject) => {
      const end = () => reject(new Stop(this.#aborted!, INTERRUPTED));
      this.#onAbort = () => this.#running ? void watchdog.watch(ABORT_GRACE_MS, end) : end();
      if (this.#aborted) this.#onAbort();
      live.then(resolve, reject);
    });
  }
}

function invalid(name: string, checked: Extract<Checked, { ok: false }>, entry: Entry): Stop {
  const error = argumentError(name, checked.issues, entry.schema);
  return new Stop("invalid", error.message, error.hint);
}

function dryRun(entry: Entry, traits: Traits): Shaped {
  const what = (traits.subjects ?? []).map(({ value }) => quote(value)).join(", ");
  const sentence = `Dry run: ${entry.name} would ${traits.effect}${
    what === "" ? "" : ` ${what}`
  }; nothing was done`;
  return { content: text(sentence), status: "success" };
}

function hintOf(error: unknown): string | undefined {
  return error instanceof AgentError ? error.hint : undefined;
}

function shellQuote(value: string): string {
  return /^[\w./:-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}
