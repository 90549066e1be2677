/** A command whose lines are told as they come, with the results of later calls. */
import { type AnyTool, defineTool } from "../core/tool.ts";
import { LineBatch } from "../shell/batch.ts";
import { Lines } from "../shell/lines.ts";
import type { ShellSession } from "../shell/session.ts";
import type { ShellSessions } from "../shell/sessions.ts";
import { workingFolder } from "./shell/folder.ts";
import { type ShellParts, startCommand } from "./shell/start.ts";
import { commandTraits } from "./shell/traits.ts";

export interface MonitorArgs {
  command: string;
  description: string;
  timeout_ms?: number;
  persistent?: boolean;
}

interface Started {
  session: ShellSession;
  watcher: number;
  watching: string;
  notes: string[];
}

const TIMEOUT_MS = 300_000;
export const MOST_WATCH_MS = 3_600_000;

export function monitorTool(parts: ShellParts): AnyTool {
  return defineTool<MonitorArgs, Started>({
    name: "monitor_start",
    runsCommands: true,
    input: (z) =>
      z.strictObject({
        description: z.string().min(1).describe("what is watched, for the notices"),
        command: z.string().min(1).describe("the command whose lines are told"),
        timeout_ms: z.int().min(1).max(MOST_WATCH_MS).optional().describe(
          "ended after this time; 300,000 where absent",
        ),
        persistent: z.boolean().optional().describe("never ended but with the session"),
      }),
    traits: ({ command }, place) => commandTraits(command, undefined, place),
    async run({ command, description, timeout_ms = TIMEOUT_MS, persistent = false }, context) {
      const { sessions } = parts;
      sessions.needRoom();
      const { folder, notes } = workingFolder(undefined, context);
      const started = await startCommand(parts, context, { command, cwd: folder, stdin: "none" });
      const session = sessions.add(started);
      const batch = new LineBatch((text) => session.printed(text));
      const lines = new Lines((line) => batch.push(line));
      started.onOutput((text) => {
        lines.push(text);
        session.heard(text);
      });
      void session.child.ended.then(() => {
        lines.end();
        batch.flush();
      });
      started.handOver();
      const watcher = session.watch(sessions.notices, description);
      sessions.announceEnd(session);
      if (!persistent) endLater(sessions, session, timeout_ms);
      return { session, watcher, watching: sessions.watching, notes };
    },
    present: ({ session: { id }, watcher, watching, notes }, { description }) => ({
      content: [`Session ${id} watches: ${description} (watcher ${watcher}). ${watching}`, ...notes].join(
        "\n",
      ),
      structured: { session: id, watcher },
    }),
  });
}

/** Ends it after its time, and says so. */
function endLater(sessions: ShellSessions, session: ShellSession, ms: number): void {
  const timer = setTimeout(async () => {
    const why = `as its time of ${ms / 1000} s is over`;
    await session.kill(why);
    sessions.tellEnd(session, `ended, ${why}`);
  }, ms);
  void session.child.ended.then(() => clearTimeout(timer));
}
