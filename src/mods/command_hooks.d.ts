import { type HookCall, type Hooks } from "../core/hooks.ts";
import { type ProcessGroups } from "../shell/process.ts";
import type { HookGroup } from "./hook_config.ts";
export interface CommandHooksParts {
    groups: readonly HookGroup[];
    /** A failing hook blocks, unless it says otherwise itself. */
    failClosed: boolean;
    transcript: string;
    groupsOfProcesses: ProcessGroups;
    /** Does a hook's own permission rule (`if`) fit the call? */
    ruleFits(rule: string, call: HookCall): Promise<boolean>;
    /** Texts over 10,000 characters go to a file; what comes back is a preview with its path. */
    shorten(text: string): string;
    /** A loud notice: a hook failed. */
    complain(text: string): void;
}
export declare function commandHooks(parts: CommandHooksParts): Hooks;
