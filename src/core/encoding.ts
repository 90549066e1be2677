/**
 * The encodings that a text file may have, and how one is told from the bytes.
 *
 * Decoding is the platform's (`TextDecoder`), but for what Node 20 gets wrong (`mended`); encoding is the inverse of what
 * is decoded, so that a character always gets the bytes that would be read as this character. The runtimes' tables
 * of GBK differ in some 300 rare pairs, most of them for private use.
 *
 * Only a mark is proof. Without one, what is valid UTF-8 is UTF-8; anything else is a guess between UTF-8 with some
 * bad bytes, GBK and Windows-1252, which is good enough because an edit copies the bytes that it doesn't replace.
 */
import { host } from "./runtime.ts";

export type EncodingName = "utf-8" | "utf-16le" | "utf-16be" | "gbk" | "windows-1252";

/** What is known of a file's encoding. */
export interface Encoding {
  name: EncodingName;
  /** Bytes of the byte-order mark: 0, 2 or 3. */
  mark: number;
  /** Some bytes mean nothing in this encoding; they read as U+FFFD. */
  damaged: boolean;
}

export const UTF8: Encoding = Object.freeze({ name: "utf-8", mark: 0, damaged: false });

/** Bytes of one code unit: what a match starts and ends on. */
export function unitOf({ name }: Encoding): 1 | 2 {
  return name === "utf-16le" || name === "utf-16be" ? 2 : 1;
}

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

/** Where a UTF-8 character that the end may have cut in two begins. */
export function lastWholeCharacter(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

const LF = 10;
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

/** Text from bytes without a mark; what has no meaning reads as U+FFFD. */
export function decodeAs(name: EncodingName, bytes: Uint8Array): string {
  const plain = name === "utf-8" ? host.decode(bytes) : undefined;
  return plain ?? mended(name, decoderFor(name).decode(bytes));
}

/** A decoder that leaves a mark in its text. Node 20 takes the `ÿ` at the start of Windows-1252 for one. */
export function decoderFor(name: EncodingName, fatal = false): InstanceType<typeof TextDecoder> {
  return new TextDecoder(name, { fatal, ignoreBOM: name.startsWith("utf") });
}

/** What Windows-1252 has at 0x80 to 0x9F; where it has nothing, a control character stands for the byte. */
const SIGNS = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

/** Text as a `TextDecoder` gave it, as it should be: that of Node 20 reads Windows-1252 as Latin-1, and GBK without a euro. */
export function mended(name: EncodingName, text: string): string {
  if (name === "gbk") return text.replaceAll("\uE76C", "€");
  return name === "windows-1252"
    ? text.replace(/[\x80-\x9f]/g, (sign) => SIGNS[sign.charCodeAt(0) - 0x80]!)
    : text;
}

/** The bytes of a text, or the first character that the encoding doesn't have. A lone surrogate has no bytes. */
export type Encoder = (text: string) => Uint8Array | { missing: string };

/** An encoder to be kept: it makes the table that it needs once, at the first character beyond ASCII. */
export function encoderFor(name: EncodingName): Encoder {
  if (name === "gbk" || name === "windows-1252") return tableEncoder(name);
  return (text) => {
    if (!text.isWellFormed()) return { missing: loneSurrogate(text) };
    return name === "utf-8" ? new TextEncoder().encode(text) : utf16(text, name === "utf-16le");
  };
}

function loneSurrogate(text: string): string {
  return [...text].find((character) => !character.isWellFormed())!;
}

function utf16(text: string, little: boolean): Uint8Array {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < text.length; at++) view.setUint16(at * 2, text.charCodeAt(at), little);
  return bytes;
}

function tableEncoder(name: "gbk" | "windows-1252"): Encoder {
  let table: Table | undefined;
  return (text) => {
    const bytes: number[] = [];
    for (const character of text) {
      const code = character.codePointAt(0)!;
      if (code < 0x80) {
        bytes.push(code);
        continue;
      }
      table ??= inverse(name);
      const known = code < 0x10000 ? table.plain[code]! : table.rare.get(code) ?? 0;
      if (known === 0) return { missing: character };
      if (known > 0xff) bytes.push(known >> 8);
      bytes.push(known & 0xff);
    }
    return Uint8Array.from(bytes);
  };
}

/** A character's byte, or its two as one number, by its code; 0 where it has none. `rare`: those beyond 16 bits. */
interface Table {
  plain: Uint16Array;
  rare: Map<number, number>;
}

/** From decoding every sequence that there can be: all at once, each on a line of its own. */
function inverse(name: "gbk" | "windows-1252"): Table {
  const sequences: number[] = [];
  for (let lead = 0x80; lead <= 0xff; lead++) {
    if (name === "windows-1252") sequences.push(lead);
    else if (lead > 0x80 && lead < 0xff) {
      for (let trail = 0x40; trail <= 0xfe; trail++) if (trail !== 0x7f) sequences.push(lead << 8 | trail);
    }
  }
  const bytes = sequences.flatMap((one) => one > 0xff ? [one >> 8, one & 0xff, LF] : [one, LF]);
  const text = decodeAs(name, Uint8Array.from(bytes));
  const table: Table = { plain: new Uint16Array(0x10000), rare: new Map() };
  let at = 0;
  for (const sequence of sequences) {
    const code = text.codePointAt(at)!;
    const length = code < 0x10000 ? 1 : 2;
    const end = text.indexOf("\n", at);
    if (end === at + length && code !== 0xfffd) {
      if (length === 2) table.rare.set(code, sequence);
      else table.plain[code] ||= sequence;
    }
    at = end + 1;
  }
  return table;
}

/**
 * A position in `bytes` (mark included) that is no character's inside. Only GBK has trail bytes that look like others.
 * `known` is one before it, from which on it's looked at.
 */
export function isBoundary({ name }: Encoding, bytes: Uint8Array, at: number, known = 0): boolean {
  if (name === "utf-16le" || name === "utf-16be") return at % 2 === 0;
  if (name !== "gbk") return true;
  // No trail byte is below 0x40, so what follows such a byte begins a character.
  let from = at;
  while (from > known && bytes[from - 1]! >= 0x40) from--;
  while (from < at) from += bytes[from]! >= 0x81 ? 2 : 1;
  return from === at;
}

/** For people and models: how the file is read. */
export function nameOf({ name, mark }: Encoding): string {
  const names: Record<EncodingName, string> = {
    "utf-8": mark > 0 ? "UTF-8 with a byte-order mark" : "UTF-8",
    "utf-16le": "UTF-16 LE",
    "utf-16be": "UTF-16 BE",
    "gbk": "GBK",
    "windows-1252": "Windows-1252",
  };
  return names[name];
}
