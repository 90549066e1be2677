/** Finds secrets in bytes: one fast pass that notes what may be one, then a close look there. */
import { codeEnd, colourEnd, LONGEST_COLOUR, UNFINISHED } from "./redact_escapes.ts";
import { Gaps } from "./redact_gaps.ts";
import { type Across, gramSlot, type Patterns } from "./redact_patterns.ts";
import { isBreak, Reading, type Span } from "./redact_reading.ts";

/**
 * Encoded text that is broken into lines has at least so many letters before a break. Behind shorter lines nothing is
 * held back, or the end of every line would wait for the next one.
 */
const SHORTEST_LINE = 32;

/** One scan at a time; made once, since its lists are used again. */
export class Scanner {
  readonly #patterns: Patterns;
  readonly #codes = new Gaps();
  /** Line breaks, neighbours as one. */
  readonly #lines = new Gaps();
  readonly #asItStands: Reading;
  readonly #withoutCodes: Reading;
  readonly #withoutLines: Reading;
  #bytes = new Uint8Array(0);
  #words = new Int32Array(0);
  #end = 0;
  #spans: Span[] = [];
  /** Nothing but ASCII text, line ends and colours came by. */
  #plain = true;
  /** Carriage returns of line ends. */
  #returns = 0;
  /** Where a colour begins that isn't all there. */
  #unfinished = -1;

  constructor(patterns: Patterns) {
    this.#patterns = patterns;
    this.#asItStands = new Reading(patterns, new Gaps(), false);
    this.#withoutCodes = new Reading(patterns, this.#codes, false);
    this.#withoutLines = new Reading(patterns, this.#codes, true);
  }

