/**
 * What permission rules look at in a shell command: every simple command of it, wherever it stands, and the files
 * that redirections open. Parsed with `unbash`; what it can't parse, or can't tell, is for a person to decide.
 */
import { quote } from "../core/errors.ts";
import { realPath, resolvePath } from "../core/paths.ts";
import type { Part } from "../core/permission.ts";
import { host } from "../core/runtime.ts";
import type { Command, Redirect, SyntaxNode, Word } from "unbash";

type Unbash = typeof import("unbash");

/** Programs that run the command which their arguments hold. */
const WRAPPERS = new Set(
  ("sudo doas su runuser pkexec env command builtin exec nohup nice ionice time timeout stdbuf setsid chroot unshare " +
    "taskset chrt flock script strace ltrace busybox xargs parallel watch find fd").split(" "),
);
const SHELLS = new Set("sh bash dash zsh ksh".split(" "));
/** Wrappers whose program stands behind other words: any of theirs may be it. */
const OPERANDS_FIRST = new Set("su chroot taskset flock script find fd".split(" "));
/** Builtins whose arguments are commands. */
const EVALUATORS = new Set(["eval", "trap"]);

/** Devices that writing to changes nothing. */
const HARMLESS = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"]);

/** `undefined`: not bash, so nobody can tell what it would do. */
export async function commandParts(command: string, cwd: string): Promise<Part[] | undefined> {
  const unbash = await import("unbash");
  const parts = partsOf(unbash, command, cwd);
  // The parser takes some texts that bash refuses, and what it made of those is worth nothing.
  return parts && await bashAccepts(command) ? parts : undefined;
}

function bashAccepts(command: string): Promise<boolean> {
  const { spawn } = host.builtin<typeof import("node:child_process")>("node:child_process");
  // A file that it would read first has no say in this.
  const { BASH_ENV: _, ...env } = host.envAll();
  return new Promise((resolve) => {
    const child = spawn("bash", ["-n"], { env, stdio: ["pipe", "ignore", "ignore"] });
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
    child.stdin!.on("error", () => {});
    child.stdin!.end(command);
  });
}

function partsOf(unbash: Unbash, command: string, cwd: string): Part[] | undefined {
  const parts: Part[] = [];
  let understood = true;
  let script: SyntaxNode;
  try {
    script = unbash.parse(command);
  } catch {
    return undefined;
  }
  const folders = new Folders(cwd, unbash, script);
  const visit = (node: SyntaxNode) => {
    if (node.type === "Script" && node.errors && node.errors.length > 0) understood = false;
    if ((node.type === "CommandExpansion" || node.type === "ProcessSubstitution") && !node.script) {
      understood = false;
    }
    if (node.type === "Command") {
      parts.push(...simpleCommand(unbash, node, cwd));
      folders.follow(node);
    }
    if (node.type === "Redirect") parts.push(...redirected(node, folders));
    if (evaluates(unbash, node)) {
      parts.push({ kind: "command", value: `evaluated ${node.type}`, access: "run", opaque: true });
    }
    unbash.forEachChild(node, visit);
  };
  visit(script);
  return understood ? parts : undefined;
}

/** A simple command; assignments alone are one too: `PATH=x` decides what later ones run. */
function simpleCommand(unbash: Unbash, node: Command, cwd: string): Part[] {
  const assigned = node.prefix.flatMap((part) => part.type === "Assignment" ? [part.text] : []);
  if (!node.name) {
    return assigned.length === 0 ? [] : [{ kind: "command", value: assigned.join(" "), access: "run" }];
  }
  const words = node.args.filter((part): part is Word => part.type === "Word");
  const name = plain(node.name);
  const texts = node.args.map((part) => part.type === "Word" ? shown(part) : part.text);
  const part: Part = {
    kind: "command",
    value: [name ?? node.name.text, ...texts].join(" "),
    access: "run",
  };
  // `LD_PRELOAD=x make` is not `make`, and `$tool x` may be anything.
  if (assigned.length > 0 || name === undefined) part.opaque = true;
  if (name === undefined) return [{ ...part, unknown: true }];
  const { inner, unknown } = innerCommands(unbash, node, name, words, cwd);
  if (inner.length > 0) part.inner = inner;
  if (unknown) part.unknown = true;
  return [part];
}

