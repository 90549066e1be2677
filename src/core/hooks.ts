/**
 * The points at which command hooks are asked, and how their answers merge. How a hook is run is not known here
 * (`src/mods/command_hooks.ts`).
 */
import type { Family, HookView } from "./face.ts";
import type { Asked, Mode } from "./permission.ts";
import type { Effect } from "./tool.ts";

/** A call as hooks see it: in Claude's names, with the call as the model wrote it beside it. */
export interface HookCall {
  id: string;
  view: HookView;
  /** All names that a matcher may be held against. */
  names: readonly string[];
  agent: { name: string; args: unknown; tool: string; family: Family | undefined; effect: Effect };
  session: { id: string; cwd: string; project: string; mode: Mode };
  /** For hooks that are limited by a permission rule. */
  asked: Asked;
  readonly signal?: AbortSignal | undefined;
  /** Told what each hook said, in words, and how long it took. */
  heard?: ((event: HookEvent, hook: string, says: string, ms: number) => void) | undefined;
}

export type HookDecision = "allow" | "ask" | "deny";

/** One hook's answer before a call. */
export interface PreAnswer {
  decision?: HookDecision;
  reason?: string;
  /** Replaces the whole input that the hook was shown. */
  input?: Record<string, unknown>;
  context?: string;
  /** `continue: false`: outranks everything. */
  stop?: string;
}

/** One hook's answer after a call. */
export interface PostAnswer {
  /** Goes to the model as feedback. */
  feedback?: string;
  context?: string;
  stop?: string;
  /** Stands in the result's place. */
  output?: string;
}

/** One hook's answer where a call needs somebody's yes. */
export interface PermissionAnswer {
  behavior?: "allow" | "deny";
  message?: string;
  /** Replaces the whole input, of a call that it allows. */
  input?: Record<string, unknown>;
  stop?: string;
}

/** One hook's answer to an event of a host's or of the session. */
export interface EventAnswer {
  /** What the event is about isn't to happen, or for `Stop` to go on; why. */
  block?: string;
  context?: string;
  stop?: string;
}

export interface PreVerdict {
  decision: HookDecision | undefined;
  reason: string;
  input: Record<string, unknown> | undefined;
  contexts: readonly string[];
}

export interface PostVerdict {
  notes: readonly string[];
  output: string | undefined;
}

export interface PermissionVerdict {
  behavior: "allow" | "deny" | undefined;
  message: string;
  input: Record<string, unknown> | undefined;
}

/** What the hooks of an event that a host fired came to. */
export interface HostVerdict {
  /** The prompt, the compaction is not to be; after `Stop` and `SubagentStop`: it is not over yet. */
  blocked: boolean;
  /** Why, for the model or the person. */
  reason: string;
  /** For the model. */
  contexts: readonly string[];
  /** False: a hook ends the whole run, whatever else was said. */
  continue: boolean;
  stopReason: string;
}

/** Events that only a host knows of, with what it tells. Names are those of the wire format. */
export interface HostEvents {
  UserPromptSubmit: { prompt: string };
  /** `stop_hook_active`: it goes on already because a hook said so. */
  Stop: { stop_hook_active: boolean; last_assistant_message?: string };
  SubagentStart: { agent_id: string; agent_type: string };
  SubagentStop: {
    stop_hook_active: boolean;
    agent_id: string;
    agent_type: string;
    agent_transcript_path?: string;
    last_assistant_message?: string;
  };
  PreCompact: { trigger: "manual" | "auto"; custom_instructions?: string };
  Notification: { message: string; title?: string; notification_type?: string };
  Setup: { trigger: "init" | "maintenance" };
}
export type HostEvent = keyof HostEvents;

/** The field that a matcher for the event is held against; none: its hooks always run. */
export const HOST_EVENTS: { readonly [E in HostEvent]: keyof HostEvents[E] | undefined } = {
  UserPromptSubmit: undefined,
  Stop: undefined,
  SubagentStart: "agent_type",
  SubagentStop: "agent_type",
  PreCompact: "trigger",
  Notification: "notification_type",
  Setup: "trigger",
};

/** Events of a call. */
export const CALL_EVENTS = ["PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest"] as const;
/** All that there is. */
export const HOOK_EVENTS = [
  ...CALL_EVENTS,
  "SessionStart",
  "SessionEnd",
  ...Object.keys(HOST_EVENTS) as HostEvent[],
] as const;
export type HookEvent = typeof HOOK_EVENTS[number];

export function isHostEvent(event: string): event is HostEvent {
  return Object.hasOwn(HOST_EVENTS, event);
}

