/** The commands that a command may run by its words and its input, for rules that deny or ask. */
import type { Command, Word } from "unbash";
import { awkRunsUnknown, guessesIn, guessesInLines } from "./foreign.ts";
import {
  COMMAND_OPTIONS,
  COMMON_OPTIONS,
  EVALUATORS,
  EXECUTES,
  INTERPRETERS,
  isWrapper,
  MOVES,
  OPERANDS_FIRST,
  QUIET,
  READERS,
  SCRIPTED,
  SEARCHERS,
  SHELLS,
  SUBCOMMANDS,
} from "./programs.ts";
import { readSed, type SedScript } from "./sed.ts";
import type { Variables } from "./variables.ts";
import { baseName, filled, plain, shown } from "./words.ts";

/** What a command may run. */
export interface Held {
  /** What the command's words may be as commands. Every tail is offered: options vary. */
  tails: string[];
  /** Words that are scripts. */
  scripts: string[];
  /** Texts that may be scripts: commands in them count, what can't be told of them doesn't. */
  guesses: string[];
  /** Files that a script among its words opens. */
  files: SedScript["files"];
  /** They run in a folder of their own. */
  moves: boolean;
  /** What runs isn't in the text. */
  unknown: boolean;
}

const NOTHING: Held = { tails: [], scripts: [], guesses: [], files: [], moves: false, unknown: false };
/** Programs that take a script by `-e` or as their first operand. */
const SED = /^g?sed$/;
const MAKE = /^g?make$/;
const STDIN = /^(-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/;

/** What a program may run with these words. */
export function heldBy(
  node: Command,
  program: string,
  words: readonly Word[],
  variables: Variables,
): Held {
  const optional = inOptions(program, words);
  if (QUIET.has(program)) return { ...NOTHING, guesses: optional };
  if (SED.test(program)) return heldBySed(node, words, variables);
  if (SCRIPTED.has(program)) {
    const texts = words.flatMap((word) => textsIn(word, variables));
    const guesses = [...optional, ...[...texts, ...inputsOf(node)].flatMap(guessesIn)];
    return { ...NOTHING, guesses, unknown: program.endsWith("awk") && texts.some(awkRunsUnknown) };
  }
  if (SEARCHERS.has(program)) {
    const first = words.findIndex(({ value }) => EXECUTES.test(value));
    const moves = words.some(({ value }) => value.endsWith("dir"));
    return first < 0
      ? { ...NOTHING, moves }
      : { ...heldBy(node, "xargs", words.slice(first), variables), moves };
  }
  const wraps = isWrapper(program);
  const values = words.map(({ value }) => value);
  const own = SUBCOMMANDS.has(program) ? values.findIndex((value) => !value.startsWith("-")) : -1;
  const tails = tailsOf(words.slice(own + 1), wraps);
  const scripts: string[] = [];
  if (wraps) {
    for (const value of values.filter((value) => /\s/.test(value))) {
      for (const start of startsIn(value, true)) scripts.push(value.slice(start));
    }
  } else if (EVALUATORS.has(program)) {
    scripts.push(values.join(" "), ...values);
    for (const arg of node.args) {
      if (arg.type === "Assignment" && arg.value.type === "Word") scripts.push(arg.value.value);
    }
  }
  const shells = [...words.keys()].filter((index) => isShell(words[index]!));
  const rests: (readonly Word[])[] = shells.map((index) => words.slice(index + 1));
  if (SHELLS.has(program)) rests.push(words);
  const inputs = rests.length > 0 ? inputsOf(node) : [];
  scripts.push(...rests.flatMap(scriptOf), ...inputs);
  const unseen = (rest: readonly Word[]) => inputs.length === 0 && readsScript(rest);
  const makes = MAKE.test(program) && readsMakefile(words);
  const unknown = SHELLS.has(program) && unseen(words) || makes && inputsOf(node).length === 0 ||
    wraps && programsIn(program, words).some(
        ({ word, rest }) => plain(word) === undefined || isShell(word) && unseen(rest),
      );
  const guesses = [...optional];
  if (own < 0 && !SUBCOMMANDS.has(program) && !EVALUATORS.has(program)) {
    for (const word of words) guesses.push(...guessesIn(word.value));
  }
  if (makes || READERS.has(program)) guesses.push(...inputsOf(node).flatMap(guessesInLines));
  else if (INTERPRETERS.test(program)) guesses.push(...inputsOf(node).flatMap(guessesIn));
  return {
    tails,
    scripts,
    guesses,
    files: [],
    moves: wraps && values.some((value) => MOVES.test(value)),
    unknown,
  };
}

/** The values of options that are commands. */
function inOptions(program: string, words: readonly Word[]): string[] {
  const known = Object.hasOwn(COMMAND_OPTIONS, program) ? COMMAND_OPTIONS[program] : undefined;
  const patterns = [...known ? [known] : [], ...SUBCOMMANDS.has(program) ? [COMMON_OPTIONS] : []];
  if (patterns.length === 0) return [];
  return words.flatMap(({ value }, index) => {
    const starts = patterns.flatMap((pattern) => pattern.exec(value)?.[0] ?? []);
    return starts.map((start) => value.slice(start.length) || words[index + 1]?.value || "");
  });
}

/** The texts that a word may stand for, as far as they are known. */
function textsIn(word: Word, variables: Variables): string[] {
  const shape = filled(word, "0");
  return variables.textsOf(word)?.map((text) => text === "" ? shape : text) ?? [shape];
}

function heldBySed(node: Command, words: readonly Word[], variables: Variables): Held {
  const parts: Word[] = [];
  let first: Word | undefined;
  let inFile: string | undefined;
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    const option = /^(?:-[nErszui]*?([efl])|--(expression|file|line-length)=?)([^]*)$/.exec(word.value);
    if (option) {
      const [, letter, name, attached] = option;
      const value = attached === "" ? words[++index] : { ...word, value: attached!, parts: undefined };
      if (value && (letter === "e" || name === "expression")) parts.push(value);
      if (value && (letter === "f" || name === "file")) inFile = value.value;
    } else if (!/^-./.test(word.value)) first ??= word;
  }
  if (parts.length === 0 && inFile === undefined && first) parts.push(first);
  const inputs = inFile !== undefined && STDIN.test(inFile) ? inputsOf(node) : [];
  const texts = [...parts.flatMap((word) => textsIn(word, variables)), ...inputs];
  // Several are one script, so that what one begins another may end.
  const whole = readSed(parts.length > 1 ? parts.map(({ value }) => value).join("\n") : "");
  const read = texts.map(readSed);
  const found = parts.length > 1 && !whole.unknown ? [whole] : read;
  return {
    ...NOTHING,
    scripts: found.flatMap(({ scripts }) => scripts),
    files: found.flatMap(({ files }) => files),
    unknown: found.some(({ unknown }) => unknown) || inputs.length === 0 && STDIN.test(inFile ?? ""),
  };
}

