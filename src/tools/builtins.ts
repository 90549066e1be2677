/** The built-in tools with their faces. */
import type { AnyFace } from "../core/face.ts";
import type { AnyTool } from "../core/tool.ts";
import { applyPatch } from "./apply_patch.ts";
import { editFile } from "./edit_file.ts";
import { claudeFaces } from "./faces/claude.ts";
import { codexFaces } from "./faces/codex.ts";
import { geminiFaces } from "./faces/gemini.ts";
import { findFiles } from "./find_files.ts";
import { grepFiles } from "./grep_files.ts";
import { listDir } from "./list_dir.ts";
import { readFile } from "./read_file.ts";
import { readManyFiles } from "./read_many_files.ts";
import type { ShellParts } from "./shell/start.ts";
import { shellTools } from "./shell/tools.ts";
import { viewImage } from "./view_image.ts";
import { writeFile } from "./write_file.ts";

export interface Builtins {
  tools: readonly AnyTool[];
  faces: readonly AnyFace[];
}

/** A shell is a session's own (its process groups end with it), so the tools are made per session. */
export function builtins(parts: ShellParts): Builtins {
  const shells = shellTools(parts);
  return {
    tools: [
      ...[readFile, readManyFiles, viewImage, grepFiles, findFiles, listDir],
      ...[writeFile, editFile, applyPatch, ...Object.values(shells)],
    ],
    faces: [...claudeFaces(shells), ...codexFaces(shells), ...geminiFaces(shells)],
  };
}
