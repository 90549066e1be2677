import type { Family } from "../core/face.ts";
import type { Entry } from "../core/registry.ts";
/** Each toolset's family decides the form in which it is published. */
export declare const TOOLSETS: Readonly<Record<string, Family>>;
export declare function familyOf(toolset: string): Family;
/** The toolset for a model's handle, such as `anthropic/claude-…` or `openrouter/openai/gpt-…`. */
export declare function toolsetFor(model: string): string;
/** Is a tool shown? Mods' and external tools are in every toolset but `none`. */
export declare function inToolset(entry: Entry, toolset: string): boolean;