/** The commands that a wrapper would run, for rules that deny or ask. Every tail is offered: options vary. */
function innerCommands(
  unbash: Unbash,
  node: Command,
  name: string,
  words: readonly Word[],
  cwd: string,
): { inner: string[]; unknown: boolean } {
  const program = baseName(name);
  const texts = words.map(shown);
  const inner = program === name ? [] : [[program, ...texts].join(" ")];
  const scripts: string[] = [];
  let unknown = false;
  if (WRAPPERS.has(program)) {
    unknown = hidesProgram(program, words);
    for (const [index, word] of words.entries()) {
      inner.push(texts.slice(index).join(" "));
      const base = baseName(word.value);
      if (base !== word.value) inner.push([base, ...texts.slice(index + 1)].join(" "));
      if (SHELLS.has(base)) scripts.push(...scriptOf(words.slice(index + 1)));
      if (/\s/.test(word.value)) scripts.push(word.value);
    }
  } else if (EVALUATORS.has(program)) {
    const values = words.map(({ value }) => value);
    scripts.push(values.join(" "), ...values);
  }
  if (SHELLS.has(program)) scripts.push(...scriptOf(words));
  const isShell = (one: string) => SHELLS.has(baseName(one));
  if (isShell(program) || WRAPPERS.has(program) && words.some(({ value }) => isShell(value))) {
    scripts.push(...inputsOf(node));
  }
  for (const script of scripts) {
    const parts = partsOf(unbash, script, cwd);
    inner.push(...commandsOf(parts));
    unknown ||= !parts || parts.some((part) => part.unknown);
  }
  return { inner, unknown };
}

/** What stands before a wrapper's program for certain: options, assignments, numbers and times. */
const NO_PROGRAM = /^(-|\w+=|[\d.]+[smhd]?$|0x[\da-f]+$)/i;

/**
 * May a wrapper's program be one that only the shell knows? Which options take a value is each wrapper's own affair,
 * so a word after an option may be the program or not.
 */
function hidesProgram(wrapper: string, words: readonly Word[]): boolean {
  let afterOption = OPERANDS_FIRST.has(wrapper);
  for (const word of words) {
    const before = NO_PROGRAM.test(word.text);
    if (!before && plain(word) === undefined) return true;
    if (!before && !afterOption) return false;
    afterOption = OPERANDS_FIRST.has(wrapper) || word.text.startsWith("-");
  }
  return false;
}

