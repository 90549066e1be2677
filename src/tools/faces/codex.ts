/** Codex' faces, in snake and in Pascal case. */
import { bashView } from "./bash_view.ts";
import { type AnyFace, defineFace } from "../../core/face.ts";
import type { AnyTool } from "../../core/tool.ts";
import { applyPatch, type PatchArgs, type PatchData } from "../apply_patch.ts";
import { type GrepArgs, grepFiles, grepText, rowText } from "../grep_files.ts";
import { type ListArgs, listDir } from "../list_dir.ts";
import { type Page, presentPage } from "../read/pager.ts";
import { type ReadArgs, readFile } from "../read_file.ts";
import { type Chunk, commandOf, type ExecArgs, type WriteArgs } from "../exec_command.ts";
import { MOST_MS, type ShellArgs } from "../shell.ts";
import type { ShellTools } from "../shell/tools.ts";
import type { Searched } from "../search/grep.ts";
import { writtenText } from "../shell_session.ts";
import { type ViewArgs, viewImage } from "../view_image.ts";
import { snakeName } from "./snake_name.ts";

const SNAKE = { family: "codex", toolsets: ["codex_snake"] } as const;
/** By name only: `exec_command` is what these models are shown. */
const UNSHOWN = { family: "codex", toolsets: [] } as const;
const PASCAL = { family: "codex", toolsets: ["codex"] } as const;

/** Where a turn has the Pascal names, the snake ones mean the same. */
function aliasesOf(naming: typeof SNAKE | typeof PASCAL, name: string): string[] {
  return naming === PASCAL ? [snakeName(name)] : [];
}

/** About leaving a sandbox, which there is none of here: who may run what is said by rules and modes. */
const ABOUT_SANDBOX = ["sandbox_permissions", "with_escalated_permissions", "justification", "prefix_rule"];
const ONE_SHOT = { names: { timeout: "timeout_ms" }, ignored: ABOUT_SANDBOX };

function read(name: string): AnyFace {
  return defineFace(readFile, {
    ...UNSHOWN,
    name,
    input: (z) =>
      z.strictObject({
        file_path: z.string().min(1).describe("Absolute path to the file"),
        offset: z.int().min(1).optional().describe(
          "The line number to start reading from. Must be 1 or greater",
        ),
        limit: z.int().min(1).optional().describe("The maximum number of lines to return"),
        mode: z.enum(["slice", "indentation"]).optional().describe(
          'Mode selector: "slice" for simple ranges (default) or "indentation" to expand around an anchor line',
        ),
        indentation: z.strictObject({
          anchor_line: z.int().min(1).optional().describe(
            "Line to center the indentation lookup on (defaults to offset)",
          ),
          max_levels: z.int().min(0).optional().describe(
            "How many parent indentation levels to include; 0 (default) for all",
          ),
          include_siblings: z.boolean().optional().describe(
            "Whether to include further blocks at the outermost level shown (default false)",
          ),
          include_header: z.boolean().optional().describe(
            "Whether to include the comment lines above the block (default true)",
          ),
          max_lines: z.int().min(1).optional().describe("Hard cap on the number of lines returned"),
        }).optional(),
      }),
    toCanonical: ({ file_path, ...rest }): ReadArgs => ({
      path: file_path,
      ...rest as Omit<ReadArgs, "path">,
    }),
    present: (data: Page, { path }) =>
      presentPage(data, path, (line) => `L${line}: `, (line) => `offset=${line}`),
  });
}

function grep(name: string): AnyFace {
  return defineFace(grepFiles, {
    ...UNSHOWN,
    name,
    input: (z) =>
      z.strictObject({
        pattern: z.string().min(1).describe("Regular expression pattern to search for"),
        include: z.string().min(1).optional().describe(
          'Glob that limits which files are searched (e.g. "*.rs" or "*.{ts,tsx}")',
        ),
        path: z.string().min(1).optional().describe(
          "Directory or file path to search; the working directory by default",
        ),
        limit: z.int().min(1).max(2000).optional().describe(
          "Maximum number of file paths to return (default 100)",
        ),
      }),
    toCanonical: ({ include, limit = 100, ...rest }): GrepArgs => ({
      ...rest as Pick<GrepArgs, "pattern">,
      limit,
      ...(include !== undefined && { glob: include }),
    }),
    present: (found: Searched) => grepText(found, (row) => rowText(row, true), ""),
  });
}

