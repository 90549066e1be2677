/**
 * One change of a commit that writes over the file itself: other names share it, its folder is closed, or it alone is
 * mounted there. A kill while it is written leaves a part; the next start makes it whole from the copy in the journal,
 * as long as the old content is there too, to tell a part from somebody's later work.
 */
import type { ChangePlan, Way } from "./change_plan.ts";
import { begunPath } from "./journal_entry.ts";
import { host } from "./runtime.ts";
import { changed, isNow, isStill } from "./snapshot.ts";
import { removeQuietly } from "./upkeep.ts";
import { writeNew } from "./write_whole.ts";

export class InPlace implements Way {
  readonly #plan: ChangePlan;
  /** Where the copy of the new content is now. */
  #copy: string | undefined;
  #begun = false;
  /** A write has begun and may have ended half-way. */
  #partial = false;

  constructor(plan: ChangePlan) {
    this.#plan = plan;
  }

  /** Where no copy can be kept, the write goes on without. */
  stage(): void {
    const { staged, pieces } = this.#plan;
    try {
      writeNew(staged, pieces!, { mode: 0o600, sync: true });
      this.#copy = staged;
    } catch {
      // A kill would leave a part then, as with any editor.
    }
  }

  put(): void {
    const { target, before, shown, pieces, mode } = this.#plan;
    if (!isStill(target, before!, shown)) throw changed(shown);
    // A roll-back needs the old content, and it can't be read any more when it comes to that.
    void before!.bytes;
    this.#markBegun();
    this.#overwrite(pieces!);
    this.#setMode(mode);
  }

  /** Only what bears this mark is made whole after a kill. */
  #markBegun(): void {
    if (this.#copy === undefined) return;
    try {
      host.files.rename(this.#copy, begunPath(this.#plan.staged));
      this.#copy = begunPath(this.#plan.staged);
    } catch {
      // As without a copy.
    }
  }

  #overwrite(pieces: readonly Uint8Array[]): void {
    const file = host.files.open(this.#plan.target, "r+");
    try {
      this.#begun = this.#partial = true;
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
    const { target } = this.#plan;
    if (mode === undefined || (host.files.stat(target).mode & 0o7777) === mode) return;
    host.files.chmod(target, mode);
  }

  takeBack(): boolean {
    const { target, before, known } = this.#plan;
    if (!this.#begun) return true;
    if (!this.#partial && !isNow(target, known)) return false;
    this.#overwrite([before!.bytes]);
    this.#setMode(before!.info.mode & 0o7777);
    return true;
  }

  settle(): void {
    if (this.#copy !== undefined) removeQuietly(this.#copy);
    this.#copy = undefined;
  }
}