  /**
   * The secret parts of the first `end` bytes, in order. `bytes` is the whole of its memory, a number of grams, and has
   * four bytes to spare.
   */
  scan(bytes: Uint8Array<ArrayBuffer>, end: number): Span[] {
    if (this.#bytes !== bytes) this.#words = new Int32Array(bytes.buffer);
    this.#bytes = bytes;
    this.#end = end;
    this.#spans = [];
    this.#codes.count = this.#lines.count = this.#returns = 0;
    this.#plain = true;
    this.#unfinished = -1;
    for (const reading of [this.#asItStands, this.#withoutCodes, this.#withoutLines]) {
      reading.open(bytes, end);
    }
    this.#pass();
    if (this.#codes.count > 0) this.#acrossCodes();
    if (this.#lines.count > 0) this.#acrossLines();
    return this.#spans.length < 2 ? this.#spans : merged(this.#spans);
  }

  /** Looks at four bytes at a time: at grams, and at what is no plain text. */
  #pass(): void {
    const bytes = this.#bytes,
      end = this.#end,
      count = (end + 3) >> 2,
      words = this.#words,
      lines = this.#lines;
    // The bytes behind the end are no text.
    for (let at = end; at < count * 4; at++) bytes[at] = 0x20;
    const { grams, shortGrams } = this.#patterns;
    let noted = 0;
    for (let index = 0; index < count; index++) {
      const word = words[index]!;
      if (grams[gramSlot(word)] === 1 && this.#patterns.hasGram(word)) {
        this.#startsAround(index * 4 - 3, index * 4);
      }
      if (shortGrams !== undefined && shortGrams[gramSlot(word & ~0xff)] === 1) {
        this.#startsAround(index * 4 + 1, index * 4 + 1);
      }
      // A byte below 0x20 or above 0x7f.
      if (((word - 0x20202020 | word) & 0x80808080) === 0) continue;
      const to = index * 4 + 4;
      for (let at = noted > index * 4 ? noted : index * 4; at < to; at++) {
        const byte = bytes[at]!;
        if (byte >= 0x20 && byte < 0x80) continue;
        if (byte === 0x0a) lines.add(at, at + 1);
        else if (byte === 0x0d) {
          lines.add(at, at + 1);
          if (bytes[at + 1] === 0x0a) this.#returns++;
          else this.#plain = false;
        } else if (byte === 0x1b || byte === 0xc2) at = (noted = this.#noteCode(at)) - 1;
        else if (byte >= 0x80 || byte === 0x07 || byte === 0x08) this.#plain = false;
      }
    }
  }

  /** Notes the code that begins at `at`, if one does; returns where to look on. */
  #noteCode(at: number): number {
    let end = colourEnd(this.#bytes, at, this.#end);
    if (end < 0) {
      end = codeEnd(this.#bytes, at, this.#end);
      if (end === UNFINISHED && this.#end - at < LONGEST_COLOUR) this.#unfinished = at;
      else this.#plain = false;
    }
    if (end === at) return at + 1;
    if (end === UNFINISHED) end = this.#end;
    this.#codes.add(at, end);
    return end;
  }

  /** Patterns that begin at one of these places and stand there as they are. */
  #startsAround(from: number, to: number): void {
    for (let start = Math.max(from, 0); start <= to; start++) {
      this.#asItStands.match(start, 0, 0, this.#spans);
    }
  }

  #acrossCodes(): void {
    const codes = this.#codes, tables = this.#patterns.acrossCodes;
    let found = 0;
    for (let index = 0; index < codes.count; index++) {
      const start = codes.starts[index]!, end = codes.ends[index]!;
      // Of the codes in a secret that was found, the last one tells whether another goes on from there.
      if (end < found && codes.start(index + 1) > 0 && codes.start(index + 1) < found) continue;
      if (this.#mayStandAt(start, end, index, index + 1, tables)) {
        found = Math.max(found, this.#withoutCodes.across(start, end, index, tables, this.#spans));
      }
    }
  }

  #acrossLines(): void {
    const bytes = this.#bytes, codes = this.#codes, lines = this.#lines, tables = this.#patterns.acrossLines;
    let code = 0;
    for (let index = 0; index < lines.count; index++) {
      const start = lines.starts[index]!, end = lines.ends[index]!;
      while (code < codes.count && codes.starts[code]! < start) code++;
      const near = (start > 1 && isBreak(bytes[start - 2]!)) || isBreak(bytes[end + 1]!);
      if (near || this.#mayStandAt(start, end, code, code, tables)) {
        this.#withoutLines.across(start, end, code, tables, this.#spans);
      }
    }
  }

  /** A quick look at the neighbours; `before` and `after`: the codes that begin from `start` on, and from `end` on. */
  #mayStandAt(start: number, end: number, before: number, after: number, tables: Across): boolean {
    const { starts, ends, count } = this.#codes, bytes = this.#bytes;
    const from = before > 0 ? ends[before - 1]! : 0, to = after < count ? starts[after]! : this.#end;
    if (start - 2 < from || end + 1 >= to) return true;
    return tables.mayStandIn(bytes[start - 2]!, bytes[start - 1]!, bytes[end]!, bytes[end + 1]!);
  }

  /**
   * Where the end of the bytes begins that may be the start of a secret, in any way of reading; after `scan`. `letters`:
   * how many letters of an encoding came just before these bytes, as `lettersBefore` tells. A colour that isn't all there
   * waits too: it can't be seen.
   */
  heldFrom(letters: number): number {
    const goesOn = (lineBreak: number) => this.lettersBefore(lineBreak, letters) >= SHORTEST_LINE;
    let from = this.#asItStands.heldFrom(goesOn);
    if (this.#unfinished >= 0) from = Math.min(from, this.#unfinished);
    if (this.#codes.count > 0) from = Math.min(from, this.#withoutCodes.heldFrom(goesOn));
    if (this.#lines.count > 0) from = Math.min(from, this.#withoutLines.heldFrom(goesOn));
    return from;
  }

  /**
   * How many of the bytes before `end` a terminal wouldn't show, secrets left out; -1 where there is more than ASCII text,
   * line ends and colours. `spans` are those that `scan` found.
   */
  unseenBefore(end: number, spans: readonly Span[]): number {
    const whole = spans.length === 0 && end === this.#end;
    if (!this.#plain || (this.#returns > 0 && !whole)) return -1;
    const { starts, ends, count } = this.#codes;
    let unseen = this.#returns;
    for (let index = 0, next = 0; index < count && ends[index]! <= end; index++) {
      while (next < spans.length && spans[next]!.end <= starts[index]!) next++;
      if (next === spans.length || starts[index]! < spans[next]!.start) {
        unseen += ends[index]! - starts[index]!;
      }
    }
    return unseen;
  }

  /** Letters of base64 or hex just before a place, as far as they matter; `before`: those before the bytes. */
  lettersBefore(place: number, before: number): number {
    let at = place;
    while (at > 0 && place - at < SHORTEST_LINE && isLetter(this.#bytes[at - 1]!)) at--;
    return at === 0 ? Math.min(SHORTEST_LINE, place + before) : place - at;
  }
}

function isLetter(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x2b || byte === 0x2f || byte === 0x2d || byte === 0x5f;
}

/** In order, those that overlap as one. */
function merged(spans: Span[]): Span[] {
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  const result: Span[] = [];
  for (const span of spans) {
    const last = result.at(-1);
    if (last && span.start < last.end) last.end = Math.max(last.end, span.end);
    else result.push(span);
  }
  return result;
}
