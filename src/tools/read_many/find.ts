/** Which files the patterns mean, and which of them are left out and why. */
import { AgentError, quote } from "../../core/errors.ts";
import { basename, inside, join } from "../../core/paths.ts";
import { type FileKind, host } from "../../core/runtime.ts";
import type { Context } from "../../core/tool.ts";
import { exists } from "../../core/upkeep.ts";
import type { ReadManyArgs } from "../read_many_files.ts";
import { endingOf, ENDINGS, FOLDERS, MEDIA, NAMES } from "./default_excludes.ts";
import { IgnoreFiles, ignoreRoot } from "./ignore_files.ts";
import { excluder } from "./patterns.ts";
import { type Start, startOf } from "./start.ts";
import { walk } from "./walk.ts";

export interface FoundFile {
  path: string;
  /** As it is shown: relative where it is inside the working folder. */
  shown: string;
  kind: FileKind | undefined;
  /** A pattern names it, and nothing is there. */
  missing: boolean;
  size: number;
  /** A pattern has its name or its ending. */
  named: boolean;
  /** It has an image's or a document's ending. */
  media: boolean;
}

export interface Found {
  /** In order of `shown`, by code unit; those that are missing first. */
  files: FoundFile[];
  /** How many matches each filter left out, by the filter's name. */
  leftOut: ReadonlyMap<string, number>;
  /** Folders that the default excludes kept shut. */
  closed: number;
  unreadable: readonly string[];
  /** Filters in force. */
  filters: readonly string[];
}

const DEFAULTS = "the default excludes";

/** Finds all files, before any is opened. */
export async function find(args: ReadManyArgs, context: Context): Promise<Found> {
  const { include, exclude = [], recursive = true, useDefaultExcludes = true } = args;
  const { respect_git_ignore: git = true, respect_gemini_ignore: gemini = true } =
    args.file_filtering_options ?? {};
  const { cwd, signal } = context;
  const excluded = excluder(exclude, context);
  const byGemini = gemini ? new IgnoreFiles(".geminiignore", cwd) : undefined;
  const gitFiles = new Map<string, IgnoreFiles>();
  const gitFor = (folder: string): IgnoreFiles => {
    const root = ignoreRoot(folder, cwd);
    const known = gitFiles.get(root) ?? new IgnoreFiles(".gitignore", root);
    gitFiles.set(root, known);
    return known;
  };
  const chosen = new Set<string>();
  const refused = new Map<string, string>();
  const closed = new Set<string>();
  const unreadable = new Set<string>();
  const take = (path: string, filter: string | undefined) => {
    if (filter !== undefined) refused.set(path, filter);
    else chosen.add(path);
  };
  const always = (path: string) =>
    excluded(path) ? "exclude" : byGemini?.ignores(path) ? ".geminiignore" : undefined;

  for (const pattern of include) {
    signal.throwIfAborted();
    const start = begin(pattern, recursive, context);
    if (start.glob === "") {
      // Who names a file means it, ignored or not.
      take(start.folder, always(start.folder));
      continue;
    }
    const byGit = git ? gitFor(start.folder) : undefined;
    // The same goes for a folder that is ignored itself.
    const heedGit = byGit && !byGit.ignores(start.folder, true);
    const named = new Set(start.glob.split("/"));
    const shut = (name: string, path: string) => {
      const isShut = useDefaultExcludes && FOLDERS.has(name) && !named.has(name);
      if (isShut) closed.add(path);
      return isShut;
    };
    const found = await walk(start.folder, start.glob, shut, signal);
    for (const folder of found.unreadable) unreadable.add(folder);
    for (const path of found.paths) {
      const filter = always(path) ?? (heedGit && byGit.ignores(path) ? ".gitignore" : undefined) ??
        (useDefaultExcludes && isMade(path, pattern) ? DEFAULTS : undefined);
      take(path, filter);
    }
  }
  const leftOut = new Map<string, number>();
  for (const [path, filter] of refused) {
    if (!chosen.has(path)) leftOut.set(filter, (leftOut.get(filter) ?? 0) + 1);
  }
  const files = [...chosen].map((path) => look(path, inside(cwd, path) || path, include));
  files.sort((a, b) =>
    Number(b.missing) - Number(a.missing) || (a.shown < b.shown ? -1 : a.shown > b.shown ? 1 : 0)
  );
  const filters = [
    ...exclude.length > 0 ? ["exclude"] : [],
    ...git ? [".gitignore"] : [],
    ...gemini ? [".geminiignore"] : [],
    ...useDefaultExcludes ? [DEFAULTS] : [],
  ];
  return { files, leftOut, closed: closed.size, unreadable: [...unreadable].sort(), filters };
}

/** A name that is there, byte for byte, is no pattern, whatever its characters. */
function begin(pattern: string, recursive: boolean, context: Context): Start {
  const exact = context.resolve(pattern);
  const kind = kindOf(exact);
  if (kind === "directory") return { folder: exact, glob: recursive ? "**" : "*" };
  if (kind !== undefined) return { folder: exact, glob: "" };
  if (pattern.startsWith("!")) {
    const hint = "exclude is the place for what is not wanted";
    throw new AgentError(`Cannot use the pattern ${quote(pattern)}: it begins with "!"`, hint);
  }
  let { folder, glob } = startOf(pattern, context);
  if (glob === "") return { folder, glob };
  let parts = glob.split("/");
  while (parts.length > 1 && parts[0] !== "**" && kindOf(join(folder, parts[0]!)) === "directory") {
    folder = join(folder, parts.shift()!);
  }
  if (!recursive) {
    parts = [...parts.slice(0, -1).filter((part) => part !== "**"), parts.at(-1)!.replace(/^\*\*$/, "*")];
  }
  glob = parts.join("/");
  return { folder, glob };
}

function kindOf(path: string): FileKind | undefined {
  try {
    return host.files.stat(path).kind;
  } catch {
    return undefined;
  }
}

/** Made by a program, or no text; a pattern that has the ending means it. */
function isMade(path: string, pattern: string): boolean {
  const name = basename(path).toLowerCase();
  const ending = endingOf(name);
  return NAMES.has(name)
    ? !pattern.toLowerCase().includes(name)
    : ENDINGS.has(ending) && !mentions(pattern, ending);
}

function mentions(pattern: string, ending: string): boolean {
  return /^[a-z0-9]+$/.test(ending) &&
    (endingOf(pattern) === ending || new RegExp(`[.,{]${ending}(?![a-z0-9])`, "i").test(pattern));
}

function look(path: string, shown: string, include: readonly string[]): FoundFile {
  const name = basename(path);
  const ending = endingOf(name);
  const stem = ending === "" ? name : name.slice(0, -ending.length);
  const names = (pattern: string) => mentions(pattern, ending) || basename(pattern).startsWith(stem);
  const seen = { path, shown, named: include.some(names), media: MEDIA.has(ending) };
  try {
    const { kind, size } = host.files.stat(path);
    return { ...seen, kind, missing: false, size };
  } catch {
    return { ...seen, kind: undefined, missing: !exists(path), size: 0 };
  }
}
