/** Gemini's faces, in snake and in Pascal case. Its offsets count lines from 0. */
import { type AnyFace } from "../../core/face.ts";
import type { AnyTool } from "../../core/tool.ts";
export declare function geminiFaces(shell: AnyTool): AnyFace[];
