/** What a call that was killed has left: its temporary files go, and what it had begun in place is made whole. */
import type { Blobs } from "./blobs.ts";
import { fileError } from "./errors.ts";
import { sha256 } from "./hash.ts";
import { begunPath, isEntryFile, type JournalEntry, type JournalFile, readEntry } from "./journal_entry.ts";
import { readFile } from "./local_read.ts";
import type { OpenEntry } from "./open_entry.ts";
import { join } from "./paths.ts";
import { host } from "./runtime.ts";
import { isNow } from "./snapshot.ts";
import { exists, isRunning, namesIn, removeEmptyFolders, removeQuietly } from "./upkeep.ts";

/** After this time an entry at work is held to be a dead process's, though a process with its number runs. */
const LONGEST_WORK_MS = 60 * 60 * 1000;
/** What stands in `open/`: entries, and copies that belong to one. */
const OPEN = /^(\d{13})-(\d+)-[0-9a-f]+\./;

/** The names in the folder `open/` that dead processes have left there. */
export function deadIn(folder: string, now: number): string[] {
  return namesIn(folder).filter((name) => {
    const [, ms, pid] = OPEN.exec(name) ?? [];
    if (pid === undefined) return false;
    // A commit is over before anybody else's turn, so what has our own number is a dead process's.
    const atWork = Number(pid) !== host.pid && isRunning(Number(pid));
    return !(atWork && now - Number(ms) < LONGEST_WORK_MS);
  });
}

/** Clears up after these. `open` makes an entry's object; `failed` hears of what must wait for the next start. */
export function recoverDead(
  folder: string,
  names: readonly string[],
  blobs: Blobs,
  open: (entry: JournalEntry) => OpenEntry,
  failed: (error: unknown) => void,
): void {
  for (const name of names.filter(isEntryFile)) {
    const path = join(folder, name);
    const entry = readEntry(path);
    // Killed while it was written down, so nothing had begun.
    if (!entry) removeQuietly(path);
    else {
      try {
        recoverEntry(open(entry), blobs);
      } catch (error) {
        failed(error);
      }
    }
  }
  for (const name of names.filter((name) => !isEntryFile(name))) {
    const entry = `${/^[^.]*/.exec(name)![0]}.json`;
    if (!exists(join(folder, entry))) removeQuietly(join(folder, name));
  }
}

function recoverEntry(open: OpenEntry, blobs: Blobs): void {
  const { files } = open.entry;
  for (const file of files) {
    const { temporary = [], staged } = file;
    if (staged !== undefined) {
      finishInPlace(file, begunPath(staged), blobs);
      removeQuietly(begunPath(staged));
      removeQuietly(staged);
    }
    for (const name of temporary.filter(isTemporary)) removeQuietly(name);
  }
  const changed = files.some(({ path, after }) => isNow(path, after));
  if (changed) return open.interrupt();
  removeEmptyFolders(open.entry.folders);
  open.cancel();
}

/** The names that commits give to files of their own. */
function isTemporary(name: string): boolean {
  return /\.agent-(tmp|old)$/.test(name);
}

/**
 * A file that was being written in place is neither the old nor the new one: the copy makes it the new one. Where the
 * old content isn't there to tell by, or the file has become another one since, it is left alone.
 */
function finishInPlace({ path, before, after }: JournalFile, copy: string, blobs: Blobs): void {
  if (!before || !after || !exists(copy) || isNow(path, before) || isNow(path, after)) return;
  const bytes = host.files.read(copy);
  const old = blobs.find(before.sha256);
  if (sha256(bytes) !== after.sha256 || !old || sha256(old) !== before.sha256) return;
  if (!exists(path) || !isMixOf(readFile(path), old, bytes)) return;
  try {
    const file = host.files.open(path, "r+");
    try {
      file.write(bytes);
      file.truncate(bytes.length);
      file.sync();
    } finally {
      file.close();
    }
  } catch (error) {
    throw fileError("write", path, error);
  }
}

/** Can it have been left by a write of one over the other? Then each byte is one's or the other's. */
function isMixOf(now: Uint8Array, a: Uint8Array, b: Uint8Array): boolean {
  const [least, most] = a.length < b.length ? [a.length, b.length] : [b.length, a.length];
  return now.length >= least && now.length <= most &&
    now.every((byte, at) => byte === a[at] || byte === b[at]);
}
