/** Leaves out what permission rules keep from being read, and what an ignore file of a family's own names. */
import type { Context } from "../../core/tool.ts";
import { IgnoreFiles } from "../read_many/ignore_files.ts";

/** Asked once a file, and not at all where no rule is about some files and not others. */
export class Allowed {
  /** Files that were left out. */
  readonly withheld = new Set<string>();
  /** Files that the ignore file left out. */
  readonly ignored = new Set<string>();
  readonly #withholds: Context["withholds"];
  readonly #ignoreFile: IgnoreFiles | undefined;
  readonly #known = new Map<string, boolean>();

  constructor({ withholds, identify }: Context, ignoreFile: string | undefined) {
    this.#withholds = withholds;
    if (ignoreFile !== undefined) this.#ignoreFile = new IgnoreFiles(ignoreFile, identify("."));
  }

  /** Nothing is left out, whatever it is. */
  get passesAll(): boolean {
    return !this.#withholds && !this.#ignoreFile;
  }

  async filter<T>(items: readonly T[], pathOf: (item: T) => string): Promise<readonly T[]> {
    if (this.passesAll) return items;
    const kept: T[] = [];
    for (const item of items) {
      const path = pathOf(item);
      let isKept = this.#known.get(path);
      if (isKept === undefined) {
        isKept = await this.#keeps(path);
        this.#known.set(path, isKept);
      }
      if (isKept) kept.push(item);
    }
    return kept;
  }

  async #keeps(path: string): Promise<boolean> {
    const reason = await this.#withholds?.(path)
      ? this.withheld
      : this.#ignoreFile?.ignores(path)
      ? this.ignored
      : undefined;
    reason?.add(path);
    return reason === undefined;
  }
}
