/**
 * The folder of a command: where it starts, and where it ended. That is asked of the shell itself by a trap that it sets
 * before it reads the command, whose text stays untouched. A command with a trap of its own, or one that another program
 * takes the place of, doesn't tell.
 */
import { AgentError, quote } from "../../core/errors.ts";
import { dirname, join, makeFolder } from "../../core/paths.ts";
import { host } from "../../core/runtime.ts";
import { shellQuote } from "../../core/shell_quote.ts";
import type { Context } from "../../core/tool.ts";
import { removeQuietly } from "../../core/upkeep.ts";
import { passingName } from "../../shell/live.ts";

export interface FolderProbe {
  /** Variables for the command. */
  env: Record<string, string>;
  /** The folder, once the command has ended; `undefined` where it didn't tell. Takes away what the probe needed. */
  end(): string | undefined;
}

/** `undefined` where the shell can't be asked: it isn't bash, or nothing can be written. `live`: where its files go. */
export function probeFolder(live: string | undefined): FolderProbe | undefined {
  if (host.platform !== "linux") return undefined;
  const folder = live ?? host.builtin<typeof import("node:os")>("node:os").tmpdir();
  const stem = join(folder, passingName());
  const answer = `${stem}.out`, script = `${stem}.sh`;
  const own = host.env("BASH_ENV");
  // The user's own start-up file comes first, and children don't inherit ours.
  const lines = [
    own === undefined ? "unset BASH_ENV" : `export BASH_ENV=${shellQuote(own)}; . "$BASH_ENV"`,
    `trap ${shellQuote(tell(answer))} EXIT`,
    "",
  ];
  try {
    makeFolder(folder, 0o700);
    for (const [path, text] of [[answer, ""], [script, lines.join("\n")]] as const) {
      const file = host.files.open(path, "wx", 0o600);
      file.writeText(text);
      file.close();
    }
  } catch {
    return undefined;
  }
  return {
    env: { BASH_ENV: script },
    end() {
      const told = read(answer);
      removeQuietly(answer);
      removeQuietly(script);
      return told;
    },
  };
}

/** Silent, under `set -x` too, and under `set -e` never what decides the exit code. */
function tell(answer: string): string {
  return `{ builtin pwd -P >|${shellQuote(answer)} || builtin :; } >/dev/null 2>&1`;
}

function read(path: string): string | undefined {
  try {
    const text = host.files.readText(path).replace(/\n$/, "");
    return text === "" ? undefined : text;
  } catch {
    return undefined;
  }
}

/**
 * The folder that a command starts in. The remembered one may be gone: then it is the nearest one above that is there,
 * which is said once and remembered. One that the call names has to be there.
 */
export function workingFolder(
  workdir: string | undefined,
  context: Context,
): { folder: string; notes: string[] } {
  if (workdir !== undefined) {
    const folder = context.resolve(workdir);
    needFolder(folder, workdir, context);
    return { folder, notes: [] };
  }
  let folder = context.cwd;
  while (!isFolder(folder, context) && dirname(folder) !== folder) folder = dirname(folder);
  if (folder === context.cwd) return { folder, notes: [] };
  context.moveTo(folder);
  return {
    folder,
    notes: [`[the working folder ${quote(context.cwd)} is gone; this ran in ${quote(folder)}]`],
  };
}

/** One that isn't there is said not to be, not blamed on the shell. */
function needFolder(path: string, name: string, { files }: Context): void {
  const found = files.info(path);
  if (found?.kind === "directory") return;
  throw new AgentError(
    `Cannot run a command in ${quote(name)}: ${found ? "it is not a folder" : "no such folder"}`,
  );
}

function isFolder(path: string, { files }: Context): boolean {
  return files.info(path)?.kind === "directory";
}
