/** What `list_dir` does: a folder's names with those below it, sorted fully before any cut. Links are not followed. */
import { AgentError, fileError, quote } from "../../core/errors.ts";
import { join } from "../../core/paths.ts";
import { host } from "../../core/runtime.ts";
import type { Context } from "../../core/tool.ts";
import type { ListArgs } from "../list_dir.ts";
import { IgnoreFiles, ignoreRoot } from "../read_many/ignore_files.ts";
import { excluder } from "../read_many/patterns.ts";
import { Allowed } from "./allowed.ts";
import { byText } from "./first.ts";
import { leftOutNotes, someOf } from "./notes.ts";
import { scopeOf } from "./scope.ts";
import { OF_VERSION_CONTROL } from "./words.ts";

export interface ListedEntry {
  name: string;
  /** 0 for what is in the folder itself. */
  level: number;
  kind: "file" | "directory" | "symlink" | "other";
}

export interface Listing {
  /** Absolute, links in it followed. */
  path: string;
  entries: readonly ListedEntry[];
  /** The entry to go on with, where there are more. */
  next?: number;
  notes: readonly string[];
}

const ENTRIES = 200;
const DEPTH = 2;
/** Names that are looked at in one call, and after how many others get their turn. */
const MOST_NAMES = 1_000_000;
const TURN = 2000;
const NOTES_CHARS = 1500;

export async function list(args: ListArgs, context: Context): Promise<Listing> {
  const { path, depth = DEPTH, offset = 1, limit = ENTRIES, ignore = [], without_ignored } = args;
  const scope = scopeOf(path, "list", context);
  if (scope.kind !== "directory") {
    throw new AgentError(
      `Cannot list ${quote(scope.written)}: it is not a folder`,
      "read it, or list the folder it is in",
    );
  }
  const { root } = scope;
  const excluded = excluder(ignore, { resolve: (path) => path.startsWith("/") ? path : join(root, path) });
  const byGit = without_ignored ? new IgnoreFiles(".gitignore", ignoreRoot(root, context.cwd)) : undefined;
  const heedsGit = byGit && !byGit.ignores(root, true);
  const allowed = new Allowed(context, args.ignore_file);
  const shown: ListedEntry[] = [];
  const unreadable: string[] = [];
  let passed = 0, looked = 0, leftOut = 0, room = context.gate.limit - NOTES_CHARS - root.length;

  /** True once there is one more than fits. */
  const walk = async (folder: string, level: number): Promise<boolean> => {
    for (const name of namesOf(folder)) {
      if (++looked > MOST_NAMES) {
        throw new AgentError(
          `Cannot list ${quote(scope.written)}: it holds more than ${MOST_NAMES} names`,
          "list a folder further down, or with a smaller depth",
        );
      }
      if (looked % TURN === 0) await new Promise((resolve) => setTimeout(resolve, 0));
      context.signal.throwIfAborted();
      const full = join(folder, name), kind = kindOf(full);
      const isLeftOut = excluded(full) || heedsGit && byGit!.ignores(full, kind === "directory");
      if (isLeftOut) leftOut++;
      if (isLeftOut || (await allowed.filter([full], (one) => one)).length === 0) continue;
      const cost = name.length + 2 * level + 2;
      if (shown.length >= limit || shown.length > 0 && room < cost) return true;
      if (++passed >= offset) {
        shown.push({ name, level, kind });
        room -= cost;
      }
      if (kind !== "directory" || level + 1 >= depth || OF_VERSION_CONTROL.includes(name)) continue;
      if (await walk(full, level + 1)) return true;
    }
    return false;
  };
  const namesOf = (folder: string): string[] => {
    try {
      return host.files.readDir(folder).sort(byText);
    } catch (error) {
      if (folder === root) throw fileError("list", scope.written, error);
      unreadable.push(scope.shown(folder));
      return [];
    }
  };
  const isMore = await walk(root, 0);
  return {
    path: root,
    entries: shown,
    ...isMore && { next: offset + shown.length },
    notes: [
      ...passed === 0
        ? ["(empty)"]
        : shown.length > 0
        ? []
        : [`There are ${passed} entries: use an offset up to that.`],
      ...leftOut > 0
        ? [
          `[${leftOut} left out: ${
            [...ignore.length > 0 ? ["ignore"] : [], ...byGit ? [".gitignore"] : []].join(", ")
          }]`,
        ]
        : [],
      ...unreadable.length > 0 ? [`[Folders that could not be listed: ${someOf(unreadable)}]`] : [],
      ...leftOutNotes(allowed, args.ignore_file),
    ],
  };
}

function kindOf(path: string): ListedEntry["kind"] {
  try {
    const { kind } = host.files.lstat(path);
    return kind === "file" || kind === "directory" || kind === "symlink" ? kind : "other";
  } catch {
    return "other";
  }
}
