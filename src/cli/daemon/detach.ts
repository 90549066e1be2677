/** `agent exec --detach`: the call is the daemon's, which keeps what it leaves running. */
import { UsageError } from "../../core/errors.ts";
import type { Invocation } from "../command.ts";
import { DETACHED_HAS_NOT } from "../declared/flags.ts";
import { readArguments } from "../input.ts";
import { callDaemon } from "./client.ts";

export async function detach(invocation: Invocation): Promise<number> {
  const { flags, args: [name, ...words] } = invocation;
  const odd = DETACHED_HAS_NOT.find((flag) => flags.has(flag));
  if (odd !== undefined) {
    throw new UsageError(
      `Cannot use --${odd} with --detach: the daemon has the plugins and hooks of your settings alone`,
      "agent config path shows where those are",
    );
  }
  if (name === undefined || name === "-") {
    throw new UsageError(
      "Cannot use --detach with calls from standard input: the daemon takes one call at a time",
      "agent exec --detach TOOL key=value",
    );
  }
  const args = await readArguments(words, () => []);
  return (await callDaemon(invocation, { name, args }, { start: true }))!;
}
