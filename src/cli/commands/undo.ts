/** `agent undo`: takes back what a call did to files, or lists the calls. */
import { journalOf } from "../../agent.ts";
import type { JournalEntry, JournalFile } from "../../core/journal.ts";
import { inside, realPath } from "../../core/paths.ts";
import { host } from "../../core/runtime.ts";
import { findEntry, undo } from "../../core/undo.ts";
import type { Invocation } from "../command.ts";
import { settingsOf } from "../open.ts";

export async function run(invocation: Invocation): Promise<number> {
  const { flags, args, printer } = invocation;
  const journal = journalOf(await settingsOf(invocation), (text) => printer.warn(text));
  journal.recover();
  const project = realPath(host.cwd());
  if (flags.has("list")) {
    const limit = Math.ceil(flags.positive("limit") ?? 50);
    const entries = journal.list().filter((entry) => flags.has("all") || entry.project === project);
    for (const entry of entries.slice(0, limit).reverse()) {
      if (flags.has("json")) printer.json(entry);
      else printer.line(lineOf(entry, project));
    }
    return 0;
  }
  const entry = findEntry(journal, project, args[0]);
  const undone = undo(journal, entry, entry.session, flags.has("force"));
  if (flags.has("json")) printer.json({ call: entry.call, files: undone });
  else for (const { path, did } of undone) printer.line(`${did} ${shortly(path, project)}`);
  return 0;
}

function lineOf(entry: JournalEntry, project: string): string {
  const { at, call, files, interrupted, undoneBy, undoes } = entry;
  const state = undoneBy !== undefined
    ? `  (undone by ${undoneBy})`
    : undoes !== undefined
    ? `  (takes back ${undoes})`
    : interrupted
    ? "  (interrupted)"
    : "";
  const shown = files.slice(0, SHOWN).map((file) => `${letterOf(file)} ${shortly(file.path, project)}`);
  const more = files.length > SHOWN ? ` and ${files.length - SHOWN} more` : "";
  return `${at}  ${call}  ${shown.join(", ")}${more}${state}`;
}

/** Files of a call that are named in the list. */
const SHOWN = 5;

function letterOf({ before, after, lost }: JournalFile): string {
  if (lost !== undefined) return "!";
  return before && after ? "M" : after ? "A" : "D";
}

function shortly(path: string, project: string): string {
  return inside(project, path) || path;
}
