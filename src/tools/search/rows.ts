/**
 * Reads what ripgrep prints with `--null --line-number --column`: `PATH\0LINE:COLUMN:TEXT` for a match, `PATH\0LINE-TEXT`
 * for a line around one, `--` between groups, and a sentence where a file is binary. Of a long line only what is shown is
 * kept, however long it is.
 */

import { concat } from "../../core/bytes.ts";

export interface Row {
  path: string;
  /** Counted from 1. */
  line: number;
  isMatch: boolean;
  /** The line, or what of a long one is around the match. */
  text: string;
  /** What stands before that part, as far as it may be needed to tell a secret that the cut goes through. */
  lead?: string;
  /** The line goes on after it. */
  isCut?: true;
}

/** Bytes of a line that are shown whole, and of a longer one: so many before its match, so many in all. */
const MOST_LINE = 500;
const BEFORE = 100;
/** Bytes before the part that is shown, for what looks for secrets. */
const LEAD = 2000;

const NEWLINE = 10, RETURN = 13, COLON = 58, DASH = 45, ZERO = 48, NINE = 57;
const BINARY = /^(.*): binary file matches \(found "[^"]*" byte around offset \d+\)$/s;

/** What becomes of what is read. */
export interface RowTaker {
  /** Is the row of use? Else its text isn't made. All rows of a file come one after the other. */
  wants(path: string, line: number, isMatch: boolean): boolean;
  row(row: Row): void;
  /** A file that matches and whose lines aren't shown. */
  binary(path: string): void;
}

export class RowReader {
  readonly #taker: RowTaker;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** A beginning whose rest is to come. */
  #head: Uint8Array = new Uint8Array(0);
  /** The row whose text is being read; `null` for one that nobody wants. */
  #line: LineText | null | undefined;
  #path = { bytes: new Uint8Array(0), text: "" };

  constructor(taker: RowTaker) {
    this.#taker = taker;
  }

  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length;) {
      at = this.#line === undefined ? this.#begin(chunk, at) : this.#text(chunk, at);
    }
  }

  /** What stands before the text; where it isn't all there yet, it is kept. */
  #begin(chunk: Uint8Array, at: number): number {
    const kept = this.#head.length;
    const bytes = kept === 0 ? chunk : concat([this.#head, chunk.subarray(at)]);
    const from = kept === 0 ? at : 0;
    const read = this.#readHead(bytes, from);
    this.#head = read === undefined ? bytes.slice(from) : NOTHING;
    if (read === undefined) return chunk.length;
    return kept === 0 ? read : at + read - kept;
  }

  /** Where the text begins, or the next line; `undefined` where more is needed. */
  #readHead(bytes: Uint8Array, from: number): number | undefined {
    if (bytes[from] === DASH && bytes[from + 1] === DASH && bytes[from + 2] === NEWLINE) return from + 3;
    const nul = this.#isSamePath(bytes, from) ? from + this.#path.bytes.length : bytes.indexOf(0, from);
    // A name may hold line ends: what isn't a sentence about a file belongs to one.
    for (let end = bytes.indexOf(NEWLINE, from); end >= 0 && (nul < 0 || end < nul);) {
      const binary = BINARY.exec(this.#decoder.decode(bytes.subarray(from, end)));
      if (binary) {
        this.#taker.binary(binary[1]!);
        return end + 1;
      }
      end = bytes.indexOf(NEWLINE, end + 1);
    }
    if (nul < 0) return undefined;
    const line = numberAt(bytes, nul + 1);
    if (line === undefined) return undefined;
    const isMatch = bytes[line.end] === COLON;
    const column = isMatch ? numberAt(bytes, line.end + 1) : undefined;
    if (isMatch && column === undefined) return undefined;
    const path = this.#pathIn(bytes, from, nul);
    this.#line = this.#taker.wants(path, line.value, isMatch)
      ? new LineText(path, line.value, isMatch, column?.value ?? 1)
      : null;
    return (column ?? line).end + 1;
  }

  /** Nearly always it is the path of the row before. */
  #isSamePath(bytes: Uint8Array, from: number): boolean {
    const known = this.#path.bytes;
    if (known.length === 0 || bytes[from + known.length] !== 0) return false;
    // Names differ at their end sooner than at their beginning.
    for (let i = known.length - 1; i >= 0; i--) if (bytes[from + i] !== known[i]) return false;
    return true;
  }

  #pathIn(bytes: Uint8Array, from: number, nul: number): string {
    if (nul - from !== this.#path.bytes.length || !this.#isSamePath(bytes, from)) {
      const own = bytes.slice(from, nul);
      this.#path = { bytes: own, text: this.#decoder.decode(own) };
    }
    return this.#path.text;
  }

  #text(chunk: Uint8Array, at: number): number {
    const end = chunk.indexOf(NEWLINE, at);
    const line = this.#line!;
    line?.take(chunk.subarray(at, end < 0 ? chunk.length : end));
    if (end < 0) return chunk.length;
    this.#line = undefined;
    if (line) this.#taker.row(line.row(this.#decoder));
    return end + 1;
  }
}

