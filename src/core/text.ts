/**
 * The text of a file: its bytes, and how they are read. Whoever changes it works out which bytes stay and what
 * stands between them, so that nothing outside a change is ever decoded and encoded again.
 */
import { concat } from "./bytes.ts";
import {
  decodeAs,
  decoderFor,
  detectEncoding,
  type Encoder,
  encoderFor,
  type Encoding,
  isBoundary,
  lastWholeCharacter,
  markedEncoding,
  mended,
  nameOf,
  unitOf,
  unmarkedEncoding,
  UTF8,
} from "./encoding.ts";
import { AgentError, quote } from "./errors.ts";
import { host } from "./runtime.ts";

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

/** The text of a whole file, without the mark, and how it was read. For readers; whoever writes takes a `FileText`. */
export function decodeText(bytes: Uint8Array): { text: string; encoding: Encoding } {
  const text = host.decode(bytes);
  if (text === undefined) {
    const file = new FileText(bytes);
    return { text: file.text, encoding: file.encoding };
  }
  if (!text.startsWith("\uFEFF")) return { text, encoding: UTF8 };
  return { text: text.slice(1), encoding: detectEncoding(bytes) };
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

/** The text of bytes that come in pieces; nothing is held back but a character that a border cut in two. */
export class TextStream {
  /** As far as it is known: ASCII alone tells nothing. */
  #encoding: Encoding = UTF8;
  #decided = false;
  #damaged = false;
  /** The start of a character that a border cut. */
  #carried = new Uint8Array(0);
  /** For what isn't UTF-8: one that shows all, and one that fails where bytes have no meaning. */
  #decoders: { shown: Decoder; strict: Decoder } | undefined;

  /** `first` is the first piece, where a mark would be; it's still to be pushed. */
  constructor(first: Uint8Array) {
    const marked = markedEncoding(first);
    if (marked) this.#decide(marked);
  }

  get encoding(): Encoding {
    return this.#encoding;
  }

  /** Some bytes so far have no meaning in the encoding. */
  get damaged(): boolean {
    return this.#damaged;
  }

  /** The text of the next piece, without the file's mark. */
  push(bytes: Uint8Array): string {
    if (this.#decoders) return this.#decode(bytes);
    const piece = this.#carried.length === 0 ? bytes : concat([this.#carried, bytes]);
    const end = lastWholeCharacter(piece);
    this.#carried = piece.slice(end);
    return this.#utf8(piece.subarray(0, end), true);
  }

  /** What is left at the end: a replacement where the last character is incomplete. */
  end(): string {
    if (this.#decoders) return this.#decode();
    return this.#carried.length === 0 ? "" : this.#utf8(this.#carried, false);
  }

  #utf8(bytes: Uint8Array, more: boolean): string {
    const text = host.decode(bytes);
    if (text !== undefined) {
      // As many characters as bytes: ASCII, which any other encoding would read alike.
      if (!this.#decided && text.length !== bytes.length) this.#decide(UTF8);
      return this.#unmarked(text);
    }
    if (!this.#decided) this.#decide(unmarkedEncoding(bytes, more));
    this.#damaged ||= this.#encoding.name === "utf-8";
    if (!this.#decoders) return this.#unmarked(decodeAs("utf-8", bytes));
    const carried = this.#carried;
    return this.#decode(bytes) + (more ? this.#decode(carried) : this.#decode());
  }

  #decide(encoding: Encoding): void {
    this.#decided = true;
    this.#encoding = encoding;
    const { name, mark } = encoding;
    this.#toSkip = name === "utf-8" ? 0 : mark;
    if (name !== "utf-8") this.#decoders = { shown: decoderFor(name), strict: decoderFor(name, true) };
  }

  /** Bytes of another mark that are still to come. */
  #toSkip = 0;
  #started = false;

  #unmarked(text: string): string {
    if (this.#started || text === "") return text;
    this.#started = true;
    return this.#encoding.mark > 0 ? text.slice(1) : text;
  }

  #decode(bytes?: Uint8Array): string {
    const { shown, strict } = this.#decoders!;
    const body = bytes?.subarray(this.#toSkip);
    if (bytes) this.#toSkip -= bytes.length - body!.length;
    const stream = bytes !== undefined;
    try {
      if (!this.#damaged) strict.decode(body, { stream });
    } catch {
      this.#damaged = true;
    }
    return mended(this.#encoding.name, shown.decode(body, { stream }));
  }
}

type Decoder = ReturnType<typeof decoderFor>;

/** Bytes that look like this are shown to nobody. */
const SAMPLE = 8192;
/** Backspace, tab, line feed, form feed, carriage return, escape. */
const TEXT_CONTROLS: ReadonlySet<number> = new Set([8, 9, 10, 12, 13, 27]);

/**
 * Binary is told from the bytes, never from the name: a NUL in the first 8 KB or many control characters in the first
 * two. UTF-16 with its mark is text, and what is no UTF-8 may be text in another encoding.
 */
export function isBinary(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE);
  if (sample.includes(0)) return unitOf(detectEncoding(sample, true)) === 1;
  const length = Math.min(bytes.length, SAMPLE / 4);
  let odd = 0;
  for (let i = 0; i < length; i++) {
    const byte = bytes[i]!;
    if (byte < 32 && !TEXT_CONTROLS.has(byte)) odd++;
  }
  return odd > length / 10;
}

/** `text` with `end` for every LF; CR LF and lone CR are left as they are when `end` is LF. */
export function withEnds(text: string, end: "\n" | "\r\n"): string {
  return end === "\n" ? text : text.replace(/\r?\n/g, "\r\n");
}
