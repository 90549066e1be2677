/**
 * Tells the person at the terminal that a call took long or was refused. Settings:
 *
 *     "plugins": {"notify": {"by": "osc9", "afterS": 30, "denied": true}}
 *
 * `by`: `bell` (the default), `osc9` (a notification of the terminal's, as iTerm2, kitty and Windows Terminal have it),
 * or `notify-send` (the desktop's; the program must be there). Does nothing where standard error is no terminal.
 */
import { execFile } from "node:child_process";
import process from "node:process";
import { definePlugin } from "agent";
import { z } from "zod";

interface Options {
  by?: "bell" | "osc9" | "notify-send";
  /** Seconds from which on a call is long; 30 where absent. */
  afterS?: number;
  /** Tell of refused calls too; true where absent. */
  denied?: boolean;
}

const WAYS = {
  bell: () => void process.stderr.write("\x07"),
  osc9: (text: string) => void process.stderr.write(`\x1b]9;${text}\x07`),
  // Nobody waits for it, and where it fails the call is no worse for it.
  "notify-send": (text: string) => execFile("notify-send", ["--", "agent", text], () => {}).unref(),
};

export default definePlugin<Options>({
  name: "notify",
  options: z.strictObject({
    by: z.enum(["bell", "osc9", "notify-send"]).optional(),
    afterS: z.number().min(0).optional(),
    denied: z.boolean().optional(),
  }),
  uses: ["exec"],
  setup(agent, { by = "bell", afterS = 30, denied = true }) {
    if (!process.stderr.isTTY) return;
    agent.on("tool_end", (call, { outcome, durationMs }) => {
      if (call.parent !== undefined) return;
      const seconds = Math.round(durationMs / 1000);
      const what = denied && outcome === "denied"
        ? "was denied"
        : durationMs >= afterS * 1000
        ? `took ${seconds} s: ${outcome}`
        : undefined;
      // A name is the model's: nothing in it may speak to the terminal.
      if (what !== undefined) WAYS[by](`${call.name.replace(/[^\w.-]+/g, " ").slice(0, 80)} ${what}`);
    }, { order: "late" });
  },
});