function list(name: string): AnyFace {
  return defineFace(listDir, {
    ...UNSHOWN,
    name,
    input: (z) =>
      z.strictObject({
        dir_path: z.string().min(1).describe("Absolute path to the directory to list"),
        offset: z.int().min(1).optional().describe(
          "The entry number to start listing from. Must be 1 or greater",
        ),
        limit: z.int().min(1).optional().describe("The maximum number of entries to return (default 25)"),
        depth: z.int().min(1).optional().describe("The maximum directory depth to traverse (default 2)"),
      }),
    toCanonical: ({ dir_path, limit = 25, ...rest }): ListArgs => ({
      path: dir_path,
      limit,
      ...rest as Pick<ListArgs, "offset">,
    }),
  });
}

function view(naming: typeof SNAKE | typeof PASCAL, name: string): AnyFace {
  return defineFace(viewImage, {
    ...naming,
    name,
    aliases: aliasesOf(naming, name),
    input: (z) =>
      z.strictObject({ path: z.string().min(1).describe("Local filesystem path to an image file") }),
    toCanonical: ({ path }): ViewArgs => ({ path }),
  });
}

/** A program and its arguments. */
function argv(shell: AnyTool, name: string): AnyFace {
  return defineFace(shell, {
    ...UNSHOWN,
    name,
    unpublished: ONE_SHOT,
    input: (z) =>
      z.strictObject({
        command: z.array(z.string()).min(1).describe("The command to execute, a program and its arguments"),
        workdir: z.string().min(1).optional().describe("The working directory to execute the command in"),
        timeout_ms: z.int().min(1).max(MOST_MS).optional().describe(
          "The timeout for the command in milliseconds",
        ),
      }),
    toCanonical: (args): ShellArgs => args as ShellArgs,
  });
}

function exec(tool: AnyTool, naming: typeof SNAKE | typeof PASCAL, name: string): AnyFace {
  return defineFace(tool, {
    ...naming,
    name,
    aliases: aliasesOf(naming, name),
    unpublished: { ignored: ABOUT_SANDBOX },
    input: (z) =>
      z.strictObject({
        cmd: z.string().min(1).describe("Shell command to execute"),
        workdir: z.string().min(1).optional().describe(
          "Working directory to run the command in; defaults to the turn's",
        ),
        shell: z.string().min(1).optional().describe("Shell binary to launch; defaults to the user's"),
        login: z.boolean().optional().describe("Whether to run the shell with login semantics"),
        tty: z.boolean().optional().describe(
          "Whether to allocate a terminal; defaults to false (plain pipes)",
        ),
        yield_time_ms: z.int().min(0).optional().describe(
          "How long to wait for output before yielding, in milliseconds",
        ),
        max_output_tokens: z.int().min(1).optional().describe("Maximum number of tokens to return"),
      }),
    toCanonical: (args): ExecArgs => args as ExecArgs,
    hooks: {
      view: (args) => bashView(commandOf(args)),
      rewrite: ({ command, ...rest }, before) => ({
        ...before,
        ...rest,
        cmd: command === commandOf(before) ? before.cmd : command,
      }),
      response: chunkResponse,
    },
  });
}

