/** Claude's faces: the names and parameters of Claude Code, which are also what command hooks see. */
import { type AnyFace } from "../../core/face.ts";
import type { AnyTool } from "../../core/tool.ts";
export declare function claudeFaces(shell: AnyTool): AnyFace[];
