/** `agent log list`: logged calls, newest last. */
import type { Invocation } from "../command.ts";
import { loggedCalls, outcomeOf } from "../logged.ts";

export function run({ flags, printer }: Invocation): Promise<number> {
  const limit = Math.ceil(flags.positive("limit") ?? 50);
  for (const call of loggedCalls({ limit, session: flags.get("session"), outcome: flags.get("outcome") })) {
    const { session, start, end } = call;
    const row = {
      id: start.id,
      session,
      at: start.at,
      name: start.name,
      outcome: outcomeOf(call),
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
