/** Command hooks: which are concerned, what they are asked, and what their answers come to. */
import { quote } from "../core/errors.ts";
import {
  type EventAnswer,
  type HookCall,
  type HookEvent,
  type Hooks,
  type HookSession,
  HOST_EVENTS,
  type HostEvent,
  type HostEvents,
  mergeEvent,
  mergePermission,
  mergePost,
  mergePre,
  type PermissionAnswer,
  type PostAnswer,
  type PreAnswer,
  type SessionVerdict,
} from "../core/hooks.ts";
import { host } from "../core/runtime.ts";
import type { ProcessGroups } from "../shell/groups.ts";
import {
  eventAnswer,
  type HookRun,
  permissionAnswer,
  postAnswer,
  preAnswer,
  understand,
  type Understood,
} from "./hook_answer.ts";
import { Background } from "./hook_background.ts";
import { type AnyHook, type HookGroup, nameOf } from "./hook_config.ts";
import { type HookAnswer, meaning } from "./hook_meaning.ts";
import { saysNo } from "./hook_fields.ts";
import { collect, type Due, pick, type Picked } from "./hook_pick.ts";
import type { HookPlace } from "./hook_process.ts";
import { HookRunners } from "./hook_runners.ts";

/** One hook that was asked, for those who look at hooks one by one. */
export interface HookTrace {
  hook: AnyHook;
  group: HookGroup;
  /** Its input. */
  payload: object;
  run: HookRun;
  understood: Understood;
  answer: HookAnswer;
  ms: number;
}

/** A file that hooks of the session's start may write variables to. */
export interface VariablesFile {
  readonly path: string;
  /** What was written; removes the file. */
  take(): Promise<Record<string, string>>;
}

export interface CommandHooksParts {
  hooks: readonly HookGroup[];
  transcript: string;
  groups: ProcessGroups;
  /** Does a hook's own permission rule (`if`) fit the call? */
  ruleFits(rule: string, call: HookCall): Promise<boolean>;
  /** Texts over 10,000 characters go to a file; what comes back is a preview with its path. */
  shorten(text: string): string;
  /** A loud notice: a hook failed. */
  complain(text: string): void;
  /** Absent: hooks can't give the session variables. */
  variables?(): VariablesFile;
  heard?(trace: HookTrace): void;
}

/** What hooks are told, and how their answers are read. */
interface Question<T> {
  event: HookEvent;
  /** What is held against matchers; none: all are concerned. */
  names: readonly string[] | undefined;
  session: HookSession;
  /** The call that it is about. */
  call?: HookCall;
  /** Beside what every hook is told; from the answers of those before it in a sequential group. */
  fields(before: readonly T[]): Record<string, unknown>;
  read(understood: Understood, stderr: string): T;
  /** The answer that a failure stands for where it blocks; absent: it can't. */
  blocked?(reason: string): T;
  /** Ends a sequential group. */
  ends?(answer: T): boolean;
  variables?: Readonly<Record<string, string>>;
}

export class CommandHooks implements Hooks {
  readonly #parts: CommandHooksParts;
  readonly #byEvent = new Map<HookEvent, HookGroup[]>();
  readonly #runners: HookRunners;
  readonly #background: Background;

  constructor(parts: CommandHooksParts) {
    this.#parts = parts;
    this.#runners = new HookRunners(parts);
    this.#background = new Background((text) => parts.complain(text));
    for (const group of parts.hooks) {
      const same = this.#byEvent.get(group.event);
      if (same) same.push(group);
      else this.#byEvent.set(group.event, [group]);
    }
  }

  wants(event: HookEvent): boolean {
    return this.#byEvent.has(event);
  }

