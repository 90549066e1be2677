/**
 * `CLAUDE_ENV_FILE`: what hooks of the session's start write there is in the environment of the session's commands.
 * It is text for a shell (`export A=b`, also `declare -x`, `. file`), so a shell reads it, in the environment that the
 * hook had; what it changed counts.
 */
import { errorCode, messageOf, quote } from "../core/errors.ts";
import { randomHex } from "../core/hash.ts";
import { join, makeFolder } from "../core/paths.ts";
import { host } from "../core/runtime.ts";
import { removeQuietly } from "../core/upkeep.ts";
import type { ProcessGroups } from "../shell/groups.ts";
import { run } from "../shell/process.ts";
import { Capture } from "./capture.ts";
import type { VariablesFile } from "./command_hooks.ts";

/** What a shell sets by itself, or for one process alone. */
const OF_THE_SHELL = new Set(["_", "SHLVL", "PWD", "OLDPWD", "AGENT_CHILD_OF", "CLAUDE_ENV_FILE"]);
const TIME_MS = 10_000;

export interface VariablesParts {
  /** Where the file stands; made when it is needed. */
  folder: string;
  project: string;
  groups: ProcessGroups;
  complain(text: string): void;
}

export function variablesFile(parts: VariablesParts): VariablesFile {
  makeFolder(parts.folder, 0o700);
  const path = join(parts.folder, `env-${host.pid}-${randomHex(12)}.sh`);
  return {
    path,
    async take() {
      try {
        return host.files.stat(path).size === 0 ? {} : await readBy(path, parts);
      } catch (error) {
        if (errorCode(error) !== "ENOENT") {
          parts.complain(`CLAUDE_ENV_FILE can't be read: ${messageOf(error)}`);
        }
        return {};
      } finally {
        removeQuietly(path);
      }
    },
  };
}

/** A part that fails is skipped, as a shell would; the rest counts. */
async function readBy(
  path: string,
  { project, groups, complain }: VariablesParts,
): Promise<Record<string, string>> {
  const mark = `\n${randomHex(12)}\n`;
  const before = { ...host.envAll(), CLAUDE_PROJECT_DIR: project, AGENT_PROJECT_DIR: project };
  const capture = new Capture({ stdoutMb: 4 });
  const script = 'shopt -s expand_aliases 2>/dev/null; . "$1" >&2; printf "%s" "$2"; env -0';
  const ended = await run({
    argv: [shell(), "-c", script, "sh", path, mark],
    cwd: project,
    env: before,
    timeoutMs: TIME_MS,
    onOutput: (chunk, stream) => capture.push(chunk, stream),
  }, groups);
  const text = capture.text("stdout"), at = text.indexOf(mark);
  if (ended.why !== "exit" || at < 0) {
    const why = ended.why === "timeout"
      ? "it takes too long"
      : capture.text("stderr").trim().split("\n").at(-1);
    complain(`what a SessionStart hook wrote to CLAUDE_ENV_FILE counts for nothing: ${quote(why ?? "")}`);
    return {};
  }
  return changed(before, text.slice(at + mark.length));
}

/** `declare -x`, which bash itself prints, is no other shell's word. */
function shell(): string {
  try {
    host.files.stat("/bin/bash");
    return "/bin/bash";
  } catch {
    return "/bin/sh";
  }
}

function changed(before: Readonly<Record<string, string>>, listed: string): Record<string, string> {
  const result: Record<string, string> = {};
  for (const line of listed.split("\0")) {
    const at = line.indexOf("=");
    const name = line.slice(0, at), value = line.slice(at + 1);
    if (at < 1 || OF_THE_SHELL.has(name) || name.startsWith("BASH_FUNC_")) continue;
    if (before[name] !== value) result[name] = value;
  }
  return result;
}
