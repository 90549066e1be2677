/**
 * Changes to files on this machine, all or none:
 *
 *  1. keep     the old contents and the plan go to the journal
 *  2. stage    each new content is written whole beside its file and brought to the disk
 *  3. put      each file is looked at once more, and takes its place by a rename; removals come last
 *  4. settle   what stood by for a roll-back goes, the journal's entry is closed
 *
 * An error before the end takes everything back. A kill leaves each file old or new, but for one that has to be written
 * in place, which may be in part until the next start; that also clears up what a kill leaves beside the files.
 */
import { ByRename } from "./by_rename.ts";
import { ChangePlan, type Way } from "./change_plan.ts";
import { AgentError, errorCode, fileError, messageOf, quote } from "./errors.ts";
import type { Change, Written } from "./files.ts";
import { InPlace } from "./in_place.ts";
import type { Journal } from "./journal.ts";
import type { JournalEntry } from "./journal_entry.ts";
import { withLock } from "./lock.ts";
import type { OpenEntry } from "./open_entry.ts";
import { dirname, makeFolder } from "./paths.ts";
import { stamp } from "./result.ts";
import { host } from "./runtime.ts";
import { removeEmptyFolders } from "./upkeep.ts";

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
    new Step(new ChangePlan(change, several, journal.stagePath(name, index)))
  );
  const folders = [...new Set(steps.flatMap(({ plan }) => plan.missingFolders()))];
  const entry: JournalEntry = {
    name,
    call: call.id,
    session: call.session,
    project: call.project,
    at: stamp(Date.now()).at,
    files: steps.map(({ plan }) => plan.told()),
    folders,
    ...(call.undoes !== undefined && { undoes: call.undoes }),
  };
  const open = journal.begin(entry, steps.map(({ plan }) => sourceOf(plan)));
  const begun: Step[] = [];
  try {
    for (const [index, step] of steps.entries()) step.stage(() => open.unshare(index));
    // Between the last look and the rename no other process of ours puts anything.
    withLock(journal.lockPath, () => {
      for (const [index, step] of removalsLast(steps)) {
        // It counts as begun before it is, so that a failure half-way is taken back too.
        begun.unshift(step);
        step.put(() => open.unshare(index));
      }
    });
  } catch (error) {
    throw takenBack(error, begun, steps, folders, open);
  }
  for (const step of steps) step.settle();
  open.end();
  journal.keepSmall();
  return steps.map(({ plan }, index) => writtenBy(plan, open.entry.files[index]!.lost));
}

function takenBack(
  error: unknown,
  begun: readonly Step[],
  steps: readonly Step[],
  folders: readonly string[],
  open: OpenEntry,
): unknown {
  const standing = begun.filter((step) => !step.takeBack()).map(({ plan }) => plan.shown);
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

function removalsLast(steps: readonly Step[]): [number, Step][] {
  const all = [...steps.entries()];
  return [...all.filter(([, { plan }]) => !plan.removes), ...all.filter(([, { plan }]) => plan.removes)];
}

function sourceOf({ target, before, isShared }: ChangePlan) {
  return { path: target, bytes: () => before!.bytes, shared: isShared };
}

function writtenBy({ before, known }: ChangePlan, lost: string | undefined): Written {
  return {
    created: before === undefined,
    oldSha256: before?.sha256,
    newSha256: known?.sha256,
    ...(lost !== undefined && { lost }),
  };
}

/** What a folder answers that lets a file in it be changed and not replaced. */
const CLOSED_FOLDER: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EROFS"]);
/** The file alone is mounted there. */
const MOUNTED: ReadonlySet<string> = new Set(["EBUSY"]);

/** One change on its way: by a rename, or in place where that can't be. `unshare` is called when that turns out late. */
class Step {
  readonly plan: ChangePlan;
  #way: Way;

  constructor(plan: ChangePlan) {
    this.plan = plan;
    this.#way = plan.pieces && plan.isShared ? new InPlace(plan) : new ByRename(plan);
  }

  stage(unshare: () => void): void {
    const { target, pieces, removes } = this.plan;
    this.#naming(() => {
      if (removes) return;
      makeFolder(dirname(target));
      // A file that may not be written stays as it is, though its folder would let it be replaced.
      if (pieces) host.files.open(target, "r+").close();
      this.#orInPlace(CLOSED_FOLDER, unshare, () => this.#way.stage());
    });
  }

  put(unshare: () => void): void {
    this.#naming(() =>
      this.#orInPlace(MOUNTED, unshare, () => this.#way.put(), () => {
        this.#way.stage();
        this.#way.put();
      })
    );
  }

  /** Where a rename is refused in one of these ways, the change goes on in place. */
  #orInPlace(refusals: ReadonlySet<string>, unshare: () => void, work: () => void, instead = work): void {
    try {
      work();
    } catch (error) {
      if (!this.plan.pieces || this.#way instanceof InPlace || !refusals.has(errorCode(error) ?? "")) {
        throw error;
      }
      this.#way.settle();
      unshare();
      this.#way = new InPlace(this.plan);
      instead();
    }
  }

  #naming(work: () => void): void {
    try {
      work();
    } catch (error) {
      throw fileError(this.plan.removes ? "remove" : "write", this.plan.shown, error);
    }
  }

  /** False where that fails, or where somebody has put something else there. */
  takeBack(): boolean {
    try {
      return this.#way.takeBack();
    } catch {
      return false;
    }
  }

  settle(): void {
    this.#way.settle();
  }
}