  pre(call: HookCall) {
    return this.#ask<PreAnswer>({
      ...about(call, "PreToolUse"),
      fields: (before) => ({
        ...inputFields(call, before.findLast(({ input }) => input)?.input),
        tool_use_id: call.id,
      }),
      read: preAnswer,
      blocked: (reason) => ({ decision: "deny", reason }),
      ends: ({ decision, stop }) => decision === "deny" || stop !== undefined,
    })?.then(mergePre);
  }

  permission(call: HookCall) {
    return this.#ask<PermissionAnswer>({
      ...about(call, "PermissionRequest"),
      fields: (before) =>
        inputFields(call, before.findLast(({ behavior, input }) => behavior === "allow" && input)?.input),
      read: permissionAnswer,
      blocked: (message) => ({ behavior: "deny", message }),
      ends: ({ behavior, stop }) => behavior === "deny" || stop !== undefined,
    })?.then(mergePermission);
  }

  post(call: HookCall, response: unknown, durationMs: number) {
    return this.#after("PostToolUse", call, { tool_response: response, duration_ms: Math.round(durationMs) });
  }

  failure(call: HookCall, error: string, interrupted: boolean, durationMs: number) {
    const fields = { error, is_interrupt: interrupted, duration_ms: Math.round(durationMs) };
    return this.#after("PostToolUseFailure", call, fields);
  }

  #after(event: HookEvent, call: HookCall, fields: Record<string, unknown>) {
    return this.#ask<PostAnswer>({
      ...about(call, event),
      fields: () => ({ ...inputFields(call), tool_use_id: call.id, ...fields }),
      read: postAnswer,
      blocked: (feedback) => ({ feedback }),
    })?.then(mergePost);
  }

  fire<E extends HostEvent>(event: E, fields: HostEvents[E], session: HookSession) {
    const key = HOST_EVENTS[event];
    const detail: unknown = key === undefined ? undefined : fields[key] ?? "";
    // A broken hook at an end must not keep a run going without end.
    const blocks = event === "UserPromptSubmit" || event === "PreCompact";
    return this.#ask<EventAnswer>({
      event,
      names: detail === undefined ? undefined : [String(detail)],
      session,
      fields: () => ({ ...fields }),
      read: (understood, stderr) => eventAnswer(understood, stderr, event),
      ...blocks && { blocked: (block: string) => ({ block }) },
      ends: ({ block, stop }) => block !== undefined || stop !== undefined,
    })?.then(mergeEvent);
  }

  session(event: "SessionStart" | "SessionEnd", detail: string, session: HookSession) {
    const isStart = event === "SessionStart";
    const file = isStart && this.wants(event) ? this.#parts.variables?.() : undefined;
    const asking = this.#ask<EventAnswer>({
      event,
      names: [detail],
      session,
      fields: () => isStart ? { source: detail } : { reason: detail },
      read: (understood, stderr) => eventAnswer(understood, stderr, event),
      ...file && { variables: { CLAUDE_ENV_FILE: file.path } },
    });
    if (!asking && (isStart || (this.#background.isEmpty && this.#runners.areIdle))) return undefined;
    return this.#ended(event, asking ?? Promise.resolve([]), file);
  }

  async #ended(
    event: HookEvent,
    asking: Promise<EventAnswer[]>,
    file: VariablesFile | undefined,
  ): Promise<SessionVerdict> {
    const { contexts } = mergeEvent(await asking);
    if (event === "SessionEnd") await this.close();
    return { contexts, variables: await file?.take() ?? {} };
  }

  /** Ends what runs for the session, after a moment for those in the background. */
  async close(): Promise<void> {
    await this.#background.settle();
    await this.#runners.close();
  }

  /** All that are concerned, at once or in turn; `undefined` where none is. */
  #ask<T extends HookAnswer>(question: Question<T>): Promise<T[]> | undefined {
    const { event, names, session, call, fields, read, blocked, ends } = question;
    const groups = this.#byEvent.get(event);
    const picked = groups ? pick(groups, names) : [];
    if (picked.length === 0) return undefined;
    const common = this.#common(event, session);
    const place = { project: session.project, variables: question.variables };
    const ask = async (hook: Due, { group }: Picked, before: readonly T[]) => {
      // What a rule fits is the call as it came: one that a hook before it made another may fit whatever rule.
      const isAnother = before.some((answer) => "input" in answer && answer.input !== undefined);
      if (hook.if !== undefined && !isAnother && !(call && await this.#parts.ruleFits(hook.if, call))) {
        return {} as T;
      }
      const payload = { ...common, ...fields(before), ...(call && { agent: call.agent }) };
      const { failure, answer } = await this.#run(hook, group, payload, place, call, read);
      if (failure === undefined || !hook.blocks || !blocked) return this.#shortened(answer);
      return blocked(`the hook ${quote(nameOf(hook))} failed: ${failure}`);
    };
    return collect(picked, ask, ends);
  }

  #common(event: HookEvent, session: HookSession) {
    return {
      session_id: session.id,
      transcript_path: this.#parts.transcript,
      cwd: session.cwd,
      hook_event_name: event,
      permission_mode: session.mode,
    };
  }

  async #run<T extends HookAnswer>(
    hook: Due,
    group: HookGroup,
    payload: object,
    place: HookPlace,
    call: HookCall | undefined,
    read: Question<T>["read"],
  ): Promise<{ failure: string | undefined; answer: T }> {
    const started = host.now();
    const running = this.#runners.run(hook, JSON.stringify(payload), place, call);
    const hear = (run: HookRun) => {
      const understood = understand(run, group.event);
      const answer = read(understood, run.stderr);
      const ms = host.now() - started;
      this.#parts.heard?.({ hook, group, payload, run, understood, answer, ms });
      if (call?.heard) {
        const says = meaning(group.event, understood, answer, hook.blocks).join("; ");
        call.heard(group.event, nameOf(hook), says, ms);
      }
      this.#tell(hook, group, understood, run.isKnown ?? false);
      return { failure: understood.failure, answer };
    };
    if (!hook.async) return hear(await running);
    this.#background.add(nameOf(hook), running.then(hear));
    return { failure: undefined, answer: {} as T };
  }

  /** Says what a hook has to say to the person, and that it failed. */
  #tell(hook: Due, { event, source }: HookGroup, understood: Understood, isKnown: boolean): void {
    const { message, failure, json = {} } = understood;
    const { complain, shorten } = this.#parts;
    const name = `hook ${quote(nameOf(hook))} (${event}, ${source})`;
    if (message !== undefined) complain(`${name}: ${shorten(message)}`);
    if (failure === undefined || isKnown) return;
    const holdsBack = hook.blocks || saysNo(json) || json.continue === false;
    const stops = holdsBack && !hook.async ? WHAT_IS_BLOCKED[event] : undefined;
    complain(`${name} failed: ${failure}; ${stops ?? "all goes on without it"}`);
  }

  #shortened<T extends HookAnswer>(given: T): T {
    const answer = { ...given };
    // A decision is a word, and a new output stands in the result's place, under the tool's own limit.
    for (const [key, value] of Object.entries(answer)) {
      if (typeof value !== "string" || key === "decision" || key === "behavior" || key === "output") continue;
      (answer as Record<string, unknown>)[key] = this.#parts.shorten(value);
    }
    return answer;
  }
}

/** What doesn't happen when a hook of the event fails and is to block then. */
const WHAT_IS_BLOCKED: { readonly [E in HookEvent]?: string } = {
  PreToolUse: "the call is blocked",
  PermissionRequest: "the call is blocked",
  UserPromptSubmit: "the prompt is blocked",
  PreCompact: "the compaction is blocked",
};

function about(call: HookCall, event: HookEvent) {
  return { event, names: call.names, session: call.session, call };
}

function inputFields({ view }: HookCall, input: Record<string, unknown> = view.input) {
  return { tool_name: view.name, tool_input: input };
}
