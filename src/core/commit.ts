/**
 * Changes to files on this machine, all or none:
 *
 *  1. keep     the old contents and the plan go to the journal
 *  2. stage    each new content is written whole beside its file and brought to the disk
 *  3. put      each file is looked at once more, and takes its place by a rename; removals come last
 *  4. settle   what stood by for a roll-back goes, the journal's entry is closed
 *
 * An error before the end takes everything back. A kill leaves each file old or new; what it leaves beside them, the
 * next start clears up from the journal.
 */
import { joined } from "./bytes.ts";
import { AgentError, errorCode, fileError, messageOf, notAFile, quote } from "./errors.ts";
import type { Change, Written } from "./files.ts";
import { randomHex, sha256, sha256Of } from "./hash.ts";
import {
  isNow,
  type Journal,
  type JournalEntry,
  type JournalFile,
  type OpenEntry,
  removeEmptyFolders,
} from "./journal.ts";
import { changed, type LocalSnapshot } from "./local_files.ts";
import { basename, dirname, join, makeFolder, realPath } from "./paths.ts";
import { host } from "./runtime.ts";
import { stamp } from "./result.ts";
import { exists, removeQuietly } from "./upkeep.ts";

/** Whose changes these are, for the journal. */
export interface CommitCall {
  id: string;
  session: string;
  project: string;
  /** The call that this one takes back. */
  undoes?: string;
}

export function commitChanges(changes: readonly Change[], journal: Journal, call: CommitCall): Written[] {
  // What takes back nothing is written down all the same: it ends its call.
  if (changes.length === 0 && call.undoes === undefined) return [];
  const name = journal.newName();
  // A single change is its own roll-back: its last step is the one that counts.
  const several = changes.length > 1;
  const steps = changes.map((change, index) =>
    new Step(change, several, () => journal.stagePath(name, index))
  );
  const folders = [...new Set(steps.flatMap((step) => step.missingFolders()))];
  const entry: JournalEntry = {
    name,
    call: call.id,
    session: call.session,
    project: call.project,
    at: stamp(Date.now()).at,
    files: steps.map((step) => step.told()),
    folders,
    ...(call.undoes !== undefined && { undoes: call.undoes }),
  };
  const open = journal.begin(entry, steps.map((step) => step.source()));
  const done: Step[] = [];
  try {
    for (const [index, step] of steps.entries()) step.stage(() => open.unshare(index));
    for (
      const step of [
        ...steps.filter(({ removes }) => !removes),
        ...steps.filter(({ removes }) => removes),
      ]
    ) {
      // It counts as begun before it is, so that a failure half-way is taken back too.
      done.unshift(step);
      step.put();
    }
  } catch (error) {
    throw takenBack(error, done, steps, folders, open);
  }
  for (const step of steps) step.settle();
  open.end();
  return steps.map((step, index) => step.written(open.entry.files[index]!.lost));
}

function takenBack(
  error: unknown,
  done: readonly Step[],
  steps: readonly Step[],
  folders: readonly string[],
  open: OpenEntry,
): unknown {
  const standing = done.filter((step) => !step.takeBack()).map(({ shown }) => shown);
  for (const step of steps) step.settle();
  removeEmptyFolders(folders);
  if (standing.length > 0) {
    open.end();
    return new AgentError(
      `${messageOf(error)}; these files stay changed: ${standing.map(quote).join(", ")}`,
      "agent undo takes them back",
    );
  }
  open.cancel();
  if (steps.length === 1) return error;
  return new AgentError(`${messageOf(error)}; all changes were taken back`);
}

/** One change on its way. */
class Step {
  readonly shown: string;
  readonly removes: boolean;
  readonly #change: Change;
  readonly #target: string;
  readonly #temporary: string;
  /** A second name for the old file, while a roll-back may need it. */
  readonly #old: string | undefined;
  readonly #staged: string;
  readonly #newSha256: string | undefined;
  #inPlace: boolean;
  #put = false;
  /** It was begun in place, and may have ended half-way. */
  #partial = false;

