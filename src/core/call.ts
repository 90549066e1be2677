/**
 * The life of one call. Mod, external and built-in tools all go this way, from top to bottom:
 *
 *  0 receive   ticket, `tool_start` in the stream
 *  1 find      mod, external, built-in, alias
 *  2 check     coerce, parse, adapt to the canonical form, traits; is it another tool's?
 *  3 deny      deny rules, on the call as it came
 *  4 mods      `tool_start`: rewrite, answer, refuse
 *  5 hooks     PreToolUse
 *  6 permit    rules, mode, mods' checks, hooks' decisions on the final call
 *  7 wait      for the schedule
 *  8 run
 *  9 admit     shape, redact, cut
 * 10 hooks     PostToolUse, PostToolUseFailure
 * 11 mods      `tool_end`: replace
 * 12 fit       redact, make well-formed, cut to the last limit, stamp
 * 13 log
 */
import { Abort, Stop } from "./abort.ts";
import { accept, acceptAgain, type Accepted, acceptRewritten, divert, type Taken } from "./accept.ts";
import { CallRecord } from "./call_record.ts";
import { CallContext, type Caller, type Direct, TurnPlace } from "./context.ts";
import { AgentError, messageOf, quote } from "./errors.ts";
import { HandlerFault, type ModCall, runChain, runNotify } from "./events.ts";
import type { LateText } from "./late_text.ts";
import { OutputStreams } from "./output_streams.ts";
import { inside } from "./paths.ts";
import { type Decision, type HookSays, refusal, withHooks } from "./permission.ts";
import type { Entry } from "./registry.ts";
import type { CallOptions, CallRequest, StandIn } from "./request.ts";
import {
  type Ended,
  INTERRUPTED,
  type Outcome,
  type Result,
  resultOf,
  type Shaped,
  text,
  textOf,
  unknownTool,
} from "./result.ts";
import { host } from "./runtime.ts";
import { claimOf, type Ticket } from "./schedule.ts";
import type { Place, StreamName } from "./tool.ts";
import type { TrailStep } from "./trail.ts";
import type { Turn } from "./turn.ts";
import { askedOf, type CallFacts, concerns, faceView, hookCall, modCall, modResult } from "./views.ts";
import { isThenable } from "./watchdog.ts";

/** Runs one call. Never rejects: whatever happens is told by the result, and logged once. */
export function runCall(turn: Turn, request: CallRequest, options: CallOptions = {}): Promise<Result> {
  return new Call(turn, request, options).run();
}

/** How deep calls may be nested, and after how many of them timers and signals get their turn. */
const MOST_NESTED = 16;
const BREATH = 64;

const PERMITS = { allow: "allowed", ask: "asked", deny: "denied" };

const NO_OPINION: HookSays = { decision: undefined, reason: "" };
const STREAM_LIMIT = 30_000;

class Call implements Caller, CallFacts {
  readonly turn: Turn;
  readonly request: CallRequest;
  readonly id: string;
  readonly parentId: string | undefined;
  entry: Entry | undefined;
  accepted: Accepted | undefined;
  came: Taken | undefined;

  readonly #options: CallOptions;
  readonly #parent: Call | undefined;
  readonly #direct: Direct | undefined;
  readonly #ticket: Ticket;
  readonly #abort: Abort;
  /** How deep this call is nested, and how many its outermost call has made in all. */
  readonly #depth: number;
  readonly #family: { calls: number };
  readonly #started = host.now();
  readonly #record: CallRecord;
  #face: ModCall["face"] | undefined;
  /** The folder that relative paths were taken from. */
  #judgedIn = "";
  #output: OutputStreams | undefined;
  /** Feedback and context of hooks, for the end of the result. */
  readonly #notes: string[] = [];

  constructor(turn: Turn, request: CallRequest, options: CallOptions, parent?: Call, direct?: Direct) {
    this.turn = turn;
    this.request = request;
    this.#options = options;
    this.#parent = parent;
    this.#direct = direct;
    this.parentId = parent?.id ?? options.standIn?.parent;
    this.id = request.id ?? turn.callId();
    this.#record = new CallRecord(turn);
    this.#depth = parent ? parent.#depth + 1 : 0;
    this.#family = parent ? parent.#family : { calls: 0 };
    this.#ticket = turn.schedule.take(parent ? parent.#ticket : undefined);
    this.#abort = new Abort(options, turn.handlerLimits.watchdog);
  }

