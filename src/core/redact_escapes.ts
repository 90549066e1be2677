/**
 * Where a terminal's escape codes end, in UTF-8 bytes. The classes are those of strip-ansi: CSI, OSC, control strings,
 * and the short ones, each in its seven-bit and its eight-bit form.
 */

/** Longer control strings are taken as text: a lone introducer must not swallow all that follows. */
export const LONGEST_CODE = 4096;

/** And those that are colours are this short. */
export const LONGEST_COLOUR = 24;

const ESC = 0x1b, BEL = 0x07;

/** The code that begins at `at` isn't all there yet. */
export const UNFINISHED = -1;

/**
 * The end of the escape code that begins at `at`, where an ESC or a 0xC2 stands. `at` itself where there is none,
 * `UNFINISHED` where the bytes up to `end` may be the start of one.
 */
export function codeEnd(bytes: Uint8Array, at: number, end: number): number {
  if (at + 1 >= end) return UNFINISHED;
  let kind = bytes[at + 1]!;
  if (bytes[at] === ESC) {
    if (kind === 0x5b) return csiEnd(bytes, at + 2, at, end);
    if (kind === 0x5d) return stringEnd(bytes, at + 2, at, end, true);
    if (isStringKind(kind)) return stringEnd(bytes, at + 2, at, end, false);
    let next = at + 1;
    while (kind >= 0x20 && kind <= 0x2f) {
      if (++next >= end) return UNFINISHED;
      kind = bytes[next]!;
    }
    if (next > at + 1) return kind >= 0x30 && kind <= 0x7e ? next + 1 : at;
    return SHORT.includes(String.fromCharCode(kind)) ? next + 1 : at;
  }
  // C1 controls, as UTF-8 writes them.
  if (kind === 0x9b) return csiEnd(bytes, at + 2, at, end);
  if (kind === 0x9d) return stringEnd(bytes, at + 2, at, end, true);
  return kind === 0x90 || kind === 0x98 || kind === 0x9e || kind === 0x9f
    ? stringEnd(bytes, at + 2, at, end, false)
    : at;
}

/** The same for what most codes are, colours, and a negative number for all else: by far the fastest to ask first. */
export function colourEnd(bytes: Uint8Array, at: number, end: number): number {
  if (at + 2 >= end || bytes[at] !== ESC || bytes[at + 1] !== 0x5b) return NO_COLOUR;
  const most = Math.min(end, at + LONGEST_COLOUR);
  let next = at + 2;
  while (next < most && bytes[next]! >= 0x30 && bytes[next]! <= 0x3b) next++;
  return next < most && bytes[next] === 0x6d ? next + 1 : NO_COLOUR;
}

const NO_COLOUR = -2;

const SHORT = "0123456789ABCDEFGHIJKLMNOPRSTZcfghijklmnoqrstuy=><~|}";

/** P, X, ^, _ and k: their text ends with ST. */
function isStringKind(kind: number): boolean {
  return kind === 0x50 || kind === 0x58 || kind === 0x5e || kind === 0x5f || kind === 0x6b;
}

function csiEnd(bytes: Uint8Array, from: number, start: number, end: number): number {
  let at = from;
  while (at < end && bytes[at]! >= 0x30 && bytes[at]! <= 0x3f) at++;
  while (at < end && bytes[at]! >= 0x20 && bytes[at]! <= 0x2f) at++;
  if (at - start > LONGEST_CODE) return start;
  if (at >= end) return UNFINISHED;
  return bytes[at]! >= 0x40 && bytes[at]! <= 0x7e ? at + 1 : start;
}

function stringEnd(bytes: Uint8Array, from: number, start: number, end: number, bellEnds: boolean): number {
  const most = Math.min(end, start + LONGEST_CODE);
  for (let at = from; at < most; at++) {
    const byte = bytes[at]!;
    if (byte === BEL && bellEnds) return at + 1;
    if (byte === 0x18 || byte === 0x1a) return start;
    if (byte !== ESC && byte !== 0xc2) continue;
    if (at + 1 >= end) return UNFINISHED;
    const next = bytes[at + 1]!;
    if (byte === ESC) return next === 0x5c ? at + 2 : start;
    if (next === 0x9c) return at + 2;
    if (next >= 0x80 && next <= 0x9f) return start;
  }
  return most < end ? start : UNFINISHED;
}
