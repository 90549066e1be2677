/** Taking back what a call did to files. */
import { AgentError, quote } from "./errors.ts";
import type { Change, Content, Snapshot } from "./files.ts";
import { randomHex } from "./hash.ts";
import type { Journal } from "./journal.ts";
import type { JournalEntry, JournalFile, Version } from "./journal_entry.ts";
import { LocalFiles } from "./local_files.ts";
import { inside } from "./paths.ts";
import { removeEmptyFolders } from "./upkeep.ts";

/** What became of one file. */
export interface Undone {
  path: string;
  did: "restored" | "removed" | "unchanged";
}

/** Did the call change a file in this folder? */
export function isIn(folder: string, { files }: JournalEntry): boolean {
  return files.some(({ path }) => inside(folder, path) !== undefined);
}

/**
 * The call that is meant: by the start of its id or by its entry's name, or the newest that changed a file in
 * `folder` and wasn't taken back. Ids are their callers' and may repeat: those of the folder come first. Throws where
 * none or several fit.
 */
export function findEntry(journal: Journal, folder: string, id?: string): JournalEntry {
  const entries = journal.list();
  if (id === undefined) {
    const entry = entries.find((one) => isIn(folder, one) && !one.undoneBy && one.undoes === undefined);
    if (entry) return entry;
    throw new AgentError(
      `Cannot undo: no call changed a file in ${quote(folder)}, or all are taken back`,
      "agent undo --list --all shows the calls of all folders",
    );
  }
  const named = entries.find(({ name }) => name === id);
  if (named) return named;
  const exact = entries.filter(({ call }) => call === id);
  const alike = exact.length > 0 ? exact : entries.filter(({ call }) => call.startsWith(id));
  const here = alike.filter((entry) => isIn(folder, entry));
  const found = here.length > 0 ? here : alike;
  if (found.length === 1) return found[0]!;
  if (found.length === 0) {
    throw new AgentError(
      `Cannot undo ${quote(id)}: the journal has no such call`,
      "agent undo --list --all shows the calls",
    );
  }
  const names = found.slice(0, 3).map(({ name, at }) => `${name} (${at})`).join(", ");
  throw new AgentError(`Cannot undo ${quote(id)}: ${found.length} calls are called so`, `one of ${names}`);
}

/**
 * Puts back what was there before the call, all files or none. Refused where a file is another one since, unless
 * `force`; either way it stands in the journal as a call of its own, so it can be taken back as well.
 */
export function undo(
  journal: Journal,
  entry: JournalEntry,
  session: string,
  force = false,
): { id: string; files: Undone[] } {
  if (!journal.enabled) {
    throw new AgentError(
      `Cannot undo ${quote(entry.call)}: the undo journal is off, so it could not be taken back again`,
      "journal.enabled turns it on, or AGENT_JOURNAL=on for one command",
    );
  }
  if (entry.undoneBy !== undefined && !force) {
    throw new AgentError(
      `Cannot undo ${quote(entry.call)}: it is taken back already`,
      `agent undo ${entry.undoneBy} does it again`,
    );
  }
  const id = `undo_${randomHex(8)}`;
  const files = new LocalFiles(journal, { id, session, project: entry.project, undoes: entry.call });
  // What is judged here is what the commit holds each file against, right before it is changed.
  const states = entry.files.map((file) => {
    const now = files.snapshot(file.path, { itself: true });
    return { file, now, state: stateOf(now, file) };
  });
  const changed = states.filter(({ state }) => state === "changed").map(({ file }) => quote(file.path));
  if (changed.length > 0 && !force) {
    throw new AgentError(
      `Cannot undo ${quote(entry.call)}: changed since: ${changed.join(", ")}`,
      "--force puts the old content back all the same; that can be undone as well",
    );
  }
  const toDo = states.filter(({ state }) => state !== "before");
  files.commit(toDo.flatMap(({ file, now }) => changeBack(journal, file, now) ?? []));
  removeEmptyFolders(entry.folders);
  noteUndone(journal, entry, id);
  const undone = states.map(({ file, state }) => ({
    path: file.path,
    did: state === "before" ? "unchanged" as const : file.before ? "restored" as const : "removed" as const,
  }));
  return { id, files: undone };
}

/** Says in the entry by which call it was taken back, as long as that call stands in the journal itself. */
function noteUndone(journal: Journal, entry: JournalEntry, id: string): void {
  const entries = journal.list();
  if (!entries.some(({ call }) => call === id)) return;
  journal.rewrite({ ...entry, undoneBy: id });
  // Taking back an undo makes its call stand again.
  const again = entries.find(({ call, undoneBy }) => call === entry.undoes && undoneBy === entry.call);
  if (!again) return;
  const { undoneBy: _, ...rest } = again;
  journal.rewrite(rest);
}

function stateOf(now: Snapshot | undefined, { before, after }: JournalFile): "before" | "after" | "changed" {
  if (isVersion(now, after)) return "after";
  return isVersion(now, before) ? "before" : "changed";
}

function isVersion(now: Snapshot | undefined, version: Version | undefined): boolean {
  if (!now || !version) return !now && !version;
  if (version.link !== undefined || now.link !== undefined) return now.link === version.link;
  return now.info.kind === "file" && now.info.size === version.size && now.sha256 === version.sha256;
}

function changeBack(
  journal: Journal,
  { path, before, lost }: JournalFile,
  now: Snapshot | undefined,
): Change | undefined {
  if (!before) return now && { path, before: now, after: undefined };
  if (lost !== undefined) {
    throw new AgentError(
      `Cannot restore ${quote(path)}: ${lost}`,
      "agent undo --list shows the calls before; agent undo CALL takes one back",
    );
  }
  const after: Content = before.link !== undefined ? { link: before.link } : [journal.content(before, path)];
  return { path, before: now, after, mode: before.mode };
}
