/**
 * The points of a call at which command hooks are asked, and how their answers merge. How a hook is run is not
 * known here (`src/mods/command_hooks.ts`).
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

/** Events that the runtime has itself. */
export const HOOK_EVENTS = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "SessionStart",
  "SessionEnd",
] as const;
export type HookEvent = typeof HOOK_EVENTS[number];

/** Command hooks of a turn. `undefined` instead of a promise: none is concerned, go on at once. */
export interface Hooks {
  /** False where no hook is configured for the event: nothing needs to be built for it. */
  wants(event: HookEvent): boolean;
  pre(call: HookCall): Promise<PreVerdict> | undefined;
  post(call: HookCall, response: unknown, durationMs: number): Promise<PostVerdict> | undefined;
  failure(
    call: HookCall,
    error: string,
    interrupted: boolean,
    durationMs: number,
  ): Promise<PostVerdict> | undefined;
  /** SessionStart with its source, SessionEnd with its reason; returns the contexts that hooks gave. */
  session(
    event: "SessionStart" | "SessionEnd",
    detail: string,
    session: HookCall["session"],
  ): Promise<readonly string[]> | undefined;
}

export const NO_HOOKS: Hooks = {
  wants: () => false,
  pre: () => undefined,
  post: () => undefined,
  failure: () => undefined,
  session: () => undefined,
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
