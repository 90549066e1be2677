/** What stands in the undo journal about a call, and its file. The folders are told in `journal.ts`. */
import { randomHex } from "./hash.ts";
import { isRecord } from "./json.ts";
import { basename, join } from "./paths.ts";
import { host } from "./runtime.ts";
import { removeQuietly } from "./upkeep.ts";
import { writeNew } from "./write_whole.ts";

/** A file's content at one end of a call. */
export interface Version {
  sha256: string;
  /** Permission bits. */
  mode: number;
  size: number;
  /** It is a link, and leads there. */
  link?: string;
}

export interface JournalFile {
  path: string;
  /** Absent: there was nothing. */
  before?: Version;
  /** Absent: it was removed. */
  after?: Version;
  /** The old content is not in the journal, for this reason. */
  lost?: string;
  /** Names that the call gives to files of its own beside this one; gone when it ends. */
  temporary?: readonly string[];
  /** Where a copy of the new content stands if the file is written in place. */
  staged?: string;
}

export interface JournalEntry {
  /** The entry's own name: time, process, count. */
  name: string;
  /** The call's id. */
  call: string;
  session: string;
  /** The folder that the session works in. */
  project: string;
  at: string;
  files: readonly JournalFile[];
  /** Folders that the call made, outermost first. */
  folders: readonly string[];
  /** The process was killed at work. */
  interrupted?: true;
  /** The call by which this one was taken back. */
  undoneBy?: string;
  /** The call that this one takes back. */
  undoes?: string;
}

export interface JournalOptions {
  folder: string;
  enabled: boolean;
  /** Bytes that all old contents may take; the oldest calls go first. */
  totalCap: number;
  /** Days that an entry is kept. */
  keepDays: number;
  /** Hears once when the journal can't be written. */
  complain(message: string): void;
}

const ENTRY = /^(\d{13})-(\d+)-(\d+)\.json$/;

/** Is it the name of an entry's file? */
export function isEntryFile(name: string): boolean {
  return ENTRY.test(name);
}

/** When the call of an entry's file began. */
export function timeOf(file: string): number {
  return Number(ENTRY.exec(file)![1]);
}

/** Sorts the names of entries' files, the oldest first. */
export function byAge(a: string, b: string): number {
  const count = (file: string) => Number(ENTRY.exec(file)![3]);
  return timeOf(a) - timeOf(b) || count(a) - count(b);
}

export function encoded(entry: JournalEntry): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(entry) + "\n");
}

/** `undefined` for whatever isn't a whole entry. */
export function readEntry(path: string): JournalEntry | undefined {
  try {
    const entry = JSON.parse(host.files.readText(path));
    const whole = isRecord(entry) && `${entry.name}.json` === basename(path) &&
      typeof entry.call === "string" && Array.isArray(entry.folders) && Array.isArray(entry.files) &&
      entry.files.every((file) => isRecord(file) && typeof file.path === "string");
    return whole ? entry as unknown as JournalEntry : undefined;
  } catch {
    return undefined;
  }
}

/** The marker that a file is being written in place: its staged copy goes by this name from then on. */
export function begunPath(staged: string): string {
  return `${staged}.begun`;
}

/**
 * Brings a file into the journal whole: `make` makes it under a name in `open/`, where recovery finds what a kill
 * leaves, then it takes its place.
 */
export function bringIn(folder: string, path: string, make: (part: string) => void): void {
  const part = join(folder, "open", `${Date.now()}-${host.pid}-${randomHex(8)}.part`);
  try {
    make(part);
    host.files.rename(part, path);
  } catch (error) {
    removeQuietly(part);
    throw error;
  }
}

/** The same for bytes. */
export function bringInBytes(folder: string, path: string, bytes: Uint8Array): void {
  bringIn(folder, path, (part) => writeNew(part, [bytes], { mode: 0o600 }));
}
