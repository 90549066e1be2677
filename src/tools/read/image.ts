/** An image as a block that a model's provider takes: the file's own bytes, or a smaller copy. */
import { toBase64 } from "../../core/base64.ts";
import { AgentError, messageOf, quote } from "../../core/errors.ts";
import { type ImageInfo, imageInfo, imageType, isWholeImage } from "../../core/image.ts";
import { type ImageBlock, MOST_IMAGE } from "../../core/image_check.ts";
import type { Rich } from "./rich.ts";

type Sharp = typeof import("sharp").default;

/** What providers take as it is, and the long edge of a copy. */
const MOST_EDGE = 2000;
const COPY_EDGE = 1568;
/** Pixels of an image that is opened at all. A file of a few KB may claim any number. */
const MOST_PIXELS = 2 ** 28;
const MOST_SECONDS = 30;
/** JPEG qualities that are tried, the best first. */
const QUALITIES = [85, 70, 50, 30];

/** A picture and the line that says what it is. */
export interface Picture {
  block: ImageBlock;
  note: string;
}

/** An image file as it is shown. */
export async function readImage(bytes: Uint8Array, shown: string): Promise<Rich> {
  const { block, note } = await picture(bytes, shown);
  return { blocks: [block], note };
}

/** The picture in `bytes`; throws where it isn't one or is broken. `load` is for tests. */
export async function picture(
  bytes: Uint8Array,
  shown: string,
  load: () => Promise<Sharp> = loadSharp,
): Promise<Picture> {
  const info = imageInfo(bytes);
  if (!info) throw notAnImage(bytes, shown);
  if (!isWholeImage(bytes)) {
    throw unshowable(shown, `its ${nameOf(info)} data is broken or cut off`, "get a whole copy of it");
  }
  const { mediaType, width, height } = info;
  const said = `${mediaType} ${width}x${height}`;
  const base64Length = Math.ceil(bytes.length / 3) * 4;
  if (Math.max(width, height) <= MOST_EDGE && base64Length <= MOST_IMAGE) {
    return { block: { type: "image", mediaType, data: toBase64(bytes) }, note: `[${said}]` };
  }
  if (width * height > MOST_PIXELS) {
    throw unshowable(shown, `${width}x${height} pixels are too many`, "make a smaller copy and read that");
  }
  const copy = await smaller(bytes, info, shown, load);
  const as = copy.mediaType === mediaType ? "" : ` as ${copy.mediaType}`;
  const turned = (width > height) !== (copy.width > copy.height) ? ", turned upright" : "";
  const first = copy.frames > 1 ? `, the first of ${copy.frames} frames` : "";
  return {
    block: { type: "image", mediaType: copy.mediaType, data: copy.data },
    note: `[${said}, shown${as} at ${copy.width}x${copy.height}${turned}${first}]`,
  };
}

function notAnImage(bytes: Uint8Array, shown: string): AgentError {
  if (bytes.length === 0) return unshowable(shown, "it is empty");
  const type = imageType(bytes);
  if (type) {
    return unshowable(shown, `it begins as ${type} and its header is broken`, "get a whole copy of it");
  }
  return unshowable(shown, "it is no PNG, JPEG, GIF or WebP image", "if it is text, read it as a file");
}

function nameOf({ mediaType }: ImageInfo): string {
  return mediaType.slice("image/".length).toUpperCase();
}

function unshowable(shown: string, state: string, hint?: string): AgentError {
  return new AgentError(`Cannot show ${quote(shown)}: ${state}`, hint);
}

async function loadSharp(): Promise<Sharp> {
  return (await import("sharp")).default;
}

interface Copy extends ImageInfo {
  data: string;
  /** Of the original; the copy has one. */
  frames: number;
}

/** A copy within the limits: of the same kind where that is small enough, else a JPEG. */
async function smaller(
  bytes: Uint8Array,
  info: ImageInfo,
  shown: string,
  load: () => Promise<Sharp>,
): Promise<Copy> {
  let sharp: Sharp;
  try {
    sharp = await load();
  } catch (error) {
    const [reason] = messageOf(error).split("\n");
    throw unshowable(
      shown,
      `${info.width}x${info.height} pixels in ${bytes.length} bytes are too many, and the package sharp, ` +
        `which makes a smaller copy, can't be loaded (${reason})`,
      `install sharp, or make a copy of at most ${MOST_EDGE}x${MOST_EDGE} pixels and read that`,
    );
  }
  try {
    const image = sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: "error" })
      .timeout({ seconds: MOST_SECONDS })
      .autoOrient()
      .resize({ width: COPY_EDGE, height: COPY_EDGE, fit: "inside", withoutEnlargement: true });
    const { pages: frames = 1 } = await image.metadata();
    const asPng = info.mediaType === "image/jpeg" ? [] : [image.clone().png()];
    for (const attempt of [...asPng, ...QUALITIES.map((quality) => asJpeg(image, quality))]) {
      const { data, info: { format, width, height } } = await attempt.toBuffer({ resolveWithObject: true });
      const base64 = toBase64(data);
      if (base64.length > MOST_IMAGE) continue;
      return {
        mediaType: format === "png" ? "image/png" : "image/jpeg",
        width,
        height,
        data: base64,
        frames,
      };
    }
  } catch (error) {
    const [reason] = messageOf(error).split("\n");
    throw unshowable(
      shown,
      `its ${nameOf(info)} data can't be decoded (${reason})`,
      "get a whole copy of it",
    );
  }
  throw unshowable(shown, "no copy is small enough", "make a smaller copy and read that");
}

/** JPEG has no transparency: it becomes white. */
function asJpeg(image: ReturnType<Sharp>, quality: number): ReturnType<Sharp> {
  return image.clone().flatten({ background: "#ffffff" }).jpeg({ quality });
}
