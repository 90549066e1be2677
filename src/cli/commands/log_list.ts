/** `agent log list`: logged calls, newest last. */
import type { Invocation } from "../command.ts";
import { loggedCalls } from "../logged.ts";
import { positive } from "./exec.ts";

export function run({ flags, printer }: Invocation): Promise<number> {
  const limit = Math.floor(positive("limit", flags.get("limit") ?? "50"));
  for (const { session, start, end } of loggedCalls(limit).slice(-limit)) {
    const row = {
      id: start.id,
      session,
      at: start.at,
      name: start.name,
      outcome: end?.outcome ?? "unfinished",
      durationMs: end?.durationMs,
    };
    if (flags.has("json")) printer.json(row);
    else {
      const args = JSON.stringify(start.args);
      const time = row.durationMs === undefined ? "" : ` ${row.durationMs} ms`;
      printer.line(
        `${row.at}  ${row.id}  ${row.name}  ${row.outcome}${time}  ${
          args.length > 80 ? `${args.slice(0, 79)}…` : args
        }`,
      );
    }
  }
  return Promise.resolve(0);
}
