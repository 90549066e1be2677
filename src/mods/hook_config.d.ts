import type { HookEvent } from "../core/hooks.ts";
export interface CommandHook {
    command: string;
    /** Present: the program is run directly, without a shell. */
    args?: readonly string[];
    /** One permission rule that limits it. */
    if?: string;
    timeoutMs: number;
    onFailure: "block" | "continue";
    async: boolean;
}
export interface HookGroup {
    event: HookEvent;
    matcher: string;
    matches(name: string): boolean;
    sequential: boolean;
    hooks: readonly CommandHook[];
    /** The file it stands in. */
    source: string;
}
/** Events that the runtime has itself. */
export declare const HOOK_EVENTS: readonly HookEvent[];
/** The groups of one `hooks` object, in declared order. What can't be used is said and skipped. */
export declare function readHookGroups(hooks: unknown, source: string, warn: (text: string) => void): HookGroup[];
/**
 * Absent, `""` and `"*"`: everything. Only letters, digits, `_`, `-`, blank, `,` and `|`: exact names. Anything
 * else is an unanchored regular expression; `undefined` where it doesn't compile.
 */
export declare function compileMatcher(matcher: string): ((name: string) => boolean) | undefined;
/** `--hooks FILE`: trusted because it was typed. */
export declare function readHooksFile(path: string): Promise<unknown>;
