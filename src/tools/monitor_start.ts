/** A command whose lines are told as they come, with the results of later calls. */
import { type AnyTool, defineTool } from "../core/tool.ts";
import type { ShellSession } from "../shell/sessions.ts";
import { type ShellParts, startCommand } from "./shell/start.ts";

export interface MonitorArgs {
  command: string;
  description: string;
  timeout_ms?: number;
  persistent?: boolean;
}

const TIMEOUT_MS = 300_000;
const MOST_MS = 3_600_000;

export function monitorTool(parts: ShellParts): AnyTool {
  return defineTool<MonitorArgs, { session: ShellSession; watcher: number }>({
    name: "monitor_start",
    input: (z) =>
      z.strictObject({
        description: z.string().min(1).describe("what is watched, for the notices"),
        command: z.string().min(1).describe("the command whose lines are told"),
        timeout_ms: z.int().min(1).max(MOST_MS).optional().describe(
          "ended after this time; 300,000 where absent",
        ),
        persistent: z.boolean().optional().describe("never ended but with the session"),
      }),
    traits: ({ command }) => ({
      effect: "run",
      subjects: [{ kind: "command", value: command, access: "run" }],
    }),
    async run({ command, description, timeout_ms = TIMEOUT_MS, persistent = false }, context) {
      const { sessions } = parts;
      sessions.needRoom();
      const started = await startCommand(parts, context, { command, cwd: context.cwd, stdin: "none" });
      const session = sessions.add(started);
      const lines = new Lines((line) => session.printed(line));
      started.onOutput((one) => {
        lines.push(one.collector.take(MOST_CHARS));
        one.heard();
      }, session);
      const watcher = session.watch(sessions.notices, description);
      sessions.announceEnd(session);
      if (!persistent) {
        const timer = setTimeout(() => void session.kill(), timeout_ms);
        void session.child.ended.then(() => clearTimeout(timer));
      }
      return { session, watcher };
    },
    present: ({ session: { id }, watcher }, { description }) => ({
      content:
        `Session ${id} watches: ${description} (watcher ${watcher}). Its lines come with later results`,
      structured: { session: id, watcher },
    }),
  });
}

/** Characters of one look. */
const MOST_CHARS = 4_000;

/** Whole lines from pieces. */
class Lines {
  readonly #tell: (line: string) => void;
  #rest = "";

  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  push(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop()!;
    for (const line of lines) if (line !== "") this.#tell(line);
  }
}
