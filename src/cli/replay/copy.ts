/** A copy of the folder that logged calls were made in, for running them again. */
import { basename, inside, join } from "../../core/paths.ts";
import { isRecord, put } from "../../core/json.ts";
import { host } from "../../core/runtime.ts";
import type { Traits } from "../../core/tool.ts";
import { temporary } from "./rehearse.ts";

export class FolderCopy {
  readonly #root: string;
  readonly #from: string;
  /** The copy: a real path. */
  readonly path: string;

  constructor(from: string) {
    this.#from = from;
    this.#root = host.files.realpath(temporary("agent-replay-"));
    this.path = join(this.#root, basename(from) || "root");
    const { cpSync } = host.builtin<typeof import("node:fs")>("node:fs");
    cpSync(from, this.path, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  }

  /** Is it the folder that was copied, or in it? */
  holds(path: string): boolean {
    return inside(this.#from, path) !== undefined;
  }

  /** The same place in the copy. */
  placeOf(path: string): string {
    const rest = inside(this.#from, path);
    return rest === undefined ? path : join(this.path, rest);
  }

  /** Arguments with the copy in the folder's place, wherever its path stands in a text. */
  argsOf(value: unknown): unknown {
    if (typeof value === "string") return replaced(value, this.#from, this.path);
    if (Array.isArray(value)) return value.map((item) => this.argsOf(item));
    if (!isRecord(value)) return value;
    const result: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(value)) put(result, key, this.argsOf(item));
    return result;
  }

  /** The other way, for what came of it. */
  told<T>(value: T): T {
    if (value === undefined) return value;
    return JSON.parse(JSON.stringify(value).replaceAll(this.path, this.#from)) as T;
  }

  /** What a call would change outside the copy, as far as it says. */
  outside({ subjects = [] }: Traits): string | undefined {
    const found = subjects.find(({ kind, value, access }) =>
      kind === "path" && access !== "read" && inside(this.path, value) === undefined
    );
    return found?.value;
  }

  remove(): void {
    host.files.removeTree(this.#root);
  }
}

/** A whole path: `/work/ab` is not in `/work/a`. */
function replaced(text: string, from: string, to: string): string {
  return text.split(from).reduce((before, after) => before + (/^[\w.-]/.test(after) ? from : to) + after);
}
