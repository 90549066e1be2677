/** Claude's faces of the tools that run commands. */
import { type AnyFace, defineFace } from "../../core/face.ts";
import type { AnyTool } from "../../core/tool.ts";
import { type MonitorArgs, MOST_WATCH_MS } from "../monitor_start.ts";
import { MOST_MS, type ShellArgs, type ShellData } from "../shell.ts";
import { asText } from "../shell/text.ts";
import { BASH, bashView } from "./bash_view.ts";
import { FAMILY, given, hidden } from "./claude_shared.ts";

/** Asks for what is so anyway: there is no sandbox here. */
const NO_SANDBOX = ["dangerouslyDisableSandbox"];

export function bash(shell: AnyTool): AnyFace {
  return defineFace(shell, {
    ...FAMILY,
    name: BASH,
    unpublished: { ignored: NO_SANDBOX },
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
      view: ({ command, description, timeout_ms, background }) =>
        bashView(
          asText(command),
          given({ description, timeout: timeout_ms, run_in_background: background }),
        ),
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

export function monitor(tool: AnyTool): AnyFace {
  return defineFace(tool, {
    ...FAMILY,
    toolsets: ["default", "codex"],
    name: "Monitor",
    unpublished: { ignored: NO_SANDBOX },
    input: (z) =>
      z.strictObject({
        description: z.string().min(1).describe("What is watched"),
        command: z.string().min(1).describe("The command whose lines are told"),
        timeout_ms: z.int().min(1).max(MOST_WATCH_MS).optional().describe(
          "Ended after this time (default 300000)",
        ),
        persistent: z.boolean().optional().describe("Run for as long as the session"),
      }),
    toCanonical: (args): MonitorArgs => args as MonitorArgs,
    hooks: {
      view: ({ command, description }) => bashView(command, { description, run_in_background: true }),
      rewrite: ({ command, description }, before) => ({
        ...before,
        command,
        ...(description !== undefined && { description }),
      }),
      response: (data) => ({ backgroundTaskId: String((data as { session: { id: number } }).session.id) }),
    },
  });
}