  async run(): Promise<Result> {
    let ended: Ended;
    try {
      this.#receive();
      ended = await this.#abort.race(this.#live());
    } catch (error) {
      ended = this.#failed(error);
    }
    try {
      ended = this.#fit(await this.#afterMods(this.#withNotes(ended)));
    } catch (error) {
      ended = this.#fit(this.#failed(error));
    } finally {
      this.#abort.done();
      this.#ticket.leave();
    }
    return this.#logged(ended);
  }

  async #live(): Promise<Ended> {
    this.#abort.heed();
    if (this.#depth > MOST_NESTED) {
      const message = `Cannot call ${this.request.name}: calls are nested ${MOST_NESTED} deep already`;
      throw new Stop("error", message, "does a tool call itself?");
    }
    await this.#check(this.#find());
    await this.#heedDenyRules();
    if (this.turn.handlers.tool_start.length > 0) {
      const answered = await this.#beforeMods();
      if (answered) return answered;
    }
    const hooksSay = this.turn.hooks.wants("PreToolUse") ? await this.#beforeHooks() : NO_OPINION;
    // Whatever was rewritten is done now.
    await this.#admitted(hooksSay);
    const entry = this.entry!, accepted = this.accepted!;
    if (this.#options.dryRun) return dryRun(entry, accepted);
    return await this.#execute(entry, accepted);
  }

  /** Permission and schedule; anew where an earlier call, for which this one waited, went to another folder. */
  async #admitted(hooksSay: HookSays): Promise<void> {
    for (;;) {
      const folder = this.turn.session.cwd;
      if (this.#judgedIn !== folder) await this.#rejudge();
      await this.#permit(this.entry!, this.accepted!, hooksSay);
      await this.#wait(this.accepted!);
      if (this.turn.session.cwd === folder) return;
    }
  }

