/** One change of a commit, by a file that takes another's place in one step; a file that is made or that goes, too. */
import type { ChangePlan, NewContent, Way } from "./change_plan.ts";
import { AgentError, errorCode, quote } from "./errors.ts";
import { type FileInfo, host } from "./runtime.ts";
import { changed, isNow, isStill } from "./snapshot.ts";
import { exists, removeQuietly } from "./upkeep.ts";
import { writeNew } from "./write_whole.ts";

export class ByRename implements Way {
  readonly #plan: ChangePlan;
  /** What stands beside the file now. */
  #temporary = false;
  #old = false;
  #done = false;

  constructor(plan: ChangePlan) {
    this.#plan = plan;
  }

  stage(): void {
    const { before, after, mode } = this.#plan;
    if (!after) return;
    this.#temporary = true;
    this.#write(after, before?.link === undefined ? before?.info : undefined, mode);
  }

  /** The temporary file, never more open than the one that it replaces. */
  #write(content: NewContent, kept: FileInfo | undefined, mode = kept && kept.mode & 0o7777): void {
    const { temporary } = this.#plan;
    if ("link" in content) return host.files.symlink(content.link, temporary);
    writeNew(temporary, content, { mode: mode === undefined ? 0o666 : 0o600, sync: true });
    if (kept) {
      try {
        host.files.chown(temporary, kept.uid, kept.gid);
      } catch {
        // Only root may give files away; the rename then makes the file the caller's, as an editor would.
      }
    }
    if (mode !== undefined) host.files.chmod(temporary, mode);
  }

  put(): void {
    const { before, target, shown, removes } = this.#plan;
    if (!before) return this.#create();
    if (!isStill(target, before, shown)) throw changed(shown);
    this.#keepOld();
    if (removes) host.files.remove(target);
    else this.#rename();
    this.#done = true;
  }

  #rename(): void {
    host.files.rename(this.#plan.temporary, this.#plan.target);
    this.#temporary = false;
  }

  /** A second name fails where something came meanwhile, which a rename would replace. */
  #create(): void {
    const { target, temporary, shown, removes } = this.#plan;
    if (removes) throw changed(shown);
    try {
      host.files.link(temporary, target);
    } catch (error) {
      if (errorCode(error) === "EEXIST" || exists(target)) {
        throw new AgentError(`Cannot create ${quote(shown)}: it already exists`);
      }
      // A file system without second names.
      this.#rename();
    }
    this.#done = true;
  }

  #keepOld(): void {
    const { target, old, before } = this.#plan;
    if (old === undefined) return;
    try {
      host.files.link(target, old);
      this.#old = true;
    } catch {
      // Without it a roll-back writes the old content from memory, so it has to be there.
      void before!.bytes;
    }
  }

  takeBack(): boolean {
    const { target, before, known, old } = this.#plan;
    if (!this.#done) return true;
    if (!isNow(target, known)) return false;
    if (!before) host.files.remove(target);
    else if (this.#old) {
      host.files.rename(old!, target);
      this.#old = false;
    } else {
      removeQuietly(this.#plan.temporary);
      this.#temporary = true;
      this.#write(before.link === undefined ? [before.bytes] : { link: before.link }, before.info);
      this.#rename();
    }
    return true;
  }

  settle(): void {
    if (this.#temporary) removeQuietly(this.#plan.temporary);
    if (this.#old) removeQuietly(this.#plan.old!);
    this.#temporary = this.#old = false;
  }
}
