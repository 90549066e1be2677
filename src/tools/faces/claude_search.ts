/** Claude's faces of the search tools. */
import { type AnyFace, defineFace } from "../../core/face.ts";
import { type FindArgs, findFiles, foundText } from "../find_files.ts";
import { type GrepArgs, grepFiles, grepText, rowText } from "../grep_files.ts";
import { type ListArgs, listDir } from "../list_dir.ts";
import type { FoundFiles } from "../search/find.ts";
import type { Searched } from "../search/grep.ts";
import type { Listing } from "../search/listing.ts";
import { given, hidden } from "./claude_shared.ts";

/** By name only: these models search with commands as well. */
const UNSHOWN = { family: "claude", toolsets: [] } as const;

/** A limit of 0 asks for all of it. */
const ALL = 10_000;
const MODES = { content: "content", files_with_matches: "files", count: "count" } as const;
const modeOf = (output: GrepArgs["output"] = "files") => output === "files" ? "files_with_matches" : output;

interface ClaudeGrep {
  pattern: string;
  path?: string | undefined;
  glob?: string | undefined;
  output_mode?: keyof typeof MODES | undefined;
  "-A"?: number | undefined;
  "-B"?: number | undefined;
  "-C"?: number | undefined;
  context?: number | undefined;
  "-n"?: boolean | undefined;
  "-i"?: boolean | undefined;
  multiline?: boolean | undefined;
  type?: string | undefined;
  head_limit?: number | undefined;
  offset?: number | undefined;
}

function toCanonical(args: ClaudeGrep): GrepArgs {
  const { "-A": after, "-B": before, "-C": both, context, "-n": numbers, "-i": ignore_case } = args;
  const { output_mode, head_limit, ...same } = args;
  const around = context ?? both;
  const { pattern, path, glob, multiline, type, offset } = same;
  return given({
    pattern,
    path,
    glob,
    type,
    multiline,
    offset,
    output: output_mode && MODES[output_mode],
    before: before ?? around,
    after: after ?? around,
    ignore_case,
    numbers,
    limit: head_limit === 0 ? ALL : head_limit,
  }) as unknown as GrepArgs;
}

const lines = () => "lines to show around each match; with output_mode content";

const grep = defineFace<ClaudeGrep, GrepArgs, Searched>(grepFiles, {
  ...UNSHOWN,
  name: "Grep",
  input: (z) =>
    z.strictObject({
      pattern: z.string().min(1).describe("The regular expression to search for in file contents"),
      path: z.string().min(1).optional().describe(
        "File or directory to search; the working directory by default",
      ),
      glob: z.string().min(1).optional().describe('Glob to filter files, e.g. "*.js", "*.{ts,tsx}"'),
      output_mode: z.enum(["content", "files_with_matches", "count"]).optional().describe(
        "content: matching lines; files_with_matches: paths, newest first (default); count: matching lines of each file",
      ),
      "-A": z.int().min(0).optional().describe("Lines after each match; with output_mode content"),
      "-B": z.int().min(0).optional().describe("Lines before each match; with output_mode content"),
      "-C": z.int().min(0).optional().describe("The same as context"),
      context: z.int().min(0).optional().describe(`Number of ${lines()}`),
      "-n": z.boolean().optional().describe("Show line numbers; default true"),
      "-i": z.boolean().optional().describe("Ignore case"),
      multiline: z.boolean().optional().describe("Patterns may span lines and . matches line ends"),
      type: z.string().min(1).optional().describe("File type to search, e.g. js, py, rust"),
      head_limit: z.int().min(0).optional().describe("Entries shown at most; default 250, 0 for all"),
      offset: z.int().min(0).optional().describe("Entries to skip first"),
    }),
  toCanonical,
  // Lines stand for themselves.
  present: (found, { numbers = true }) =>
    grepText(found, (row) => rowText(row, numbers), found.output === "content" ? "" : undefined),
  hooks: {
    view: ({ output, before, after, ignore_case, numbers, limit, ignore_file: _, ...same }) => ({
      name: "Grep",
      input: given({
        ...same,
        output_mode: modeOf(output),
        "-A": after,
        "-B": before,
        "-i": ignore_case,
        "-n": numbers,
        head_limit: limit,
      }),
    }),
    rewrite: (input, before) => ({
      ...hidden(before, [
        ...[
          "pattern",
          "path",
          "glob",
          "type",
          "output",
          "before",
          "after",
          "ignore_case",
          "multiline",
        ] as const,
        ...["limit", "offset", "numbers"] as const,
      ]),
      ...toCanonical(input as unknown as ClaudeGrep),
    }),
    response: (data) => {
      const { output, files, rows, totalFiles, totalMatches } = data as Searched;
      return {
        mode: modeOf(output),
        numFiles: totalFiles,
        filenames: output === "content"
          ? [...new Set(rows.map(({ path }) => path))]
          : files.map(({ path }) => path),
        ...output !== "files" && { numMatches: totalMatches },
        ...output === "content" &&
          { content: rows.map((row) => rowText(row, true)).join("\n"), numLines: rows.length },
      };
    },
  },
});

const glob = defineFace<{ pattern: string; path?: string | undefined }, FindArgs, FoundFiles>(findFiles, {
  ...UNSHOWN,
  name: "Glob",
  input: (z) =>
    z.strictObject({
      pattern: z.string().min(1).describe("The glob pattern to match files against"),
      path: z.string().min(1).optional().describe(
        "The directory to search in; the working directory by default",
      ),
    }),
  toCanonical: ({ pattern, path }) => ({ pattern, ...(path !== undefined && { path }) }),
  present: (found) => foundText(found, () => ""),
  hooks: {
    view: ({ pattern, path }) => ({ name: "Glob", input: given({ pattern, path }) }),
    rewrite: (input, before) => ({ ...hidden(before, ["pattern", "path"]), ...input }),
    response: (data) => {
      const { files, total } = data as FoundFiles;
      return { filenames: files, numFiles: files.length, truncated: files.length < total };
    },
  },
});

/** All there is to see of a tree in one call. */
const DEPTH = 100, ENTRIES = 1000;

const ls = defineFace<{ path: string; ignore?: string[] | undefined }, ListArgs, Listing>(listDir, {
  ...UNSHOWN,
  name: "LS",
  input: (z) =>
    z.strictObject({
      path: z.string().min(1).describe("The absolute path to the directory to list"),
      ignore: z.array(z.string().min(1)).optional().describe("Glob patterns to leave out"),
    }),
  toCanonical: ({ path, ignore }) => ({ path, depth: DEPTH, limit: ENTRIES, ...(ignore && { ignore }) }),
  present: ({ path, entries, next, notes }) => ({
    content: [
      `- ${path}/`,
      ...entries.map(({ name, level, kind }) =>
        `${"  ".repeat(level + 1)}- ${name}${kind === "directory" ? "/" : ""}`
      ),
      ...next === undefined
        ? []
        : ["[More entries: list a directory further down, or leave some out by ignore]"],
      ...notes,
    ].join("\n"),
  }),
  hooks: {
    view: ({ path, ignore }) => ({ name: "LS", input: given({ path, ignore }) }),
    rewrite: (input, before) => ({ ...hidden(before, ["path", "ignore"]), ...input }),
    response: (data) => {
      const { path, entries, next } = data as Listing;
      return { path, entries, truncated: next !== undefined };
    },
  },
});

export const SEARCH_FACES: readonly AnyFace[] = [grep, glob, ls];
