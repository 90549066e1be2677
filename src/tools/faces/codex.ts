/** Codex' faces, in snake and in Pascal case. */
import { type AnyFace, defineFace } from "../../core/face.ts";
import type { AnyTool } from "../../core/tool.ts";
import { applyPatch, type PatchArgs, type PatchData } from "../apply_patch.ts";
import { type Page, presentPage } from "../read/pager.ts";
import { type ReadArgs, readFile } from "../read_file.ts";
import { MOST_MS, type ShellArgs } from "../shell.ts";
import { type ViewArgs, viewImage } from "../view_image.ts";

const SNAKE = { family: "codex", toolsets: ["codex_snake"] } as const;
const PASCAL = { family: "codex", toolsets: ["codex"] } as const;

function read(naming: typeof SNAKE | typeof PASCAL, name: string): AnyFace {
  return defineFace(readFile, {
    ...naming,
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

function view(naming: typeof SNAKE | typeof PASCAL, name: string): AnyFace {
  return defineFace(viewImage, {
    ...naming,
    name,
    input: (z) =>
      z.strictObject({ path: z.string().min(1).describe("Local filesystem path to an image file") }),
    toCanonical: ({ path }): ViewArgs => ({ path }),
  });
}

function command(shell: AnyTool, naming: typeof SNAKE | typeof PASCAL, name: string): AnyFace {
  return defineFace(shell, {
    ...naming,
    name,
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

export function codexFaces(shell: AnyTool): AnyFace[] {
  return [
    read(SNAKE, "read_file"),
    read(PASCAL, "ReadFile"),
    view(SNAKE, "view_image"),
    view(PASCAL, "ViewImage"),
    patch(SNAKE, "apply_patch"),
    patch(PASCAL, "ApplyPatch"),
    command(shell, SNAKE, "shell_command"),
    command(shell, PASCAL, "ShellCommand"),
  ];
}
