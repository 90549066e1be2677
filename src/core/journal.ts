/**
 * The undo journal: what every call changed, with the old contents, so that a person can have them back.
 *
 *     journal/open/NAME.json     an entry while its call is at work, with the temporary files it makes
 *     journal/open/NAME.N.new    its copies; *.part is being written, for the two below
 *     journal/calls/NAME.json    the same when it is done; NAME begins with the time
 *     journal/blobs/ab/abcd…     old contents, each named by its SHA-256
 *
 * All of it is 0600 in 0700. An entry in `open/` whose process is gone was killed at work: the next start removes
 * its temporary files, finishes what was begun in place, and keeps the entry as interrupted.
 */
import { AgentError, errorCode, messageOf } from "./errors.ts";
import { randomHex, sha256 } from "./hash.ts";
import { isRecord } from "./json.ts";
import { basename, join, makeFolder } from "./paths.ts";
import { type FileInfo, host } from "./runtime.ts";
import { exists, isDue, isRunning, namesIn, removeQuietly } from "./upkeep.ts";
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
  /** A copy of the new content: the file is written in place, and a kill may leave a part of it there. */
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

/** From here on an old content is kept by a second name for the file that is replaced, instead of a copy. */
const LINK_FROM = 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;
/** After this time an entry at work is held to be a dead process's, though a process with its number runs. */
const LONGEST_WORK_MS = 60 * 60 * 1000;

export class Journal {
  readonly #options: JournalOptions;
  #count = 0;
  #complained = false;

  constructor(options: JournalOptions) {
    this.#options = options;
  }

  /** A name for a new entry, and for the copies that it may stage. */
  newName(): string {
    return `${Date.now()}-${host.pid}-${++this.#count}`;
  }