/** Does `make` take its rules from standard input? */
function readsMakefile(words: readonly Word[]): boolean {
  return words.some(({ value }, index) => {
    const attached = /^(?:-\w*f|--(?:make)?file=?)([^]*)$/.exec(value)?.[1];
    return attached !== undefined && STDIN.test(attached || words[index + 1]?.value || "");
  });
}

function isShell({ value }: Word): boolean {
  return SHELLS.has(baseName(value));
}

/** The words from each one on, by every name that it may have. */
function tailsOf(words: readonly Word[], wraps: boolean): string[] {
  const texts = words.map(shown);
  const all = texts.join(" ");
  let at = 0;
  return texts.flatMap((text) => {
    const from = at;
    at += text.length + 1;
    const starts = text.startsWith('"') ? [0] : startsIn(text, wraps);
    // Parts of one text: thousands of words would be gigabytes otherwise.
    return starts.map((start) => all.slice(from + start));
  });
}

/** Where a command may start in a word: `/bin/rm`, `--split-string=rm`, and of a wrapper `-Srm`. */
function startsIn(text: string, wraps: boolean): number[] {
  const starts = new Set([0, (/^--[\w-]+=/.exec(text)?.[0] ?? "").length]);
  if (!/\s/.test(text)) starts.add(text.lastIndexOf("/") + 1);
  if (wraps && /^-\w/.test(text)) { for (let i = 2; i < Math.min(text.length, 8); i++) starts.add(i); }
  return [...starts];
}

/** What stands before a wrapper's program for certain: options, assignments, numbers and times. */
const NO_PROGRAM = /^(-|\w+=|[\d.]+[smhd]?$|0x[\da-f]+$)/i;

/**
 * The words that may be a wrapper's program, also through further wrappers. Which options take a value is each
 * wrapper's own affair, so a word after an option may be the program or not.
 */
function programsIn(wrapper: string, words: readonly Word[]): { word: Word; rest: readonly Word[] }[] {
  const found = [];
  let anyWord = OPERANDS_FIRST.has(wrapper);
  let afterOption = false;
  for (const [index, word] of words.entries()) {
    if (NO_PROGRAM.test(word.text)) {
      afterOption = word.text.startsWith("-");
      continue;
    }
    found.push({ word, rest: words.slice(index + 1) });
    const base = baseName(word.value);
    if (isWrapper(base)) anyWord ||= OPERANDS_FIRST.has(base) && !SEARCHERS.has(base);
    else if (!afterOption && !anyWord) break;
    afterOption = false;
  }
  return found;
}

/** Does a shell with these arguments read a script that isn't among them? */
function readsScript(words: readonly Word[]): boolean {
  return scriptOf(words).length === 0 && !words.some(({ value }) => /^--(version|help)$/.test(value));
}

/** `sh -c '…'`: the script among a shell's arguments. */
function scriptOf(words: readonly Word[]): string[] {
  const at = words.findIndex(({ value }) => /^(-[A-Za-z]*c[A-Za-z]*|--command)$/.test(value));
  if (at < 0) return [];
  const script = words.slice(at + 1).find(({ value }) => !/^[-+]/.test(value));
  return script ? [script.value] : [];
}

/** What a command is given on standard input by its own text: a heredoc, a here-string. */
function inputsOf(node: Command): string[] {
  return node.redirects.flatMap((redirect) => {
    if (redirect.type === "HereDoc") return [redirect.body.text];
    return redirect.type === "HereString" && redirect.target ? [redirect.target.value] : [];
  });
}
