/** Claude's faces of sessions: background commands, by the identifiers that it was given. */
import { AgentError, quote } from "../../core/errors.ts";
import { type AnyFace, defineFace, type HookFace } from "../../core/face.ts";
import type { AnyTool } from "../../core/tool.ts";
import { MOST_WAIT_S } from "../../shell/session_limits.ts";
import { type Polled, writtenText } from "../shell_session.ts";
import { bashView } from "./bash_view.ts";
import { FAMILY } from "./claude_shared.ts";

/** What its actions take, as far as these faces and hooks know of it. */
interface SessionArgs {
  action: string;
  session_id?: number;
  chars?: string;
  keys?: string[];
  filter?: string;
  timeout_s?: number;
  yield_time_ms?: number;
}

/** A session by the name that Claude gave it: its number, or with a word before it. Any other was never given. */
function sessionNumber(id: string): number {
  const number = Number(/^\s*(?:(?:bash|shell|session)_)?(\d{1,15})\s*$/.exec(id)?.[1]);
  if (number >= 1) return number;
  throw new AgentError(
    `Cannot find session ${quote(id)}: there never was one`,
    "a session is called by its number, which was told at its start",
  );
}

/** What is written to a session is a command, as hooks see it; a look at it is what Claude calls it. */
const sessionHooks: HookFace<SessionArgs> = {
  view: ({ session_id, action, chars = "", keys = [] }) =>
    chars !== "" || keys.length > 0 ? bashView(writtenText(chars, keys)) : {
      name: action === "kill" ? KILL : OUTPUT,
      input: session_id === undefined ? {} : { shell_id: String(session_id) },
    },
  rewrite({ command }, before) {
    if (command === undefined || command === writtenText(before.chars, before.keys)) return before;
    const { keys: _, ...rest } = before;
    return { ...rest, chars: command };
  },
  response: (data) => {
    const { data: polled } = data as { data: Partial<Polled> };
    return { output: polled.output ?? "", status: polled.session?.status ?? "" };
  },
};

const OUTPUT = "BashOutput";
const KILL = "KillBash";
/** The names that Claude Code's versions have for a session's. */
const SHELL_ID = { bash_id: "shell_id", task_id: "shell_id" };
const TASK_ID = { bash_id: "task_id", shell_id: "task_id" };

export function sessionFaces(session: AnyTool): AnyFace[] {
  const output = defineFace(session, {
    ...FAMILY,
    name: OUTPUT,
    unpublished: { names: SHELL_ID },
    input: (z) =>
      z.strictObject({
        shell_id: z.string().min(1).describe("The ID of the background shell"),
        filter: z.string().optional().describe("A regular expression; only new lines that it fits are shown"),
      }),
    toCanonical: ({ shell_id, filter }): SessionArgs => ({
      action: "poll",
      session_id: sessionNumber(shell_id),
      ...(filter !== undefined && { filter }),
      yield_time_ms: 0,
    }),
    hooks: sessionHooks,
  });
  const kill = defineFace(session, {
    ...FAMILY,
    name: KILL,
    aliases: ["KillShell"],
    unpublished: { names: SHELL_ID },
    input: (z) =>
      z.strictObject({ shell_id: z.string().min(1).describe("The ID of the background shell to end") }),
    toCanonical: ({ shell_id }): SessionArgs => ({ action: "kill", session_id: sessionNumber(shell_id) }),
  });
  const taskOutput = defineFace(session, {
    family: "claude",
    toolsets: [],
    name: "TaskOutput",
    unpublished: { names: TASK_ID },
    input: (z) =>
      z.strictObject({
        task_id: z.string().min(1).describe("The ID of the background task"),
        block: z.boolean().optional().describe("Wait for its end (default true)"),
        timeout: z.int().min(0).max(MOST_WAIT_S * 1000).optional().describe(
          "How long to wait, in milliseconds (default 30000)",
        ),
      }),
    toCanonical: ({ task_id, block = true, timeout = 30_000 }): SessionArgs =>
      block
        ? { action: "wait", session_id: sessionNumber(task_id), timeout_s: timeout / 1000 }
        : { action: "poll", session_id: sessionNumber(task_id), yield_time_ms: 0 },
  });
  const taskStop = defineFace(session, {
    family: "claude",
    toolsets: [],
    name: "TaskStop",
    unpublished: { names: TASK_ID },
    input: (z) =>
      z.strictObject({ task_id: z.string().min(1).describe("The ID of the background task to end") }),
    toCanonical: ({ task_id }): SessionArgs => ({ action: "kill", session_id: sessionNumber(task_id) }),
  });
  return [output, kill, taskOutput, taskStop];
}
