/**
 * All forms of all secrets as byte patterns, with the tables by which a scan passes over what can't be one.
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

const GRAM_BITS = 16;
const GRAM_FACTOR = 0x9e3779b1 | 0;
const TRIGRAM_FACTOR = 0x85ebca6b | 0;
/** Bits of a trigram table for each trigram in it, so that few others hit; of those that are asked by themselves. */
const SPARSE = 32;
const SPARSER = 512;
const MOST_TRIGRAM_BITS = 22;

/** The place of a gram in the table. */
export function gramSlot(gram: number): number {
  return Math.imul(gram, GRAM_FACTOR) >>> (32 - GRAM_BITS);
}

/** A set of three-byte sequences that may hold a few more than were put in. */
class Trigrams {
  readonly #bits: Int32Array;
  readonly #shift: number;

  constructor(bits: number) {
    const log = Math.min(MOST_TRIGRAM_BITS, Math.max(12, Math.ceil(Math.log2(bits))));
    this.#bits = new Int32Array(1 << (log - 5));
    this.#shift = 32 - log;
  }

  add(bytes: Uint8Array, at: number): void {
    const slot = this.#slot(bytes[at]!, bytes[at + 1]!, bytes[at + 2]!);
    this.#bits[slot >>> 5]! |= 1 << (slot & 31);
  }

  has(a: number, b: number, c: number): boolean {
    const slot = this.#slot(a, b, c);
    return (this.#bits[slot >>> 5]! >>> (slot & 31) & 1) === 1;
  }

  #slot(a: number, b: number, c: number): number {
    return Math.imul(a << 16 | b << 8 | c, TRIGRAM_FACTOR) >>> this.#shift;
  }
}

/** Tells whether something may stand inside a pattern by two bytes before and two behind it. */
export class Across {
  readonly #inner: Trigrams;
  readonly #first: Trigrams;
  readonly #last: Trigrams;

  constructor(patterns: readonly Pattern[]) {
    this.#inner = new Trigrams(patterns.reduce((sum, { bytes }) => sum + bytes.length, 1) * SPARSE);
    this.#first = new Trigrams((patterns.length + 1) * SPARSER);
    this.#last = new Trigrams((patterns.length + 1) * SPARSER);
    for (const { bytes } of patterns) {
      for (let at = 0; at + 2 < bytes.length; at++) this.#inner.add(bytes, at);
      this.#first.add(bytes, 0);
      this.#last.add(bytes, bytes.length - 3);
    }
  }

  /** May these stand together in a pattern, and at its start? */
  mayBe(a: number, b: number, c: number): boolean {
    return this.#inner.has(a, b, c);
  }

  mayBegin(a: number, b: number, c: number): boolean {
    return this.#first.has(a, b, c);
  }

  /** Behind the first byte of a pattern, before the last, or between two and two. A byte that isn't there is 0. */
  mayStandIn(a: number, b: number, c: number, d: number): boolean {
    return this.#inner.has(a, b, c)
      ? this.#inner.has(b, c, d) || this.#last.has(a, b, c)
      : this.#first.has(b, c, d);
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
  /** By `gramSlot`: is a gram some pattern's? Others may share a slot, so `hasGram` is asked where one hits. */
  readonly grams = new Uint8Array(1 << GRAM_BITS);
  readonly #grams = new Set<number>();
  /** The same for three bytes, in the upper part of a gram; `undefined` where no pattern is that short. */
  readonly shortGrams: Uint8Array | undefined;
  /** Can a byte begin a pattern? */
  readonly begins = new Uint8Array(256);

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
    this.shortGrams = (this.#all.at(-1)?.bytes.length ?? 7) < 7 ? new Uint8Array(1 << GRAM_BITS) : undefined;
    for (const pattern of this.#all) this.#enter(pattern);
  }

  #enter(pattern: Pattern): void {
    const { bytes } = pattern;
    const start = four(bytes, 0);
    const same = this.#byStart.get(start);
    if (same) same.push(pattern);
    else this.#byStart.set(start, [pattern]);
    for (let length = 1; length < 4; length++) {
      this.#shortStarts.add(startKey(bytes, length));
      if (pattern.wraps) this.#wrappedStarts.add(startKey(bytes, length));
    }
    this.begins[bytes[0]!] = 1;
    for (let offset = 0; offset < 4 && offset + 4 <= bytes.length; offset++) {
      const gram = four(bytes, offset);
      this.#grams.add(gram);
      this.grams[gramSlot(gram)] = 1;
    }
    if (bytes.length < 7) this.shortGrams![gramSlot(four(bytes, 0) << 8)] = 1;
  }

  hasGram(gram: number): boolean {
    return this.#grams.has(gram);
  }

  /** Those that begin with these four bytes, longest first. */
  startingWith(gram: number): readonly Pattern[] | undefined {
    return this.#byStart.get(gram);
  }

  /** Do these bytes, which are fewer than any pattern's, begin one? `wraps`: one that may be broken into lines. */
  isBeginning(bytes: Uint8Array, length: number, wraps: boolean): boolean {
    if (length < 4) return (wraps ? this.#wrappedStarts : this.#shortStarts).has(startKey(bytes, length));
    return this.#byStart.get(four(bytes, 0))?.some((pattern) =>
      pattern.bytes.length > length && (!wraps || pattern.wraps) && startsWith(pattern.bytes, bytes, length)
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
function four(bytes: Uint8Array, at: number): number {
  return bytes[at]! | bytes[at + 1]! << 8 | bytes[at + 2]! << 16 | bytes[at + 3]! << 24;
}

function startKey(bytes: Uint8Array, length: number): number {
  let key = length;
  for (let at = 0; at < length; at++) key = key << 8 | bytes[at]!;
  return key;
}

function startsWith(pattern: Uint8Array, bytes: Uint8Array, length: number): boolean {
  for (let at = 4; at < length; at++) if (pattern[at] !== bytes[at]) return false;
  return true;
}
