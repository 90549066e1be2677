/** Explains what the quick parser didn't take: help, unknown commands and flags, missing values. */
import { Command as Commander, CommanderError, Option } from "commander";
import { EXIT } from "../core/errors.ts";
import { type Command, type Flag, Flags } from "./command.ts";
import { COMMANDS, COMMON } from "./commands.ts";
import { commandHelp, flagName, fullCommandHelp, fullOverview, overview } from "./help.ts";
import { printerFor } from "./run.ts";

/** Prints help or the error, and gives back the exit code. */
export function explain(words: readonly string[]): number {
  const printer = printerFor(new Flags(new Map()));
  const end = words.indexOf("--");
  const ours = end < 0 ? words : words.slice(0, end);
  const command = commandOf(ours);
  if (ours.length === 0 || ours.includes("-h") || ours.includes("--help") || ours[0] === "help") {
    const full = ours.includes("--help");
    printer.out(
      command ? (full ? fullCommandHelp : commandHelp)(command) : full ? fullOverview() : overview(),
    );
    return EXIT.done;
  }
  let message = "Cannot read the command line";
  try {
    program((text) => message = text).parse(words as string[], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (message === "Cannot read the command line" && !error.message.startsWith("(")) message = error.message;
  }
  const [first, ...more] = message.replace(/^error: /, "").trim().split("\n");
  const hint = more.join(" ").replace(/^\(|\)$/g, "").trim() ||
    (command ? `agent ${command.name} -h lists its flags` : "agent -h lists the commands");
  printer.failure(`${first}\n\nhint: ${hint}`);
  return EXIT.usage;
}

function commandOf(words: readonly string[]): Command | undefined {
  const plain = words.filter((word) => !word.startsWith("-") && word !== "help");
  return COMMANDS.find(({ name }) => name === plain[0] || name === plain.slice(0, 2).join(" "));
}

function program(say: (text: string) => void): Commander {
  const root = prepare(new Commander("agent"), say);
  addFlags(root, COMMON);
  for (const command of COMMANDS) {
    const [noun, verb] = command.name.split(" ") as [string, string?];
    let parent = root;
    if (verb !== undefined) {
      parent = root.commands.find((one) => one.name() === noun) ?? prepare(root.command(noun), say);
    }
    const sub = prepare(parent.command(verb ?? noun, { hidden: command.hidden ?? false }), say);
    addFlags(sub, [...COMMON, ...command.flags]);
    sub.argument("[args...]").action((args: string[]) => {
      if (command.most !== undefined && args.length > command.most) {
        const extra = JSON.stringify(args[command.most]);
        sub.error(`error: unexpected argument ${extra} for agent ${command.name}`);
      }
    });
  }
  return root;
}

function prepare(command: Commander, say: (text: string) => void): Commander {
  return command.exitOverride().helpOption(false).helpCommand(false)
    .configureOutput({ writeErr: say, writeOut: say, outputError: (text) => say(text) })
    .showSuggestionAfterError();
}

function addFlags(command: Commander, flags: readonly Flag[]): void {
  for (const flag of flags) {
    if (flag.name === "help") continue;
    const option = new Option(flagName(flag).replace(/ (\S+)$/, " <$1>"));
    if (flag.choices) option.choices(flag.choices);
    command.addOption(option);
  }
}
