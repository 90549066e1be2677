/**
 * What a session has seen of files, by content: so that a file which changed meanwhile is not overwritten unseen.
 * Nothing is hashed before somebody asks; what a small file held is kept for that, as far as there is room.
 *
 * A named session's records outlive its commands, in a file of one line each; the last one counts.
 */
import { sha256 } from "./hash.ts";
import { dirname, join, makeFolder } from "./paths.ts";
import { host } from "./runtime.ts";
import { isDue, namesIn } from "./upkeep.ts";
import { writeWhole } from "./write_whole.ts";

/** `unseen`: this session never read or wrote the file; `changed`: it did, and the content is another one now. */
export type Seen = "unseen" | "same" | "changed";

/** Bytes that are kept unhashed. */
const ROOM = 16 * 1024 * 1024;
/** Bytes of one file that may be. */
const MOST = 512 * 1024;
/** Bytes of a session's file from which on only the records that count are kept. */
const LARGE = 4 * 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Files that are remembered. */
const MOST_FILES = 10_000;
/** Records after which a named session writes them down, so that a long run's don't hang on its end. */
const MOST_FRESH = 100;

export class ReadRecords {
  readonly #file: string | undefined;
  /** Hash or content by real path, the one that was seen last at the end. */
  readonly #seen = new Map<string, string | Uint8Array>();
  readonly #fresh = new Set<string>();
  #room = ROOM;
  #loaded = false;

  /** `file`: where they are kept beyond this process. */
  constructor(file?: string) {
    this.#file = file;
  }

  /**
   * The session has read or written the file when it held this; a page of it counts as a reading. The bytes must not be
   * changed afterwards.
   */
  saw(path: string, content: Uint8Array | { sha256: string }): void {
    this.#forget(path);
    const small = content instanceof Uint8Array && content.length <= MOST;
    const kept = content instanceof Uint8Array ? small ? content : sha256(content) : content.sha256;
    if (kept instanceof Uint8Array) this.#room -= kept.length;
    this.#seen.set(path, kept);
    if (this.#file !== undefined) this.#fresh.add(path);
    if (this.#room < 0) this.#hashOldest();
    this.#forgetOldest();
    if (this.#fresh.size >= MOST_FRESH) this.save();
  }

  /** How a content compares with what the session has seen of this file. */
  compare(path: string, sha: () => string): Seen {
    this.#load();
    const kept = this.#hashOf(path);
    if (kept === undefined) return "unseen";
    return kept === sha() ? "same" : "changed";
  }

  /** Writes down what a named session has seen. */
  save(): void {
    if (this.#file === undefined || this.#fresh.size === 0) return;
    const lines = [...this.#fresh].map((path) => JSON.stringify([path, this.#hashOf(path)]) + "\n").join("");
    this.#fresh.clear();
    try {
      makeFolder(dirname(this.#file), 0o700);
      if (appended(this.#file, lines) > LARGE) this.#rewrite(this.#file);
    } catch {
      // Unseen is the safe side.
    }
  }

  /** What another command writes meanwhile is lost, which is the safe side. */
  #rewrite(file: string): void {
    const records = [...recordsIn(file)].slice(-MOST_FILES);
    const text = records.map((record) => JSON.stringify(record) + "\n").join("");
    writeWhole(file, new TextEncoder().encode(text), { mode: 0o600 });
  }

  #hashOf(path: string): string | undefined {
    const kept = this.#seen.get(path);
    if (!(kept instanceof Uint8Array)) return kept;
    const hash = sha256(kept);
    this.#room += kept.length;
    this.#seen.set(path, hash);
    return hash;
  }

  #hashOldest(): void {
    for (const [path, kept] of this.#seen) {
      if (kept instanceof Uint8Array) this.#hashOf(path);
      if (this.#room >= ROOM / 2) return;
    }
  }

  #forget(path: string): void {
    const kept = this.#seen.get(path);
    if (kept instanceof Uint8Array) this.#room += kept.length;
    this.#seen.delete(path);
    this.#fresh.delete(path);
  }

  #forgetOldest(): void {
    for (const path of this.#seen.keys()) {
      if (this.#seen.size <= MOST_FILES) return;
      this.#forget(path);
    }
  }

  /** What other commands have seen is older than what this one has, so it stands before. */
  #load(): void {
    if (this.#loaded || this.#file === undefined) return;
    this.#loaded = true;
    const own = [...this.#seen];
    const earlier = [...recordsIn(this.#file)].filter(([path]) => !this.#seen.has(path));
    this.#seen.clear();
    for (const [path, kept] of [...earlier, ...own]) this.#seen.set(path, kept);
    this.#forgetOldest();
  }
}

/** Appends in one piece, since other commands of the session may be at work; the file's size then. */
function appended(path: string, lines: string): number {
  const file = host.files.open(path, "a", 0o600);
  try {
    // On a line of its own, whatever a command that was killed has left.
    file.writeText("\n" + lines);
    return file.info().size;
  } finally {
    file.close();
  }
}

/** Removes the files of sessions that nobody has joined for so many days. At most once an hour. */
export function cleanRecords(folder: string, days: number, now = Date.now()): void {
  if (!isDue(folder, now)) return;
  for (const name of namesIn(folder).filter((name) => name.endsWith(".jsonl"))) {
    try {
      const path = join(folder, name);
      if (now - host.files.stat(path).mtimeMs > days * DAY_MS) host.files.remove(path);
    } catch {
      // Somebody else removed it.
    }
  }
}

function recordsIn(file: string): Map<string, string> {
  const records = new Map<string, string>();
  let text: string;
  try {
    text = host.files.readText(file);
  } catch {
    return records;
  }
  for (const line of text.split("\n")) {
    try {
      const [path, hash] = JSON.parse(line) as [string, string];
      if (typeof path !== "string" || typeof hash !== "string") continue;
      // Anew, so that the one seen last is at the end.
      records.delete(path);
      records.set(path, hash);
    } catch {
      // The last line of a command that was killed.
    }
  }
  return records;
}