const NOTHING = new Uint8Array(0);

/** Digits up to what ends them; `undefined` where that isn't there yet. */
function numberAt(bytes: Uint8Array, from: number): { value: number; end: number } | undefined {
  let value = 0, at = from;
  for (; at < bytes.length && bytes[at]! >= ZERO && bytes[at]! <= NINE; at++) {
    value = value * 10 + bytes[at]! - ZERO;
  }
  return at < bytes.length ? { value, end: at } : undefined;
}

/** A line whose bytes come in pieces. */
class LineText {
  readonly #path: string;
  readonly #number: number;
  readonly #isMatch: boolean;
  /** Where the window of a long line begins. */
  readonly #from: number;
  readonly #leadFrom: number;
  #length = 0;
  readonly #first: Uint8Array[] = [];
  readonly #window: Uint8Array[] = [];

  constructor(path: string, number: number, isMatch: boolean, column: number) {
    this.#path = path;
    this.#number = number;
    this.#isMatch = isMatch;
    this.#from = Math.max(0, column - 1 - BEFORE);
    this.#leadFrom = Math.max(0, this.#from - LEAD);
  }

  take(bytes: Uint8Array): void {
    keep(this.#first, bytes, this.#length, 0, MOST_LINE + 1);
    keep(this.#window, bytes, this.#length, this.#leadFrom, this.#from + MOST_LINE);
    this.#length += bytes.length;
  }

  row(decoder: { decode(bytes: Uint8Array): string }): Row {
    const about = { path: this.#path, line: this.#number, isMatch: this.#isMatch };
    if (this.#length <= MOST_LINE) {
      return { ...about, text: decoder.decode(withoutReturn(joined(this.#first))) };
    }
    const bytes = joined(this.#window);
    const start = boundary(bytes, this.#from - this.#leadFrom);
    const isCut = this.#leadFrom + bytes.length < this.#length;
    const end = isCut ? boundary(bytes, bytes.length) : bytes.length;
    return {
      ...about,
      text: decoder.decode(bytes.subarray(start, end)),
      ...(start > 0 && { lead: decoder.decode(bytes.subarray(boundary(bytes, 0), start)) }),
      ...(isCut && { isCut }),
    };
  }
}

/** The beginning of a character at or before `at`, or after it where there is none. */
function boundary(bytes: Uint8Array, at: number): number {
  const isWithin = (place: number) => place < bytes.length && (bytes[place]! & 0xc0) === 0x80;
  // What ends the bytes may be the beginning of a character.
  if (at === bytes.length) {
    let last = at - 1;
    while (last > at - 4 && isWithin(last)) last--;
    return bytes[last]! >= 0xc0 ? last : at;
  }
  let start = at;
  while (start < at + 3 && isWithin(start)) start++;
  return start;
}

/** What of a piece at `offset` is from `from` to `to`. */
function keep(kept: Uint8Array[], piece: Uint8Array, offset: number, from: number, to: number): void {
  const start = Math.max(0, from - offset), end = Math.min(piece.length, to - offset);
  if (start < end) kept.push(piece.slice(start, end));
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  return pieces.length === 1 ? pieces[0]! : concat(pieces);
}

function withoutReturn(bytes: Uint8Array): Uint8Array {
  return bytes.at(-1) === RETURN ? bytes.subarray(0, -1) : bytes;
}
