/** Claude's faces: the names and parameters of Claude Code, which are also what command hooks see. */
import { type AnyFace, defineFace, type HookFace, type HookView } from "../../core/face.ts";
import type { AnyTool } from "../../core/tool.ts";
import { type Edit, type EditArgs, type EditData, editFile } from "../edit_file.ts";
import type { Picture } from "../read/image.ts";
import type { Page } from "../read/pager.ts";
import { type ReadArgs, readFile } from "../read_file.ts";
import type { MonitorArgs } from "../monitor_start.ts";
import { asText, MOST_MS, type ShellArgs, type ShellData } from "../shell.ts";
import type { ShellTools } from "../shell/tools.ts";
import { type Polled, writtenText } from "../shell_session.ts";
import { type ViewArgs, viewImage } from "../view_image.ts";
import { type WriteArgs, type WriteData, writeFile } from "../write_file.ts";

const FAMILY = { family: "claude", toolsets: ["default"] } as const;

/** `input` without `shown`: what a hook wasn't shown and so can't have meant to drop. */
function hidden<T extends object>(before: T, shown: readonly (keyof T)[]): Partial<T> {
  const rest = { ...before };
  for (const key of shown) delete rest[key];
  return rest;
}

/** An object without the keys that are undefined. */
function given(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

const read = defineFace(readFile, {
  ...FAMILY,
  name: "Read",
  input: (z) =>
    z.strictObject({
      file_path: z.string().min(1).describe("The absolute path to the file to read"),
      offset: z.int().min(1).optional().describe("The line number to start reading from, from 1"),
      limit: z.int().min(1).optional().describe("The number of lines to read"),
    }),
  toCanonical: ({ file_path, ...rest }): ReadArgs => ({ path: file_path, ...rest }),
  hooks: {
    view: ({ path, offset, limit }, place) => ({
      name: "Read",
      input: given({ file_path: place.resolve(path), offset, limit }),
    }),
    rewrite: ({ file_path, ...rest }, before) =>
      given({ ...hidden(before, ["path", "offset", "limit"]), ...rest, path: file_path }),
    response: (data, { path }, place) => {
      const { lines, start, total, blocks = [] } = data as Page;
      const image = blocks.find((block) => block.type === "image");
      if (image && lines.length === 0) {
        return { type: "image", file: { base64: image.data, type: image.mediaType } };
      }
      const file = {
        filePath: place.resolve(path),
        content: lines.join("\n"),
        numLines: lines.length,
        startLine: start,
        totalLines: total,
      };
      return { type: "text", file };
    },
  },
});

/** Claude looks at images by Read, so that is what hooks see of it. */
const view = defineFace<ViewArgs, ViewArgs, Picture>(viewImage, {
  family: "claude",
  toolsets: [],
  name: "ViewImage",
  input: (z) => z.strictObject({ path: z.string().min(1).describe("The absolute path to the image file") }),
  toCanonical: ({ path }) => ({ path }),
  hooks: {
    alsoMatches: ["Read"],
    view: ({ path }, place) => ({ name: "Read", input: { file_path: place.resolve(path) } }),
    rewrite: ({ file_path, ...rest }) => ({ ...rest, path: file_path }),
    response: (data, { path }, place) => {
      const { block } = data as Picture;
      return { type: "image", file: { filePath: place.resolve(path), type: block.mediaType } };
    },
  },
});

const write = defineFace(writeFile, {
  ...FAMILY,
  name: "Write",
  input: (z) =>
    z.strictObject({
      file_path: z.string().min(1).describe("The absolute path to the file to write"),
      content: z.string().describe("The content to write to the file"),
    }),
  toCanonical: ({ file_path, content }): WriteArgs => ({ path: file_path, content }),
  hooks: {
    view: ({ path, content }, place) => ({
      name: "Write",
      input: { file_path: place.resolve(path), content },
    }),
    rewrite: ({ file_path, ...rest }, before) =>
      given({ ...hidden(before, ["path", "content"]), ...rest, path: file_path }),
    response: (data, { path, content }, place) => {
      const { written } = data as WriteData;
      return { type: written.created ? "create" : "update", filePath: place.resolve(path), content };
    },
  },
});

const edit: AnyFace = defineFace(editFile, {
  ...FAMILY,
  name: "Edit",
  input: (z) =>
    z.strictObject({
      file_path: z.string().min(1).describe("The absolute path to the file to modify"),
      old_string: z.string().describe("The text to replace"),
      new_string: z.string().describe("The text to replace it with (must be different from old_string)"),
      replace_all: z.boolean().optional().describe("Replace all occurrences of old_string (default false)"),
      expected_replacements: z.int().min(1).optional().describe(
        "How many occurrences there must be (default 1)",
      ),
    }),
  toCanonical: ({ file_path, ...one }): EditArgs => ({ path: file_path, edits: [one as Edit] }),
  hooks: {
    alsoMatches: ["Edit"],
    // Several edits are Claude's MultiEdit; a single one is Edit.
    view({ path, edits }, place) {
      const file_path = place.resolve(path);
      const shown = edits.map(({ old_string, new_string, replace_all }) =>
        given({ old_string, new_string, replace_all })
      );
      return shown.length === 1
        ? { name: edit.name, input: { file_path, ...shown[0] } }
        : { name: multiEdit.name, input: { file_path, edits: shown } };
    },
    rewrite({ file_path, edits, ...one }, before) {
      const kept = (index: number) => {
        const count = before.edits[index]?.expected_replacements;
        return count === undefined ? {} : { expected_replacements: count };
      };
      const list = Array.isArray(edits)
        ? edits.map((item, index) => ({ ...kept(index), ...item }))
        : [{ ...kept(0), ...one }];
      return given({ ...hidden(before, ["path", "edits"]), path: file_path, edits: list });
    },
    response: (data, { path, edits }, place) => {
      const { replaced } = data as EditData;
      const filePath = place.resolve(path);
      const shown = edits.map(({ old_string, new_string, replace_all = false }) => ({
        oldString: old_string,
        newString: new_string,
        replaceAll: replace_all,
      }));
      return edits.length === 1 ? { filePath, ...shown[0], replaced } : { filePath, edits: shown, replaced };
    },
  },
});

const multiEdit: AnyFace = defineFace(editFile, {
  family: "claude",
  toolsets: [],
  name: "MultiEdit",
  input: (z) =>
    z.strictObject({
      file_path: z.string().min(1).describe("The absolute path to the file to modify"),
      edits: z.array(z.strictObject({
        old_string: z.string().describe("The text to replace"),
        new_string: z.string().describe("The text to replace it with"),
        replace_all: z.boolean().optional().describe("Replace all occurrences of old_string (default false)"),
      })).min(1).describe(
        "Edits in the order in which they are applied, each to the result of the one before",
      ),
    }),
  toCanonical: ({ file_path, edits }): EditArgs => ({ path: file_path, edits: edits as Edit[] }),
});

/** A command as hooks see it, whatever runs it. */
export function bashView(command: string): HookView {
  return { name: "Bash", input: { command } };
}

function bash(shell: AnyTool): AnyFace {
  return defineFace(shell, {
    ...FAMILY,
    name: "Bash",
    input: (z) =>
      z.strictObject({
        command: z.string().min(1).describe("The command to execute"),
        description: z.string().optional().describe("What this command does, in 5-10 words"),
        timeout: z.int().min(1).max(MOST_MS).optional().describe(
          "Timeout in milliseconds (max 600000, default 120000)",
        ),
        run_in_background: z.boolean().optional().describe(
          "Run it in the background; read its output with BashOutput",
        ),
      }),
    // Claude's shell stays in the folder that a command went to.
    toCanonical: ({ command, description, timeout, run_in_background }): ShellArgs => ({
      command,
      keep_folder: true,
      ...(description !== undefined && { description }),
      ...(timeout !== undefined && { timeout_ms: timeout }),
      ...(run_in_background !== undefined && { background: run_in_background }),
    }),
    hooks: {
      view: ({ command, description, timeout_ms, background }) => ({
        name: "Bash",
        input: given({
          command: asText(command),
          description,
          timeout: timeout_ms,
          run_in_background: background,
        }),
      }),
      rewrite({ command, timeout, run_in_background, ...rest }, before) {
        const same = command === asText(before.command);
        return given({
          ...hidden(before, ["command", "description", "timeout_ms", "background"]),
          ...rest,
          command: same ? before.command : command,
          timeout_ms: timeout,
          background: run_in_background,
        });
      },
      response: (data) => {
        const { stdout, stderr, ended, session } = data as ShellData;
        const interrupted = ended !== undefined && ended.why !== "exit";
        return given({
          stdout,
          stderr,
          interrupted,
          isImage: false,
          backgroundTaskId: ended ? undefined : String(session!.id),
        });
      },
    },
  });
}

/** A session by the name that Claude gave it. */
function sessionNumber(id: unknown): number {
  return Number(/(\d+)$/.exec(String(id))?.[1] ?? 0);
}

/** What is written to a session is a command, as hooks see it; a look at it is what Claude calls it. */
const sessionHooks: HookFace<SessionArgs> = {
  view: ({ session_id, action, chars = "", keys = [] }) =>
    chars !== "" || keys.length > 0 ? { name: "Bash", input: { command: writtenText(chars, keys) } } : {
      name: action === "kill" ? "KillBash" : "BashOutput",
      input: given({ shell_id: idText(session_id) }),
    },
  rewrite: ({ command }, before) =>
    command === undefined || command === writtenText(before.chars, before.keys)
      ? before
      : given({ ...before, chars: command, keys: undefined }),
  response: (data) => {
    const { data: polled } = data as { data: Partial<Polled> };
    return { output: polled.output ?? "", status: polled.session?.status ?? "" };
  },
};

interface SessionArgs {
  action: string;
  session_id?: number;
  chars?: string;
  keys?: string[];
}

function idText(id: number | undefined): string | undefined {
  return id === undefined ? undefined : String(id);
}

function sessionFaces(session: AnyTool): AnyFace[] {
  const output = defineFace(session, {
    ...FAMILY,
    name: "BashOutput",
    input: (z) =>
      z.strictObject({
        shell_id: z.string().min(1).describe("The ID of the background shell"),
        filter: z.string().optional().describe("A regular expression; only new lines that it fits are shown"),
      }),
    toCanonical: ({ shell_id, filter }) =>
      given({ action: "poll", session_id: sessionNumber(shell_id), filter, yield_time_ms: 0 }),
    hooks: sessionHooks as unknown as HookFace,
  });
  const kill = defineFace(session, {
    ...FAMILY,
    name: "KillBash",
    input: (z) =>
      z.strictObject({ shell_id: z.string().min(1).describe("The ID of the background shell to end") }),
    toCanonical: ({ shell_id }) => ({ action: "kill", session_id: sessionNumber(shell_id) }),
  });
  const taskOutput = defineFace(session, {
    family: "claude",
    toolsets: [],
    name: "TaskOutput",
    input: (z) =>
      z.strictObject({
        task_id: z.string().min(1).describe("The ID of the background task"),
        block: z.boolean().optional().describe("Wait for its end (default true)"),
        timeout: z.int().min(0).max(600_000).optional().describe(
          "How long to wait, in milliseconds (default 30000)",
        ),
      }),
    toCanonical: ({ task_id, block = true, timeout = 30_000 }) =>
      block
        ? { action: "wait", session_id: sessionNumber(task_id), timeout_s: timeout / 1000 }
        : { action: "poll", session_id: sessionNumber(task_id), yield_time_ms: 0 },
  });
  const taskStop = defineFace(session, {
    family: "claude",
    toolsets: [],
    name: "TaskStop",
    input: (z) =>
      z.strictObject({ task_id: z.string().min(1).describe("The ID of the background task to end") }),
    toCanonical: ({ task_id }) => ({ action: "kill", session_id: sessionNumber(task_id) }),
  });
  return [output, kill, taskOutput, taskStop];
}

function monitor(tool: AnyTool): AnyFace {
  return defineFace(tool, {
    ...FAMILY,
    toolsets: ["default", "codex"],
    name: "Monitor",
    input: (z) =>
      z.strictObject({
        description: z.string().min(1).describe("What is watched"),
        command: z.string().min(1).describe("The command whose lines are told"),
        timeout_ms: z.int().min(1).max(3_600_000).optional().describe(
          "Ended after this time (default 300000)",
        ),
        persistent: z.boolean().optional().describe("Run for as long as the session"),
      }),
    toCanonical: (args): MonitorArgs => args as MonitorArgs,
    hooks: {
      view: ({ command, description }) => ({
        name: "Bash",
        input: { command, description, run_in_background: true },
      }),
      rewrite: ({ command, description }, before) => ({
        ...before,
        command,
        ...(description !== undefined && { description }),
      }),
      response: (data) => ({ backgroundTaskId: String((data as { session: { id: number } }).session.id) }),
    },
  });
}

export function claudeFaces({ shell, session, monitor: watch }: ShellTools): AnyFace[] {
  return [read, view, write, edit, multiEdit, bash(shell), ...sessionFaces(session), monitor(watch)];
}
