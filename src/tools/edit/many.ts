/**
 * Finding thousands of texts in one go: a rolling hash (Rabin and Karp) over the bytes, once for each class of
 * lengths, and an exact look where the hash is one that is sought.
 */
import { matches } from "../../core/bytes.ts";

/** Shortest lengths of the classes; a text's hash is taken over as many bytes. */
const CLASSES = [32, 16, 8, 4, 2, 1] as const;
const BASE = 257;
/** Spreads hashes of texts that differ in their last characters alone. */
const MIX = 0x9e3779b1;
/** Places in the table for each text: most hashes that nobody seeks then find an empty one. */
const SPREAD = 16;

/** Bytes that are compared for each byte of the text, and before they count at all. */
const WORK = 8;
const MOST_FREE = 1_000_000;

/**
 * The texts of one class of lengths in a hash table: `heads` holds, by the upper bits of a mixed hash, one more than the
 * index of the first entry, `next` the same for the one after an entry.
 */
interface Group {
  length: number;
  /** Of the byte that leaves the hashed window, once the next one is in. */
  power: number;
  shift: number;
  heads: Int32Array;
  next: Int32Array;
  hashes: Int32Array;
  ids: readonly number[];
  /** Where in its text the hashed bytes begin. */
  offsets: Int32Array;
}

export class ManyNeedles {
  readonly longest: number;
  readonly texts: readonly Uint8Array[];
  readonly #groups: Group[] = [];

  /** None of `texts` is empty. */
  constructor(texts: readonly Uint8Array[]) {
    this.texts = texts;
    this.longest = texts.reduce((most, { length }) => Math.max(most, length), 0);
    let left = [...texts.keys()];
    for (const length of CLASSES) {
      const ids = left.filter((id) => texts[id]!.length >= length);
      if (ids.length === 0) continue;
      this.#groups.push(groupOf(texts, ids, length));
      left = left.filter((id) => texts[id]!.length < length);
    }
  }

  /**
   * Calls `found` for every place from `from` on, in the order of places for each text by itself. False where the texts
   * are so alike that looking for each by itself is better: then it has stopped somewhere.
   */
  search(hay: Uint8Array, from: number, found: (id: number, start: number) => void): boolean {
    return this.#groups.every((group) =>
      hay.length - from < group.length || this.#searchGroup(group, hay, from, found)
    );
  }

  #searchGroup(
    { length, power, shift, heads, next, hashes, ids, offsets }: Group,
    hay: Uint8Array,
    from: number,
    found: (id: number, start: number) => void,
  ): boolean {
    let work = 0;
    const last = hay.length - length;
    let hash = hashOf(hay, from, length);
    for (let at = from;; at++) {
      for (let entry = heads[Math.imul(hash, MIX) >>> shift]!; entry !== 0; entry = next[entry - 1]!) {
        if (hashes[entry - 1] !== hash) continue;
        const id = ids[entry - 1]!, start = at - offsets[entry - 1]!;
        work += this.texts[id]!.length;
        if (work > WORK * hay.length + MOST_FREE) return false;
        if (start >= from && matches(hay, start, this.texts[id]!)) found(id, start);
      }
      if (at >= last) return true;
      hash = (Math.imul(hash, BASE) + (hay[at + length]! - Math.imul(hay[at]!, power))) | 0;
    }
  }
}

/** Texts often begin alike and end differently, or the other way round: the end that tells more of them apart is hashed. */
function groupOf(texts: readonly Uint8Array[], ids: readonly number[], length: number): Group {
  const starts = new Int32Array(ids.length);
  const ends = Int32Array.from(ids, (id) => texts[id]!.length - length);
  const hashed = (offsets: Int32Array) =>
    Int32Array.from(ids, (id, index) => hashOf(texts[id]!, offsets[index]!, length));
  const atStart = hashed(starts), atEnd = hashed(ends);
  const useEnds = new Set(atEnd).size > new Set(atStart).size;
  const [hashes, offsets] = useEnds ? [atEnd, ends] : [atStart, starts];
  const bits = Math.min(22, Math.ceil(Math.log2(ids.length * SPREAD)));
  const heads = new Int32Array(1 << bits), next = new Int32Array(ids.length);
  const shift = 32 - bits;
  for (const [index, hash] of hashes.entries()) {
    const place = Math.imul(hash, MIX) >>> shift;
    next[index] = heads[place]!;
    heads[place] = index + 1;
  }
  let power = 1;
  for (let count = 0; count < length; count++) power = Math.imul(power, BASE);
  return { length, power, shift, heads, next, hashes, ids, offsets };
}

function hashOf(bytes: Uint8Array, at: number, length: number): number {
  let hash = 0;
  for (let index = at; index < at + length; index++) hash = (Math.imul(hash, BASE) + bytes[index]!) | 0;
  return hash;
}
