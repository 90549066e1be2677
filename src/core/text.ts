/**
 * The text of a file: UTF-8, with or without a byte-order mark, which is kept when it is written again. Other bytes
 * can be shown, with a note, and are never edited.
 */

import { host } from "./runtime.ts";

export interface FileText {
  /** Without the mark; line ends as they are. */
  text: string;
  /** The file starts with a UTF-8 byte-order mark. */
  mark: boolean;
  /** The bytes are not UTF-8: some characters of `text` are replacements, so it must not be written back. */
  undecodable: boolean;
}

const MARK = [0xef, 0xbb, 0xbf] as const;

export function decode(bytes: Uint8Array): FileText {
  const mark = MARK.every((byte, index) => bytes[index] === byte);
  const body = mark ? bytes.subarray(MARK.length) : bytes;
  const text = host.decode(body);
  if (text !== undefined) return { text, mark, undecodable: false };
  return { text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(body), mark, undecodable: true };
}

/** The same for bytes that come in pieces; nothing is held back but a character that a border cut in two. */
export class TextStream {
  readonly #shown = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #started = false;
  /** Some bytes so far are not UTF-8. */
  undecodable = false;

  /** The text of the next piece, without the file's mark. */
  push(bytes: Uint8Array): string {
    this.#check(bytes);
    return this.#unmarked(this.#shown.decode(bytes, { stream: true }));
  }

  /** What is left at the end: a replacement where the last character is incomplete. */
  end(): string {
    this.#check();
    return this.#unmarked(this.#shown.decode());
  }

  #check(bytes?: Uint8Array): void {
    if (this.undecodable) return;
    try {
      this.#strict.decode(bytes, { stream: bytes !== undefined });
    } catch {
      this.undecodable = true;
    }
  }

  #unmarked(text: string): string {
    if (this.#started || text === "") return text;
    this.#started = true;
    return text.startsWith("\uFEFF") ? text.slice(1) : text;
  }
}

/** The bytes of `text`. Lone surrogates have no bytes, so the caller refuses them before. */
export function encode(text: string, mark: boolean): Uint8Array {
  const body = new TextEncoder().encode(text);
  if (!mark) return body;
  const bytes = new Uint8Array(MARK.length + body.length);
  bytes.set(MARK);
  bytes.set(body, MARK.length);
  return bytes;
}

/**
 * Binary is told from the bytes, never from the name: a NUL in the first 8 KB or many control characters in the first
 * two. Bytes that are no UTF-8 may be text in another encoding.
 */
export function isBinary(bytes: Uint8Array): boolean {
  if (bytes.subarray(0, SAMPLE).includes(0)) return true;
  const length = Math.min(bytes.length, SAMPLE / 4);
  let odd = 0;
  for (let i = 0; i < length; i++) {
    const byte = bytes[i]!;
    if (byte < 32 && !TEXT_CONTROLS.has(byte)) odd++;
  }
  return odd > length / 10;
}

const SAMPLE = 8192;
/** Backspace, tab, line feed, form feed, carriage return, escape. */
const TEXT_CONTROLS: ReadonlySet<number> = new Set([8, 9, 10, 12, 13, 27]);

/** The line end that most lines have. A file without any, or with as many of each, has LF. */
export function dominantEnd(text: string): "\n" | "\r\n" {
  let crlf = 0, lf = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    if (text.charCodeAt(at - 1) === 13) crlf++;
    else lf++;
  }
  return crlf > lf ? "\r\n" : "\n";
}

/** `text` with `end` for every LF; CR LF and lone CR are left as they are when `end` is LF. */
export function withEnds(text: string, end: "\n" | "\r\n"): string {
  return end === "\n" ? text : text.replace(/\r?\n/g, "\r\n");
}
