/**
 * Bytes to text and back. Decoding is the platform's (`TextDecoder`), but for what Node 20 gets wrong (`mended`);
 * encoding is the inverse of what is decoded, so that a character always gets the bytes that would be read as this
 * character. The runtimes' tables of GBK differ in some 300 rare pairs, most of them for private use.
 */
import type { Encoding, EncodingName } from "./encoding.ts";
import { host } from "./runtime.ts";

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

const LF = 10;

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
