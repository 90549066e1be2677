/** `agent complete -- WORDS`: what may come next, for the completion scripts. */
import type { Invocation } from "../command.ts";
import { completer } from "../completer.ts";

export function run({ args }: Invocation): Promise<number> {
  completer().parse([...args]);
  return Promise.resolve(0);
}
