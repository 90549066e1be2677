/**
 * One way of reading bytes for secrets: as they stand, without escape codes, or without line breaks too. What doesn't
 * count in it may stand anywhere inside a pattern.
 */
import { Gaps } from "./redact_gaps.ts";
import { matches } from "./bytes.ts";
import { type Across, four, type Patterns } from "./redact_patterns.ts";

/** A part that is secret: one form of one secret, or several that overlap. */
export interface Span {
  start: number;
  end: number;
  /** Of the secret that begins it. */
  name: string;
}

/** Raw bytes that may be held for each byte of the longest pattern: a code or two between each two characters. */
const MOST_HELD = 64;
const NONE = -1;

export class Reading {
  readonly #patterns: Patterns;
  #gaps = new Gaps();
  readonly #wraps: boolean;
  readonly #ahead: Uint8Array;
  #bytes: Uint8Array = new Uint8Array(0);
  #end = 0;
  /** Where the reading stands, and the first gap from there. */
  #at = 0;
  #gap = 0;

  /** `wraps`: line breaks don't count, and only patterns that may be broken into lines are looked for. */
  constructor(patterns: Patterns, wraps: boolean) {
    this.#patterns = patterns;
    this.#wraps = wraps;
    this.#ahead = new Uint8Array(patterns.longest);
  }

  /** `gaps`: what doesn't count in the first `end` bytes. */
  open(bytes: Uint8Array, end: number, gaps: Gaps): void {
    this.#bytes = bytes;
    this.#end = end;
    this.#gaps = gaps;
  }

  /** The first byte from where it stands that counts; it stands behind it then. */
  #next(): number {
    const gaps = this.#gaps;
    while (this.#at < this.#end) {
      if (this.#at === gaps.start(this.#gap)) this.#at = gaps.end(this.#gap++);
      else {
        const byte = this.#bytes[this.#at++]!;
        if (!this.#wraps || !isBreak(byte)) return byte;
      }
    }
    return NONE;
  }

  /** The last byte before where it stands that counts; it stands on it then. */
  #previous(): number {
    const gaps = this.#gaps;
    while (this.#at > 0) {
      if (this.#at === gaps.end(this.#gap - 1)) this.#at = gaps.start(--this.#gap);
      else {
        const byte = this.#bytes[--this.#at]!;
        if (!this.#wraps || !isBreak(byte)) return byte;
      }
    }
    return NONE;
  }

  /**
   * Adds the longest pattern that begins at `start` and ends behind `beyond`, and returns its end; `gap` is the first one
   * from there.
   */
  match(start: number, gap: number, beyond: number, spans: Span[]): number {
    this.#at = start;
    this.#gap = gap;
    const nextGap = this.#gaps.start(gap), clear = this.#wraps ? start : nextGap < 0 ? this.#end : nextGap;
    let gram = 0;
    if (start + 4 <= clear) {
      gram = four(this.#bytes, start);
      this.#at = start + 4;
    } else {
      for (let shift = 0; shift < 32; shift += 8) {
        const byte = this.#next();
        if (byte === NONE) return NONE;
        gram |= byte << shift;
      }
    }
    const patterns = this.#patterns.startingWith(gram);
    if (patterns === undefined) return NONE;
    const fifth = this.#at, fifthGap = this.#gap;
    for (const { bytes, name, wraps } of patterns) {
      if (this.#wraps && !wraps) continue;
      if (start + bytes.length <= clear) {
        if (!matches(this.#bytes, start, bytes)) continue;
        this.#at = start + bytes.length;
      } else {
        this.#at = fifth;
        this.#gap = fifthGap;
        let place = 4;
        while (place < bytes.length && this.#next() === bytes[place]) place++;
        if (place < bytes.length) continue;
      }
      if (this.#at <= beyond) continue;
      spans.push({ start, end: this.#at, name });
      return this.#at;
    }
    return NONE;
  }

  /**
   * Adds what stands across the break from `start` to `end`, and returns where it ends at last; `gap` is the first one from
   * `start`.
   */
  across(start: number, end: number, gap: number, tables: Across, spans: Span[]): number {
    this.#at = start;
    this.#gap = gap;
    const b = this.#previous();
    if (b === NONE) return NONE;
    const a = this.#previous();
    this.#at = start;
    this.#gap = gap;
    const c = this.#next();
    if (c === NONE) return NONE;
    const d = Math.max(this.#next(), 0);
    if (!tables.mayStandIn(Math.max(a, 0), b, c, d)) return NONE;
    let at = start, first = gap, second = c, third = d, found = NONE;
    for (let count = 1; count < this.#patterns.longest; count++) {
      this.#at = at;
      this.#gap = first;
      const byte = this.#previous();
      // What begins before has three bytes from here that stand together.
      if (byte === NONE || (count > 1 && !tables.mayBe(byte, second, third))) break;
      at = this.#at;
      first = this.#gap;
      if (tables.mayBegin(byte, second, third)) found = Math.max(found, this.match(at, first, end, spans));
      third = second;
      second = byte;
    }
    return found;
  }

  /**
   * Where the end of the bytes begins that may be the start of a secret; the end itself where there is none. `goesOn`
   * tells whether what stands before a line break may belong to what follows it.
   */
  heldFrom(goesOn: (lineBreak: number) => boolean): number {
    const { longest, begins, beginsWithTwo } = this.#patterns;
    const least = Math.max(0, this.#end - longest * MOST_HELD);
    const ahead = this.#ahead;
    let held = this.#end, second = 0;
    this.#at = this.#end;
    this.#gap = this.#gaps.count;
    for (let count = 1; count < longest; count++) {
      const before = this.#at;
      const byte = this.#previous();
      if (byte === NONE || this.#at < least) break;
      if (this.#wraps && before > this.#at + 1 && !this.#isJoined(this.#at + 1, before, goesOn)) break;
      // What follows a place is kept at the end, so that it grows towards the front.
      const from = ahead.length - count;
      ahead[from] = byte;
      const may = count === 1 ? begins[byte] : beginsWithTwo[byte | second << 8];
      if (may === 1 && this.#patterns.isBeginning(ahead, from, count, this.#wraps)) held = this.#at;
      second = byte;
    }
    return held;
  }

  #isJoined(from: number, to: number, goesOn: (lineBreak: number) => boolean): boolean {
    for (let at = from; at < to; at++) if (isBreak(this.#bytes[at]!)) return goesOn(at);
    return true;
  }
}

/** CR or LF. */
export function isBreak(byte: number): boolean {
  return byte === 0x0a || byte === 0x0d;
}