  constructor(change: Change, several: boolean, staged: () => string) {
    const { path, shown = path, before } = change;
    const after = change.after && !("link" in change.after) ? joined(change.after) : change.after;
    this.#change = { ...change, after };
    this.shown = shown;
    this.removes = after === undefined;
    const itself = after === undefined || "link" in after || before?.link !== undefined;
    this.#target = itself ? join(realPath(dirname(path)), basename(path)) : realPath(path);
    if (before && before.link === undefined && before.info.kind !== "file") {
      throw notAFile(after === undefined ? "remove" : "write", shown, before.info);
    }
    const stem = join(dirname(this.#target), `.${basename(this.#target).slice(0, 40)}.${randomHex(8)}`);
    this.#temporary = `${stem}.agent-tmp`;
    this.#old = before && several ? `${stem}.agent-old` : undefined;
    this.#newSha256 = after && newHash(after, before as LocalSnapshot | undefined);
    // Other names share this file: a rename would part them.
    this.#inPlace = before !== undefined && before.link === undefined && before.info.nlink > 1 &&
      !this.removes &&
      !itself;
    this.#staged = staged();
  }

  missingFolders(): string[] {
    const missing: string[] = [];
    for (let folder = dirname(this.#target); !exists(folder); folder = dirname(folder)) {
      missing.unshift(folder);
    }
    return missing;
  }

  told(): JournalFile {
    const { before, after } = this.#change;
    return {
      path: this.#target,
      ...(before && {
        before: {
          sha256: before.sha256,
          mode: before.info.mode & 0o7777,
          size: before.info.size,
          ...(before.link !== undefined && { link: before.link }),
        },
      }),
      ...(after && {
        after: {
          sha256: this.#newSha256!,
          mode: this.#change.mode ?? (before ? before.info.mode & 0o7777 : 0),
          size: sizeOf(after),
          ...("link" in after && { link: after.link }),
        },
      }),
      temporary: [this.#temporary, ...(this.#old === undefined ? [] : [this.#old])],
      // Whether it is written in place may turn out later.
      ...(before && after && !("link" in after) && { staged: this.#staged }),
    };
  }

  source() {
    return { path: this.#target, bytes: () => this.#change.before!.bytes, shared: this.#inPlace };
  }

  /** 2 ─ the new content, whole and on the disk, under a name of its own. */
  stage(unshare: () => void): void {
    const { before, after } = this.#change;
    if (!after) return;
    try {
      makeFolder(dirname(this.#target));
      if ("link" in after) return host.files.symlink(after.link, this.#temporary);
      // A file that may not be written stays as it is, though its folder would let it be replaced.
      if (before && before.link === undefined) host.files.open(this.#target, "r+").close();
      if (this.#inPlace) return this.#stageApart(after);
      try {
        this.#stageBeside(after);
      } catch (error) {
        if (!before || before.link !== undefined || !CLOSED_FOLDER.has(errorCode(error) ?? "")) throw error;
        unshare();
        this.#inPlace = true;
        this.#stageApart(after);
      }
    } catch (error) {
      throw fileError("write", this.shown, error);
    }
  }

  /** A copy from which a start after a kill can finish. Where none can be kept, the write goes on without. */
  #stageApart(pieces: readonly Uint8Array[]): void {
    try {
      writePieces(this.#staged, pieces, 0o600);
    } catch {
      removeQuietly(this.#staged);
    }
  }

  /** Never more open than the file that it replaces. */
  #stageBeside(pieces: readonly Uint8Array[]): void {
    const { before, mode } = this.#change;
    const kept = before && before.link === undefined ? before.info : undefined;
    const own = mode ?? (kept && kept.mode & 0o7777);
    writePieces(this.#temporary, pieces, own === undefined ? 0o666 : 0o600);
    if (kept) {
      try {
        host.files.chown(this.#temporary, kept.uid, kept.gid);
      } catch {
        // Only root may give files away; the rename then makes the file the caller's, as an editor would.
      }
    }
    if (own !== undefined) host.files.chmod(this.#temporary, own);
  }

  /** 3 ─ the old file, looked at for the last time, gives its place. */
  put(): void {
    const { before, after } = this.#change;
    try {
      if (!before) return this.#create();
      if (!(before as LocalSnapshot).isStill(this.#target)) throw changed(this.shown);
      if (this.#old !== undefined && !this.#inPlace) this.#keepOld();
      if (after === undefined) host.files.remove(this.#target);
      else if (this.#inPlace) this.#putInPlace(after as readonly Uint8Array[]);
      else this.#rename(after);
      this.#put = true;
    } catch (error) {
      throw fileError(this.removes ? "remove" : "write", this.shown, error);
    }
  }

  /** A second name fails where something came meanwhile, which a rename would replace. */
  #create(): void {
    if (this.removes) throw changed(this.shown);
    try {
      host.files.link(this.#temporary, this.#target);
    } catch (error) {
      if (errorCode(error) === "EEXIST" || exists(this.#target)) throw appeared(this.shown);
      // A file system without second names.
      host.files.rename(this.#temporary, this.#target);
    }
    this.#put = true;
  }

  #keepOld(): void {
    try {
      host.files.link(this.#target, this.#old!);
    } catch {
      // Without it a roll-back writes the old content from memory, so it has to be there.
      void this.#change.before!.bytes;
    }
  }

  #rename(after: Exclude<Change["after"], undefined>): void {
    try {
      host.files.rename(this.#temporary, this.#target);
    } catch (error) {
      // The file alone is mounted here, so it can be changed and not replaced.
      if (errorCode(error) !== "EBUSY" || "link" in after) throw error;
      this.#putInPlace(after);
    }
  }

  #putInPlace(pieces: readonly Uint8Array[]): void {
    this.#overwrite(pieces);
    this.#setMode(this.#change.mode);
  }

  #overwrite(pieces: readonly Uint8Array[]): void {
    // A roll-back needs them, and they can't be read any more when it comes to that.
    void this.#change.before!.bytes;
    const file = host.files.open(this.#target, "r+");
    try {
      this.#put = this.#partial = true;
      let size = 0;
      for (const piece of pieces) {
        file.write(piece);
        size += piece.length;
      }
      file.truncate(size);
      file.sync();
      this.#partial = false;
    } finally {
      file.close();
    }
  }

  /** Only an owner may set a mode, so one that is right already is left alone. */
  #setMode(mode: number | undefined): void {
    if (mode === undefined || (host.files.stat(this.#target).mode & 0o7777) === mode) return;
    host.files.chmod(this.#target, mode);
  }

  /** Brings the old file back; false where that fails, or where somebody has put something else there. */
  takeBack(): boolean {
    if (!this.#put) return true;
    const { before } = this.#change;
    try {
      if (!this.#partial && !isNow(this.#target, this.told().after)) return false;
      if (!before) host.files.remove(this.#target);
      else if (this.#old !== undefined && exists(this.#old)) host.files.rename(this.#old, this.#target);
      else if (before.link !== undefined) host.files.symlink(before.link, this.#target);
      else if (exists(this.#target)) {
        this.#overwrite([before.bytes]);
        this.#setMode(before.info.mode & 0o7777);
      } else {
        writePieces(this.#target, [before.bytes], 0o600);
        host.files.chmod(this.#target, before.info.mode & 0o7777);
      }
      return true;
    } catch {
      return false;
    }
  }

  /** 4 ─ nothing of ours stays beside the file. */
  settle(): void {
    if (this.#inPlace) removeQuietly(this.#staged);
    if (this.#change.after) removeQuietly(this.#temporary);
    if (this.#old !== undefined) removeQuietly(this.#old);
  }

  written(lost: string | undefined): Written {
    const { before } = this.#change;
    return {
      created: before === undefined,
      oldSha256: before?.sha256,
      newSha256: this.#newSha256,
      ...(lost !== undefined && { lost }),
    };
  }
}

/** What a folder answers that lets a file in it be changed and not replaced. */
const CLOSED_FOLDER: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EROFS"]);

function writePieces(path: string, pieces: readonly Uint8Array[], mode: number): void {
  const file = host.files.open(path, "wx", mode);
  try {
    for (const piece of pieces) file.write(piece);
    file.sync();
  } finally {
    file.close();
  }
}

/** Of a link, its target's name. */
function newHash(after: Exclude<Change["after"], undefined>, before: LocalSnapshot | undefined): string {
  if ("link" in after) return sha256(after.link);
  return before ? before.hashOfNew(after) : sha256Of(after);
}

function sizeOf(after: Exclude<Change["after"], undefined>): number {
  return "link" in after ? 0 : after.reduce((sum, piece) => sum + piece.length, 0);
}

function appeared(shown: string): AgentError {
  return new AgentError(`Cannot create ${quote(shown)}: it already exists`);
}
