/** `agent completions SHELL`: the script that asks `agent complete` for suggestions. */
import { UsageError } from "../../core/errors.ts";
import type { Invocation } from "../command.ts";
import { completer } from "../completer.ts";

const SHELLS = ["bash", "zsh", "fish", "powershell"];

export function run({ args: [shell] }: Invocation): Promise<number> {
  if (shell === undefined || !SHELLS.includes(shell)) {
    throw new UsageError(
      `Cannot complete for ${JSON.stringify(shell ?? "")}: no such shell here`,
      `one of ${SHELLS.join(", ")}`,
    );
  }
  completer().setup("agent", "agent", shell);
  return Promise.resolve(0);
}
