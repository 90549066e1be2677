/** `.gitignore` and its like: a file in each folder, whose patterns hold below it; the nearest one that speaks decides. */
import ignore, { type Ignore } from "ignore";
import { dirname, inside, join } from "../../core/paths.ts";
import { host } from "../../core/runtime.ts";

/** Bytes of a file of patterns that is read at all. */
const MOST_BYTES = 1024 * 1024;

export class IgnoreFiles {
  readonly #name: string;
  readonly #root: string;
  readonly #rules = new Map<string, Ignore | undefined>();
  readonly #folders = new Map<string, boolean>();

  /** `root`: the uppermost folder whose file counts. */
  constructor(name: string, root: string) {
    this.#name = name;
    this.#root = root;
  }

  /** Nothing below an ignored folder is let in again. */
  ignores(path: string, isFolder = false): boolean {
    if (!inside(this.#root, path)) return false;
    return this.#ignoresFolder(dirname(path)) || this.#decide(path, isFolder);
  }

  #ignoresFolder(folder: string): boolean {
    let known = this.#folders.get(folder);
    if (known === undefined) {
      known = this.ignores(folder, true);
      this.#folders.set(folder, known);
    }
    return known;
  }

  #decide(path: string, isFolder: boolean): boolean {
    for (let at = dirname(path);; at = dirname(at)) {
      const said = this.#rulesIn(at)?.test(`${inside(at, path)}${isFolder ? "/" : ""}`);
      if (said?.ignored) return true;
      if (said?.unignored || at === this.#root) return false;
    }
  }

  #rulesIn(folder: string): Ignore | undefined {
    if (!this.#rules.has(folder)) this.#rules.set(folder, readRules(join(folder, this.#name)));
    return this.#rules.get(folder);
  }
}

function readRules(path: string): Ignore | undefined {
  try {
    const { kind, size } = host.files.stat(path);
    if (kind !== "file" || size > MOST_BYTES) return undefined;
    const ignorecase = host.platform !== "linux";
    return ignore({ ignorecase, allowRelativePaths: true }).add(host.files.readText(path));
  } catch {
    return undefined;
  }
}

/** The uppermost folder whose ignore files hold in `folder`: its repository's, else the working folder. */
export function ignoreRoot(folder: string, cwd: string): string {
  for (let at = folder;; at = dirname(at)) {
    if (exists(join(at, ".git"))) return at;
    if (dirname(at) === at) return inside(cwd, folder) === undefined ? folder : cwd;
  }
}

function exists(path: string): boolean {
  try {
    host.files.stat(path);
    return true;
  } catch {
    return false;
  }
}
