/** Reads a command line from the declarations: what to run, which help is wanted, or what is wrong with it. */
import { nearest, quote, UsageError } from "../core/errors.ts";
import { type Command, type Flag, Flags, spelled } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { EXEC } from "./declared/exec.ts";
import { COMMON } from "./declared/flags.ts";

export interface Parsed {
  command: Command;
  flags: Flags;
  args: readonly string[];
}

/** Help for a command, for a noun's commands, or for all of it. */
export interface HelpWanted {
  command: Command | undefined;
  noun: string | undefined;
  full: boolean;
}

export function parse(words: readonly string[]): Parsed | HelpWanted | UsageError {
  const values = new Map<string, string[]>();
  const args: string[] = [];
  let command: Command | undefined;
  let noun: string | undefined;
  let fault: UsageError | undefined;
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word === "--") {
      args.push(...words.slice(i + 1));
      break;
    }
    if (command?.passesOn && args.length > 0) {
      args.push(...words.slice(i));
      break;
    }
    if (word.length > 1 && word.startsWith("-")) {
      const read = readFlag(word, words[i + 1], command);
      if (read instanceof UsageError) fault ??= read;
      else {
        if (read.took) i++;
        const given = values.get(read.flag.name);
        if (given) given.push(read.value);
        else values.set(read.flag.name, [read.value]);
      }
    } else if (command) {
      // A command by itself may be the noun of others: `trust`, `trust list`.
      const longer = args.length === 0 && !command.takesTool && commandOf(`${command.name} ${word}`);
      if (longer) command = longer;
      else args.push(word);
    } else if (word === "help" && noun === undefined) {
      values.set("help", ["-h"]);
    } else {
      const name = noun === undefined ? word : `${noun} ${word}`;
      command = commandOf(name);
      if (command) continue;
      if (verbsOf(name).length === 0) return fault ?? unknownCommand(word, noun);
      noun = name;
    }
  }
  const flags = new Flags(values);
  const help = flags.get("help");
  if (help !== undefined || words.length === 0) return { command, noun, full: help === "--help" };
  if (fault) return fault;
  if (!command) return missingWord(noun);
  if (command.most === undefined || args.length <= command.most) return { command, flags, args };
  const extra = quote(args[command.most]!);
  return new UsageError(
    `Cannot run agent ${command.name} with ${extra}: one word too many`,
    `agent ${command.name} -h shows how it is used`,
  );
}

/** The usual one is found without the others. */
function commandOf(name: string): Command | undefined {
  return name === EXEC.name ? EXEC : COMMANDS.find((one) => one.name === name);
}

/** The commands of two words that begin with `noun`. */
export function verbsOf(noun: string): Command[] {
  return COMMANDS.filter(({ name }) => name.startsWith(`${noun} `));
}

interface ReadFlag {
  flag: Flag;
  value: string;
  /** The value is the next word. */
  took: boolean;
}

/** A switch's value is the word itself. */
function readFlag(
  word: string,
  next: string | undefined,
  command: Command | undefined,
): ReadFlag | UsageError {
  const known = command ? [...COMMON, ...command.flags] : COMMON;
  const at = word.startsWith("--") ? word.indexOf("=") : -1;
  const name = at < 0 ? word : word.slice(0, at);
  const flag = known.find((one) => spelled(one).includes(name));
  if (!flag) return unknownFlag(name, known, command);
  if (flag.value === undefined) {
    if (at < 0) return { flag, value: word, took: false };
    return new UsageError(`Cannot use ${quote(word)}: this flag takes no value`);
  }
  const value = at < 0 ? next : word.slice(at + 1);
  if (value === undefined) {
    return new UsageError(`Cannot use ${quote(name)}: its value is missing`, where(command));
  }
  if (flag.choices && !flag.choices.includes(value)) {
    return new UsageError(
      `Cannot use ${quote(name)} with ${quote(value)}: not one of ${flag.choices.join(", ")}`,
      didYouMean(value, flag.choices) ?? where(command),
    );
  }
  return { flag, value, took: at < 0 };
}

function unknownFlag(name: string, known: readonly Flag[], command: Command | undefined): UsageError {
  const attached = known.find(({ short }) => short !== undefined && name.startsWith(`-${short}`));
  if (attached?.value !== undefined && !name.startsWith("--")) {
    const value = name.slice(2);
    return new UsageError(
      `Cannot use ${quote(name)}: the value of a flag is a word of its own`,
      `-${attached.short} ${value}`,
    );
  }
  const theirs = command
    ? []
    : COMMANDS.filter(({ flags }) => flags.some((one) => spelled(one).includes(name)));
  const hint = theirs.length > 0
    ? `a command's flags stand behind it: agent ${theirs[0]!.name} ${name}`
    : didYouMean(name, known.map(({ name }) => `--${name}`)) ??
      `${where(command)}; what stands after -- is never a flag`;
  return new UsageError(`Cannot use ${quote(name)}: no such flag`, hint);
}

function unknownCommand(word: string, noun: string | undefined): UsageError {
  const shown = COMMANDS.filter(({ hidden }) => !hidden).map(({ name }) => name.split(" "));
  const names = noun === undefined ? shown.map(([first]) => first!) : verbsOf(noun).map(verbOf);
  return new UsageError(
    `Cannot run ${quote(word)}: no such command`,
    didYouMean(word, new Set(names)) ??
      (noun === undefined ? where(undefined) : `one of ${names.join(", ")}`),
  );
}

function missingWord(noun: string | undefined): UsageError {
  if (noun === undefined) return new UsageError("Cannot run agent: a command is missing", where(undefined));
  const verbs = verbsOf(noun).map(({ name }) => `agent ${name}`);
  return new UsageError(`Cannot run agent ${noun}: a word is missing`, `one of ${verbs.join(", ")}`);
}

function verbOf({ name }: Command): string {
  return name.slice(name.indexOf(" ") + 1);
}

function didYouMean(word: string, known: Iterable<string>): string | undefined {
  const [near] = nearest(word, known, 1);
  return near === undefined ? undefined : `did you mean ${near}?`;
}

function where(command: Command | undefined): string {
  return command ? `agent ${command.name} -h lists its flags` : "agent -h lists the commands";
}
