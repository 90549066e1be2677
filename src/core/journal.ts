/**
 * The undo journal: what every call changed, with the old contents, so that a person can have them back.
 *
 *     journal/open/NAME.json       an entry while its call is at work, with the temporary files it makes
 *     journal/open/NAME.N.new      its copies; *.begun from when a file is written in place
 *     journal/open/*.part          is being written, for the two below
 *     journal/calls/NAME.json      the same when it is done; NAME begins with the time
 *     journal/blobs/ab/abcd…       old contents, each named by its SHA-256
 *     journal/.cleaned, .added     when it was looked through last, and how much came since
 *
 * All of it is 0600 in 0700. None of it waits for the disk, which would cost each call more than a millisecond: it
 * outlives kills, and a power cut may take the last calls' entries. An entry in `open/` whose process is gone was killed at work: the next start removes
 * its temporary files, finishes what was begun in place, and keeps the entry as interrupted.
 */
import { Blobs, type BlobSource } from "./blobs.ts";
import { errorCode, messageOf } from "./errors.ts";
import {
  bringInBytes,
  byAge,
  encoded,
  isEntryFile,
  type JournalEntry,
  type JournalFile,
  type JournalOptions,
  readEntry,
  timeOf,
  type Version,
} from "./journal_entry.ts";
import { OpenEntry } from "./open_entry.ts";
import { clearLock } from "./lock.ts";
import { join } from "./paths.ts";
import { deadIn, recoverDead } from "./recover.ts";
import { host } from "./runtime.ts";
import { exists, isDue, namesIn, removeQuietly } from "./upkeep.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Contents that are younger are left alone: a call may have begun while the entries were looked through. */
const YOUNG_MS = 60 * 1000;
/** What is added is counted between processes in steps of this many bytes, a byte in `.added` for each. */
const STEP = 1024 * 1024;
const OFF = "the undo journal is off";

