/**
 * Names that look like another one: in NFC or NFD, with an odd blank, with curly quotes. A model reads a name in a
 * listing and writes what it sees; a reading may follow it there, where there is one such file alone. Nothing is ever
 * written by a look-alike.
 */
import { AgentError, quote } from "./errors.ts";
import { basename, dirname, join } from "./paths.ts";
import { exists, namesIn } from "./upkeep.ts";

/** The path itself where it exists or nothing looks like it, else the one that does. Several are an error. */
export function lookAlike(path: string): string {
  if (exists(path)) return path;
  const found = alike(path);
  if (found.length <= 1) return found[0] ?? path;
  throw new AgentError(
    `Cannot read ${quote(path)}: no such file, and several look like it`,
    `one of ${found.map(escaped).join(", ")}`,
  );
}

/** Existing paths that look like this one, each part of it for itself. */
export function alike(path: string): string[] {
  const parent = dirname(path);
  if (parent === path) return [];
  const folders = exists(parent) ? [parent] : alike(parent);
  const wanted = fold(basename(path));
  return folders.flatMap((folder) =>
    namesIn(folder).filter((name) => fold(name) === wanted).map((name) => join(folder, name))
  );
}

function fold(name: string): string {
  return name.normalize("NFC")
    .replace(/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g, " ")
    .replace(/[\u2018-\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"');
}

/** As JSON in ASCII, so that the difference is seen. */
export function escaped(path: string): string {
  return JSON.stringify(path).replace(
    /[^ -~]/g,
    (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0"),
  );
}
