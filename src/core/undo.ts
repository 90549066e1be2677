/** Taking back what a call did to files. */
import { AgentError, quote } from "./errors.ts";
import type { Change, Content } from "./files.ts";
import { randomHex } from "./hash.ts";
import { isNow, type Journal, type JournalEntry, type JournalFile, removeEmptyFolders } from "./journal.ts";
import { LocalFiles } from "./local_files.ts";

/** What became of one file. */
export interface Undone {
  path: string;
  did: "restored" | "removed" | "unchanged";
}

/**
 * The call that is meant: by the start of its id, or the newest in `project` that wasn't taken back. Throws where
 * none or several fit.
 */
export function findEntry(journal: Journal, project: string, id?: string): JournalEntry {
  const entries = journal.list();
  if (id === undefined) {
    const entry = entries.find((one) => one.project === project && !one.undoneBy && one.undoes === undefined);
    if (entry) return entry;
    throw new AgentError(
      `Cannot undo: no call changed a file in ${quote(project)}, or all are taken back`,
      "agent undo --list --all shows the calls of all folders",
    );
  }
  const exact = entries.find(({ call }) => call === id);
  if (exact) return exact;
  const found = entries.filter(({ call }) => call.startsWith(id));
  if (found.length === 1) return found[0]!;
  const state = found.length === 0 ? "the journal has no such call" : `${found.length} calls start so`;
  throw new AgentError(`Cannot undo ${quote(id)}: ${state}`, "agent undo --list --all shows the calls");
}

/**
 * Puts back what was there before the call, all files or none. Refused where a file is another one since, unless
 * `force`; either way it stands in the journal as a call of its own, so it can be taken back as well.
 */
export function undo(journal: Journal, entry: JournalEntry, session: string, force = false): Undone[] {
  if (entry.undoneBy !== undefined && !force) {
    throw new AgentError(
      `Cannot undo ${quote(entry.call)}: it is taken back already`,
      `agent undo ${entry.undoneBy} does it again`,
    );
  }
  const states = entry.files.map((file) => ({ file, state: stateOf(file) }));
  const changed = states.filter(({ state }) => state === "changed").map(({ file }) => quote(file.path));
  if (changed.length > 0 && !force) {
    throw new AgentError(
      `Cannot undo ${quote(entry.call)}: changed since: ${changed.join(", ")}`,
      "--force puts the old content back all the same",
    );
  }
  const id = `undo_${randomHex(8)}`;
  const files = new LocalFiles(journal, { id, session, project: entry.project, undoes: entry.call });
  const toDo = states.filter(({ state }) => state !== "before");
  const changes = toDo.map(({ file }) => changeBack(journal, files, file));
  files.commit(changes.flatMap((change) => change ?? []));
  removeEmptyFolders(entry.folders);
  const { undoneBy: _, ...before } = entry;
  journal.rewrite({ ...before, undoneBy: id });
  // Taking back an undo makes its call stand again.
  const again = journal.list().find(({ call, undoneBy }) => call === entry.undoes && undoneBy === entry.call);
  if (again) {
    const { undoneBy: _, ...rest } = again;
    journal.rewrite(rest);
  }
  return states.map(({ file, state }) => ({
    path: file.path,
    did: state === "before" ? "unchanged" : file.before ? "restored" : "removed",
  }));
}

function stateOf({ path, before, after }: JournalFile): "before" | "after" | "changed" {
  if (isNow(path, after)) return "after";
  return isNow(path, before) ? "before" : "changed";
}

function changeBack(
  journal: Journal,
  files: LocalFiles,
  { path, before, lost }: JournalFile,
): Change | undefined {
  const now = files.snapshot(path, { itself: true });
  if (!before) return now && { path, before: now, after: undefined };
  if (lost !== undefined) throw new AgentError(`Cannot restore ${quote(path)}: ${lost}`);
  const after: Content = before.link !== undefined ? { link: before.link } : [journal.content(before, path)];
  return { path, before: now, after, mode: before.mode };
}
