/** Runs a plugin's command: `agent x NAME`. */
import { AgentError, messageOf, quote } from "../core/errors.ts";
import type { Files } from "../core/files.ts";
import { TurnPlace } from "../core/context.ts";
import type { CommandContext } from "../sdk.ts";
import { type Answerer, askerOf } from "./asker.ts";
import type { OwnedCommand } from "./host.ts";
import { checkUse } from "./mod_tool.ts";

/** What the host gives a command; what isn't declared isn't handed on. */
export interface CommandParts extends Pick<CommandContext, "print" | "log" | "secret" | "exec" | "call"> {
  id: string;
  cwd: string;
  signal: AbortSignal;
  files: Files;
  ask: Answerer | undefined;
}

/** Gives back the exit code. Rejects with what the command threw. */
export async function runCommand(
  { command, mod, uses, alive }: OwnedCommand,
  args: readonly string[],
  parts: CommandParts,
): Promise<number> {
  const { id, cwd, signal, files, print, log, secret, exec, call } = parts;
  const needs = (use: string) => {
    alive();
    checkUse({ mod, uses }, use);
  };
  const { resolve, identify, locate } = new TurnPlace(cwd);
  const ask = askerOf(parts.ask);
  const context: CommandContext = {
    ...{ id, cwd, signal, files, resolve, identify, locate },
    print: (text) => print(String(text)),
    log: (message) => log(String(message)),
    ask: (question, choices) => ask({ plugin: mod, question, choices }, signal),
    secret(name) {
      needs(`secrets:${name}`);
      return secret(name);
    },
    exec(line) {
      needs("exec");
      return exec(line);
    },
    call(name, given) {
      needs("call");
      return call(name, given);
    },
  };
  let returned: unknown;
  try {
    returned = await command.run(Object.freeze([...args]), context);
  } catch (error) {
    const { hint } = (error ?? {}) as { hint?: unknown };
    throw new AgentError(
      `Plugin ${quote(mod)}: ${messageOf(error)}`,
      typeof hint === "string" ? hint : undefined,
    );
  }
  if (returned === undefined || returned === null) return 0;
  if (typeof returned === "number" && Number.isInteger(returned) && returned >= 0 && returned <= 255) {
    return returned;
  }
  if (typeof returned !== "string") {
    throw new AgentError(
      `Plugin ${quote(mod)}: the command ${quote(command.name)} returned neither a text nor an exit code`,
    );
  }
  print(returned);
  return 0;
}
