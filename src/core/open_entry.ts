/** An entry of the undo journal whose call is at work. */
import type { Blobs } from "./blobs.ts";
import { bringInBytes, encoded, type JournalEntry, type JournalOptions } from "./journal_entry.ts";
import { join, makeFolder } from "./paths.ts";
import { removeQuietly } from "./upkeep.ts";
import { writeNew } from "./write_whole.ts";

export class OpenEntry {
  readonly entry: JournalEntry;
  readonly #options: JournalOptions;
  readonly #blobs: Blobs;

  constructor(options: JournalOptions, blobs: Blobs, entry: JournalEntry) {
    this.#options = options;
    this.#blobs = blobs;
    this.entry = entry;
  }

  get #path(): string {
    return join(this.#options.folder, "open", `${this.entry.name}.json`);
  }

  /** Written even where no old contents are kept: temporary files are cleared up after a kill by it. */
  write(): void {
    makeFolder(join(this.#options.folder, "open"), 0o700);
    writeNew(this.#path, [encoded(this.entry)], { mode: 0o600 });
  }

  /** A file turns out to be written in place. */
  unshare(index: number): void {
    const { path, before } = this.entry.files[index]!;
    if (before) this.#blobs.unshare(before, path);
  }

  /** The call is done: what it left beside its files is gone, and it can be taken back. */
  end(): void {
    this.#close(this.entry);
  }

  /** The call was killed, and has changed something. */
  interrupt(): void {
    this.#separate();
    this.#close({ ...this.entry, interrupted: true });
  }

  /** The call changed nothing in the end. */
  cancel(): void {
    this.#separate();
    removeQuietly(this.#path);
  }

  #separate(): void {
    for (const { path, before } of this.entry.files) if (before) this.#blobs.separate(before, path);
  }

  #close(entry: JournalEntry): void {
    const { enabled, folder } = this.#options;
    if (!enabled) return removeQuietly(this.#path);
    const files = entry.files.map(({ path, before, after, lost }) => {
      if (before) this.#blobs.takeOver(before, path);
      return {
        path,
        ...(before && { before }),
        ...(after && { after }),
        ...(lost !== undefined && { lost }),
      };
    });
    try {
      makeFolder(join(folder, "calls"), 0o700);
      const done = join(folder, "calls", `${entry.name}.json`);
      bringInBytes(folder, done, encoded({ ...entry, files }));
    } catch {
      // What is changed stays changed; the entry at work is the next start's.
      return;
    }
    removeQuietly(this.#path);
  }
}
