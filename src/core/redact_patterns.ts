/**
 * All forms of all secrets as byte patterns, with the tables by which a pass goes over what can't be one.
 *
 * Four bytes are looked at together, at each fourth place: whatever is seven bytes long holds such a gram at its offset
 * 0 to 3, and six bytes hold three of one. Where an escape code or a line break stands inside a pattern, the three bytes
 * across it are some of the pattern's own.
 */
import { formsOf } from "./redact_forms.ts";
import type { Secret } from "./secrets.ts";

export interface Pattern {
  bytes: Uint8Array;
  name: string;
  /** Line breaks inside it don't count. */
  wraps: boolean;
}

/** Slots of the tables of grams. */
export const GRAM_SLOTS = 1 << 16;
const GRAM_FACTOR = 0x9e3779b1 | 0;
const CHECK_FACTOR = 0xc2b2ae35 | 0;
const TRIGRAM_FACTOR = 0x85ebca6b | 0;
/** Slots of a trigram table for each trigram in it, so that few others hit. */
const SPARSE = 16;
const LEAST_TRIGRAM_BITS = 12, MOST_TRIGRAM_BITS = 20;
/** What is known of a trigram: it stands inside a pattern, at its start, at its end. */
const INSIDE = 1, FIRST = 2, LAST = 4;

/** The place of a gram in the table. */
export function gramSlot(gram: number): number {
  return Math.imul(gram, GRAM_FACTOR) >>> 16;
}

/** And in the table of checks. */
export function checkSlot(gram: number): number {
  return Math.imul(gram, CHECK_FACTOR) >>> 16;
}

/**
 * Tells whether something may stand inside a pattern by two bytes before and two behind it. May say so of a few more
 * than do.
 */
export class Across {
  /** By hash: `INSIDE`, `FIRST` and `LAST` of three bytes; behind that, by byte, whether it stands in a pattern. */
  readonly table: Uint8Array;
  /** Bits of a hash that aren't its place. */
  readonly shift: number;

  constructor(patterns: readonly Pattern[]) {
    const trigrams = patterns.reduce((sum, { bytes }) => sum + bytes.length, 1);
    const bits = Math.ceil(Math.log2(trigrams * SPARSE));
    const used = Math.min(MOST_TRIGRAM_BITS, Math.max(LEAST_TRIGRAM_BITS, bits));
    this.table = new Uint8Array((1 << used) + 256);
    this.shift = 32 - used;
    for (const { bytes } of patterns) {
      for (const byte of bytes) this.table[(1 << used) + byte] = 1;
      for (let at = 0; at + 2 < bytes.length; at++) {
        const known = INSIDE | (at === 0 ? FIRST : 0) | (at + 3 === bytes.length ? LAST : 0);
        this.table[this.#slot(bytes[at]!, bytes[at + 1]!, bytes[at + 2]!)]! |= known;
      }
    }
  }

  #slot(a: number, b: number, c: number): number {
    return Math.imul(a << 16 | b << 8 | c, TRIGRAM_FACTOR) >>> this.shift;
  }

