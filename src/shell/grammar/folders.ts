/** The files that redirections open, and the folders that they may be in. */
import { quote } from "../../core/errors.ts";
import { realPath, resolvePath } from "../../core/paths.ts";
import type { Part } from "../../core/permission.ts";
import type { Command, Redirect, SyntaxNode } from "unbash";
import { contains, type Unbash } from "./tree.ts";
import { literalPath, plain, setOf } from "./words.ts";

/** Devices that writing to changes nothing. */
const HARMLESS = setOf("/dev/null /dev/stdout /dev/stderr /dev/tty");
const REPEATED = setOf("For While Select ArithmeticFor Function");
const MOST_FOLDERS = 8;
/** Builtins that change the folder, or run what may. */
const MOVERS = setOf("cd pushd popd source . eval command builtin");

/** The folders that a relative redirection may mean: `cd x && echo > f` writes `x/f`, or `f` where `cd` fails. */
export class Folders {
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

function changesFolder(node: Command): boolean {
  return node.name !== undefined && MOVERS.has(node.name.value);
}

/** The files that a redirection opens. */
export function redirected(node: Redirect, folders: Folders): Part[] {
  if (!node.target) return [];
  const access = node.operator === "<" ? "read" : "write";
  const duplicates = node.operator === ">&" || node.operator === "<&";
  if (duplicates && /^(\d+-?|-)$/.test(plain(node.target) ?? "")) return [];
  return opened(literalPath(node.target), access, `redirection ${quote(node.target.text)}`, folders);
}

/** A file that a command opens by a path in its text, or by one that can't be told, which `what` describes. */
export function opened(
  path: string | undefined,
  access: "read" | "write",
  what: string,
  folders: Folders,
): Part[] {
  if (path !== undefined && HARMLESS.has(path)) return [];
  const paths = path === undefined ? undefined : folders.resolve(path);
  if (paths) return paths.map((path) => ({ kind: "path", value: realPath(path), access }));
  return [{ kind: "path", value: what, access, unknown: true }];
}