/** `sh -c '…'`: the script among a shell's arguments. */
function scriptOf(words: readonly Word[]): string[] {
  const at = words.findIndex(({ value }) => /^-[A-Za-z]*c[A-Za-z]*$/.test(value));
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

function commandsOf(parts: readonly Part[] | undefined): string[] {
  return (parts ?? []).flatMap((part) => part.kind === "command" ? [part.value, ...part.inner ?? []] : []);
}

const NUMBER = /^(\d+|0[xX][0-9a-fA-F]+|\$[#?]|\$\{#\w*\}|)$/;
const COMPARES_NUMBERS = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"]);

/**
 * Does bash evaluate a text here that isn't written here? In arithmetic a variable's value is an expression of its
 * own, and a subscript in it may run a command; `${!x}` and `${x@P}` do the like.
 */
function evaluates(unbash: Unbash, node: SyntaxNode): boolean {
  const fixed = (word: Word | undefined) => !word || NUMBER.test(word.text.trim());
  switch (node.type) {
    case "ArithmeticExpansion":
    case "ArithmeticCommand":
    case "ArithmeticFor": {
      const parts = node.type === "ArithmeticFor"
        ? [node.initialize, node.test, node.update]
        : [node.expression];
      return parts.some((part) => part && contains(unbash, part, namesVariable));
    }
    case "TestBinary":
      return COMPARES_NUMBERS.has(node.operator) && !(fixed(node.left) && fixed(node.right));
    case "TestUnary":
      return node.operator === "-v" || node.operator === "-R";
    case "Assignment":
      return !fixed(node.index);
    case "ParameterExpansion": {
      const { index, operation, prefix } = node;
      if (index && !/^[@*]$/.test(index.text) && !fixed(index)) return true;
      if (operation?.type === "Slice") return !fixed(operation.offset) || !fixed(operation.length);
      if (operation?.type === "Transform" || operation?.type === "Unknown") return true;
      return prefix === "!" && operation?.type !== "Names" && !index;
    }
    default:
      return false;
  }
}

function namesVariable(node: SyntaxNode): boolean {
  return node.type === "ArithmeticCommandExpansion" ||
    node.type === "ArithmeticWord" && !NUMBER.test(node.value.trim());
}

function contains(unbash: Unbash, node: SyntaxNode, test: (node: SyntaxNode) => boolean): boolean {
  if (test(node)) return true;
  let found = false;
  unbash.forEachChild(node, (child) => {
    found ||= contains(unbash, child, test);
  });
  return found;
}

/** The folders that a relative redirection may mean: `cd x && echo > f` writes `x/f`, or `f` where `cd` fails. */
class Folders {
  #possible: readonly string[] | undefined;

  constructor(cwd: string, unbash: Unbash, script: SyntaxNode) {
    // What a loop or a function does comes again, after a `cd` that stands below it.
    const repeats = contains(unbash, script, ({ type }) => REPEATED.has(type)) &&
      contains(unbash, script, (node) => node.type === "Command" && changesFolder(node));
    this.#possible = repeats ? undefined : [cwd];
  }

  /** Takes in what a command does to the folder. */
  follow(node: Command): void {
    if (!this.#possible || !changesFolder(node)) return;
    const words = node.args.map((part) => part.type === "Word" ? part : undefined);
    const target = words.length === 1 && words[0] ? literalPath(words[0]) : undefined;
    if (node.name!.value !== "cd" || target === undefined || this.#possible.length > MOST_FOLDERS) {
      this.#possible = undefined;
    } else this.#possible = this.#possible.flatMap((folder) => [folder, resolvePath(folder, target)]);
  }

  /** The files that a path may mean; `undefined` where that can't be told. */
  resolve(path: string): readonly string[] | undefined {
    if (/^(\/|~(\/|$))/.test(path)) return [resolvePath("/", path)];
    return this.#possible?.map((folder) => resolvePath(folder, path));
  }
}

const REPEATED = new Set(["For", "While", "Select", "ArithmeticFor", "Function"]);
const MOST_FOLDERS = 8;
/** Builtins that change the folder, or run what may. */
const MOVERS = new Set("cd pushd popd source . eval command builtin".split(" "));

function changesFolder(node: Command): boolean {
  return node.name !== undefined && MOVERS.has(node.name.value);
}

function redirected(node: Redirect, folders: Folders): Part[] {
  if (!node.target) return [];
  const access = node.operator === "<" ? "read" : "write";
  const duplicates = node.operator === ">&" || node.operator === "<&";
  if (duplicates && /^(\d+-?|-)$/.test(plain(node.target) ?? "")) return [];
  const target = literalPath(node.target);
  if (target !== undefined && HARMLESS.has(target)) return [];
  const paths = target === undefined ? undefined : folders.resolve(target);
  if (paths) return paths.map((path) => ({ kind: "path", value: realPath(path), access }));
  const value = `redirection ${quote(node.target.text)}`;
  return [{ kind: "command", value, access: "run", opaque: true }];
}

/** A word as a path, where that is fixed: a quoted `~` is a plain character, another user's home is unknown. */
function literalPath(word: Word): string | undefined {
  const value = plain(word);
  if (value === undefined || value === "" || value.startsWith("-")) return undefined;
  if (!value.startsWith("~")) return value;
  if (!word.text.startsWith("~")) return `./${value}`;
  return /^~(\/|$)/.test(word.text) ? value : undefined;
}

function baseName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
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
