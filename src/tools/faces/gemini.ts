/** Gemini's faces, in snake and in Pascal case. Its offsets count lines from 0. */
import { type AnyFace, defineFace } from "../../core/face.ts";
import type { AnyTool } from "../../core/tool.ts";
import { type EditArgs, editFile } from "../edit_file.ts";
import { type Page, presentPage } from "../read/pager.ts";
import { type ReadArgs, readFile } from "../read_file.ts";
import { type ReadManyArgs, readManyFiles, readManyInput } from "../read_many_files.ts";
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
    write(SNAKE, "write_file"),
    write(PASCAL, "WriteFileGemini"),
    replace(SNAKE, "replace"),
    replace(PASCAL, "Replace"),
    command(shell, SNAKE, "run_shell_command"),
    command(shell, PASCAL, "RunShellCommand"),
  ];
}