export class Journal {
  readonly #options: JournalOptions;
  readonly #blobs: Blobs;
  #count = 0;
  #complained = false;
  /** Bytes of old contents that came since the last look. */
  #added = 0;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#blobs = new Blobs(options.folder);
  }

  get enabled(): boolean {
    return this.#options.enabled;
  }

  /** A name for a new entry, and for the copies that it may stage. */
  newName(): string {
    return `${Date.now()}-${host.pid}-${++this.#count}`;
  }

  /** Held while files take their places. */
  get lockPath(): string {
    return join(this.#options.folder, "lock");
  }

  /** Where a copy of the new content stands while a file is written in place. */
  stagePath(name: string, index: number): string {
    return join(this.#options.folder, "open", `${name}.${index}.new`);
  }

  /**
   * Keeps the old contents and writes the entry down, before anything is changed. Never throws: where the journal
   * can't be written, the work goes on, and the entry's files say why they can't be had back.
   */
  begin(entry: JournalEntry, sources: readonly BlobSource[]): OpenEntry {
    const open = (entry: JournalEntry, more?: { enabled: false }) =>
      new OpenEntry({ ...this.#options, ...more }, this.#blobs, entry);
    try {
      // Before the old contents: a second name for a file must not outlive a kill unknown.
      open(entry).write();
    } catch (error) {
      const why = this.enabled ? this.#fault(error) : OFF;
      return open(losing(entry, () => why), { enabled: false });
    }
    return open(losing(entry, (file, index) => this.#keep(file, sources[index]!)));
  }

  /** Puts the old content among the blobs; the reason where that can't be. */
  #keep({ before }: JournalFile, source: BlobSource): string | undefined {
    const { totalCap } = this.#options;
    if (!this.enabled) return OFF;
    if (!before || before.link !== undefined) return undefined;
    if (before.size > totalCap) return `the old content is larger than the journal (${totalCap} bytes)`;
    try {
      this.#added += this.#blobs.keep(before, source);
      return undefined;
    } catch (error) {
      return this.#fault(error);
    }
  }

  #fault(error: unknown): string {
    const reason = `the undo journal can't be written (${errorCode(error) ?? messageOf(error)})`;
    this.#complain(`Cannot keep old contents in "${this.#options.folder}": ${reason}`);
    return reason;
  }

  #complain(message: string): void {
    if (!this.#complained) this.#options.complain(message);
    this.#complained = true;
  }

  /** Entries of calls that are done, newest first. */
  list(): JournalEntry[] {
    const folder = join(this.#options.folder, "calls");
    return namesIn(folder).filter(isEntryFile).sort(byAge).reverse()
      .flatMap((name) => readEntry(join(folder, name)) ?? []);
  }

  /** An old content. Throws where the journal no longer has it, or where it isn't what it was. */
  content(version: Version, shown: string): Uint8Array {
    return this.#blobs.read(version, shown);
  }

  /** Writes an entry again, if it is still there. */
  rewrite(entry: JournalEntry): void {
    const { folder } = this.#options;
    const path = join(folder, "calls", `${entry.name}.json`);
    if (exists(path)) bringInBytes(folder, path, encoded(entry));
  }

  /** Clears up after processes that were killed at work. */
  recover(now = Date.now()): void {
    clearLock(this.lockPath);
    const folder = join(this.#options.folder, "open");
    recoverDead(
      folder,
      deadIn(folder, now),
      this.#blobs,
      (entry) => new OpenEntry(this.#options, this.#blobs, entry),
      (error) => this.#complain(`Cannot clear up after a call that was killed: ${messageOf(error)}`),
    );
  }

  /**
   * Removes entries that are too old, or for whose contents there is no room, and contents that no entry speaks of. At
   * most once an hour, or when a quarter of the room was filled meanwhile.
   */
  clean(now = Date.now()): void {
    const { folder, totalCap } = this.#options;
    if (!isDue(folder, now, this.#addedByAll() > totalCap / 4)) return;
    this.#added = 0;
    removeQuietly(join(folder, ".added"));
    // Those at work first: an entry that is done meanwhile is among the others then.
    const open = namesIn(join(folder, "open")).filter(isEntryFile)
      .flatMap((name) => readEntry(join(folder, "open", name)) ?? []);
    const needed = new Map(open.flatMap(contentsOf));
    this.#dropOldest(needed, now);
    this.#blobs.clean(new Set(needed.keys()), now - YOUNG_MS);
  }

  /** The same in the course of a long run, when a single process has added so much. */
  keepSmall(): void {
    if (this.#added > this.#options.totalCap / 4) this.clean();
  }

  /** From the first that is too old or too much, all go that are older. What the others need is added to `needed`. */
  #dropOldest(needed: Map<string, number>, now: number): void {
    const { folder, totalCap, keepDays } = this.#options;
    let total = [...needed.values()].reduce((sum, size) => sum + size, 0);
    for (const entry of this.list()) {
      const file = `${entry.name}.json`;
      const more = new Map(contentsOf(entry).filter(([sha]) => !needed.has(sha)));
      total += [...more.values()].reduce((sum, size) => sum + size, 0);
      // What is dropped counts on, so that nothing older is kept that would happen to fit.
      const over = now - timeOf(file) > keepDays * DAY_MS || total > totalCap;
      if (over) removeQuietly(join(folder, "calls", file));
      else for (const [sha, size] of more) needed.set(sha, size);
    }
  }

  /** Bytes that all processes have added. Small ones aren't counted together, which spares them a file. */
  #addedByAll(): number {
    if (this.#added < STEP) return this.#added;
    try {
      const file = host.files.open(join(this.#options.folder, ".added"), "a", 0o600);
      try {
        file.write(new Uint8Array(Math.floor(this.#added / STEP)));
        this.#added %= STEP;
        return file.info().size * STEP + this.#added;
      } finally {
        file.close();
      }
    } catch {
      return this.#added;
    }
  }
}

/** The entry with the reasons why old contents can't be had back. */
function losing(
  entry: JournalEntry,
  lost: (file: JournalFile, index: number) => string | undefined,
): JournalEntry {
  const files = entry.files.map((file, index) => {
    const why = lost(file, index);
    return why === undefined ? file : { ...file, lost: why };
  });
  return { ...entry, files };
}

/** The old contents that an entry needs in the journal: hash and size. */
function contentsOf({ files }: JournalEntry): [string, number][] {
  return files.flatMap(({ before, lost }) =>
    before && lost === undefined && before.link === undefined ? [[before.sha256, before.size]] : []
  );
}
