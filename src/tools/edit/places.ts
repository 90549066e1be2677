/**
 * Where an old text stands in a file. Line ends are folded: a line feed in the old text stands for whatever ends the
 * line in the file, and a place never begins or ends inside a CR LF.
 */
import { Needle } from "../../core/bytes.ts";
import type { FileText } from "../../core/file_text.ts";

/** Positions in the file's bytes. */
export interface Span {
  start: number;
  end: number;
}

/** An old text as it is looked for in the folded file; `undefined`: the file's encoding has no bytes for it. */
export function soughtIn(file: FileText, old: string): Uint8Array | undefined {
  return file.bytesFor(file.ends === "lf" ? old : old.replaceAll("\r\n", "\n"));
}

/** All places, left to right, not overlapping. */
export function placesOf(file: FileText, sought: Uint8Array | undefined): Span[] {
  if (!sought) return [];
  const { bytes, back } = file.folded;
  const needle = new Needle(sought);
  const found: Span[] = [];
  for (let at = needle.indexIn(bytes, file.encoding.mark); at >= 0;) {
    const start = back(at);
    const isPlace = file.isBoundary(start);
    if (isPlace) found.push({ start, end: back(at + sought.length) });
    at = needle.indexIn(bytes, at + (isPlace ? sought.length : 1));
  }
  return found;
}

const CR = 13;

/** A text for a place, in the file's encoding: its line feeds become the line end of the place, or of its neighbours. */
export function replacementFor(
  file: FileText,
  { start }: Span,
  text: string,
  encode: (text: string) => Uint8Array,
): Uint8Array {
  // A mark at the start of a file that has one is not written twice.
  if (start === file.encoding.mark && start > 0 && text.startsWith("\uFEFF")) text = text.slice(1);
  if (!text.includes("\n") || text.includes("\r\n") || file.ends === "lf") return encode(text);
  const inside = file.lineFeed(start);
  const nearest = inside >= 0 ? inside : file.lastLineFeed(start);
  const crlf = nearest >= file.unit && file.isAt(nearest - file.unit, CR);
  return encode(crlf ? text.replaceAll("\n", "\r\n") : text);
}
