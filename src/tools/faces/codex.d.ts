/** Codex' faces, in snake and in Pascal case. */
import { type AnyFace } from "../../core/face.ts";
import type { AnyTool } from "../../core/tool.ts";
export declare function codexFaces(shell: AnyTool): AnyFace[];
