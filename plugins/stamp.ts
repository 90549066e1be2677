/**
 * An audit line per call, as JSON, in a file: when, what, on which paths or command, and how it ended. Settings:
 *
 *     "plugins": {"stamp": {"file": "/var/log/agent-audit.jsonl"}}
 *
 * Without options the file is in the plugin's own storage.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { definePlugin } from "agent";
import { z } from "zod";

export default definePlugin<{ file?: string }>({
  name: "stamp",
  options: z.strictObject({ file: z.string().optional() }),
  setup(agent, { file }) {
    let place = file;
    // Late, so that the line tells what other plugins made of the result.
    agent.on("tool_end", (call, result) => {
      place ??= join(agent.storage, "audit.jsonl");
      const line = {
        at: result.at,
        id: call.id,
        name: call.name,
        tool: call.tool,
        effect: call.traits?.effect,
        subjects: call.traits?.subjects?.map(({ value }) => value),
        outcome: result.outcome,
        durationMs: result.durationMs,
      };
      appendFileSync(place, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    }, { order: "late" });
  },
});
