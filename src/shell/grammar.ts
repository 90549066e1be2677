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

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "));

/** Programs known to run the command which their arguments hold. */
const WRAPPERS = set(
  "sudo doas su sg runuser pkexec env command builtin exec nohup nice ionice time timeout stdbuf setsid chroot unshare " +
    "nsenter setpriv prlimit setarch linux32 linux64 runcon numactl systemd-run start-stop-daemon taskset chrt flock " +
    "script strace ltrace busybox toybox xargs parallel watch find fd",
);
/** The dynamic linker runs what it is given too. */
const LINKER = /^ld(-[\w-]+)?\.so/;
/** Programs that run none of their words. Any other may, known or not. */
const QUIET = set(
  "echo printf grep egrep fgrep rg ag ls cat tac cd pwd test [ true false : head tail wc cut tr sed awk sort uniq diff " +
    "cmp comm tee less more which whereis type man info apropos mkdir rmdir touch rm mv cp ln chmod chown chgrp stat " +
    "file du df basename dirname realpath readlink date sleep jq export unset set shopt local declare typeset readonly " +
    "read return exit break continue shift wait kill pkill pgrep killall seq md5sum sha256sum",
);
/** Programs whose first operand is a word of their own: `git rm` is not `rm`. */
const SUBCOMMANDS = set(
  "git gh hg svn docker podman kubectl helm npm pnpm yarn bun cargo go deno pip uv apt apt-get dnf brew ip",
);
const SHELLS = set("sh bash rbash dash ash zsh ksh mksh yash fish");
/** Wrappers whose program stands behind other words: any of theirs may be it. */
const OPERANDS_FIRST = set(
  "su sg chroot taskset flock script setarch start-stop-daemon find fd",
);
/** Of these only what follows an option is run. */
const SEARCHERS = set("find fd");
const EXECUTES = /^(-(exec|ok)(dir)?$|-[xX]|--exec)/;
/** Options by which wrappers go to another folder first. */
const MOVES = /^-$|^-\w*[CDRilw]|^--(chdir|wd|root|login|working-directory)/;
/** Builtins whose arguments are commands. */
const EVALUATORS = set("eval trap alias hash mapfile readarray compgen complete");
/** Evaluators whose commands run later, wherever that is. */
const LATER = set("trap alias");
/** Builtins that run what isn't in the text. */
const LOADERS = set(". source enable");
/** How deep scripts may stand in scripts. */
const DEEPEST = 16;

/** Devices that writing to changes nothing. */
const HARMLESS = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"]);

/** `undefined`: not bash, so nobody can tell what it would do. */
export async function commandParts(command: string, cwd: string): Promise<Part[] | undefined> {
  const unbash = await import("unbash");
  const parts = partsOf(unbash, command, [cwd], 0);
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

/** `places`: the folders that it may start in; `undefined` where they can't be told. */
function partsOf(
  unbash: Unbash,
  command: string,
  places: readonly string[] | undefined,
  depth: number,
): Part[] | undefined {
  if (depth > DEEPEST) return undefined;
  const parts: Part[] = [];
  let understood = true;
  let script: SyntaxNode;
  try {
    script = unbash.parse(command);
  } catch {
    return undefined;
  }
  const folders = new Folders(places, unbash, script);
  const visit = (node: SyntaxNode) => {
    if (node.type === "Script" && node.errors && node.errors.length > 0) understood = false;
    if ((node.type === "CommandExpansion" || node.type === "ProcessSubstitution") && !node.script) {
      understood = false;
    }
    if (node.type === "Command") {
      parts.push(...simpleCommand(unbash, node, folders, depth));
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
function simpleCommand(unbash: Unbash, node: Command, folders: Folders, depth: number): Part[] {
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
  const program = baseName(name);
  const inner = program === name ? [] : [[program, ...texts].join(" ")];
  const files: Part[] = [];
  let unknown = LOADERS.has(program);
  if (!QUIET.has(program)) {
    const held = heldBy(node, program, words);
    inner.push(...held.tails);
    unknown ||= held.unknown;
    const places = held.moves || LATER.has(program) && folders.move ? undefined : folders.possible;
    for (const script of new Set(held.scripts)) {
      const parts = partsOf(unbash, script, places, depth + 1);
      inner.push(...commandsOf(parts));
      files.push(...(parts ?? []).filter(({ kind }) => kind === "path"));
      unknown ||= !parts || parts.some((part) => part.kind === "command" && part.unknown);
    }
  }
  if (inner.length > 0) part.inner = inner;
  if (unknown) part.unknown = true;
  return [part, ...files.map((file): Part => ({ ...file, nested: true }))];
}

interface Held {
  /** What the command's words may be as commands. Every tail is offered: options vary. */
  tails: string[];
  /** Words that are scripts. */
  scripts: string[];
  /** They run in a folder of their own. */
  moves: boolean;
  /** What runs isn't in the text. */
  unknown: boolean;
}

/** The commands that a command may run, for rules that deny or ask. */
function heldBy(node: Command, program: string, words: readonly Word[]): Held {
  if (SEARCHERS.has(program)) {
    const first = words.findIndex(({ value }) => EXECUTES.test(value));
    const moves = words.some(({ value }) => value.endsWith("dir"));
    return first < 0
      ? { tails: [], scripts: [], moves, unknown: false }
      : { ...heldBy(node, "xargs", words.slice(first)), moves };
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
  const unknown = SHELLS.has(program) && unseen(words) || wraps && programsIn(program, words).some(
        ({ word, rest }) => plain(word) === undefined || isShell(word) && unseen(rest),
      );
  return { tails, scripts, moves: wraps && values.some((value) => MOVES.test(value)), unknown };
}

function isWrapper(program: string): boolean {
  return WRAPPERS.has(program) || LINKER.test(program);
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
  /** Does the script change the folder anywhere? */
  readonly move: boolean;

  constructor(places: readonly string[] | undefined, unbash: Unbash, script: SyntaxNode) {
    this.move = contains(unbash, script, (node) => node.type === "Command" && changesFolder(node));
    // What a loop or a function does comes again, after a `cd` that stands below it.
    const repeats = this.move && contains(unbash, script, ({ type }) => REPEATED.has(type));
    this.#possible = repeats ? undefined : places;
  }

  /** The folders that a command may run in at this place; `undefined` where that can't be told. */
  get possible(): readonly string[] | undefined {
    return this.#possible;
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
  return [{ kind: "path", value, access, unknown: true }];
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
