/**
 * Overflow files: the whole of what was cut, redacted, so that nothing is cut in silence. A folder per project,
 * 0600 in 0700, capped in size each and together, removed after 24 hours.
 */
import { sha256 } from "./hash.ts";
import { basename, join, makeFolder } from "./paths.ts";
import { host, type OpenFile } from "./runtime.ts";
import { isDue, isRunning, namesIn, removeQuietly } from "./upkeep.ts";

export interface OverflowOptions {
  /** The folder that holds a folder per project. */
  folder: string;
  /** The project's folder, for a readable and unique name. */
  project: string;
  /** A secret may stand in its name. */
  redact(text: string): string;
  enabled: boolean;
  /** Bytes a file may take. */
  fileCap: number;
  /** Bytes all files of all projects may take; the oldest go first. */
  totalCap: number;
}

/** A closed file, and how much of the text it holds. */
export interface Saved {
  path: string;
  holds: string;
  /** Where its cap cut the file too: the bytes of the text that it holds, the first ones. */
  cutAt?: number;
}

/** The fields of a result by which a program finds what was cut. */
export function overflowFields(saved: Saved | undefined): { overflow?: string; overflowCutAt?: number } {
  if (saved === undefined) return {};
  const { path: overflow, cutAt } = saved;
  return cutAt === undefined ? { overflow } : { overflow, overflowCutAt: cutAt };
}

/** What a file holds that nothing is missing in. */
export const WHOLE = "all of it";

/** How much of a text a file holds, in words; `cutAt` as in `Saved`. */
export function heldOf(cutAt?: number): string {
  return cutAt === undefined ? WHOLE : `the first ${cutAt} bytes`;
}

/** For the notice that stands where text was cut: where the rest is. */
export function restIn(saved: Saved | undefined): string {
  return saved === undefined ? "; not saved" : `; ${saved.holds}: ${saved.path}`;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Opens overflow files for one session, and clears old ones away. */
export class OverflowStore {
  readonly #options: OverflowOptions;
  #count = 0;

  constructor(options: OverflowOptions) {
    this.#options = options;
  }

  /** A new file for what `tool` prints; `undefined` where overflow is off or the file can't be made. */
  open(tool: string): OverflowFile | undefined {
    const { enabled, folder, fileCap } = this.#options;
    if (!enabled) return undefined;
    try {
      const place = join(folder, projectName(this.#options));
      makeFolder(place, 0o700);
      const label = tool.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 40);
      const path = join(place, `${Date.now()}-${host.pid}-${++this.#count}-${label}.txt`);
      const file = new OverflowFile(path, host.files.open(path, "wx", 0o600), fileCap);
      return file;
    } catch {
      return undefined;
    }
  }

  /** Writes a whole text; `undefined` where it could not be saved. */
  save(tool: string, text: string): Saved | undefined {
    const file = this.open(tool);
    file?.write(text);
    return file?.close();
  }

  /**
   * Removes files older than a day, and the oldest beyond the total cap. Files of processes that still run stay, and
   * files that aren't ours; what can't be read is passed over. A run that made no file looks at most once an hour.
   */
  clean(now = Date.now()): void {
    if (this.#count === 0 && !isDue(this.#options.folder, now)) return;
    const kept: { path: string; size: number; mtimeMs: number }[] = [];
    for (const project of namesIn(this.#options.folder)) {
      for (const name of namesIn(join(this.#options.folder, project))) {
        const ours = /^\d{13}-(\d+)-\d+-[\w-]*\.txt$/.exec(name);
        if (!ours || isRunning(Number(ours[1]))) continue;
        const path = join(this.#options.folder, project, name);
        try {
          const { kind, size, mtimeMs } = host.files.lstat(path);
          if (kind !== "file") continue;
          if (now - mtimeMs > DAY_MS) host.files.remove(path);
          else kept.push({ path, size, mtimeMs });
        } catch {
          // Somebody else removed it.
        }
      }
    }
    kept.sort((a, b) => a.mtimeMs - b.mtimeMs);
    let total = kept.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size } of kept) {
      if (total <= this.#options.totalCap) break;
      try {
        host.files.remove(path);
      } catch {
        // Counted as gone all the same: the next start tries again.
      }
      total -= size;
    }
  }
}

/** One overflow file being written. Write errors end it quietly: the result then says "not saved". */
export class OverflowFile {
  readonly path: string;
  readonly #cap: number;
  #file: OpenFile | undefined;
  #bytes = 0;
  #gone = false;
  /** The cap is reached: the file holds the beginning only. */
  #full = false;

  constructor(path: string, file: OpenFile, cap: number) {
    this.path = path;
    this.#file = file;
    this.#cap = cap;
  }

  /** Text, or UTF-8. */
  write(text: string | Uint8Array): void {
    if (!this.#file || this.#full || text.length === 0) return;
    let bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
    if (this.#bytes + bytes.length > this.#cap) {
      bytes = bytes.subarray(0, codePointEnd(bytes, this.#cap - this.#bytes));
      this.#full = true;
    }
    try {
      this.#file.write(bytes);
      this.#bytes += bytes.length;
      if (this.#full) {
        this.#file.write(new TextEncoder().encode(`\n[the file's cap of ${this.#cap} bytes is reached]\n`));
      }
    } catch {
      // A part of a text that nobody names is of no use, least of all on a full disk.
      this.discard();
    }
  }

  /** What can be read where, also while it is written; `undefined` where it could not be, or was removed. */
  get saved(): Saved | undefined {
    if (this.#gone) return undefined;
    const { path } = this;
    return this.#full ? { path, holds: heldOf(this.#bytes), cutAt: this.#bytes } : { path, holds: heldOf() };
  }

  close(): Saved | undefined {
    this.#file?.close();
    this.#file = undefined;
    return this.saved;
  }

  /** Closes and removes the file: nothing was cut, or it could not be saved. */
  discard(): void {
    this.close();
    this.#gone = true;
    removeQuietly(this.path);
  }
}

function codePointEnd(bytes: Uint8Array, at: number): number {
  let end = Math.max(0, at);
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return end;
}

/** A readable slug and a hash: two projects never share a folder. */
function projectName({ project, redact }: OverflowOptions): string {
  const slug = redact(basename(project)).replace(/[^A-Za-z0-9._-]/g, "_").slice(0, 40) || "root";
  return `${slug}-${sha256(project).slice(0, 12)}`;
}
