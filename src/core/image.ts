/**
 * What an image is, from its bytes alone: the four kinds that providers take. A name or a label proves nothing, and an
 * image that is none makes a provider refuse this and every later request.
 */

export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

export interface ImageInfo {
  mediaType: ImageType;
  width: number;
  height: number;
}

/** How far into a file its size may stand: a JPEG has its camera's notes before it. */
export const IMAGE_HEAD = 256 * 1024;

/** What the first bytes claim to be. The rest may be broken: `imageInfo` tells. */
export function imageType(bytes: Uint8Array): ImageType | undefined {
  if (begins(bytes, 0, "\x89PNG\r\n\x1a\n")) return "image/png";
  if (begins(bytes, 0, "\xff\xd8\xff")) return "image/jpeg";
  if (begins(bytes, 0, "GIF87a") || begins(bytes, 0, "GIF89a")) return "image/gif";
  if (begins(bytes, 0, "RIFF") && begins(bytes, 8, "WEBP")) return "image/webp";
  return undefined;
}

/** Kind and size of an image; `undefined` where the bytes are none or their header makes no sense. */
export function imageInfo(bytes: Uint8Array): ImageInfo | undefined {
  const mediaType = imageType(bytes);
  const size = mediaType && SIZES[mediaType](new Header(bytes));
  if (!size) return undefined;
  const [width, height] = size;
  return width > 0 && height > 0 ? { mediaType, width, height } : undefined;
}

/** Does the image go on to its end? Only the frame around the pixels is looked at. */
export function isWholeImage(bytes: Uint8Array): boolean {
  const mediaType = imageType(bytes);
  return mediaType !== undefined && ENDS[mediaType](new Header(bytes));
}

type Size = readonly [width: number, height: number];

const SIZES: Readonly<Record<ImageType, (at: Header) => Size | undefined>> = {
  "image/png": pngSize,
  "image/jpeg": jpegSize,
  "image/gif": (at) => at.length >= 13 ? [at.little(6, 2), at.little(8, 2)] : undefined,
  "image/webp": webpSize,
};

const ENDS: Readonly<Record<ImageType, (at: Header) => boolean>> = {
  "image/png": pngEnds,
  "image/jpeg": jpegEnds,
  "image/gif": gifEnds,
  "image/webp": (at) => at.length >= at.little(4, 4) + 8,
};

/** Numbers in bytes; what lies behind the end reads as 0. */
class Header {
  readonly bytes: Uint8Array;
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
  get length(): number {
    return this.bytes.length;
  }
  byte(at: number): number {
    return this.bytes[at] ?? 0;
  }
  big(at: number, count: number): number {
    let value = 0;
    for (let index = 0; index < count; index++) value = value * 256 + this.byte(at + index);
    return value;
  }
  little(at: number, count: number): number {
    let value = 0;
    for (let index = count - 1; index >= 0; index--) value = value * 256 + this.byte(at + index);
    return value;
  }
  is(at: number, text: string): boolean {
    return begins(this.bytes, at, text);
  }
}

function begins(bytes: Uint8Array, at: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (bytes[at + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}

/** Bits a sample may have, by the kind of colour. */
const PNG_DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

function pngSize(at: Header): Size | undefined {
  if (at.length < 33 || at.big(8, 4) !== 13 || !at.is(12, "IHDR")) return undefined;
  const width = at.big(16, 4), height = at.big(20, 4);
  const [depth, colour, compression, filter, interlace] = at.bytes.subarray(24, 29);
  const known = PNG_DEPTHS[colour!]?.includes(depth!) && compression === 0 && filter === 0 && interlace! < 2;
  return known && width < 2 ** 31 && height < 2 ** 31 ? [width, height] : undefined;
}

function pngEnds(at: Header): boolean {
  let pixels = false;
  for (let chunk = 8; chunk + 12 <= at.length; chunk += at.big(chunk, 4) + 12) {
    if (at.is(chunk + 4, "IDAT")) pixels = true;
    if (at.is(chunk + 4, "IEND")) return pixels;
  }
  return false;
}

/** The place of the first segment that `wanted` takes; segments are walked, since pictures stand in pictures. */
function jpegSegment(at: Header, wanted: (marker: number) => boolean): number | undefined {
  for (let place = 2; place + 4 <= at.length;) {
    if (at.byte(place) !== 0xff) return undefined;
    const marker = at.byte(place + 1);
    if (marker === 0xff) {
      // Padding.
      place++;
    } else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) {
      place += 2;
    } else if (wanted(marker)) {
      return place;
    } else if (marker === 0 || marker === 0xd9 || marker === 0xda || at.big(place + 2, 2) < 2) {
      return undefined;
    } else {
      place += 2 + at.big(place + 2, 2);
    }
  }
  return undefined;
}

/** Frames of every coding, without the tables among their numbers. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function jpegSize(at: Header): Size | undefined {
  const frame = jpegSegment(at, isFrame);
  if (frame === undefined || frame + 10 > at.length) return undefined;
  const components = at.byte(frame + 9);
  const sane = components >= 1 && components <= 4 && at.big(frame + 2, 2) === 8 + 3 * components;
  return sane ? [at.big(frame + 7, 2), at.big(frame + 5, 2)] : undefined;
}

function jpegEnds(at: Header): boolean {
  const scan = jpegSegment(at, (marker) => marker === 0xda);
  if (scan === undefined) return false;
  for (let place = at.length - 2; place > scan; place--) {
    if (at.byte(place) === 0xff && at.byte(place + 1) === 0xd9) return true;
  }
  return false;
}

function gifEnds(at: Header): boolean {
  const table = (flags: number) => flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
  let frames = 0;
  let place = 13 + table(at.byte(10));
  while (place < at.length) {
    const kind = at.byte(place);
    if (kind === 0x3b) return frames > 0;
    if (kind === 0x2c) {
      frames++;
      place += 11 + table(at.byte(place + 9));
    } else if (kind === 0x21) {
      place += 2;
    } else {
      return false;
    }
    while (at.byte(place) > 0) place += at.byte(place) + 1;
    place++;
  }
  return false;
}

function webpSize(at: Header): Size | undefined {
  if (at.length < 30) return undefined;
  if (at.is(12, "VP8X")) return [at.little(24, 3) + 1, at.little(27, 3) + 1];
  if (at.is(12, "VP8L") && at.byte(20) === 0x2f) {
    const bits = at.little(21, 4);
    return [bits % 2 ** 14 + 1, Math.floor(bits / 2 ** 14) % 2 ** 14 + 1];
  }
  if (at.is(12, "VP8 ") && at.is(23, "\x9d\x01\x2a")) {
    return [at.little(26, 2) & 0x3fff, at.little(28, 2) & 0x3fff];
  }
  return undefined;
}
