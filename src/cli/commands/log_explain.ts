/** `agent log explain ID`: the life of a logged call. */
import { UsageError } from "../../core/errors.ts";
import type { Invocation } from "../command.ts";
import { explained } from "../explain/explain.ts";
import { findCall } from "../logged.ts";

export function run({ args: [id], printer }: Invocation): Promise<number> {
  if (id === undefined) {
    throw new UsageError("Cannot explain a call: no id was given", "agent log list shows the ids");
  }
  const { start, end } = findCall(id);
  for (const line of explained(start, end)) printer.line(line);
  return Promise.resolve(0);
}
