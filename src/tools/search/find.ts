/** What `find_files` does: ripgrep lists what isn't ignored, the glob picks, the newest come first. */
import picomatch from "picomatch";
import { AgentError, quote } from "../../core/errors.ts";
import { inside, join, realPath } from "../../core/paths.ts";
import type { Context } from "../../core/tool.ts";
import type { FindArgs } from "../find_files.ts";
import { asGlob, GLOB_OPTIONS } from "../read_many/patterns.ts";
import { startOf } from "../read_many/start.ts";
import { Allowed } from "./allowed.ts";
import { NameReader } from "./names.ts";
import { aged, newestFirst } from "./newest.ts";
import { filesIn, leftOutNotes, someOf, warningsOf } from "./notes.ts";
import { type Scope, scopeOf } from "./scope.ts";
import { glance, search } from "./search.ts";
import { checkedText, COMMON_WORDS, narrowed } from "./words.ts";

export interface FoundFiles {
  pattern: string;
  written: string;
  /** As they are shown. */
  files: readonly string[];
  /** In all. */
  total: number;
  notes: readonly string[];
}

const PATHS = 100;
const NOTES_CHARS = 1500;

export async function find(args: FindArgs, context: Context): Promise<FoundFiles> {
  const { pattern, path, limit = PATHS, offset = 0, ignore_case = false, with_ignored = false } = args;
  const scope = scopeOf(path, "search", context);
  if (scope.kind !== "directory") {
    throw new AgentError(
      `Cannot search ${quote(scope.written)}: it is a file`,
      "name a folder, or read the file",
    );
  }
  const start = begin(checkedText(pattern, "pattern"), scope);
  const fits = picomatch(start.glob === "" ? "**" : asGlob(start.glob), {
    ...GLOB_OPTIONS,
    dot: true,
    nocase: ignore_case,
  });
  const allowed = new Allowed(context, args.ignore_file);
  const found = newestFirst(offset + limit);
  const isFitting = (name: string) => {
    const below = inside(start.folder, name);
    return below === "" ? start.glob === "" : below !== undefined && fits(below);
  };
  const run = async (more: readonly string[]) => {
    const reader = new NameReader();
    return await search(listing(start.folder, more), pattern, context.signal, async (chunk) => {
      const names = reader.push(chunk).map(({ name }) => name).filter(isFitting);
      for (const name of await allowed.filter(names, (one) => one)) found.add(aged(name));
    });
  };
  const more = with_ignored ? ["--no-ignore"] : [];
  let complaints = await run(more);
  let beyond = false;
  const isNamed = scope.isNamed || start.folder !== scope.root;
  if (found.total === 0 && isNamed && !with_ignored) {
    complaints = await run(["--no-ignore-parent"]);
    beyond = found.total > 0;
  }
  let room = context.gate.limit - NOTES_CHARS;
  const files: string[] = [];
  for (const { path } of found.sorted().slice(offset)) {
    const shown = scope.shown(path);
    if ((room -= shown.length + 1) < 0 && files.length > 0) break;
    files.push(shown);
  }
  const { total } = found, next = offset + files.length;
  return {
    pattern,
    written: scope.written,
    files,
    total,
    notes: [
      ...total === 0 && !with_ignored ? await ignored(start.folder, isFitting, allowed, scope, context) : [],
      ...total > 0 && files.length === 0
        ? [`[There are no more than ${total} files: use an offset below that]`]
        : [],
      ...files.length > 0 && next < total
        ? [`[${total - next} more files. Use offset=${next} to continue]`]
        : [],
      ...beyond
        ? [
          "[Ignore rules of folders above leave these files out; they were searched because the folder was named]",
        ]
        : [],
      ...leftOutNotes(allowed, args.ignore_file),
      ...warningsOf(complaints, (path) => scope.shown(path)),
    ],
  };
}

function listing(folder: string, more: readonly string[]): string[] {
  return [...COMMON_WORDS, "--files", ...more, ...narrowed({}), "--", folder];
}

/** A pattern may begin with a folder, or be an absolute path: the search starts there, where permission has looked. */
function begin(pattern: string, scope: Scope): { folder: string; glob: string } {
  const resolve = (path: string) => path.startsWith("/") ? path : join(scope.root, path);
  const { folder, glob } = startOf(pattern, { resolve });
  const real = realPath(folder);
  if (inside(scope.root, real) !== undefined) return { folder: real, glob };
  throw new AgentError(
    `Cannot find ${quote(pattern)} in ${quote(scope.written)}: it begins outside of that folder`,
    `use path=${quote(folder)} and pattern=${quote(glob || "*")}`,
  );
}

/** Where nothing was found: what ignore rules left out. */
async function ignored(
  folder: string,
  isFitting: (name: string) => boolean,
  allowed: Allowed,
  scope: Scope,
  { signal }: Context,
): Promise<string[]> {
  const names = (await glance(listing(folder, ["--no-ignore"]), signal)).filter(isFitting);
  const told = await allowed.filter(names, (name) => name);
  if (told.length === 0) {
    return ["What was left out: .gitignore, .ignore and the user's excludes; folders of version control"];
  }
  const shown = told.map((name) => scope.shown(name));
  return [
    `But ${filesIn(shown.length)} left out by ignore rules (${
      someOf(shown)
    }): use a path inside an ignored folder to list it`,
  ];
}
