/** Secrets on a screen, which a program may draw in any order, and over the ends of rows. */

/** A row of a screen, without the blanks behind it; `goesOn`: it is full, and the next one is its rest. */
export interface Row {
  text: string;
  goesOn: boolean;
}

/** A part of a row, or of a text, and the mark that stands for it: "" where the row before has it. */
interface Cut {
  from: number;
  to: number;
  mark: string;
}

const MARK = /(<redacted:[^>\r\n]+>)/;

/**
 * The rows, with what `redact` finds in them masked in its place: as they are joined without their ends, and without the
 * blanks at both ends, as an editor indents the rest of a line.
 */
export function maskedRows(rows: readonly Row[], redact: (text: string) => string): string[] {
  const cuts: Cut[][] = rows.map(() => []);
  for (const isIndented of [false, true]) {
    const starts = rows.map(({ text }) => isIndented ? text.length - text.trimStart().length : 0);
    const pieces = rows.map(({ text, goesOn }, row) =>
      (goesOn && !isIndented ? text : text.trimEnd()).slice(starts[row])
    );
    let at = 0;
    const joined = pieces.join("").toWellFormed();
    const spans = spansOf(joined, redact(joined));
    for (const [row, { length }] of pieces.entries()) {
      for (const { from, to, mark } of spans) {
        if (from >= at + length || to <= at) continue;
        const start = starts[row]! - at;
        cuts[row]!.push({
          from: start + Math.max(from, at),
          to: start + Math.min(to, at + length),
          mark: from >= at ? mark : "",
        });
      }
      at += length;
    }
  }
  return rows.map(({ text }, row) => masked(text, cuts[row]!));
}

/**
 * Where the marks of `clean` stand in the text that it was made of. What is between two marks may fit in several places
 * there; then all that may be secret is taken for it.
 */
function spansOf(text: string, clean: string): Cut[] {
  if (clean === text) return [];
  const parts = clean.split(MARK);
  const between = parts.filter((_, index) => index % 2 === 0), last = between.length - 1;
  const marks = parts.filter((_, index) => index % 2 === 1);
  const all = [{ from: 0, to: text.length, mark: marks[0] ?? "" }];
  const first = [0], latest = [text.length - between[last]!.length];
  for (let index = 1; index < last; index++) {
    first.push(text.indexOf(between[index]!, first[index - 1]! + between[index - 1]!.length + 1));
    if (first[index]! < 0) return all;
  }
  for (let index = last - 1; index > 0; index--) {
    const place = latest[0]! - 1 - between[index]!.length;
    latest.unshift(place < 0 ? -1 : text.lastIndexOf(between[index]!, place));
    if (latest[0]! < 0) return all;
  }
  return marks.map((mark, index) => ({
    from: first[index]! + between[index]!.length,
    to: latest[index]!,
    mark,
  }));
}

function masked(text: string, cuts: readonly Cut[]): string {
  let result = "", at = 0;
  for (const { from, to, mark } of [...cuts].sort((a, b) => a.from - b.from)) {
    if (to <= at) continue;
    if (from >= at) result += text.slice(at, from) + mark;
    at = to;
  }
  return result + text.slice(at);
}
