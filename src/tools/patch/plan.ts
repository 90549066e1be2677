/**
 * What a patch will do, worked out in memory: hunks see what earlier hunks of the same patch made of a file, and
 * nothing is written before all of them fit.
 */
import { AgentError, quote } from "../../core/errors.ts";
import { basename, dirname, join } from "../../core/paths.ts";
import { decode, dominantEnd, encode, withEnds } from "../../core/text.ts";
import { applyChunks } from "./apply.ts";
import type { Hunk } from "./parse.ts";

/** A file as it was found. */
export interface Found {
  bytes: Uint8Array;
  mode: number;
}

/** A file before and after the patch; `undefined` where there is none. */
export interface FileChange {
  path: string;
  before: Found | undefined;
  after: { bytes: Uint8Array; mode: number | undefined } | undefined;
}

/** What is told of a hunk: `A` added, `M` changed or replaced, `D` deleted. */
export interface Told {
  letter: "A" | "M" | "D";
  path: string;
  note?: string;
}

export interface Plan {
  changes: FileChange[];
  told: Told[];
}

/** `find` reads a file by its full path, `identify` makes one from what the patch says, links followed. */
export function planPatch(
  hunks: readonly Hunk[],
  identify: (path: string) => string,
  find: (path: string) => Found | undefined,
): Plan {
  const files = new Map<string, FileChange>();
  const told: Told[] = [];
  const open = (path: string, itself = false): FileChange => {
    // A link that is deleted goes itself, and not what it leads to.
    const full = itself ? join(identify(dirname(path)), basename(path)) : identify(path);
    let file = files.get(full);
    if (!file) {
      const before = find(full);
      file = { path: full, before, after: before };
      files.set(full, file);
    }
    return file;
  };
  for (const hunk of hunks) told.push(...planHunk(hunk, open));
  return { changes: [...files.values()].filter(({ before, after }) => before !== after), told };
}

function planHunk(hunk: Hunk, open: (path: string, itself?: boolean) => FileChange): Told[] {
  const { path } = hunk;
  const file = open(path, hunk.kind === "delete");
  if (hunk.kind === "add") {
    const replaced = file.after !== undefined;
    const text = hunk.lines.map((line) => line + "\n").join("");
    file.after = {
      bytes: replaced ? inTheFormOf(file.after!.bytes, text) : encode(text, false),
      mode: file.after?.mode,
    };
    return [replaced ? { letter: "M", path, note: "replaced" } : { letter: "A", path }];
  }
  if (!file.after) {
    const what = hunk.kind === "delete"
      ? `Failed to delete file ${path}`
      : `Failed to read file to update ${path}`;
    throw new AgentError(`${what}: no such file`);
  }
  if (hunk.kind === "delete") {
    file.after = undefined;
    return [{ letter: "D", path }];
  }
  const { bytes, mode } = file.after;
  const { text, mark, undecodable } = decode(bytes);
  if (undecodable && hunk.chunks.length > 0) {
    throw new AgentError(`Cannot update ${quote(path)}: it is not UTF-8, and other bytes would be lost`);
  }
  const changed = hunk.chunks.length > 0 ? encode(applyChunks(path, text, hunk.chunks), mark) : bytes;
  const target = hunk.moveTo === undefined ? file : open(hunk.moveTo);
  if (target === file) {
    file.after = { bytes: changed, mode };
    return [{ letter: "M", path }];
  }
  const replaced = target.after !== undefined;
  target.after = { bytes: changed, mode };
  file.after = undefined;
  return [{
    letter: "M",
    path: hunk.moveTo!,
    note: `moved from ${path}${replaced ? ", replacing what was there" : ""}`,
  }];
}

/** New text for a file that was there keeps its mark and line ends, as a whole write does. */
function inTheFormOf(old: Uint8Array, text: string): Uint8Array {
  const before = decode(old);
  const ends = before.undecodable ? "\n" : dominantEnd(before.text);
  return encode(withEnds(text, ends), before.mark);
}
