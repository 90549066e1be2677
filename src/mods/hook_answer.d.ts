/**
 * What a command hook's exit and output mean. The format is Claude Code's; golden tests pin it.
 */
import type { PostAnswer, PreAnswer } from "../core/hooks.ts";
/** How a hook's process ended. */
export interface HookRun {
    exitCode: number | undefined;
    signal: string | undefined;
    timedOut: boolean;
    /** It could not be started. */
    missing?: string;
    stdout: string;
    stderr: string;
}
export interface Understood {
    json: Record<string, unknown> | undefined;
    /** Text on standard output that isn't JSON. */
    plain: string;
    /** Exit 2. */
    blocks: boolean;
    /** Neither a decision nor a clean end; in words. */
    failure: string | undefined;
}
/** Reads exit code and standard output, whatever event they are for. */
export declare function understand(run: HookRun): Understood;
/** What a PreToolUse hook wants. `failure` is left to the caller, who knows the hook's failure mode. */
export declare function preAnswer(understood: Understood, stderr: string): PreAnswer;
/** What a PostToolUse or PostToolUseFailure hook wants. */
export declare function postAnswer(understood: Understood, stderr: string): PostAnswer;
/** What a SessionStart hook adds: its context, or any text it printed. */
export declare function sessionContext({ json, plain }: Understood): string | undefined;
