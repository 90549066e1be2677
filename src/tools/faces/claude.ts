/** Claude's faces: the names and parameters of Claude Code, which are also what command hooks see. */
import type { AnyFace } from "../../core/face.ts";
import type { ShellTools } from "../shell/tools.ts";
import { bash, monitor } from "./claude_commands.ts";
import { FILE_FACES } from "./claude_files.ts";
import { SEARCH_FACES } from "./claude_search.ts";
import { sessionFaces } from "./claude_sessions.ts";

export function claudeFaces({ shell, session, monitor: watch }: ShellTools): AnyFace[] {
  return [...FILE_FACES, ...SEARCH_FACES, bash(shell), ...sessionFaces(session), monitor(watch)];
}
