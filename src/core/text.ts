/** Bytes as text, for readers: whoever writes takes a `FileText`. */
import { detectEncoding } from "./detect_encoding.ts";
import { type Encoding, unitOf, UTF8 } from "./encoding.ts";
import { FileText } from "./file_text.ts";
import { host } from "./runtime.ts";

/** The text of a whole file, without the mark, and how it was read. */
export function decodeText(bytes: Uint8Array): { text: string; encoding: Encoding } {
  const text = host.decode(bytes);
  if (text === undefined) {
    const file = new FileText(bytes);
    return { text: file.text, encoding: file.encoding };
  }
  if (!text.startsWith("\uFEFF")) return { text, encoding: UTF8 };
  return { text: text.slice(1), encoding: detectEncoding(bytes) };
}

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
