import { type AnyTool } from "../core/tool.ts";
import { type Collected } from "../shell/collector.ts";
import type { Environment } from "../shell/environment.ts";
import { type Ended, type ProcessGroups } from "../shell/process.ts";
export interface ShellArgs {
    command: string | string[];
    workdir?: string;
    timeout_ms?: number;
    login?: boolean;
    description?: string;
}
export interface ShellData extends Collected {
    ended: Ended;
    timeoutMs: number;
}
export declare const MOST_MS = 600000;
/** What the tool needs of its session. */
export interface ShellParts {
    environment: Environment;
    groups: ProcessGroups;
    timeoutMs: number;
}
export declare function shellTool({ environment, groups, timeoutMs: usual }: ShellParts): AnyTool;
/** A list as the text that rules and hooks look at: each word quoted where it needs to be. */
export declare function asText(command: string | readonly string[]): string;
