/** Counts what a terminal would show of the usual output, without making a text of it. */
import { colourEnd } from "../core/redact_escapes.ts";

const BELL = 7, BACKSPACE = 8, LF = 10, CR = 13, ESC = 0x1b;

/**
 * The characters that are seen of the bytes from `from` to `end`; -1 where they hold anything but ASCII text, line ends and
 * colours. `words` are the same bytes by fours.
 */
export function plainLength(bytes: Uint8Array, words: Int32Array, from: number, end: number): number {
  let unseen = 0, noted = from;
  for (let index = from >> 2; index * 4 < end; index++) {
    const word = words[index]!;
    // A byte below 0x20 or above 0x7f.
    if (((word - 0x20202020 | word) & 0x80808080) === 0) continue;
    const to = Math.min(index * 4 + 4, end);
    for (let at = Math.max(index * 4, noted); at < to; at++) {
      const byte = bytes[at]!;
      if (byte >= 0x80) return -1;
      if (byte >= 0x20 || byte === LF) continue;
      if (byte === ESC) {
        const after = colourEnd(bytes, at, end);
        if (after < 0) return -1;
        unseen += after - at;
        noted = after;
        at = after - 1;
      } else if (byte === CR && at + 1 < end && bytes[at + 1] === LF) unseen++;
      else if (byte === CR || byte === BACKSPACE || byte === BELL) return -1;
    }
  }
  return end - from - unseen;
}

/** Line feeds in the first `end` bytes. `words` are the same bytes by fours. */
export function lineEnds(bytes: Uint8Array, words: Int32Array, end: number): number {
  const whole = end >> 2;
  let count = 0;
  for (let index = 0; index < whole; index++) {
    const word = words[index]! ^ 0x0a0a0a0a;
    // Is a byte 0? Few words have one, and only of those each byte is asked.
    if ((word - 0x01010101 & ~word & 0x80808080) === 0) continue;
    const zeros = ~((word & 0x7f7f7f7f) + 0x7f7f7f7f | word) & 0x80808080;
    count += (zeros >>> 7 & 1) + (zeros >>> 15 & 1) + (zeros >>> 23 & 1) + (zeros >>> 31);
  }
  for (let at = whole * 4; at < end; at++) if (bytes[at] === LF) count++;
  return count;
}
