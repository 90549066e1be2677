import type { Entry } from "./registry.ts";
import type { Effect, Subject, Traits } from "./tool.ts";
export declare const MODES: readonly ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"];
export type Mode = typeof MODES[number];
export type Behavior = "allow" | "ask" | "deny";
/** `Tool`, `Tool(pattern)`, `mcp__server`, `mcp__server__*`. */
export interface Rule {
    behavior: Behavior;
    text: string;
    tool: string;
    pattern?: string;
    /** The folder that a relative pattern is relative to. */
    root: string;
}
/** A part of a call that rules look at by itself: one simple command, one path. */
export type Part = Subject & {
    /** The same command seen through `sudo`, `env`, `sh -c`, …: what a deny or ask rule also looks at. */
    inner?: readonly string[];
    /** The command can't be told from its text: it is never allowed by a pattern. */
    opaque?: true;
};
/** What core doesn't know how to do itself. Each is loaded when a rule needs it. */
export interface Matchers {
    path(pattern: string, path: string, root: string): boolean | Promise<boolean>;
    command(pattern: string, command: string): boolean | Promise<boolean>;
    /** The simple commands and redirected files of a command's text; `undefined` where it can't be parsed. */
    commandParts(command: string, cwd: string): readonly Part[] | undefined | Promise<readonly Part[] | undefined>;
}
export interface Decision {
    behavior: Behavior;
    /** In words, for the result: which rule or mode. */
    reason: string;
    /** Decided by a rule, which no hook's or mod's `allow` overrides. */
    byRule: boolean;
    /** A rule that would allow it, for the hint. */
    allowWith?: string;
}
export interface Asked {
    entry: Entry;
    traits: Traits;
    cwd: string;
    /** The working folders, as real paths: reading inside them needs no leave. */
    folders: readonly string[];
    mode: Mode;
}
/** Parses `Tool(pattern)`. Throws a `UsageError` that quotes the rule. */
export declare function parseRule(text: string, behavior: Behavior, root: string): Rule;
export declare class Policy {
    #private;
    constructor(rules: readonly Rule[], matchers: Matchers, covers: ReadonlyMap<string, Effect>);
    /** The deny rule that stands against the call, if one does; `undefined` at once where none concerns it. */
    denied(asked: Asked): Promise<Decision | undefined>;
    /** Rules, then the mode. The strictest answer of all parts of the call. */
    decide(asked: Asked): Decision | Promise<Decision>;
}