/** A session as hooks hear of it. */
export type HookSession = HookCall["session"];

/** What hooks of the session's start and end gave. */
export interface SessionVerdict {
  contexts: readonly string[];
  /** Variables for the commands of the session. */
  variables: Readonly<Record<string, string>>;
}

/** Command hooks of a turn. `undefined` instead of a promise: none is concerned, go on at once. */
export interface Hooks {
  /** False where no hook is configured for the event: nothing needs to be built for it. */
  wants(event: HookEvent): boolean;
  pre(call: HookCall): Promise<PreVerdict> | undefined;
  /** The call needs a yes, and nobody has been asked yet. */
  permission(call: HookCall): Promise<PermissionVerdict> | undefined;
  post(call: HookCall, response: unknown, durationMs: number): Promise<PostVerdict> | undefined;
  failure(
    call: HookCall,
    error: string,
    interrupted: boolean,
    durationMs: number,
  ): Promise<PostVerdict> | undefined;
  /** SessionStart with its source, SessionEnd with its reason. After the end nothing of the hooks runs any more. */
  session(
    event: "SessionStart" | "SessionEnd",
    detail: string,
    session: HookSession,
  ): Promise<SessionVerdict> | undefined;
  fire<E extends HostEvent>(
    event: E,
    fields: HostEvents[E],
    session: HookSession,
  ): Promise<HostVerdict> | undefined;
}

export const NO_HOOKS: Hooks = {
  wants: () => false,
  pre: () => undefined,
  permission: () => undefined,
  post: () => undefined,
  failure: () => undefined,
  session: () => undefined,
  fire: () => undefined,
};

const RANK: Record<HookDecision, number> = { allow: 0, ask: 1, deny: 2 };

/**
 * Answers in declared order, whatever order they came in: `deny > ask > allow`, all contexts kept, the last
 * input that was set wins, and a hook that sets none never undoes another's.
 */
export function mergePre(answers: readonly PreAnswer[]): PreVerdict {
  let decision: HookDecision | undefined;
  let input: Record<string, unknown> | undefined;
  const reasons: string[] = [];
  for (const answer of answers) {
    const given = answer.stop !== undefined ? "deny" : answer.decision;
    if (given !== undefined && (decision === undefined || RANK[given] > RANK[decision])) {
      decision = given;
      reasons.length = 0;
    }
    const reason = answer.stop ?? answer.reason;
    if (given !== undefined && given === decision && reason) reasons.push(reason);
    if (answer.input !== undefined) input = answer.input;
  }
  const contexts = answers.flatMap((answer) => answer.context ? [answer.context] : []);
  return { decision, reason: [...new Set(reasons)].join("\n"), input, contexts };
}

/** Feedback, contexts and stop reasons in declared order; the last replaced output wins. */
export function mergePost(answers: readonly PostAnswer[]): PostVerdict {
  let output: string | undefined;
  const notes: string[] = [];
  for (const answer of answers) {
    for (const note of [answer.stop, answer.feedback, answer.context]) if (note) notes.push(note);
    if (answer.output !== undefined) output = answer.output;
  }
  return { notes, output };
}

/** A no beats a yes, and of the inputs of those who say yes the last that was set wins. */
export function mergePermission(answers: readonly PermissionAnswer[]): PermissionVerdict {
  const behaviorOf = ({ stop, behavior }: PermissionAnswer) => stop === undefined ? behavior : "deny";
  const given = answers.map(behaviorOf);
  const behavior = given.includes("deny") ? "deny" : given.includes("allow") ? "allow" : undefined;
  const agreeing = answers.filter((answer) => behavior !== undefined && behaviorOf(answer) === behavior);
  const messages = agreeing.flatMap(({ stop, message }) => stop ?? message ?? []);
  const input = behavior === "allow" ? agreeing.findLast(({ input }) => input)?.input : undefined;
  return { behavior, message: [...new Set(messages)].join("\n"), input };
}

/** One block is enough; all contexts are kept. */
export function mergeEvent(answers: readonly EventAnswer[]): HostVerdict {
  const all = (key: keyof EventAnswer) => answers.flatMap((answer) => answer[key] ?? []);
  const [blocks, stops] = [all("block"), all("stop")];
  return {
    blocked: blocks.length > 0,
    reason: [...new Set(blocks)].join("\n"),
    contexts: all("context").filter((context) => context !== ""),
    continue: stops.length === 0,
    stopReason: [...new Set(stops)].join("\n"),
  };
}
