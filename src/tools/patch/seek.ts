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

/** Most chunks stand near the one before: so many lines are looked through before an index is made. */
const NEAR = 500;

/** The lines of a file, to look for many chunks in. */
export class Seeker {
  readonly lines: readonly string[];
  /** Made when a pass is needed. */
  readonly #indexes: LineIndex[] = [];

  constructor(lines: readonly string[]) {
    this.lines = lines;
  }

  /** Looks for `wanted` from index `from` on. */
  seek(wanted: readonly string[], from: number, atEnd: boolean): Sought {
    const { lines } = this;
    if (wanted.length === 0) return { at: atEnd ? lines.length : from };
    const last = lines.length - wanted.length;
    for (const [pass, fold] of PASSES.entries()) {
      const sought = wanted.map(fold);
      if (atEnd && last >= from && fits(lines, last, sought, fold)) return { at: last };
      if (pass === 0) {
        const near = Math.min(last, from + NEAR);
        for (let at = from; at <= near; at++) if (fits(lines, at, sought, fold)) return { at };
      }
      const index = this.#indexes[pass] ??= new LineIndex(lines, fold);
      const found = index.find(sought, from);
      if (found.length === 1 || (pass === 0 && found.length > 0)) return { at: found[0]! };
      if (found.length > 1) return { ambiguous: found };
    }
    return { missing: true };
  }
}

function fits(
  lines: readonly string[],
  at: number,
  sought: readonly string[],
  fold: (line: string) => string,
): boolean {
  for (let index = 0; index < sought.length; index++) {
    if (fold(lines[at + index]!) !== sought[index]) return false;
  }
  return true;
}

/** Where each line stands, as one pass sees it. */
class LineIndex {
  readonly #folded: readonly string[];
  readonly #places = new Map<string, number[]>();

  constructor(lines: readonly string[], fold: (line: string) => string) {
    this.#folded = lines.map(fold);
    for (const [at, line] of this.#folded.entries()) {
      const places = this.#places.get(line);
      if (places) places.push(at);
      else this.#places.set(line, [at]);
    }
  }

  /** All places of the lines in a row, from `from` on: those of the rarest line are tried. */
  find(sought: readonly string[], from: number): number[] {
    let rarest: { places: readonly number[]; offset: number } | undefined;
    for (const [offset, line] of sought.entries()) {
      const places = this.#places.get(line);
      if (!places) return [];
      if (!rarest || places.length < rarest.places.length) rarest = { places, offset };
    }
    const { places, offset } = rarest!;
    const found: number[] = [];
    for (let index = firstFrom(places, from + offset); index < places.length; index++) {
      const at = places[index]! - offset;
      if (at + sought.length <= this.#folded.length && this.#fits(at, sought)) found.push(at);
    }
    return found;
  }

  #fits(at: number, sought: readonly string[]): boolean {
    return sought.every((line, index) => this.#folded[at + index] === line);
  }
}

/** The index of the first number that is not below `least`. */
function firstFrom(sorted: readonly number[], least: number): number {
  let low = 0, high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Characters that editors and models put in the place of plain ones. */
function plain(line: string): string {
  return line
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/[\u2018-\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"')
    .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, " ");
}
