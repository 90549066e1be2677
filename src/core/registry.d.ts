/**
 * All tools that are there, in three tiers: mod, external, built-in. A registration gives back its remover.
 */
import type { AnyFace, Family, HookFace } from "./face.ts";
import { type Checked, type JsonSchema } from "./schema.ts";
import type { AnyTool, Asset, Effect } from "./tool.ts";
export type Tier = "mod" | "external" | "builtin";
/** A tool under one name, ready to be called; all tiers look the same from here on. */
export interface Entry {
    readonly name: string;
    readonly tier: Tier;
    /** Where it comes from, for people: a plugin's path, a server's name, `built in`. */
    readonly source: string;
    readonly tool: AnyTool;
    readonly family: Family | undefined;
    readonly toolsets: readonly string[];
    readonly description: string;
    readonly schema: JsonSchema;
    /** Every name that rules, matchers and filters may know it by: its own, the canonical, all faces'. */
    readonly names: ReadonlySet<string>;
    readonly hooks: HookFace | undefined;
    /** Hidden unless a turn chooses the scope. */
    readonly scope: string | undefined;
    check(args: unknown): Checked | Promise<Checked>;
    toCanonical(args: Record<string, unknown>): Record<string, unknown>;
    checkCanonical(args: unknown): Checked | Promise<Checked>;
    present(data: unknown, args: Record<string, unknown>): unknown;
}
/** A tool that stands under its own name only: a mod's, an MCP server's, an SDK host's. */
export interface PlainTool {
    tool: AnyTool;
    tier: "mod" | "external";
    source: string;
    description: string;
    readonly schema: JsonSchema;
    scope?: string;
    /** Overrides the check by schema, for tools that bring a zod schema. */
    check?(args: unknown): Checked | Promise<Checked>;
}
export declare class Registry {
    #private;
    /** Adds the built-in tools with their faces. */
    addBuiltins(tools: readonly AnyTool[], faces: readonly AnyFace[], asset: (key: string) => Asset): () => void;
    /** Adds a mod's or an external tool. Its schema is asked for when it is needed, since making one may be dear. */
    add(plain: PlainTool): () => void;
    /** What is there now, in order of registration. */
    entries(): Entry[];
    /** Effects that a rule's name covers beyond its own tool, by name. */
    covers(): Map<string, Effect>;
}
/** The key of a face's text and schema among the generated assets. */
export declare function assetKey(family: Family, name: string): string;
