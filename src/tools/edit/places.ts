/**
 * Where an old text stands in a file. Line ends are folded: a line feed in the old text stands for whatever ends the
 * line in the file, and a place never begins or ends inside a CR LF unless the old text itself ends with a CR.
 */
import { matches, Needle } from "../../core/bytes.ts";
import type { FileText } from "../../core/text.ts";

/** Positions in the file's bytes. */
export interface Span {
  start: number;
  end: number;
}

/** An old text as it is looked for: exact bytes, or lines whose ends may differ. */
export type Sought = { exact: Uint8Array } | { lines: Uint8Array[] };

/** `undefined`: the file's encoding has no bytes for it, so it stands nowhere. */
export function soughtIn(file: FileText, old: string): Sought | undefined {
  if (old.includes("\n") && file.ends !== "lf") {
    const folded = old.replaceAll("\r\n", "\n");
    if (file.ends === "crlf") return exact(file.find(folded.replaceAll("\n", "\r\n")));
    const lines = folded.split("\n").map((line) => file.find(line));
    return lines.every((line) => line !== undefined) ? { lines } : undefined;
  }
  return exact(file.find(old));
}

function exact(bytes: Uint8Array | undefined): Sought | undefined {
  return bytes && { exact: bytes };
}

/** All places, left to right, not overlapping. */
export function placesOf(file: FileText, sought: Sought | undefined): Span[] {
  if (!sought) return [];
  return "exact" in sought ? exactPlaces(file, sought.exact) : foldedPlaces(file, sought.lines);
}

function exactPlaces(file: FileText, bytes: Uint8Array): Span[] {
  const needle = new Needle(bytes);
  const found: Span[] = [];
  for (let at = next(file, needle, 0); at >= 0; at = next(file, needle, at + bytes.length)) {
    found.push({ start: at, end: at + bytes.length });
  }
  return found;
}

function next(file: FileText, needle: Needle, from: number): number {
  let at = needle.indexIn(file.bytes, Math.max(from, file.encoding.mark));
  while (at >= 0 && !file.isBoundary(at)) at = needle.indexIn(file.bytes, at + 1);
  return at;
}

/** The longest line is looked for; the others and the line ends between them are held against what stands around it. */
function foldedPlaces(file: FileText, lines: readonly Uint8Array[]): Span[] {
  const longest = lines.reduce((best, line, index) => line.length > lines[best]!.length ? index : best, 0);
  const anchor = lines[longest]!;
  const found: Span[] = [];
  for (const start of anchorsOf(file, anchor)) {
    const before = backwards(file, start, lines.slice(0, longest));
    const end = forwards(file, start + anchor.length, lines.slice(longest + 1));
    if (before < 0 || end < 0 || before < (found.at(-1)?.end ?? 0)) continue;
    found.push({ start: before, end });
  }
  return found;
}

/** Where the anchor may stand; an empty one at the start of every line end, and at the end of the file. */
function* anchorsOf(file: FileText, anchor: Uint8Array): Iterable<number> {
  if (anchor.length > 0) {
    const needle = new Needle(anchor);
    for (let at = next(file, needle, 0); at >= 0; at = next(file, needle, at + 1)) yield at;
    return;
  }
  for (let at = file.lineFeed(file.encoding.mark); at >= 0; at = file.lineFeed(at + file.unit)) {
    yield endStart(file, at);
  }
  yield file.bytes.length;
}

/** Where the line end begins whose line feed is at `at`. */
function endStart(file: FileText, at: number): number {
  return at >= file.encoding.mark + file.unit && file.isAt(at - file.unit, CR) ? at - file.unit : at;
}

const LF = 10;
const CR = 13;

/** The start of `lines`, each with its line end, that stand before `at`; -1 where they don't. */
function backwards(file: FileText, at: number, lines: readonly Uint8Array[]): number {
  let start = at;
  for (const line of [...lines].reverse()) {
    const feed = start - file.unit;
    if (feed < file.encoding.mark || !file.isAt(feed, LF)) return -1;
    start = endStart(file, feed) - line.length;
    if (start < file.encoding.mark || !matches(file.bytes, start, line)) return -1;
  }
  return file.isBoundary(start) ? start : -1;
}

/** The end of `lines`, each after a line end, that stand from `at` on; -1 where they don't. */
function forwards(file: FileText, at: number, lines: readonly Uint8Array[]): number {
  let end = at;
  for (const line of lines) {
    if (file.isAt(end, CR)) end += file.unit;
    else if (file.isAt(end - file.unit, CR)) return -1;
    if (!file.isAt(end, LF)) return -1;
    end += file.unit;
    if (!matches(file.bytes, end, line)) return -1;
    end += line.length;
  }
  return end;
}

/** A text for a place, in the file's encoding: its line feeds become the line end of the place, or of its neighbours. */
export function replacementFor(
  file: FileText,
  { start }: Span,
  text: string,
  encode: (text: string) => Uint8Array,
): Uint8Array {
  if (!text.includes("\n") || text.includes("\r\n") || file.ends === "lf") return encode(text);
  const inside = file.lineFeed(start);
  const nearest = inside >= 0 ? inside : file.lastLineFeed(start);
  const crlf = nearest >= file.unit && file.isAt(nearest - file.unit, CR);
  return encode(crlf ? text.replaceAll("\n", "\r\n") : text);
}
