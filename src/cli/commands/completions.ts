/** `agent completions SHELL`: the script that asks `agent complete` for suggestions. */
import { quote, UsageError } from "../../core/errors.ts";
import type { Invocation } from "../command.ts";
import { completer } from "../completer.ts";

const SHELLS = ["bash", "zsh", "fish", "powershell"];

export function run({ args: [shell], printer }: Invocation): Promise<number> {
  if (shell === undefined || !SHELLS.includes(shell)) {
    throw new UsageError(
      `Cannot complete for ${quote(shell ?? "")}: no such shell here`,
      `one of ${SHELLS.join(", ")}`,
    );
  }
  printer.line(scriptOf(shell));
  return Promise.resolve(0);
}

/** The library prints it. Bash's must not end in an error where it is sourced twice. */
function scriptOf(shell: string): string {
  const { log } = console;
  let script = "";
  console.log = (text: string) => script += text;
  try {
    completer().setup("agent", "agent", shell);
  } finally {
    console.log = log;
  }
  return script.replace(/^readonly /gm, "");
}
