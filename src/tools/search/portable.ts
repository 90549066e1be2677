/** Starts ripgrep in WebAssembly, on the runtime that runs us. */
import { dirs } from "../../core/dirs.ts";
import { AgentError } from "../../core/errors.ts";
import { join, makeFolder } from "../../core/paths.ts";
import { host } from "../../core/runtime.ts";
import { exists } from "../../core/upkeep.ts";
import type { Program } from "./program.ts";

export function portableProgram(env: Record<string, string>): Program {
  // It keeps its compiled code in the temporary folder, where another user could put some for it.
  const cache = join(dirs().cache, "search");
  makeFolder(cache, 0o700);
  const { execPath } = host.builtin<typeof process>("node:process");
  const flags = host.name === "deno" ? ["run", "-A", "--quiet", "--no-check"] : ["--no-warnings"];
  return { command: execPath, args: [...flags, script()], env: { ...env, TMPDIR: cache } };
}

/** It stands beside this file, in the source as in the build. */
function script(): string {
  const self = import.meta.filename;
  const path = self?.replace(/portable(\.\w+)$/, "portable_child$1");
  if (path !== undefined && path !== self && exists(path)) return path;
  throw new AgentError(
    "Cannot search: ripgrep is missing for this machine, and what stands in for it isn't beside the code that starts it",
    "load agent-runtime from its own folder, with its dependencies",
  );
}
