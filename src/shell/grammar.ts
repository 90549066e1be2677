/**
 * What permission rules look at in a shell command: every simple command of it, wherever it stands, and the files
 * that redirections open. Parsed with `unbash`; what it can't parse, or can't tell, is for a person to decide.
 */
import { quote } from "../core/errors.ts";
import type { Part } from "../core/permission.ts";
import { host } from "../core/runtime.ts";
import { evaluatedBy } from "./grammar/evaluated.ts";
import { Folders, opened, redirected } from "./grammar/folders.ts";
import { heldBy } from "./grammar/held.ts";
import { LATER, LOADERS } from "./grammar/programs.ts";
import type { Evaluated } from "./grammar/reading.ts";
import type { Unbash } from "./grammar/tree.ts";
import { Variables } from "./grammar/variables.ts";
import { baseName, plain, shown } from "./grammar/words.ts";
import type { Command, SyntaxNode, Word } from "unbash";

/** How deep scripts may stand in scripts. */
const DEEPEST = 16;
/** How deep it is guessed what a text of another language may run. */
const DEEPEST_GUESS = 3;

/** Where a script stands: what is the same for all its commands. */
interface Place {
  unbash: Unbash;
  folders: Folders;
  variables: Variables;
  depth: number;
}

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

/**
 * `places`: the folders that it may start in; `undefined` where they can't be told. A script inside a command has the
 * variables of the one around it, and that command's words as its arguments.
 */
function partsOf(
  unbash: Unbash,
  command: string,
  places: readonly string[] | undefined,
  depth: number,
  outer?: Variables,
  words: readonly Word[] = [],
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
  const place: Place = { unbash, folders, depth, variables: new Variables(unbash, script, outer, words) };
  const visit = (node: SyntaxNode) => {
    if (node.type === "Script" && node.errors && node.errors.length > 0) understood = false;
    if ((node.type === "CommandExpansion" || node.type === "ProcessSubstitution") && !node.script) {
      understood = false;
    }
    const evaluated = evaluatedBy(unbash, node, place.variables);
    if (node.type === "Command") {
      parts.push(...simpleCommand(node, place, evaluated));
      folders.follow(node);
    } else if (evaluated) {
      const part: Part = { kind: "command", value: `evaluated ${node.type}`, access: "run" };
      parts.push(...withEvaluated(part, evaluated, place));
    }
    if (node.type === "Redirect") parts.push(...redirected(node, folders));
    unbash.forEachChild(node, visit);
  };
  visit(script);
  return understood ? parts : undefined;
}

/** A simple command; assignments alone are one too: `PATH=x` decides what later ones run. */
function simpleCommand(node: Command, place: Place, evaluated: Evaluated | undefined): Part[] {
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
  const held = heldBy(node, program, words, place.variables);
  const { folders, depth } = place;
  const moves = held.moves || LATER.has(program) && folders.move;
  const found = scriptsIn(held.scripts, place, moves ? undefined : folders.possible, words);
  const inner = program === name ? [] : [[program, ...texts].join(" ")];
  inner.push(...held.tails, ...found.commands);
  if (depth <= DEEPEST_GUESS) {
    for (const guess of new Set(held.guesses)) {
      inner.push(...commandsOf(partsOf(place.unbash, guess, undefined, depth + 1, place.variables, words)));
    }
  }
  if (inner.length > 0) part.inner = inner;
  if (LOADERS.has(program) || held.unknown || found.unknown) part.unknown = true;
  const files = held.files.flatMap(({ path, access }) =>
    opened(path, access, `file ${quote(path)}`, folders)
  );
  const nested = [...found.files, ...files].map((file): Part => ({ ...file, nested: true }));
  return [...evaluated ? withEvaluated(part, evaluated, place) : [part], ...nested];
}

/** A part with what bash evaluates in it: no pattern allows it, and rules that deny or ask look at the commands. */
function withEvaluated(part: Part, { scripts, unknown }: Evaluated, place: Place): Part[] {
  // Values that name each other have many ways through them: few of those are worth the time.
  const found = scriptsIn(scripts, { ...place, depth: place.depth + 3 }, place.folders.possible, []);
  const all: Part = { ...part, opaque: true };
  if (found.commands.length > 0) all.inner = [...part.inner ?? [], ...found.commands];
  if (unknown || found.unknown) all.unknown = true;
  return [all, ...found.files.map((file): Part => ({ ...file, nested: true }))];
}

interface Found {
  commands: string[];
  files: Part[];
  unknown: boolean;
}

/** What scripts inside a command do, which run in one of `places`. */
function scriptsIn(
  scripts: readonly string[],
  { unbash, depth, variables }: Place,
  places: readonly string[] | undefined,
  words: readonly Word[],
): Found {
  const found: Found = { commands: [], files: [], unknown: false };
  for (const script of new Set(scripts)) {
    const parts = partsOf(unbash, script, places, depth + 1, variables, words);
    found.commands.push(...commandsOf(parts));
    found.files.push(...(parts ?? []).filter(({ kind }) => kind === "path"));
    found.unknown ||= !parts || parts.some((part) => part.kind === "command" && part.unknown);
  }
  return found;
}

function commandsOf(parts: readonly Part[] | undefined): string[] {
  return (parts ?? []).flatMap((part) => part.kind === "command" ? [part.value, ...part.inner ?? []] : []);
}