  /** May these stand together in a pattern, and at its start? */
  mayBe(a: number, b: number, c: number): boolean {
    return (this.table[this.#slot(a, b, c)]! & INSIDE) !== 0;
  }

  mayBegin(a: number, b: number, c: number): boolean {
    return (this.table[this.#slot(a, b, c)]! & FIRST) !== 0;
  }

  /** Behind the first byte of a pattern, before the last, or between two and two. A byte that isn't there is 0. */
  mayStandIn(a: number, b: number, c: number, d: number): boolean {
    const left = this.table[this.#slot(a, b, c)]!, right = this.table[this.#slot(b, c, d)]!;
    return (left & INSIDE) === 0 ? (right & FIRST) !== 0 : (left & LAST | right & INSIDE) !== 0;
  }
}

export class Patterns {
  /** By their first four bytes; longest first, so that of two that begin in one place the longer is found. */
  readonly #byStart = new Map<number, Pattern[]>();
  /** Beginnings of one to three bytes, with their length in the top byte; of those that wrap by themselves too. */
  readonly #shortStarts = new Set<number>();
  readonly #wrappedStarts = new Set<number>();
  readonly #all: Pattern[] = [];
  #acrossCodes: Across | undefined;
  #acrossLines: Across | undefined;

  /** A pattern's byte length at most. */
  readonly longest: number;
  /** By `gramSlot`: is a gram some pattern's? Others may share a slot; `checks` tells by another hash. */
  readonly grams = new Uint8Array(GRAM_SLOTS);
  readonly checks = new Uint8Array(GRAM_SLOTS);
  /** At which offsets of patterns a gram stands, a bit each. */
  readonly #offsets = new Map<number, number>();
  /** The same as `grams` for three bytes, in the upper part of a gram; `undefined` where no pattern is that short. */
  readonly shortGrams: Uint8Array | undefined;
  /** Can a byte begin a pattern, or two of them, the first one lowest? */
  readonly begins = new Uint8Array(256);
  readonly beginsWithTwo = new Uint8Array(1 << 16);

  constructor(secrets: readonly Secret[]) {
    const names = new Map<string, { name: string; wraps: boolean }>();
    for (const { name, value } of secrets) {
      for (const { text, wraps } of formsOf(value)) {
        const known = names.get(text);
        if (known) known.wraps ||= wraps;
        else names.set(text, { name, wraps });
      }
    }
    const encoder = new TextEncoder();
    for (const [text, { name, wraps }] of names) this.#all.push({ bytes: encoder.encode(text), name, wraps });
    this.#all.sort((a, b) => b.bytes.length - a.bytes.length);
    this.longest = this.#all[0]?.bytes.length ?? 0;
    this.shortGrams = (this.#all.at(-1)?.bytes.length ?? 7) < 7 ? new Uint8Array(GRAM_SLOTS) : undefined;
    for (const pattern of this.#all) this.#enter(pattern);
  }

  #enter(pattern: Pattern): void {
    const { bytes } = pattern;
    const start = four(bytes, 0);
    const same = this.#byStart.get(start);
    if (same) same.push(pattern);
    else this.#byStart.set(start, [pattern]);
    for (let length = 1; length < 4; length++) {
      this.#shortStarts.add(startKey(bytes, 0, length));
      if (pattern.wraps) this.#wrappedStarts.add(startKey(bytes, 0, length));
    }
    this.begins[bytes[0]!] = 1;
    this.beginsWithTwo[bytes[0]! | bytes[1]! << 8] = 1;
    for (let offset = 0; offset < 4 && offset + 4 <= bytes.length; offset++) {
      const gram = four(bytes, offset);
      this.#offsets.set(gram, this.offsetsOf(gram) | 1 << offset);
      this.grams[gramSlot(gram)] = 1;
      this.checks[checkSlot(gram)] = 1;
    }
    if (bytes.length < 7) this.shortGrams![gramSlot(four(bytes, 0) << 8)] = 1;
  }

  /** The offsets 0 to 3 of patterns where these four bytes stand, a bit each. */
  offsetsOf(gram: number): number {
    return this.#offsets.get(gram) ?? 0;
  }

  /** Those that begin with these four bytes, longest first. */
  startingWith(gram: number): readonly Pattern[] | undefined {
    return this.#byStart.get(gram);
  }

  /** Do `length` bytes from `from`, which are fewer than any pattern's, begin one? `wraps`: one that may be broken into lines. */
  isBeginning(bytes: Uint8Array, from: number, length: number, wraps: boolean): boolean {
    if (length < 4) {
      return (wraps ? this.#wrappedStarts : this.#shortStarts).has(startKey(bytes, from, length));
    }
    return this.#byStart.get(four(bytes, from))?.some((pattern) =>
      pattern.bytes.length > length && (!wraps || pattern.wraps) &&
      startsWith(pattern.bytes, bytes, from, length)
    ) ?? false;
  }

  /** What may stand across an escape code. Made when the first one is met. */
  get acrossCodes(): Across {
    return this.#acrossCodes ??= new Across(this.#all);
  }

  /** What may stand across a line break. */
  get acrossLines(): Across {
    return this.#acrossLines ??= new Across(this.#all.filter(({ wraps }) => wraps));
  }
}

/** Four bytes as a number, the first one lowest: as an `Int32Array` reads them here. */
export function four(bytes: Uint8Array, at: number): number {
  return bytes[at]! | bytes[at + 1]! << 8 | bytes[at + 2]! << 16 | bytes[at + 3]! << 24;
}

function startKey(bytes: Uint8Array, from: number, length: number): number {
  let key = length;
  for (let at = from; at < from + length; at++) key = key << 8 | bytes[at]!;
  return key;
}

function startsWith(pattern: Uint8Array, bytes: Uint8Array, from: number, length: number): boolean {
  for (let at = 4; at < length; at++) if (pattern[at] !== bytes[from + at]) return false;
  return true;
}
