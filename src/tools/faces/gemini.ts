/** Gemini's faces, in snake and in Pascal case. Its offsets count lines from 0. */
import { type AnyFace, defineFace } from "../../core/face.ts";
import type { AnyTool } from "../../core/tool.ts";
import { type EditArgs, editFile } from "../edit_file.ts";
import { type FindArgs, findFiles, foundText } from "../find_files.ts";
import { contentLines, type GrepArgs, grepFiles } from "../grep_files.ts";
import { type ListArgs, listDir } from "../list_dir.ts";
import { type Page, presentPage } from "../read/pager.ts";
import { type ReadArgs, readFile } from "../read_file.ts";
import { type ReadManyArgs, readManyFiles, readManyInput } from "../read_many_files.ts";
import type { FoundFiles } from "../search/find.ts";
import type { Match, Searched } from "../search/grep.ts";
import type { Listing } from "../search/listing.ts";
import type { ShellArgs } from "../shell.ts";
import type { ShellTools } from "../shell/tools.ts";
import { type WriteArgs, writeFile } from "../write_file.ts";
import { snakeName } from "./snake_name.ts";

const SNAKE = { family: "gemini", toolsets: ["gemini_snake"] } as const;
const PASCAL = { family: "gemini", toolsets: ["gemini"] } as const;
type Naming = typeof SNAKE | typeof PASCAL;

/** Where a turn has the Pascal names, the snake ones mean the same. */
function aliasesOf(naming: Naming, name: string): string[] {
  return naming === PASCAL ? [snakeName(name.replace(/Gemini$/, ""))] : [];
}

function read(naming: Naming, name: string): AnyFace {
  return defineFace(readFile, {
    ...naming,
    name,
    aliases: aliasesOf(naming, name),
    input: (z) =>
      z.strictObject({
        file_path: z.string().min(1).describe("The path to the file to read"),
        offset: z.int().min(0).optional().describe("The 0-based line number to start reading from"),
        limit: z.int().min(1).optional().describe("Maximum number of lines to read"),
      }),
    toCanonical: ({ file_path, offset, limit }): ReadArgs => ({
      path: file_path,
      ...(offset !== undefined && { offset: offset + 1 }),
      ...(limit !== undefined && { limit }),
    }),
    present: (data: Page, { path }) =>
      presentPage(data, path, (line) => `${line}\t`, (line) => `offset=${line - 1}`),
  });
}

function readMany(naming: Naming, name: string): AnyFace {
  return defineFace(readManyFiles, {
    ...naming,
    name,
    aliases: aliasesOf(naming, name),
    input: readManyInput,
    toCanonical: (args): ReadManyArgs => args,
  });
}

function write(naming: Naming, name: string): AnyFace {
  return defineFace(writeFile, {
    ...naming,
    name,
    aliases: aliasesOf(naming, name),
    input: (z) =>
      z.strictObject({
        file_path: z.string().min(1).describe("The path to the file to write to"),
        content: z.string().describe("The content to write to the file"),
      }),
    toCanonical: ({ file_path, content }): WriteArgs => ({ path: file_path, content }),
  });
}

function replace(naming: Naming, name: string): AnyFace {
  return defineFace(editFile, {
    ...naming,
    name,
    aliases: aliasesOf(naming, name),
    input: (z) =>
      z.strictObject({
        file_path: z.string().min(1).describe("The path to the file to modify"),
        old_string: z.string().describe("The exact literal text to replace"),
        new_string: z.string().describe("The exact literal text to replace old_string with"),
        expected_replacements: z.int().min(1).optional().describe(
          "Number of replacements expected (default 1)",
        ),
      }),
    toCanonical: ({ file_path, expected_replacements, ...one }): EditArgs => ({
      path: file_path,
      edits: [{ ...one, ...(expected_replacements !== undefined && { expected_replacements }) }],
    }),
  });
}

/** Its own ignore files count besides git's. */
const IGNORE_FILE = ".geminiignore";
/** As these parameters were called before. */
const FOLDER = { names: { path: "dir_path", directory: "dir_path" } };

interface SearchArgs {
  pattern: string;
  dir_path?: string | undefined;
  include?: string | undefined;
}

function search(naming: Naming, name: string): AnyFace {
  return defineFace<SearchArgs, GrepArgs, Searched>(grepFiles, {
    ...naming,
    name,
    aliases: aliasesOf(naming, name),
    input: (z) =>
      z.strictObject({
        pattern: z.string().min(1).describe("The regular expression to search for in file contents"),
        dir_path: z.string().min(1).optional().describe(
          "The directory to search; the working directory by default",
        ),
        include: z.string().min(1).optional().describe(
          'A glob that limits which files are searched, e.g. "*.ts"',
        ),
      }),
    unpublished: FOLDER,
    toCanonical: ({ pattern, dir_path, include }) => ({
      pattern,
      output: "content",
      ignore_case: true,
      limit: 1000,
      ignore_file: IGNORE_FILE,
      ...(dir_path !== undefined && { path: dir_path }),
      ...(include !== undefined && { glob: include }),
    }),
    present: (found, { glob }) => ({
      content: found.rows.length === 0
        ? found.notes.join("\n")
        : [matchesIn(found, glob), "---", ...byFile(found), "---", ...found.notes].join("\n"),
    }),
  });
}

function matchesIn({ totalMatches, pattern, written }: Searched, glob: GrepArgs["glob"]): string {
  const filter = typeof glob === "string" ? ` (filter: "${glob}")` : "";
  const matches = totalMatches === 1 ? "1 match" : `${totalMatches} matches`;
  return `Found ${matches} for pattern "${pattern}" in path "${written}"${filter}:`;
}

