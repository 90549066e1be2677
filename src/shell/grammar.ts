/**
 * What permission rules look at in a shell command: every simple command of it, wherever it stands, and the files
 * that redirections open. Parsed with `unbash`; what it can't parse, or can't tell, is for a person to decide.
 */
import { quote } from "../core/errors.ts";
import { realPath, resolvePath } from "../core/paths.ts";
import type { Part } from "../core/permission.ts";
import type { Command, Redirect, SyntaxNode, Word } from "unbash";

type Unbash = typeof import("unbash");

/** Programs that run the command which their arguments hold. */
const WRAPPERS = new Set(
  "sudo doas env command builtin exec nohup nice ionice time timeout stdbuf setsid xargs chroot watch".split(
    " ",
  ),
);
const SHELLS = new Set("sh bash dash zsh ksh".split(" "));

/** Devices that writing to changes nothing. */
const HARMLESS = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"]);

/** `undefined`: not bash, so nobody can tell what it would do. */
export async function commandParts(command: string, cwd: string): Promise<Part[] | undefined> {
  const unbash = await import("unbash");
  return partsOf(unbash, command, cwd);
}

function partsOf(unbash: Unbash, command: string, cwd: string): Part[] | undefined {
  const parts: Part[] = [];
  let understood = true;
  const visit = (node: SyntaxNode) => {
    if (node.type === "Script" && node.errors && node.errors.length > 0) understood = false;
    if ((node.type === "CommandExpansion" || node.type === "ProcessSubstitution") && !node.script) {
      understood = false;
    }
    if (node.type === "Command") parts.push(...simpleCommand(unbash, node, cwd));
    if (node.type === "Redirect") parts.push(...redirected(node, cwd));
    unbash.forEachChild(node, visit);
  };
  try {
    visit(unbash.parse(command));
  } catch {
    return undefined;
  }
  return understood ? parts : undefined;
}

function simpleCommand(unbash: Unbash, node: Command, cwd: string): Part[] {
  const words = node.suffix.filter((part): part is Word => part.type === "Word");
  const assigned = node.prefix.some((part) => part.type === "Assignment");
  // `X=1` alone changes this shell only; what its value runs is visited on its own.
  if (!node.name) return [];
  const name = plain(node.name);
  const text = [name ?? node.name.text, ...words.map(shown)].join(" ");
  const part: Part = { kind: "command", value: text, access: "run" };
  // `LD_PRELOAD=x make` is not `make`, and `$tool x` may be anything.
  if (assigned || name === undefined) part.opaque = true;
  const inner = name === undefined ? [] : innerCommands(unbash, name, words, cwd);
  return [inner.length > 0 ? { ...part, inner } : part];
}

/** The commands that a wrapper would run, for rules that deny or ask. Every tail is offered: options vary. */
function innerCommands(unbash: Unbash, name: string, words: readonly Word[], cwd: string): string[] {
  const program = name.slice(name.lastIndexOf("/") + 1);
  const texts = words.map(shown);
  const bare = program === name ? [] : [[program, ...texts].join(" ")];
  if (WRAPPERS.has(program)) {
    const tails = texts.map((_, index) => texts.slice(index).join(" "));
    return [...bare, ...tails, ...words.flatMap((_, index) => nested(unbash, words.slice(index), cwd))];
  }
  if (program === "eval") {
    return [
      ...bare,
      ...scriptCommands(unbash, words.map((word) => word.value).join(" "), cwd),
    ];
  }
  return [...bare, ...nested(unbash, [{ value: program } as Word, ...words], cwd)];
}

/** `sh -c '…'`: the commands of the script. */
function nested(unbash: Unbash, words: readonly Word[], cwd: string): string[] {
  const program = words[0]!.value;
  if (!SHELLS.has(program.slice(program.lastIndexOf("/") + 1))) return [];
  const at = words.findIndex((word, index) => index > 0 && /^-[a-z]*c[a-z]*$/.test(word.value));
  return at > 0 && words[at + 1] ? scriptCommands(unbash, words[at + 1]!.value, cwd) : [];
}

function scriptCommands(unbash: Unbash, script: string, cwd: string): string[] {
  return (partsOf(unbash, script, cwd) ?? [])
    .flatMap((part) => part.kind === "command" ? [part.value, ...part.inner ?? []] : []);
}

function redirected(node: Redirect, cwd: string): Part[] {
  if (!node.target) return [];
  const access = node.operator === "<" ? "read" : "write";
  const target = plain(node.target);
  if (
    (node.operator === ">&" || node.operator === "<&") && target !== undefined && /^(\d+-?|-)$/.test(target)
  ) return [];
  if (target === undefined) {
    return [{
      kind: "command",
      value: `redirection ${quote(node.target.text)}`,
      access: "run",
      opaque: true,
    }];
  }
  if (HARMLESS.has(target)) return [];
  return [{ kind: "path", value: realPath(resolvePath(cwd, target)), access }];
}

/** A word's text where nothing in it is expanded; `undefined` where only the shell knows it. */
function plain(word: Word): string | undefined {
  const fixed = (word.parts ?? []).every(({ type }) =>
    type === "Literal" || type === "SingleQuoted" || type === "AnsiCQuoted" ||
    type === "DoubleQuoted"
  );
  const quoted = (word.parts ?? []).filter((part) => part.type === "DoubleQuoted");
  const simple = quoted.every((part) =>
    part.type !== "DoubleQuoted" || part.parts.every(({ type }) => type === "Literal")
  );
  return fixed && simple ? word.value : undefined;
}

/** A word as rules see it: one with blanks keeps its borders, so that it is never taken for two. */
function shown(word: Word): string {
  const value = plain(word) ?? word.text;
  return value === "" || /\s/.test(value) ? JSON.stringify(value) : value;
}

/**
 * `git:*` and `git *` stand for `git` with anything after it; `*` elsewhere for any run of characters; a pattern
 * without `*` for exactly that command.
 */
export function commandMatches(pattern: string, command: string): boolean {
  let wanted = pattern.trim();
  if (wanted.endsWith(":*")) wanted = `${wanted.slice(0, -2)} *`;
  if (wanted.endsWith(" *") && !wanted.slice(0, -2).includes("*")) {
    const start = wanted.slice(0, -2);
    return command === start || command.startsWith(start + " ");
  }
  return globMatches(wanted, command);
}

/** `*` matches greedily with one step back: linear for any pattern, unlike a regular expression. */
function globMatches(pattern: string, text: string): boolean {
  let p = 0, t = 0, star = -1, mark = 0;
  while (t < text.length) {
    if (pattern[p] === "*") {
      star = p++;
      mark = t;
    } else if (p < pattern.length && pattern[p] === text[t]) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++mark;
    } else return false;
  }
  while (pattern[p] === "*") p++;
  return p === pattern.length;
}
