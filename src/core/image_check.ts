/** Image blocks as providers take them. Whoever made one, a fault in it would make them refuse the whole conversation. */
import { fromBase64, plainBase64 } from "./base64.ts";
import { IMAGE_HEAD, imageInfo, imageType } from "./image.ts";
import type { Block } from "./tool.ts";

export type ImageBlock = Extract<Block, { type: "image" }>;

/** Characters of an image's base64, and pixels of its long edge. */
export const MOST_IMAGE = 5_000_000;
const MOST_EDGE = 8000;
/** Base64 whose bytes are looked at first; a JPEG may need more. */
const HEAD_CHARS = 4096;

/** The block, its media type taken from its content; a text that says why, where it can't be shown. */
export function soundImage(block: ImageBlock): Block {
  const { mediaType: named, data: given } = block;
  if (given.length > MOST_IMAGE) return said(`[${named} omitted: ${given.length} characters of base64]`);
  const data = plainBase64(given);
  if (data === undefined || data === "") return said(`[${named} left out: it is no base64]`);
  const head = fromBase64(data, HEAD_CHARS);
  const mediaType = imageType(head);
  const info = imageInfo(head) ??
    (mediaType === "image/jpeg" ? imageInfo(fromBase64(data, IMAGE_HEAD / 3 * 4)) : undefined);
  if (!mediaType) {
    const shown = /^image\/(png|jpeg|gif|webp)$/.test(named);
    const why = shown ? "its bytes are not an image" : "only PNG, JPEG, GIF and WebP can be shown";
    return said(`[${named} left out: ${why}]`);
  }
  if (!info) return said(`[${mediaType} left out: its header is broken]`);
  const { width, height } = info;
  if (Math.max(width, height) > MOST_EDGE) {
    return said(`[${mediaType} left out: ${width}x${height} pixels, and ${MOST_EDGE} are the most]`);
  }
  return mediaType === named && data === given ? block : { type: "image", mediaType, data };
}

function said(text: string): Block {
  return { type: "text", text };
}
