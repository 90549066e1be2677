/** The built-in tools with their faces. */
import type { AnyFace } from "../core/face.ts";
import type { AnyTool } from "../core/tool.ts";
import { type ShellParts } from "./shell.ts";
export interface Builtins {
    tools: readonly AnyTool[];
    faces: readonly AnyFace[];
}
/** A shell is a session's own (its process groups end with it), so the tools are made per session. */
export declare function builtins(parts: ShellParts): Builtins;
