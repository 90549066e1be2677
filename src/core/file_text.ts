/**
 * The text of a file: its bytes, and how they are read. Whoever changes it works out which bytes stay and what
 * stands between them, so that nothing outside a change is ever decoded and encoded again.
 */
import { decodeAs, type Encoder, encoderFor, isBoundary } from "./codec.ts";
import { detectEncoding } from "./detect_encoding.ts";
import { type Encoding, nameOf, unitOf } from "./encoding.ts";
import { AgentError, quote } from "./errors.ts";

export class FileText {
  /** All of the file, the mark included. */
  readonly bytes: Uint8Array;
  readonly encoding: Encoding;
  #ends: LineEnds | undefined;
  #folded: Folded | undefined;
  #encoder: Encoder | undefined;
  /** The last one that was found. */
  #boundary = 0;

  constructor(bytes: Uint8Array, encoding: Encoding = detectEncoding(bytes)) {
    this.bytes = bytes;
    this.encoding = encoding;
  }

  /** Another content of this file, the mark included, in the same encoding. */
  with(bytes: Uint8Array): FileText {
    const other = new FileText(bytes, this.encoding);
    other.#encoder = this.#bytesOf;
    return other;
  }

  /** The whole text without the mark; line ends as they are. */
  get text(): string {
    return this.decode(this.encoding.mark);
  }

  get isEmpty(): boolean {
    return this.bytes.length === this.encoding.mark;
  }

  /** The text between two positions in the bytes. */
  decode(start: number, end = this.bytes.length): string {
    return decodeAs(this.encoding.name, this.bytes.subarray(start, end));
  }

  /** The bytes of `text` in this file's encoding, without a mark; `undefined` where it has no bytes for some character. */
  bytesFor(text: string): Uint8Array | undefined {
    const bytes = this.#bytesOf(text);
    return bytes instanceof Uint8Array ? bytes : undefined;
  }

  /** The same for text that shall be written: a character without bytes is an error. */
  encode(text: string, action: string, path: string): Uint8Array {
    const bytes = this.#bytesOf(text);
    if (bytes instanceof Uint8Array) return bytes;
    throw new AgentError(
      `Cannot ${action} ${quote(path)}: its encoding, ${nameOf(this.encoding)}, has no ${
        quote(bytes.missing)
      }`,
      "use characters that it has, or convert the file to UTF-8 first",
    );
  }

  get #bytesOf(): Encoder {
    return this.#encoder ??= encoderFor(this.encoding.name);
  }

  /** Which line ends there are; LF alone where there is no CR LF. */
  get ends(): LineEnds {
    return this.#ends ??= endsOf(this);
  }

  /** The line end that most lines have; LF for a file without any, or with as many of each. */
  get dominantEnd(): "\n" | "\r\n" {
    if (this.ends !== "mixed") return this.ends === "crlf" ? "\r\n" : "\n";
    let more = 0;
    for (const isCrlf of lineEnds(this)) more += isCrlf ? 1 : -1;
    return more > 0 ? "\r\n" : "\n";
  }

  /** The same bytes without the CR of each CR LF, to look for texts in. */
  get folded(): Folded {
    return this.#folded ??= this.ends === "lf"
      ? { bytes: this.bytes, back: itself, fold: itself }
      : foldedOf(this);
  }

  isBoundary(at: number): boolean {
    // Whoever looks for all places asks from left to right; each time from the start would take quadratic time.
    const known = at < this.#boundary ? 0 : this.#boundary;
    const is = isBoundary(this.encoding, this.bytes, at, known);
    this.#boundary = is ? at : known;
    return is;
  }

  /** Is the code unit at this position the character with this code, below 0x40? */
  isAt(at: number, code: number): boolean {
    const { bytes, encoding: { name } } = this;
    if (name === "utf-16le") return bytes[at] === code && bytes[at + 1] === 0;
    if (name === "utf-16be") return bytes[at] === 0 && bytes[at + 1] === code;
    return bytes[at] === code;
  }

  /** The position of the first line feed from `from` on; -1 where there is none. */
  lineFeed(from: number): number {
    const { bytes, unit } = this;
    if (unit === 1) return bytes.indexOf(LF, from);
    const low = this.encoding.name === "utf-16le" ? 0 : 1;
    for (let at = bytes.indexOf(LF, from); at >= 0; at = bytes.indexOf(LF, at + 1)) {
      if (at % 2 === low && this.isAt(at - low, LF)) return at - low;
    }
    return -1;
  }

  /** The position of the last line feed before `before`; -1 where there is none. */
  lastLineFeed(before: number): number {
    const { bytes, unit, encoding: { mark } } = this;
    if (unit === 1) return before <= 0 ? -1 : bytes.lastIndexOf(LF, before - 1);
    for (let at = before - unit; at >= mark; at -= unit) if (this.isAt(at, LF)) return at;
    return -1;
  }

  get unit(): 1 | 2 {
    return unitOf(this.encoding);
  }

  /** The bytes of the mark. */
  get mark(): Uint8Array {
    return this.bytes.subarray(0, this.encoding.mark);
  }
}

const LF = 10;
const CR = 13;

/** A file's bytes with line feeds alone for line ends. */
export interface Folded {
  bytes: Uint8Array;
  /** The position in the file for one in here; that of a line feed is its CR's. */
  back(at: number): number;
  /** The position in here for one in the file. */
  fold(at: number): number;
}

function itself(at: number): number {
  return at;
}

function foldedOf(file: FileText): Folded {
  const { bytes, unit } = file;
  const folded = new Uint8Array(bytes.length);
  /** Where in `folded` a CR was left out. */
  const dropped: number[] = [];
  let from = 0, length = 0;
  const copy = (to: number) => {
    folded.set(bytes.subarray(from, to), length);
    length += to - from;
  };
  for (let at = file.lineFeed(0); at >= 0; at = file.lineFeed(at + unit)) {
    if (at < unit || !file.isAt(at - unit, CR)) continue;
    copy(at - unit);
    dropped.push(length);
    from = at;
  }
  copy(bytes.length);
  return {
    bytes: folded.subarray(0, length),
    back: (at) => at + unit * countBelow(dropped, at),
    fold: (at) => at - unit * foldedBefore(dropped, unit, at),
  };
}

/** How many numbers of a sorted list are below `value`. */
function countBelow(sorted: readonly number[], value: number): number {
  let low = 0, high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many CRs were left out before a position in the file. */
function foldedBefore(dropped: readonly number[], unit: number, at: number): number {
  let low = 0, high = dropped.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (dropped[middle]! + unit * middle < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

export type LineEnds = "lf" | "crlf" | "mixed";

function endsOf(file: FileText): LineEnds {
  // Most files have no CR at all, which is seen at once.
  if (!file.bytes.includes(CR)) return "lf";
  let crlf = false, lf = false;
  for (const isCrlf of lineEnds(file)) {
    if (isCrlf) crlf = true;
    else lf = true;
    if (crlf && lf) return "mixed";
  }
  return crlf ? "crlf" : "lf";
}

/** For each line feed: does a CR stand before it? */
function* lineEnds(file: FileText): Iterable<boolean> {
  const { unit } = file;
  for (let at = file.lineFeed(0); at >= 0; at = file.lineFeed(at + unit)) {
    yield at >= unit && file.isAt(at - unit, CR);
  }
}
