/** `agent log show ID`: one logged call. */
import { UsageError } from "../../core/errors.ts";
import { heldOf } from "../../core/overflow.ts";
import { textOf } from "../../core/result.ts";
import type { Invocation } from "../command.ts";
import { findCall, outcomeOf } from "../logged.ts";

export function run({ flags, args, printer }: Invocation): Promise<number> {
  if (args.length === 0) {
    throw new UsageError("Cannot show a call: no id was given", "agent log list shows the ids");
  }
  const call = findCall(args[0]!);
  const { session, start, end } = call;
  if (flags.has("json")) printer.json({ session, start, end });
  else {
    printer.line(`${start.id}  ${start.name}  ${outcomeOf(call)}  session ${session}`);
    printer.line(`started ${start.at}${end ? `, ended ${end.at} after ${end.durationMs} ms` : ""}`);
    printer.line(`arguments ${JSON.stringify(start.args, null, 2)}`);
    if (end) printer.line(`\n${textOf(end.content)}`);
    if (end?.overflow !== undefined) {
      printer.line(`\n${heldOf(end.overflowCutAt)}: ${end.overflow}`);
    }
  }
  return Promise.resolve(0);
}
