/** Files below a folder that fit a glob. */
import { AgentError, quote } from "../../core/errors.ts";
import { join } from "../../core/paths.ts";
import { host } from "../../core/runtime.ts";
import { leading, matcher } from "./glob.ts";

export interface Walked {
  /** Absolute. Links, pipes and the like count: whoever opens one looks first. */
  paths: string[];
  /** Folders that could not be listed. */
  unreadable: string[];
}

/** Names that are looked at in one search, and after how many others get their turn. */
const MOST_NAMES = 1_000_000;
const TURN = 1000;

/** Links are not followed. `closed`: is a folder not to be entered? */
export async function walk(
  folder: string,
  glob: string,
  closed: (name: string, path: string) => boolean,
  signal: AbortSignal,
  most = MOST_NAMES,
): Promise<Walked> {
  const fits = matcher(glob), leads = leading(glob);
  const paths: string[] = [], unreadable: string[] = [];
  const waiting = [""];
  let looked = 0;
  for (let below; (below = waiting.pop()) !== undefined;) {
    const names = list(join(folder, below));
    if (!names) unreadable.push(join(folder, below));
    for (const name of names ?? []) {
      if (++looked > most) {
        const hint = "let the pattern begin with a folder further down";
        throw new AgentError(`Cannot search ${quote(folder)}: it holds more than ${most} names`, hint);
      }
      if (looked % TURN === 0) await new Promise((resolve) => setTimeout(resolve, 0));
      signal.throwIfAborted();
      const inner = below === "" ? name : `${below}/${name}`;
      const path = join(folder, inner);
      const [fit, lead] = [fits(inner), leads(inner)];
      if (!fit && !lead) continue;
      if (!isFolder(path)) fit && paths.push(path);
      else if (lead && !closed(name, path)) waiting.push(inner);
    }
  }
  return { paths, unreadable };
}

function list(folder: string): string[] | undefined {
  try {
    return host.files.readDir(folder);
  } catch {
    return undefined;
  }
}

function isFolder(path: string): boolean {
  try {
    return host.files.lstat(path).kind === "directory";
  } catch {
    return false;
  }
}