/** Its lines below each file's name. */
function byFile(found: Searched): string[] {
  let last: string | undefined;
  return contentLines(found, ({ path, line, text }: Match) => {
    const head = path === last ? "" : `${last === undefined ? "" : "---\n"}File: ${path}\n`;
    last = path;
    return `${head}L${line}: ${text}`;
  });
}

interface GlobArgs {
  pattern: string;
  dir_path?: string | undefined;
  case_sensitive?: boolean | undefined;
  respect_git_ignore?: boolean | undefined;
  respect_gemini_ignore?: boolean | undefined;
}

function glob(naming: Naming, name: string): AnyFace {
  return defineFace<GlobArgs, FindArgs, FoundFiles>(findFiles, {
    ...naming,
    name,
    aliases: aliasesOf(naming, name),
    input: (z) =>
      z.strictObject({
        pattern: z.string().min(1).describe('The glob pattern to match, e.g. "**/*.py"'),
        dir_path: z.string().min(1).optional().describe(
          "The directory to search; the working directory by default",
        ),
        case_sensitive: z.boolean().optional().describe("Whether case matters; default false"),
        respect_git_ignore: z.boolean().optional().describe("Leave out what .gitignore lists; default true"),
        respect_gemini_ignore: z.boolean().optional().describe(
          "Leave out what .geminiignore lists; default true",
        ),
      }),
    unpublished: FOLDER,
    toCanonical: (
      { pattern, dir_path, case_sensitive = false, respect_git_ignore, respect_gemini_ignore },
    ) => ({
      pattern,
      ignore_case: !case_sensitive,
      ...(dir_path !== undefined && { path: dir_path }),
      ...(respect_git_ignore === false && { with_ignored: true }),
      ...(respect_gemini_ignore !== false && { ignore_file: IGNORE_FILE }),
    }),
    present: (found) =>
      foundText(
        found,
        (total) =>
          `Found ${
            total === 1 ? "1 file" : `${total} files`
          } matching "${found.pattern}" within ${found.written}, ` +
          "sorted by modification time (newest first):",
      ),
  });
}

interface DirectoryArgs {
  dir_path: string;
  ignore?: string[] | undefined;
  file_filtering_options?:
    | { respect_git_ignore?: boolean | undefined; respect_gemini_ignore?: boolean | undefined }
    | undefined;
}

function directory(naming: Naming, name: string): AnyFace {
  return defineFace<DirectoryArgs, ListArgs, Listing>(listDir, {
    ...naming,
    name,
    aliases: aliasesOf(naming, name),
    input: (z) =>
      z.strictObject({
        dir_path: z.string().min(1).describe("The path to the directory to list"),
        ignore: z.array(z.string().min(1)).optional().describe("Glob patterns to leave out"),
        file_filtering_options: z.strictObject({
          respect_git_ignore: z.boolean().optional().describe("default true"),
          respect_gemini_ignore: z.boolean().optional().describe("default true"),
        }).optional(),
      }),
    unpublished: FOLDER,
    toCanonical: ({ dir_path, ignore, file_filtering_options: filters = {} }) => ({
      path: dir_path,
      depth: 1,
      limit: 1000,
      ...(ignore && { ignore }),
      ...(filters.respect_git_ignore !== false && { without_ignored: true }),
      ...(filters.respect_gemini_ignore !== false && { ignore_file: IGNORE_FILE }),
    }),
    present: ({ path, entries, next, notes }) => {
      const folders = entries.filter(({ kind }) => kind === "directory").map(({ name }) => `[DIR] ${name}`);
      const others = entries.filter(({ kind }) => kind !== "directory").map(({ name }) => name);
      const more = next === undefined ? [] : ["[More entries: leave some out by ignore]"];
      return {
        content: [`Directory listing for ${path}:`, ...folders, ...others, ...more, ...notes].join("\n"),
      };
    },
  });
}

function command(shell: AnyTool, naming: Naming, name: string): AnyFace {
  return defineFace(shell, {
    ...naming,
    name,
    aliases: aliasesOf(naming, name),
    input: (z) =>
      z.strictObject({
        command: z.string().min(1).describe("Exact bash command to execute"),
        description: z.string().optional().describe("Brief description of the command for the user"),
        dir_path: z.string().min(1).optional().describe("The directory to run the command in"),
      }),
    unpublished: { names: { directory: "dir_path" }, passes: { is_background: "background" } },
    toCanonical: ({ dir_path, description, command }): ShellArgs => ({
      command,
      ...(description !== undefined && { description }),
      ...(dir_path !== undefined && { workdir: dir_path }),
    }),
  });
}

export function geminiFaces({ shell }: ShellTools): AnyFace[] {
  return [
    read(SNAKE, "read_file"),
    read(PASCAL, "ReadFileGemini"),
    readMany(SNAKE, "read_many_files"),
    readMany(PASCAL, "ReadManyFiles"),
    directory(SNAKE, "list_directory"),
    directory(PASCAL, "ListDirectory"),
    glob(SNAKE, "glob"),
    glob(PASCAL, "GlobGemini"),
    search(SNAKE, "search_file_content"),
    search(PASCAL, "SearchFileContent"),
    write(SNAKE, "write_file"),
    write(PASCAL, "WriteFileGemini"),
    replace(SNAKE, "replace"),
    replace(PASCAL, "Replace"),
    command(shell, SNAKE, "run_shell_command"),
    command(shell, PASCAL, "RunShellCommand"),
  ];
}
