/** Explains what the quick parser didn't take: help, unknown commands and flags, missing values. */
import { Command as Commander, CommanderError, Option } from "commander";
import { EXIT, quote } from "../core/errors.ts";
import { type Command, type Flag, Flags } from "./command.ts";
import { COMMANDS, COMMON } from "./commands.ts";
import { commandHelp, flagName, fullCommandHelp, fullOverview, nounHelp, overview, verbsOf } from "./help.ts";
import { printerFor } from "./run.ts";

/** Prints help or the error, and gives back the exit code. */
export function explain(words: readonly string[]): number {
  const printer = printerFor(new Flags(new Map()));
  const end = words.indexOf("--");
  const ours = end < 0 ? words : words.slice(0, end);
  const help = wantedHelp(ours);
  if (help !== undefined) {
    printer.out(help);
    return EXIT.done;
  }
  const { message, hint } = complaint(words);
  printer.failure(`${message}\n\nhint: ${hint}`);
  return EXIT.usage;
}

/** `undefined` where no help is asked for, or for something that isn't there. */
function wantedHelp(words: readonly string[]): string | undefined {
  const full = words.includes("--help");
  if (words.length > 0 && !full && !words.includes("-h") && words[0] !== "help") return undefined;
  const [noun] = plainWords(words);
  const command = commandOf(words);
  if (command) return full ? fullCommandHelp(command) : commandHelp(command);
  if (noun === undefined) return full ? fullOverview() : overview();
  return verbsOf(noun).length > 0 ? nounHelp(noun) : undefined;
}

function complaint(words: readonly string[]): { message: string; hint: string } {
  const command = commandOf(words);
  const where = command ? `agent ${command.name} -h lists its flags` : "agent -h lists the commands";
  let said = "";
  try {
    program((text) => said = text).parse(words as string[], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const [noun = ""] = plainWords(words);
    if (error.code === "commander.help") {
      const verbs = verbsOf(noun).map(({ name }) => `agent ${name}`);
      return { message: `Cannot run agent ${noun}: a word is missing`, hint: `one of ${verbs.join(", ")}` };
    }
    if (said === "") said = error.message;
    const near = /\(Did you mean (?:one of )?(.*?)\?\)/.exec(said)?.[1];
    const value = /'(?:-\w, )?([^' ]*)/.exec(said)?.[1] ?? "";
    return { message: sentence(error.code, value, said), hint: near ? `did you mean ${near}?` : where };
  }
  return { message: "Cannot read the command line", hint: where };
}

/** Commander's complaint in our words. */
function sentence(code: string, value: string, said: string): string {
  const [first] = said.replace(/^error: /, "").trim().split("\n") as [string];
  switch (code) {
    case "commander.unknownOption":
      return `Cannot use ${quote(value)}: no such flag`;
    case "commander.unknownCommand":
      return `Cannot run ${quote(value)}: no such command`;
    case "commander.optionMissingArgument":
      return `Cannot use ${quote(value)}: its value is missing`;
    case "commander.invalidArgument": {
      const [, given = "", choices = ""] =
        /argument '(.*?)' is invalid\. Allowed choices are (.*)\./s.exec(said) ??
          [];
      return `Cannot use ${quote(value)} with ${quote(given)}: not one of ${choices}`;
    }
    default:
      return first;
  }
}

function plainWords(words: readonly string[]): string[] {
  return words.filter((word) => !word.startsWith("-") && word !== "help");
}

function commandOf(words: readonly string[]): Command | undefined {
  const plain = plainWords(words);
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
        const extra = quote(args[command.most]!);
        sub.error(`error: Cannot run agent ${command.name} with ${extra}: one word too many`);
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