  /** Where a copy of the new content stands while a file is written in place. */
  stagePath(name: string, index: number): string {
    return join(this.#options.folder, "open", `${name}.${index}.new`);
  }

  /**
   * Keeps the old contents and writes the entry down, before anything is changed. Never throws: where the journal
   * can't be written, the work goes on, and the entry's files say why they can't be had back.
   */
  begin(entry: JournalEntry, sources: readonly JournalSource[]): OpenEntry {
    const { enabled } = this.#options;
    const losing = (lost: (index: number) => string | undefined): JournalEntry => ({
      ...entry,
      files: entry.files.map((file, index) => {
        const why = lost(index);
        return why === undefined ? file : { ...file, lost: why };
      }),
    });
    try {
      // Before the old contents: a second name for a file must not outlive a kill unknown.
      new OpenEntry(this.#options, entry).write();
    } catch (error) {
      const why = enabled ? this.#fault(error) : OFF;
      return new OpenEntry({ ...this.#options, enabled: false }, losing(() => why));
    }
    return new OpenEntry(
      this.#options,
      losing((index) => this.#keep(entry.files[index]!, sources[index]!)),
    );
  }

  /** Puts the old content among the blobs; the reason where that can't be. */
  #keep({ before }: JournalFile, { path, bytes, shared }: JournalSource): string | undefined {
    const { enabled, folder, totalCap } = this.#options;
    if (!enabled) return OFF;
    if (!before || before.link !== undefined) return undefined;
    if (before.size > totalCap) return `the old content is larger than the journal (${totalCap} bytes)`;
    const blob = blobPath(folder, before.sha256);
    try {
      const there = look(blob);
      if (there?.size === before.size && !(shared && isSameFile(path, blob))) return undefined;
      makeFolder(join(folder, "blobs", before.sha256.slice(0, 2)), 0o700);
      if (before.size < LINK_FROM) writeBy(folder, blob, bytes());
      else if (shared || there || !linked(path, blob)) copied(path, blob, folder);
      return undefined;
    } catch (error) {
      return this.#fault(error);
    }
  }

  #fault(error: unknown): string {
    const reason = `the undo journal can't be written (${errorCode(error) ?? messageOf(error)})`;
    if (!this.#complained) {
      this.#options.complain(`Cannot keep old contents in "${this.#options.folder}": ${reason}`);
    }
    this.#complained = true;
    return reason;
  }

  /** Entries of calls that are done, newest first. */
  list(): JournalEntry[] {
    const folder = join(this.#options.folder, "calls");
    return namesIn(folder).filter((name) => ENTRY.test(name)).sort(byTime).reverse()
      .flatMap((name) => readEntry(join(folder, name)) ?? []);
  }

  /** An old content. Throws where the journal no longer has it, or where it isn't what it was. */
  content(version: Version, shown: string): Uint8Array {
    const blob = blobPath(this.#options.folder, version.sha256);
    if (!exists(blob)) {
      throw new AgentError(
        `Cannot restore ${JSON.stringify(shown)}: the journal no longer has its old content`,
      );
    }
    const bytes = host.files.read(blob);
    if (sha256(bytes) !== version.sha256) {
      throw new AgentError(
        `Cannot restore ${JSON.stringify(shown)}: its old content was changed in the journal`,
      );
    }
    return bytes;
  }

  /** Writes an entry again that is there already. */
  rewrite(entry: JournalEntry): void {
    const { folder } = this.#options;
    const path = join(folder, "calls", `${entry.name}.json`);
    writeBy(folder, path, encoded(entry));
  }

  /** Clears up after processes that were killed at work. */
  recover(now = Date.now()): void {
    const folder = join(this.#options.folder, "open");
    const dead = namesIn(folder).filter((name) => {
      const [, ms, pid] = OPEN.exec(name) ?? [];
      if (pid === undefined) return false;
      // A commit is over before anybody else's turn, so what has our own number is a dead process's.
      const atWork = Number(pid) !== host.pid && isRunning(Number(pid));
      return !(atWork && now - Number(ms) < LONGEST_WORK_MS);
    });
    for (const name of dead.filter((name) => ENTRY.test(name))) {
      const path = join(folder, name);
      const entry = readEntry(path);
      // Killed while it was written down, so nothing had begun.
      if (!entry) removeQuietly(path);
      else {
        try {
          new OpenEntry(this.#options, entry).recover();
        } catch (error) {
          // Kept for the next start. This one goes on.
          this.#fault(error);
        }
      }
    }
    for (const name of dead.filter((name) => !ENTRY.test(name))) {
      const entry = `${/^[^.]*/.exec(name)![0]}.json`;
      if (!exists(join(folder, entry))) removeQuietly(join(folder, name));
    }
  }

  /** Removes entries that are too old or too many, and contents that no entry speaks of. At most once an hour. */
  clean(now = Date.now()): void {
    const { folder, totalCap, keepDays } = this.#options;
    if (!isDue(folder, now)) return;
    const needed = new Set<string>();
    let total = 0;
    for (const entry of this.list()) {
      const shas = entry.files.flatMap(({ before, lost }) => before && !lost ? [before] : [])
        .filter(({ sha256 }) => !needed.has(sha256));
      const size = shas.reduce((sum, version) => sum + version.size, 0);
      const age = now - Number(ENTRY.exec(`${entry.name}.json`)![1]);
      if (age > keepDays * DAY_MS || total + size > totalCap) {
        removeQuietly(join(folder, "calls", `${entry.name}.json`));
        continue;
      }
      total += size;
      for (const { sha256 } of shas) needed.add(sha256);
    }
    for (const prefix of namesIn(join(folder, "blobs"))) {
      for (const name of namesIn(join(folder, "blobs", prefix))) {
        const blob = join(folder, "blobs", prefix, name);
        // A young one may belong to a call that is at work.
        if (!needed.has(name) && isOlder(blob, now - LONGEST_WORK_MS)) removeQuietly(blob);
      }
    }
  }
}

/** Where an old content comes from. */
export interface JournalSource {
  path: string;
  bytes(): Uint8Array;
  /** The file will be written in place, so a second name for it would change with it. */
  shared: boolean;
}

/** An entry whose call is at work. */
export class OpenEntry {
  readonly entry: JournalEntry;
  readonly #options: JournalOptions;

  constructor(options: JournalOptions, entry: JournalEntry) {
    this.#options = options;
    this.entry = entry;
  }

  get #path(): string {
    return join(this.#options.folder, "open", `${this.entry.name}.json`);
  }

  /** Temporary files are cleared up after a kill even where no old contents are kept. */
  write(): void {
    makeFolder(join(this.#options.folder, "open"), 0o700);
    writeNew(this.#path, encoded(this.entry), { mode: 0o600 });
  }

  /** A file turns out to be written in place: its old content must not be a second name for it. */
  unshare(index: number): void {
    const { path, before } = this.entry.files[index]!;
    if (!before) return;
    const { folder } = this.#options;
    const blob = blobPath(folder, before.sha256);
    if (isSameFile(path, blob)) copied(path, blob, folder);
  }

  /** The call is done: what it left beside its files is gone, and it can be taken back. */
  end(): void {
    this.#close(this.entry);
  }

  /** The call changed nothing in the end. */
  cancel(): void {
    this.#separate();
    removeQuietly(this.#path);
  }

  /** The same for a process that was killed. */
  recover(): void {
    for (const { path, before, after, temporary = [], staged } of this.entry.files) {
      // Where a rename was refused, the new content stands beside the file.
      for (const copy of [staged, temporary[0]]) {
        if (copy !== undefined && before && after && exists(copy)) {
          finishInPlace(path, before, after, copy, blobPath(this.#options.folder, before.sha256));
        }
      }
      for (const name of temporary.filter(isTemporary)) removeQuietly(name);
      if (staged !== undefined) removeQuietly(staged);
    }
    this.#separate();
    const changed = this.entry.files.some(({ path, after }) => isNow(path, after));
    if (changed) return this.#close({ ...this.entry, interrupted: true });
    removeEmptyFolders(this.entry.folders);
    removeQuietly(this.#path);
  }

  /** Where the old file is still in its place, the journal's second name for it goes. */
  #separate(): void {
    for (const { path, before } of this.entry.files) {
      if (!before) continue;
      const blob = blobPath(this.#options.folder, before.sha256);
      if (isSameFile(path, blob)) removeQuietly(blob);
    }
  }

  #close(entry: JournalEntry): void {
    const { enabled, folder } = this.#options;
    if (!enabled) return removeQuietly(this.#path);
    const files = entry.files.map(({ path, before, after, lost }) => {
      const blob = before && before.size >= LINK_FROM ? blobPath(folder, before.sha256) : undefined;
      if (blob !== undefined) takeOver(blob, path);
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
      writeBy(folder, done, encoded({ ...entry, files }));
    } catch {
      // What is changed stays changed; the entry at work is the next start's.
      return;
    }
    removeQuietly(this.#path);
  }
}

const ENTRY = /^(\d{13})-(\d+)-\d+\.json$/;
/** What stands in `open/`: entries, and copies that belong to one. */
const OPEN = /^(\d{13})-(\d+)-[0-9a-f]+\./;
const OFF = "the undo journal is off";

function byTime(a: string, b: string): number {
  const [, aMs, , aCount] = a.match(/^(\d+)-(\d+)-(\d+)/)!;
  const [, bMs, , bCount] = b.match(/^(\d+)-(\d+)-(\d+)/)!;
  return Number(aMs) - Number(bMs) || Number(aCount) - Number(bCount);
}

function encoded(entry: JournalEntry): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(entry) + "\n");
}

function readEntry(path: string): JournalEntry | undefined {
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

function blobPath(folder: string, sha: string): string {
  return join(folder, "blobs", sha.slice(0, 2), sha);
}

function linked(path: string, blob: string): boolean {
  try {
    host.files.link(path, blob);
    return true;
  } catch {
    return false;
  }
}

/** Where something is written before it takes its place in the journal: a kill leaves it where recovery looks. */
function partPath(folder: string): string {
  return join(folder, "open", `${Date.now()}-${host.pid}-${randomHex(8)}.part`);
}

function writeBy(folder: string, path: string, bytes: Uint8Array): void {
  const part = partPath(folder);
  try {
    writeNew(part, bytes, { mode: 0o600 });
    host.files.rename(part, path);
  } catch (error) {
    removeQuietly(part);
    throw error;
  }
}

function copied(path: string, blob: string, folder: string): void {
  const part = partPath(folder);
  try {
    host.files.copy(path, part);
    host.files.chmod(part, 0o600);
    host.files.rename(part, blob);
  } catch (error) {
    removeQuietly(part);
    throw error;
  }
}

/** A second name has the old file's mode, and is the journal's alone now; where the file is back, it goes. */
function takeOver(blob: string, path: string): void {
  try {
    if (isSameFile(path, blob)) removeQuietly(blob);
    else host.files.chmod(blob, 0o600);
  } catch {
    // The folder is closed to others anyway.
  }
}

function look(path: string): FileInfo | undefined {
  try {
    return host.files.lstat(path);
  } catch {
    return undefined;
  }
}

function isSameFile(a: string, b: string): boolean {
  const one = look(a), other = look(b);
  return one !== undefined && other !== undefined && one.ino === other.ino && one.dev === other.dev;
}

/** Is this version in the file's place? */
export function isNow(path: string, version: Version | undefined): boolean {
  const info = look(path);
  if (!info || !version) return !info && !version;
  if (version.link !== undefined) {
    return info.kind === "symlink" && host.files.readlink(path) === version.link;
  }
  return info.kind === "file" && info.size === version.size &&
    sha256(host.files.read(path)) === version.sha256;
}

/** The names that commits give to files of their own. */
function isTemporary(name: string): boolean {
  return /\.agent-(tmp|old)$/.test(name);
}

/** A file that was being written in place is neither the old nor the new one: the copy makes it the new one. */
function finishInPlace(path: string, before: Version, after: Version, copy: string, blob: string): void {
  if (isNow(path, before) || isNow(path, after) || look(path)?.kind !== "file") return;
  const bytes = host.files.read(copy);
  if (sha256(bytes) !== after.sha256) return;
  const old = exists(blob) ? host.files.read(blob) : undefined;
  // What somebody has put there since is theirs.
  if (old && !isMixOf(host.files.read(path), old, bytes)) return;
  const file = host.files.open(path, "r+");
  try {
    file.write(bytes);
    file.truncate(bytes.length);
    file.sync();
  } finally {
    file.close();
  }
}

/** Can it have been left by a write of one over the other? Then each byte is one's or the other's. */
function isMixOf(now: Uint8Array, a: Uint8Array, b: Uint8Array): boolean {
  const [least, most] = a.length < b.length ? [a.length, b.length] : [b.length, a.length];
  return now.length >= least && now.length <= most &&
    now.every((byte, at) => byte === a[at] || byte === b[at]);
}

/** Removes folders that a call made, given outermost first, as far as nothing is in them. */
export function removeEmptyFolders(folders: readonly string[]): void {
  for (const folder of [...folders].reverse()) {
    try {
      host.files.removeFolder(folder);
    } catch {
      // Never made, or somebody has put something there.
    }
  }
}

function isOlder(path: string, moment: number): boolean {
  const info = look(path);
  return info !== undefined && info.ctimeMs < moment;
}
