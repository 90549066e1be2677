/** The folder that a command starts in. */
import { AgentError, quote } from "../../core/errors.ts";
import { dirname } from "../../core/paths.ts";
import type { Context } from "../../core/tool.ts";
import type { FolderAnswer } from "../../shell/folder_probe.ts";

/**
 * The remembered one may be gone or closed: then it is the nearest one above that isn't,
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
  const { cwd } = context;
  const state = stateOf(cwd, context);
  if (state === undefined) return { folder: cwd, notes: [] };
  let folder = cwd;
  while (stateOf(folder, context) !== undefined && dirname(folder) !== folder) folder = dirname(folder);
  context.moveTo(folder);
  return { folder, notes: [`[the working folder ${quote(cwd)} ${state}; this ran in ${quote(folder)}]`] };
}

/** Later calls work where a command ended that began in `folder`. What is said of that. */
export function follow(answer: FolderAnswer | undefined, folder: string, context: Context): string[] {
  if (!answer) return [];
  const { folder: left } = answer;
  if (left === undefined) {
    return [`[the command ended in a folder whose name is not UTF-8; later calls stay in ${quote(folder)}]`];
  }
  if (left !== context.identify(folder)) context.moveTo(left);
  return [];
}

/** One that isn't there is said not to be, not blamed on the shell. */
function needFolder(path: string, name: string, { files }: Context): void {
  const found = files.info(path);
  if (found?.kind === "directory") return;
  throw new AgentError(
    `Cannot run a command in ${quote(name)}: ${found ? "it is not a folder" : "no such folder"}`,
  );
}

/** Why nothing can run there; `undefined` where it can. The dot asks for leave to enter. */
function stateOf(path: string, { files }: Context): "is gone" | "can't be entered" | undefined {
  try {
    return files.info(`${path}/.`)?.kind === "directory" ? undefined : "is gone";
  } catch {
    return "can't be entered";
  }
}
