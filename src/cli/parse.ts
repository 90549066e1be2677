/**
 * Reads a command line that is in order, from the declarations. Anything else (an unknown word, a flag without its
 * value, a call for help) is left to commander, which explains it; a cold start doesn't load commander.
 */
import { type Command, type Flag, Flags } from "./command.ts";
import { COMMANDS, COMMON } from "./commands.ts";

export interface Parsed {
  command: Command;
  flags: Flags;
  args: string[];
}

/** `undefined`: not understood, or help is wanted. */
export function parse(words: readonly string[]): Parsed | undefined {
  const values = new Map<string, string[]>();
  const rest: string[] = [];
  let known: readonly Flag[] = COMMON;
  let command: Command | undefined;
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word === "--") {
      rest.push(...words.slice(i + 1));
      break;
    }
    if (word.length > 1 && word.startsWith("-")) {
      const read = readFlag(word, words[i + 1], known);
      if (!read) return undefined;
      if (read.took) i++;
      const { flag, value } = read;
      if (flag.name === "help" || (flag.choices && !flag.choices.includes(value))) return undefined;
      const given = values.get(flag.name);
      if (given) given.push(value);
      else values.set(flag.name, [value]);
      continue;
    }
    if (command) {
      rest.push(word);
      continue;
    }
    command = COMMANDS.find(({ name }) => name === word) ??
      COMMANDS.find(({ name }) => name === `${word} ${words[i + 1]}`);
    if (!command) return undefined;
    if (command.name.includes(" ")) i++;
    known = [...COMMON, ...command.flags];
  }
  if (!command || (command.most !== undefined && rest.length > command.most)) return undefined;
  return { command, flags: new Flags(values), args: rest };
}

function readFlag(word: string, next: string | undefined, known: readonly Flag[]) {
  const at = word.startsWith("--") ? word.indexOf("=") : -1;
  const name = at < 0 ? word : word.slice(0, at);
  const flag = known.find((one) =>
    `--${one.name}` === name || (one.short !== undefined && `-${one.short}` === name)
  );
  if (!flag) return undefined;
  if (flag.value === undefined) return at < 0 ? { flag, value: "", took: false } : undefined;
  if (at >= 0) return { flag, value: word.slice(at + 1), took: false };
  return next === undefined ? undefined : { flag, value: next, took: true };
}
