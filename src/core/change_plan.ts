/** What one change of a commit is made of: where it lands, what was there, what shall be, and the names it may use. */
import { joined } from "./bytes.ts";
import { notAFile } from "./errors.ts";
import type { Change, Snapshot } from "./files.ts";
import { sha256 } from "./hash.ts";
import type { JournalFile } from "./journal_entry.ts";
import { basename, dirname, join, realPath } from "./paths.ts";
import { hashOfNew, type Known } from "./snapshot.ts";
import { exists } from "./upkeep.ts";
import { siblingOf } from "./write_whole.ts";

/** New content as it is written: pieces of a good size, or a link. */
export type NewContent = readonly Uint8Array[] | { link: string };

/** How one change is made. */
export interface Way {
  /** 2 ─ the new content, whole and on the disk, under a name of its own. */
  stage(): void;
  /** 3 ─ the old file, looked at for the last time, gives its place. */
  put(): void;
  /** Brings the old file back, if it had begun to go; false where somebody has put something else there. */
  takeBack(): boolean;
  /** 4 ─ nothing of ours stays beside the file. */
  settle(): void;
}

export class ChangePlan {
  /** What errors call the file. */
  readonly shown: string;
  /** The file itself: a link is written through, but for one that is meant itself. */
  readonly target: string;
  readonly before: Snapshot | undefined;
  /** `undefined`: the file goes. */
  readonly after: NewContent | undefined;
  /** What the new content is known by. */
  readonly known: Known | undefined;
  /** The mode that was asked for. */
  readonly mode: number | undefined;
  /** Where the new content may stand whole beside the file. */
  readonly temporary: string;
  /** A second name for the old file, while a roll-back may need it; a single change needs none. */
  readonly old: string | undefined;
  /** Where a copy of the new content may stand while the file is written in place. */
  readonly staged: string;

  constructor(change: Change, several: boolean, staged: string) {
    const { path, shown = path, before, after } = change;
    this.shown = shown;
    this.before = before;
    this.after = after && !("link" in after) ? joined(after) : after;
    this.mode = change.mode;
    const itself = after === undefined || "link" in after || before?.link !== undefined;
    this.target = itself ? join(realPath(dirname(path)), basename(path)) : realPath(path);
    if (before && before.link === undefined && before.info.kind !== "file") {
      throw notAFile(this.removes ? "remove" : "write", shown, before.info);
    }
    this.known = this.after && knownBy(this.after, before);
    const stem = siblingOf(this.target);
    this.temporary = `${stem}.agent-tmp`;
    this.old = before && several ? `${stem}.agent-old` : undefined;
    this.staged = staged;
  }

  get removes(): boolean {
    return this.after === undefined;
  }

  /** Other names share the old file, and a rename would part them. */
  get isShared(): boolean {
    return this.before !== undefined && this.before.link === undefined && this.before.info.nlink > 1;
  }

  /** A file's new content for a file: what can be written in place at all. */
  get pieces(): readonly Uint8Array[] | undefined {
    const { before, after } = this;
    return before && before.link === undefined && after && !("link" in after) ? after : undefined;
  }

  /** Folders that have to be made, outermost first. */
  missingFolders(): string[] {
    const missing: string[] = [];
    for (let folder = dirname(this.target); !exists(folder); folder = dirname(folder)) {
      missing.unshift(folder);
    }
    return missing;
  }

  /** For the journal. */
  told(): JournalFile {
    const { before, known } = this;
    const mode = before ? before.info.mode & 0o7777 : 0;
    return {
      path: this.target,
      ...(before && {
        before: { sha256: before.sha256, mode, size: before.info.size, ...linkOf(before) },
      }),
      ...(known && {
        after: { sha256: known.sha256, mode: this.mode ?? mode, size: known.size, ...linkOf(known) },
      }),
      temporary: [this.temporary, ...(this.old === undefined ? [] : [this.old])],
      // Whether it is written in place may turn out later.
      ...(this.pieces && { staged: this.staged }),
    };
  }
}

function knownBy(after: NewContent, before: Snapshot | undefined): Known {
  if ("link" in after) return { link: after.link, size: 0, sha256: sha256(after.link) };
  const size = after.reduce((sum, piece) => sum + piece.length, 0);
  return { size, sha256: hashOfNew(after, before) };
}

function linkOf({ link }: { link?: string | undefined }): { link?: string } {
  return link === undefined ? {} : { link };
}