  async #rejudge(): Promise<void> {
    const { entry, accepted } = this.came ?? { entry: this.entry!, accepted: this.accepted! };
    this.came = undefined;
    this.entry = entry;
    await this.#take({
      entry,
      accepted: await acceptAgain(entry, accepted, this.#place(), this.request.name),
    });
    await this.#heedDenyRules();
  }

  // 0 ─ receive

  #receive(): void {
    const { gate, emit } = this.turn;
    const { name, args } = this.request;
    const { at } = gate.stamp();
    const { id, parentId: parent } = this;
    emit({
      type: "tool_start",
      id,
      parent,
      name: gate.redact(name),
      args: gate.redactor.redactJson(args),
      origin: this.#options.origin ?? "model",
      cwd: gate.redact(this.turn.session.cwd),
      at,
    });
  }

  // 1 ─ find

  #find(): Entry {
    const { name, family, malformed } = this.request;
    if (malformed !== undefined) throw new Stop("invalid", malformed);
    const entry = this.#direct ? this.turn.canonical(this.#direct.tool) : this.turn.find(name, family);
    if (!entry) {
      const { message, hint } = unknownTool(name, this.turn.near(name));
      throw new Stop("unknown", message, hint);
    }
    return this.entry = entry;
  }

  // 2 ─ check; what the call will claim is declared before anything takes time

  async #check(entry: Entry): Promise<void> {
    const accepted = await accept(entry, this.request.args, this.#place(), this.request.name);
    const diverting = this.#take({ entry, accepted });
    if (diverting) await diverting;
    this.#ticket.declare(claimOf(this.accepted!.traits));
  }

  /** Arguments that passed are the call's, or those of the tool that it really belongs to. */
  #take(taken: Taken): void | Promise<void> {
    this.#judgedIn = this.turn.session.cwd;
    this.accepted = taken.accepted;
    const diverting = divert(taken, this.turn.canonical, this.#place(), this.request.name);
    if (!diverting) return;
    const follow = ({ entry, accepted }: Taken) => {
      this.came = taken;
      this.entry = entry;
      this.accepted = accepted;
    };
    return isThenable(diverting) ? diverting.then(follow) : follow(diverting);
  }

  #place(): Place {
    return new TurnPlace(this.turn.session.cwd);
  }

  // 3 ─ deny rules, on the call as it came, and again on whatever a mod or a hook makes of it

  #heedDenyRules(): void | Promise<void> {
    const denying = this.turn.policy.denied(askedOf(this.turn, this.entry!, this.accepted!, this.came));
    return denying?.then((denied) => {
      if (!denied) return;
      this.#record.step({ step: "rules", did: "denied", by: denied.by, reason: denied.reason });
      throw this.#refuse(denied);
    });
  }

  #refuse(decision: Decision): Stop {
    const { message, hint } = refusal(this.request.name, decision);
    return new Stop("denied", message, hint);
  }

  #denied(reason: string): Stop {
    return new Stop("denied", `Cannot run ${this.request.name}: ${reason}`);
  }

  // 4 ─ mods, before

  async #beforeMods(): Promise<Ended | undefined> {
    const { tool_start: handlers } = this.turn.handlers;
    let answered: Ended | undefined;
    let call = modCall(this);
    await runChain(
      handlers,
      this.#record.limits,
      (handler) => concerns(handler, this) ? [call] : undefined,
      (answer, handler) => {
        this.#abort.heed();
        const by = `plugin "${handler.mod}"`;
        if ("deny" in answer) {
          this.#record.step({ step: "tool_start", did: "denied", by, reason: answer.deny });
          throw this.#denied(answer.deny);
        }
        if ("result" in answer) {
          this.#record.step({ step: "tool_start", did: "answered", by });
          answered = withOutcome(this.#admit(this.entry, answer.result), "answered");
          return true;
        }
        const renew = () => void (call = modCall(this));
        const rewriting = this.#rewrite(answer.args, by, "tool_start");
        return isThenable(rewriting) ? rewriting.then(renew) : renew();
      },
    ).catch((fault) => this.#refuseFault(fault));
    return answered;
  }

  /** A gate that is broken is shut. */
  #refuseFault(error: unknown): never {
    throw error instanceof HandlerFault ? this.#denied(error.message) : error;
  }

  /** New arguments go the same way as the model's: check, traits, deny rules. */
  #rewrite(args: unknown, by: string, step: TrailStep["step"]): void | Promise<void> {
    const entry = this.entry!;
    const before = this.accepted!.args;
    const take = (accepted: Accepted) => {
      this.#record.rewritten(step, by, before, accepted.args);
      const diverting = this.#take({ entry, accepted });
      return diverting ? diverting.then(() => this.#heedDenyRules()) : this.#heedDenyRules();
    };
    const accepting = acceptRewritten(entry, args, this.#place(), this.request.name, by);
    return isThenable(accepting) ? accepting.then(take) : take(accepting);
  }

  // 5 ─ hooks, before

  async #beforeHooks(): Promise<HookSays> {
    this.#abort.heed();
    const entry = this.entry!, accepted = this.accepted!;
    const asking = this.turn.hooks.pre(
      hookCall(this, entry, accepted, this.#place(), () => this.signal, this.#record.heard),
    );
    if (!asking) return NO_OPINION;
    const verdict = await asking;
    this.#abort.heed();
    this.#notes.push(...verdict.contexts);
    if (verdict.decision === "deny") throw this.#denied(verdict.reason || "a PreToolUse hook blocked it");
    if (verdict.input) {
      const canonical = entry.hooks ? entry.hooks.rewrite(verdict.input, accepted.args) : verdict.input;
      await this.#rewrite(canonical, "a PreToolUse hook", "PreToolUse");
    }
    return verdict;
  }

  // 6 ─ permission, on the final call

  async #permit(entry: Entry, accepted: Accepted, hooksSay: HookSays): Promise<void> {
    this.#abort.heed();
    const { policy, session, handlers } = this.turn;
    const deciding = policy.decide(askedOf(this.turn, entry, accepted, this.came));
    const byPolicy = isThenable(deciding) ? await deciding : deciding;
    if (handlers.permission.length > 0) await this.#heedMods();
    const decision = withHooks(byPolicy, hooksSay, session.mode);
    const { behavior, by, reason } = decision;
    this.#record.step({ step: "permission", did: PERMITS[behavior], by, reason });
    if (decision.behavior === "allow" || (decision.by === "mode" && this.#coveredByOuter(accepted))) return;
    const open = decision.behavior === "ask" && !this.person ? await this.#askHooks(decision) : decision;
    if (open === undefined) return;
    if (open.behavior === "deny" || !await this.#granted(this.entry!, this.accepted!, open)) {
      throw this.#refuse(open);
    }
  }

  /** Any plugin may say no. */
  #heedMods(): Promise<void> {
    const call = modCall(this);
    return runChain(
      this.turn.handlers.permission,
      this.#record.limits,
      (handler) => concerns(handler, this) ? [call] : undefined,
      ({ deny }, { mod }) => {
        this.#record.step({ step: "permission", did: "denied", by: `plugin "${mod}"`, reason: deny });
        throw this.#denied(deny);
      },
    ).catch((fault) => this.#refuseFault(fault));
  }

  /** Hooks may answer in the person's place; what is still to be asked comes back, nothing where they said yes. */
  async #askHooks(decision: Decision): Promise<Decision | undefined> {
    const { hooks, policy } = this.turn;
    const entry = this.entry!, accepted = this.accepted!;
    if (!hooks.wants("PermissionRequest")) return decision;
    const asking = hooks.permission(
      hookCall(this, entry, accepted, this.#place(), () => this.signal, this.#record.heard),
    );
    const verdict = asking && await asking;
    this.#abort.heed();
    if (verdict?.behavior === "deny") {
      throw this.#denied(verdict.message || "a PermissionRequest hook denied it");
    }
    // What says what runs here needs a rule, or a person.
    if (verdict?.behavior !== "allow" || decision.by === "guard") return decision;
    if (!verdict.input) return undefined;
    const canonical = entry.hooks ? entry.hooks.rewrite(verdict.input, accepted.args) : verdict.input;
    await this.#rewrite(canonical, "a PermissionRequest hook", "PermissionRequest");
    // Plugins judge what will run.
    if (this.turn.handlers.permission.length > 0) await this.#heedMods();
    const again = await policy.decide(askedOf(this.turn, this.entry!, this.accepted!, this.came));
    // Their yes was to what this mode, or this rule, asked; another rule asks anew.
    const isAnswered = again.behavior === "ask" && (again.by === "mode" || again.reason === decision.reason);
    return again.behavior === "allow" || isAnswered ? undefined : again;
  }

  /** Leave that the outer call got is leave for what its tool does with the same access below the same place. */
  #coveredByOuter({ traits: { effect, subjects = [] } }: Accepted): boolean {
    const outer = this.#direct && this.#parent?.accepted?.traits;
    if (outer?.effect !== effect || subjects.length === 0) return false;
    const given = outer.subjects ?? [];
    return subjects.every(({ kind, value, access }) =>
      kind === "path" &&
      given.some((one) =>
        one.kind === kind && one.access === access && inside(one.value, value) !== undefined
      )
    );
  }

  /** A call on the command line is a person's own: to ask them again would be rude. */
  async #granted(entry: Entry, { args }: Accepted, { reason, allowWith }: Decision): Promise<boolean> {
    const { ask } = this.#options;
    if (this.person) {
      this.#record.step({ step: "asked", did: "allowed", by: "the person, whose own call it is" });
      return true;
    }
    const shown = this.turn.gate.redactor.redactJson(args);
    const question = { name: this.request.name, args: shown, reason, rule: allowWith ?? entry.name };
    const saidYes = this.#record.asked = await ask?.(question) ?? false;
    this.#record.step({
      step: "asked",
      did: saidYes ? "allowed" : "denied",
      by: ask ? "the person" : "nobody",
    });
    return saidYes;
  }

  // 7 ─ wait

  async #wait({ traits }: Accepted): Promise<void> {
    this.#abort.heed();
    const waiting = this.#ticket.enter(claimOf(traits), () => this.signal);
    if (waiting) {
      const started = host.now();
      await waiting;
      this.#record.timed({ step: "wait", did: "waited" }, host.now() - started);
    }
    this.#abort.heed();
  }

  // 8 ─ run, then 9 and 10

  async #execute(entry: Entry, accepted: Accepted): Promise<Ended> {
    const { standIn } = this.#options;
    if (standIn) return await this.#standsIn(entry, accepted, standIn);
    const { tool } = entry;
    const heard = (clean: LateText, stream: StreamName) => this.#heard(clean, stream);
    this.#output = new OutputStreams(this.turn, this.id, this.#options.streamLimit ?? STREAM_LIMIT, heard);
    this.#abort.running = true;
    let data: unknown;
    let failed: Ended | undefined;
    const started = host.now();
    try {
      const running = tool.run(accepted.args, new CallContext(this.turn, entry, this, this.#place()));
      data = isThenable(running) ? await running : running;
    } catch (error) {
      failed = this.#failed(error);
    } finally {
      this.#abort.running = false;
      this.#record.timed({ step: "run", did: "ran", by: tool.name }, host.now() - started);
      this.#output.end();
    }
    if (this.#abort.abandoned) throw new Stop("interrupted", INTERRUPTED);
    const present = (this.came ? undefined : this.#direct?.present) ?? entry.present;
    const ended = failed ?? this.#ended(this.#admit(entry, present(data, accepted.args)));
    const response = () => entry.hooks?.response(data, accepted.args, this.#place()) ?? ended.content;
    return await this.#afterHooks(entry, accepted, response, ended);
  }

  async #standsIn(entry: Entry, accepted: Accepted, { result, response }: StandIn): Promise<Ended> {
    const shaped = this.#admit(entry, result);
    const ended = withOutcome(shaped, result.outcome ?? shaped.status);
    return await this.#afterHooks(entry, accepted, () => response ?? ended.content, ended);
  }

  #heard(clean: LateText, stream: StreamName): void {
    const { handlers: { tool_output: handlers }, handlerLimits } = this.turn;
    if (handlers.length === 0) return;
    const payload = Object.freeze({ stream, text: clean.toString() });
    void runNotify(handlers, handlerLimits, [modCall(this), payload], (handler) => concerns(handler, this));
  }

  // 9 ─ admit: shape, redact, cut to the tool's limit

  #admit(entry: Entry | undefined, value: unknown): Shaped {
    const { gate } = this.turn;
    const name = entry?.tool.name ?? this.request.name;
    return gate.admit(value, name, gate.limitOf(entry?.names ?? [name], entry?.tool.limit));
  }

  /** A tool knows that it was stopped, the call knows why. */
  #ended(shaped: Shaped): Ended {
    if (shaped.outcome === "interrupted") return withOutcome(shaped, this.#abort.why ?? "interrupted");
    return withOutcome(shaped, shaped.outcome ?? shaped.status);
  }

  // 10 ─ hooks, after

  async #afterHooks(
    entry: Entry,
    accepted: Accepted,
    response: () => unknown,
    ended: Ended,
  ): Promise<Ended> {
    const { hooks, gate } = this.turn;
    this.#record.original = ended;
    const failed = ended.status === "error";
    if (!hooks.wants(failed ? "PostToolUseFailure" : "PostToolUse")) return ended;
    // Hooks still hear of a call that was stopped: its abort is not theirs.
    const signal = this.#abort.why ? () => undefined : () => this.signal;
    const place = this.#place();
    const call = hookCall(this, entry, accepted, place, signal, this.#record.heard);
    const asking = failed
      ? hooks.failure(call, textOf(ended.content), this.#abort.why === "interrupted", this.#duration())
      : hooks.post(call, gate.redactor.redactJson(response()), this.#duration());
    const verdict = asking ? await asking : undefined;
    if (verdict) this.#notes.push(...verdict.notes);
    if (verdict?.output === undefined) return ended;
    this.#record.changed(failed ? "a PostToolUseFailure hook" : "a PostToolUse hook");
    return replaced(ended, this.#admit(entry, verdict.output), false);
  }

  /** Feedback and context of hooks, and notices, stand after the result, each a block of its own. */
  #withNotes(ended: Ended): Ended {
    const waiting = this.parentId === undefined ? this.turn.notices() : undefined;
    if (waiting === undefined && this.#notes.length === 0) return ended;
    const notes = this.#notes.flatMap((note) => text(note));
    const notices = text(waiting ?? "");
    this.#record.notes = notes.length;
    this.#record.notices = notices.length;
    return { ...ended, content: [...ended.content, ...notes, ...notices] };
  }

  // 11 ─ mods, after

  async #afterMods(ended: Ended): Promise<Ended> {
    const { tool_end: handlers } = this.turn.handlers;
    if (handlers.length === 0) return ended;
    let current = ended;
    let payload = modResult(this.#result(current));
    const call = modCall(this);
    await runChain(
      handlers,
      this.#record.limits,
      (handler) => concerns(handler, this) ? [call, payload] : undefined,
      ({ result }, { mod }) => {
        this.#record.changed(`plugin "${mod}"`);
        current = replaced(
          current,
          this.#admit(this.entry, result),
          typeof result === "object" && "status" in result,
        );
        payload = modResult(this.#result(current));
      },
    );
    return current;
  }

  // 12 ─ fit

  #fit(ended: Ended): Ended {
    return this.turn.gate.finish(ended, this.entry?.tool.name ?? this.request.name);
  }

  // 13 ─ log

  #logged(ended: Ended): Result {
    const result = this.#result(ended);
    this.turn.emit(this.#record.end(result, (one) => this.#fit(one)));
    return result;
  }

  #result(ended: Ended): Result {
    const { gate } = this.turn;
    const call = {
      id: this.id,
      name: this.request.name,
      tool: this.entry?.tool.name,
      rewritten: this.#record.ran(() => this.accepted!.args),
    };
    return resultOf(call, ended, this.#duration(), gate.stamp());
  }

  #duration(): number {
    return Math.round((host.now() - this.#started) * 100) / 100;
  }

  /** An error anywhere in the life of a call becomes its result. */
  #failed(error: unknown): Ended {
    const { why } = this.#abort;
    const hint = error instanceof AgentError ? error.hint : undefined;
    const content = why === "interrupted"
      ? INTERRUPTED
      : why === "timeout"
      ? `Cannot finish ${this.request.name}: no result within ${this.#options.timeoutMs} ms`
      : hint === undefined
      ? messageOf(error)
      : `${messageOf(error)}\n\nhint: ${hint}`;
    const outcome = why ?? (error instanceof Stop ? error.outcome : "error");
    return withOutcome(this.#admit(this.entry, { content, status: "error" }), outcome);
  }

  // ─ what the tool's context and the views ask of a call

  get dryRun(): boolean {
    return this.#options.dryRun ?? false;
  }

  get person(): boolean {
    return this.#options.origin === "person";
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get face(): ModCall["face"] {
    return this.#face ??= faceView(this.request.args);
  }

  output(chunk: LateText, stream: StreamName): void {
    this.#output!.push(chunk, stream);
  }

  /** What a mod calls on its own account is the model's at most: only the outer call was typed by a person. */
  async nested(name: string, args: Record<string, unknown>, direct?: Direct): Promise<Result> {
    // A tool that calls without end would never let a timer or a signal through.
    if (++this.#family.calls % BREATH === 0) await new Promise((resolve) => setTimeout(resolve));
    const { dryRun, ask, origin = "model" } = this.#options;
    // What a built-in tool does for a call is that call's own.
    const asked = origin === "person" && !direct ? "script" : origin;
    return await new Call(
      this.turn,
      { name, args },
      { signal: this.signal, origin: asked, dryRun, ask },
      this,
      direct,
    ).run();
  }
}

function withOutcome(
  { content, status, stdout, stderr, exitCode, overflow, overflowCutAt, structured }: Shaped,
  outcome: Outcome,
): Ended {
  return { content, status, outcome, stdout, stderr, exitCode, overflow, overflowCutAt, structured };
}

/**
 * A hook or a mod put something in a result's place: what they took out of the text stands nowhere else either, so of what
 * the tool gave only status and exit code stay, and the file of the whole where the text still names it. `stated`: a
 * status was said too.
 */
function replaced(before: Ended, by: Shaped, stated: boolean): Ended {
  const status = stated ? by.status : before.status;
  const ownEnd = before.outcome === "success" || before.outcome === "error";
  const isNamed = by.overflow === undefined && before.overflow !== undefined &&
    textOf(by.content).includes(before.overflow);
  const { overflow, overflowCutAt } = isNamed ? before : by;
  return {
    content: by.content,
    status,
    outcome: ownEnd ? status : before.outcome,
    stdout: by.stdout,
    stderr: by.stderr,
    exitCode: by.exitCode ?? before.exitCode,
    overflow,
    overflowCutAt,
    structured: by.structured,
  };
}

function dryRun(entry: Entry, { args, traits }: Accepted): Ended {
  const { effect, subjects = [] } = traits;
  // A file that is read and written is two subjects.
  const what = [...new Set(subjects.map(({ value }) => quote(value)))].join(", ");
  const sentence = `Dry run: ${entry.name} would ${effect}${what === "" ? "" : ` ${what}`}; nothing was done`;
  const structured = { dryRun: true, tool: entry.tool.name, effect, args };
  return { content: text(sentence), status: "success", outcome: "success", structured };
}
