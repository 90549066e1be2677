/** A command as text, for whoever judges it. */
import { shellQuote } from "../../core/shell_quote.ts";

/** A list as the text that rules and hooks look at: each word quoted where it needs to be. */
export function asText(command: string | readonly string[]): string {
  if (typeof command === "string") return command;
  return scriptOf(command) ?? command.map(shellQuote).join(" ");
}

/** `["bash", "-lc", "…"]` is that script. */
export function scriptOf(command: readonly string[]): string | undefined {
  const [program, flag, script] = command;
  if (command.length !== 3 || !/^(?:\/(?:usr\/)?bin\/)?(?:ba|z)?sh$/.test(program!)) return undefined;
  return /^-l?c$/.test(flag!) ? script : undefined;
}
