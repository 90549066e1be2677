/** `agent undo`: takes back what a call did to files, or lists the calls. */
import { journalOf } from "../../agent.ts";
import { printable } from "../../core/errors.ts";
import type { JournalEntry, JournalFile } from "../../core/journal_entry.ts";
import { inside, realPath } from "../../core/paths.ts";
import { host } from "../../core/runtime.ts";
import { findEntry, isIn, undo } from "../../core/undo.ts";
import type { Invocation } from "../command.ts";
import { settingsOf } from "../open.ts";

export async function run(invocation: Invocation): Promise<number> {
  const { flags, args, printer } = invocation;
  const journal = journalOf(await settingsOf(invocation), (text) => printer.warn(text));
  journal.recover();
  const folder = realPath(host.cwd());
  if (flags.has("list")) {
    const limit = Math.ceil(flags.positive("limit") ?? 50);
    const entries = journal.list().filter((entry) => flags.has("all") || isIn(folder, entry)).slice(0, limit);
    const calls = entries.map(({ call }) => call);
    for (const entry of entries.reverse()) {
      const unique = calls.indexOf(entry.call) === calls.lastIndexOf(entry.call);
      if (flags.has("json")) printer.json(entry);
      else printer.line(lineOf(entry, folder, unique ? entry.call : `${entry.name} (${entry.call})`));
    }
    if (entries.length === 0 && !flags.has("json")) printer.note("no call has changed a file here");
    return 0;
  }
  const entry = findEntry(journal, folder, args[0]);
  const { id, files } = undo(journal, entry, entry.session, flags.has("force"));
  if (flags.has("json")) printer.json({ call: entry.call, undo: id, files });
  else {
    for (const { path, did } of files) {
      const shown = shortly(path, folder);
      printer.line(did === "unchanged" ? `${shown} is as before already` : `${did} ${shown}`);
    }
    printer.note(`${entry.call} of ${entry.at} is taken back; agent undo ${id} brings it again`);
  }
  return 0;
}

function lineOf(entry: JournalEntry, project: string, called: string): string {
  const { at, files, interrupted, undoneBy, undoes } = entry;
  const state = undoneBy !== undefined
    ? `  (undone by ${undoneBy})`
    : undoes !== undefined
    ? `  (takes back ${undoes})`
    : interrupted
    ? "  (interrupted)"
    : "";
  const shown = files.slice(0, SHOWN).map((file) => `${letterOf(file)} ${shortly(file.path, project)}`);
  const more = files.length > SHOWN ? ` and ${files.length - SHOWN} more` : "";
  return `${at}  ${called}  ${shown.join(", ")}${more}${state}`;
}

/** Files of a call that are named in the list. */
const SHOWN = 5;

function letterOf({ before, after, lost }: JournalFile): string {
  if (lost !== undefined) return "!";
  return before && after ? "M" : after ? "A" : "D";
}

function shortly(path: string, project: string): string {
  return printable(inside(project, path) || path);
}
