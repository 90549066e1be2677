/** All hook configurations of a session, as `Hooks`. */
import type { HookCall, Hooks } from "../core/hooks.ts";
import type { Settings } from "../core/settings.ts";
import type { ProcessGroups } from "../shell/process.ts";
import { type HookGroup } from "./hook_config.ts";
export interface LoadHooksParts {
    settings: Settings;
    /** Files of `--hooks`. */
    files: readonly string[];
    /** Every name that a matcher may mean. */
    toolNames: ReadonlySet<string>;
    transcript: string;
    processes: ProcessGroups;
    ruleFits(rule: string, call: HookCall): Promise<boolean>;
    shorten(text: string): string;
    complain(text: string): void;
    warn(text: string): void;
}
/** Hooks of settings and files add up, settings first. */
export declare function loadHooks(parts: LoadHooksParts): Promise<Hooks>;
/** The configured groups, in the order in which their answers count. */
export declare function hookGroups(settings: Settings, files: readonly string[], warn: (text: string) => void): Promise<{
    groups: HookGroup[];
    failClosed: boolean;
}>;
