/**
 * Finding the old lines of a chunk in a file. Four passes, each more forgiving than the one before, and the first
 * that finds a place ends the search:
 *
 *  1. the lines are the same
 *  2. but for blanks at their ends
 *  3. but for blanks at both ends
 *  4. but for look-alike characters (dashes, quotes, odd blanks), and blanks at both ends
 *
 * The search goes forward from a line; lines that are the end of the file are looked for there first. A pass after the
 * first must find one place alone: where several are alike, guessing would change the wrong one.
 */

/** Where the lines stand: an index, or why there is none. */
export type Sought = { at: number } | { missing: true } | { ambiguous: number[] };

const PASSES: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
  (line) => plain(line).trim(),
];

/** Looks for `wanted` in `lines`, from index `from` on. */
export function seek(
  lines: readonly string[],
  wanted: readonly string[],
  from: number,
  atEnd: boolean,
): Sought {
  if (wanted.length === 0) return { at: atEnd ? lines.length : from };
  const last = lines.length - wanted.length;
  for (const [pass, fold] of PASSES.entries()) {
    const sought = wanted.map(fold);
    const fits = (at: number) => sought.every((line, index) => fold(lines[at + index]!) === line);
    if (atEnd && last >= from && fits(last)) return { at: last };
    const found: number[] = [];
    for (let at = from; at <= last; at++) {
      if (!fits(at)) continue;
      if (pass === 0) return { at };
      found.push(at);
    }
    if (found.length === 1) return { at: found[0]! };
    if (found.length > 1) return { ambiguous: found };
  }
  return { missing: true };
}

/** Characters that editors and models put in the place of plain ones. */
function plain(line: string): string {
  return line
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/[\u2018-\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"')
    .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, " ");
}
