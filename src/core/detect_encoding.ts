/**
 * Tells a file's encoding from its bytes. Only a mark is proof. Without one, what is valid UTF-8 is UTF-8; anything
 * else is a guess between UTF-8 with some bad bytes, GBK and Windows-1252, which is good enough because an edit copies
 * the bytes that it doesn't replace.
 */
import { decoderFor, lastWholeCharacter } from "./codec.ts";
import { type Encoding, type EncodingName, UTF8 } from "./encoding.ts";
import { host } from "./runtime.ts";

/** Tells the encoding of a whole file, or of its first bytes where `more` follow: a character cut at the end is fine. */
export function detectEncoding(bytes: Uint8Array, more = false): Encoding {
  const marked = markedEncoding(bytes);
  if (marked) return { ...marked, damaged: !more && isDamaged(bytes.subarray(marked.mark), marked.name) };
  return unmarkedEncoding(bytes, more);
}

/** The same for bytes that are not a file's first, where a mark is none. */
export function unmarkedEncoding(bytes: Uint8Array, more: boolean): Encoding {
  const sample = more ? bytes.subarray(0, lastWholeCharacter(bytes)) : bytes;
  if (host.isUtf8(sample)) return UTF8;
  return guess(sample, more);
}

/** The mark of UTF-32 begins like that of UTF-16; nobody writes such files, and they count as binary. */
export function markedEncoding(bytes: Uint8Array): Encoding | undefined {
  const [a, b, c, d] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return { name: "utf-8", mark: 3, damaged: false };
  if (a === 0xff && b === 0xfe && !(c === 0 && d === 0)) return { name: "utf-16le", mark: 2, damaged: false };
  if (a === 0xfe && b === 0xff) return { name: "utf-16be", mark: 2, damaged: false };
  return undefined;
}

function isDamaged(body: Uint8Array, name: EncodingName): boolean {
  if (name === "utf-8") return !host.isUtf8(body);
  try {
    decoderFor(name, true).decode(body);
    return false;
  } catch {
    return true;
  }
}

/** Bytes that are looked at for a guess. */
const SAMPLE = 1024 * 1024;

/** `more`: the bytes end anywhere, maybe within a character. */
function guess(bytes: Uint8Array, more: boolean): Encoding {
  // What is ASCII says nothing, however long it is.
  const start = Math.max(0, firstBeyondAscii(bytes));
  const sample = bytes.subarray(start, start + SAMPLE);
  const { good, bad } = utf8Sequences(sample);
  if (good > 0 && good >= bad) return { name: "utf-8", mark: 0, damaged: true };
  const gbk = gbkPairs(sample, bytes[start - 1] ?? 0);
  const cut = more || start + SAMPLE < bytes.length;
  if (gbk.pairs > 0 && 50 * gbk.bad <= gbk.pairs && (cut || !gbk.half) && gbk.common >= 0.8 * gbk.pairs) {
    return { name: "gbk", mark: 0, damaged: !more && isDamaged(bytes, "gbk") };
  }
  return { name: "windows-1252", mark: 0, damaged: false };
}

/** Where the first byte stands that isn't ASCII; -1 where all are. */
function firstBeyondAscii(bytes: Uint8Array): number {
  for (let at = 0; at < bytes.length; at++) if (bytes[at]! >= 0x80) return at;
  return -1;
}

/** How many characters beyond ASCII are proper UTF-8, and how many bytes are no part of one. */
function utf8Sequences(bytes: Uint8Array): { good: number; bad: number } {
  let good = 0, bad = 0;
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at]!;
    const length = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 0;
    if (length === 1) {
      at++;
    } else if (length > 0 && at + length <= bytes.length && host.isUtf8(bytes.subarray(at, at + length))) {
      good++;
      at += length;
    } else {
      bad++;
      at++;
    }
  }
  return { good, bad };
}

/**
 * Pairs as GBK has them; `half` of one may stand at the end. `common` ones are the signs and the first 3,755
 * characters of GB 2312, where nearly all of a Chinese text lies. The small letters of Western languages, two in a row,
 * would be rarer ones, and the capitals stand within words.
 */
function gbkPairs(
  bytes: Uint8Array,
  before: number,
): { pairs: number; common: number; bad: number; half: boolean } {
  let pairs = 0, common = 0, bad = 0;
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at]!;
    if (lead < 0x80) continue;
    const trail = bytes[at + 1];
    if (trail === undefined) return { pairs, common, bad, half: true };
    if (lead === 0x80 || lead === 0xff || trail < 0x40 || trail === 0x7f || trail === 0xff) {
      bad++;
      continue;
    }
    pairs++;
    const known = (lead >= 0xa1 && lead <= 0xa9 || lead >= 0xb0 && lead <= 0xd7) && trail >= 0xa1;
    const inWord = isLetter(bytes[at - 1] ?? before) && isLetter(bytes[at + 2]);
    if (known && !inWord) common++;
    at++;
  }
  return { pairs, common, bad, half: false };
}

function isLetter(byte: number | undefined): boolean {
  return byte !== undefined && (byte >= 0x41 && byte <= 0x5a || byte >= 0x61 && byte <= 0x7a);
}
