/** The changed place as it is now, for the result of an edit. */
import { concat, countBytes } from "../../core/bytes.ts";
import { decodeAs } from "../../core/codec.ts";
import { takeWords } from "../../core/fit.ts";
import type { FileText } from "../../core/file_text.ts";
import type { Edited } from "./apply.ts";

/** Lines around the change, characters of each, bytes that are looked at. */
const BEFORE = 2;
const AFTER = 6;
const LINE_CHARS = 300;
const MOST_BYTES = 32 * 1024;

/** The number of the first changed line, and some lines from two before it on, numbered as a reading numbers them. */
export function snippetOf(file: FileText, { pieces, at }: Edited): { line: number; snippet: string } {
  const { mark, name } = file.encoding;
  // All before the first change is as it was.
  const line = 1 + lineFeedsBefore(file, at);
  let start = at;
  let first = line;
  for (let count = 0; count <= BEFORE; count++) {
    const feed = file.lastLineFeed(start);
    if (count > 0) first--;
    if (feed < 0) {
      start = mark;
      break;
    }
    start = count === BEFORE ? feed + file.unit : feed;
  }
  if (at - start > MOST_BYTES) return { line, snippet: "" };
  const shown = concat(cutPieces(pieces, start, start + MOST_BYTES));
  const whole = shown.subarray(0, shown.length - shown.length % file.unit);
  const lines = decodeAs(name, whole).split("\n", BEFORE + AFTER + 1);
  // A last newline ends a line and starts none.
  if (lines.at(-1) === "") lines.pop();
  const rows = lines.slice(0, line - first + AFTER).map((text, index) =>
    `${first + index}\t${takeWords(text.replace(/\r$/, ""), LINE_CHARS)}`
  );
  return { line, snippet: rows.join("\n") };
}

function lineFeedsBefore(file: FileText, at: number): number {
  if (file.unit === 1) return countBytes(file.bytes.subarray(0, at), 10);
  let count = 0;
  for (let feed = file.lineFeed(0); feed >= 0 && feed < at; feed = file.lineFeed(feed + 2)) count++;
  return count;
}

/** The bytes from `start` to `end` of the pieces in a row. */
function cutPieces(pieces: readonly Uint8Array[], start: number, end: number): Uint8Array[] {
  const cut: Uint8Array[] = [];
  let at = 0;
  for (const piece of pieces) {
    if (at >= end) break;
    if (at + piece.length > start) cut.push(piece.subarray(Math.max(0, start - at), end - at));
    at += piece.length;
  }
  return cut.length === 0 ? [new Uint8Array()] : cut;
}
