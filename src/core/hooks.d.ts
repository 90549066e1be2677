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
    agent: {
        name: string;
        args: unknown;
        tool: string;
        family: Family | undefined;
        effect: Effect;
    };
    session: {
        id: string;
        cwd: string;
        project: string;
        mode: Mode;
    };
    /** For hooks that are limited by a permission rule. */
    asked: Asked;
    signal?: AbortSignal;
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
export type HookEvent = "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "SessionStart" | "SessionEnd";
/** Command hooks of a turn. `undefined` instead of a promise: none is concerned, go on at once. */
export interface Hooks {
    /** False where no hook is configured for the event: nothing needs to be built for it. */
    wants(event: HookEvent): boolean;
    pre(call: HookCall): Promise<PreVerdict> | undefined;
    post(call: HookCall, response: unknown, durationMs: number): Promise<PostVerdict> | undefined;
    failure(call: HookCall, error: string, interrupted: boolean, durationMs: number): Promise<PostVerdict> | undefined;
    /** SessionStart with its source, SessionEnd with its reason; returns the contexts that hooks gave. */
    session(event: "SessionStart" | "SessionEnd", detail: string, session: HookCall["session"]): Promise<readonly string[]> | undefined;
}
export declare const NO_HOOKS: Hooks;
/**
 * Answers in declared order, whatever order they came in: `deny > ask > allow`, all contexts kept, the last
 * input that was set wins, and a hook that sets none never undoes another's.
 */
export declare function mergePre(answers: readonly PreAnswer[]): PreVerdict;
/** Feedback, contexts and stop reasons in declared order; the last replaced output wins. */
export declare function mergePost(answers: readonly PostAnswer[]): PostVerdict;
