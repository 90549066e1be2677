/**
 * Finding thousands of texts in one go: a rolling hash (Rabin and Karp) over the bytes, once for each class of
 * lengths, and an exact look where the hash is one that is sought.
 */
import { matches } from "../../core/bytes.ts";

/** Shortest lengths of the classes; a text's hash is taken over as many bytes. */
const CLASSES = [32, 16, 8, 4, 2, 1] as const;
const BASE = 257;

interface Sought {
  id: number;
  /** Where in the text the hashed bytes begin. */
  offset: number;
}

/** The texts of one class of lengths, by the hash of some of their bytes. */
interface Group {
  length: number;
  /** Of the byte that leaves the hashed window, once the next one is in. */
  power: number;
  /** Which hashes are worth a look: a bit for each value of their upper bits, so many that few others pass. */
  filter: Uint32Array;
  shift: number;
  byHash: Map<number, Sought[]>;
}

export class ManyNeedles {
  readonly longest: number;
  readonly texts: readonly Uint8Array[];
  readonly #groups: Group[] = [];

  /** None of `texts` is empty. */
  constructor(texts: readonly Uint8Array[]) {
    this.texts = texts;
    this.longest = texts.reduce((most, { length }) => Math.max(most, length), 0);
    const left = new Set(texts.keys());
    for (const length of CLASSES) {
      const ids = [...left].filter((id) => texts[id]!.length >= length);
      if (ids.length > 0) this.#groups.push(groupOf(texts, ids, length));
      for (const id of ids) left.delete(id);
    }
  }

  /** Calls `found` for every place from `from` on, in the order of places for each text by itself. */
  search(hay: Uint8Array, from: number, found: (id: number, start: number) => void): void {
    for (const group of this.#groups) this.#searchGroup(group, hay, from, found);
  }

  #searchGroup(
    group: Group,
    hay: Uint8Array,
    from: number,
    found: (id: number, start: number) => void,
  ): void {
    const { length, power, filter, shift, byHash } = group;
    if (hay.length - from < length) return;
    let hash = hashOf(hay, from, length);
    for (let at = from;; at++) {
      if ((filter[hash >>> shift >>> 5]! >>> (hash >>> shift & 31) & 1) === 1) {
        const bucket = byHash.get(hash);
        if (bucket) {
          for (const { id, offset } of bucket) {
            const start = at - offset;
            if (start >= from && matches(hay, start, this.texts[id]!)) found(id, start);
          }
        }
      }
      if (at + length >= hay.length) return;
      hash = (Math.imul(hash, BASE) + (hay[at + length]! - Math.imul(hay[at]!, power))) | 0;
    }
  }
}

/** Texts often begin alike and end differently, or the other way round: the end that tells more of them apart is hashed. */
function groupOf(texts: readonly Uint8Array[], ids: readonly number[], length: number): Group {
  const starts = hashed(texts, ids, length, () => 0);
  const ends = hashed(texts, ids, length, (text) => text.length - length);
  const byHash = ends.size > starts.size ? ends : starts;
  const bits = Math.min(22, 7 + Math.ceil(Math.log2(byHash.size + 1)));
  const shift = 32 - bits;
  const filter = new Uint32Array(1 << bits - 5);
  for (const hash of byHash.keys()) filter[hash >>> shift >>> 5]! |= 1 << (hash >>> shift & 31);
  let power = 1;
  for (let count = 0; count < length; count++) power = Math.imul(power, BASE);
  return { length, power, filter, shift, byHash };
}

function hashed(
  texts: readonly Uint8Array[],
  ids: readonly number[],
  length: number,
  offsetOf: (text: Uint8Array) => number,
): Map<number, Sought[]> {
  const byHash = new Map<number, Sought[]>();
  for (const id of ids) {
    const offset = offsetOf(texts[id]!);
    const hash = hashOf(texts[id]!, offset, length);
    const bucket = byHash.get(hash);
    if (bucket) bucket.push({ id, offset });
    else byHash.set(hash, [{ id, offset }]);
  }
  return byHash;
}

/** Spread over all 32 bits only from the fourth byte on; shorter ones are few, and their filter is one bucket. */
function hashOf(bytes: Uint8Array, at: number, length: number): number {
  let hash = 0;
  for (let index = at; index < at + length; index++) hash = (Math.imul(hash, BASE) + bytes[index]!) | 0;
  return hash;
}