function stdin(tool: AnyTool, naming: typeof SNAKE | typeof PASCAL, name: string): AnyFace {
  return defineFace(tool, {
    ...naming,
    name,
    aliases: aliasesOf(naming, name),
    input: (z) =>
      z.strictObject({
        session_id: z.int().min(1).describe("Identifier of the running session"),
        chars: z.string().optional().describe("Bytes to write to its input; may be empty to poll"),
        yield_time_ms: z.int().min(0).optional().describe(
          "How long to wait for output before yielding, in milliseconds",
        ),
        max_output_tokens: z.int().min(1).optional().describe("Maximum number of tokens to return"),
      }),
    toCanonical: (args): WriteArgs => args as unknown as WriteArgs,
    hooks: {
      view: ({ chars = "", session_id }) =>
        chars === ""
          ? { name: "BashOutput", input: { shell_id: String(session_id) } }
          : bashView(writtenText(chars)),
      rewrite: ({ command }, before) =>
        command === undefined || command === writtenText(before.chars)
          ? before
          : { ...before, chars: command },
      response: chunkResponse,
    },
  });
}

function chunkResponse(data: unknown): unknown {
  const { output, session } = data as Chunk;
  return { stdout: output, stderr: "", interrupted: session.state === "killed", isImage: false };
}

/** Sessions go under one name in every family. */
function session(tool: AnyTool): AnyFace {
  return defineFace(tool, {
    ...PASCAL,
    toolsets: ["codex", "gemini"],
    name: "ShellSession",
    aliases: aliasesOf(PASCAL, "ShellSession"),
    input: (z) => tool.input(z),
    toCanonical: (args) => args,
  });
}

function command(shell: AnyTool, name: string): AnyFace {
  return defineFace(shell, {
    ...UNSHOWN,
    name,
    unpublished: ONE_SHOT,
    input: (z) =>
      z.strictObject({
        command: z.string().min(1).describe("The shell script to execute in the user's default shell"),
        workdir: z.string().min(1).optional().describe("The working directory to execute the command in"),
        timeout_ms: z.int().min(1).max(MOST_MS).optional().describe(
          "The timeout for the command in milliseconds",
        ),
        login: z.boolean().optional().describe("Whether to run the shell with login shell semantics"),
      }),
    toCanonical: (args): ShellArgs => args as ShellArgs,
  });
}

function patch(naming: typeof SNAKE | typeof PASCAL, name: string): AnyFace {
  return defineFace<PatchArgs, PatchArgs, PatchData>(applyPatch, {
    ...naming,
    name,
    aliases: aliasesOf(naming, name),
    // A provider that takes grammars gets the text as it is; the others a function with one argument.
    custom: true,
    input: (z) =>
      z.strictObject({ input: z.string().min(1).describe("The entire contents of the apply_patch command") }),
    toCanonical: (args) => args,
    hooks: {
      alsoMatches: ["Edit", "Write"],
      view: ({ input, workdir }) => ({
        name: "apply_patch",
        input: { command: input, ...(workdir !== undefined && { workdir }) },
      }),
      // A hook that knows of no folder means the one that is there.
      rewrite: ({ command, ...rest }, { workdir }) => ({
        ...(workdir !== undefined && { workdir }),
        ...rest,
        input: command,
      }),
      response: (data) => ({ files: (data as PatchData).told }),
    },
  });
}

export function codexFaces(shells: ShellTools): AnyFace[] {
  return [
    read("read_file"),
    read("ReadFile"),
    grep("grep_files"),
    grep("GrepFiles"),
    list("list_dir"),
    list("ListDir"),
    view(SNAKE, "view_image"),
    view(PASCAL, "ViewImage"),
    patch(SNAKE, "apply_patch"),
    patch(PASCAL, "ApplyPatch"),
    exec(shells.exec, SNAKE, "exec_command"),
    exec(shells.exec, PASCAL, "ExecCommand"),
    stdin(shells.stdin, SNAKE, "write_stdin"),
    stdin(shells.stdin, PASCAL, "WriteStdin"),
    session(shells.session),
    argv(shells.shell, "shell"),
    argv(shells.shell, "Shell"),
    command(shells.shell, "shell_command"),
    command(shells.shell, "ShellCommand"),
  ];
}
