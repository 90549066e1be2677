/** The declarations, as `@bomb.sh/tab` takes them. */
import { RootCommand } from "@bomb.sh/tab";
import { COMMANDS } from "./commands.ts";
import { COMMON } from "./declared/flags.ts";
import { ASSETS } from "../generated/tools.ts";
import type { Flag } from "./command.ts";

export function completer(): RootCommand {
  const root = new RootCommand();
  addFlags(root, COMMON);
  for (const command of COMMANDS) {
    if (command.hidden) continue;
    const [noun, verb] = command.name.split(" ");
    // A verb shows up only below its noun, so the noun has to be known too.
    if (verb !== undefined && !root.commands.has(noun!)) root.command(noun!, `${noun} commands`);
    const target = root.command(command.name, command.about);
    addFlags(target, [...COMMON, ...command.flags]);
    if (command.takesTool) {
      target.argument("tool", (complete) => toolNames().forEach((name) => complete(name, "")));
    }
  }
  return root;
}

/** Built-in tools, under every name: no plugin is loaded to complete a word. */
function toolNames(): Set<string> {
  return new Set(Object.keys(ASSETS).map((key) => key.slice(key.indexOf(":") + 1)));
}

type Target = Pick<RootCommand, "option">;

function addFlags(target: Target, flags: readonly Flag[]): void {
  for (const { name, about, value, choices, short } of flags) {
    if (value === undefined) {
      if (short) target.option(name, about, short);
      else target.option(name, about);
    } else {
      const suggest = (complete: (value: string, description: string) => void) => {
        for (const choice of choices ?? []) complete(choice, "");
      };
      if (short) target.option(name, about, suggest, short);
      else target.option(name, about, suggest);
    }
  }
}
