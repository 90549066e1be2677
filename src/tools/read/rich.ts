/** Files that are shown as something else than their text: images, PDFs, notebooks. */
import { Needle } from "../../core/bytes.ts";
import { imageType } from "../../core/image.ts";
import { host } from "../../core/runtime.ts";
import { isBinary } from "../../core/text.ts";
import type { Block } from "../../core/tool.ts";

/** How such a file is shown. Nothing of it: the file is not what it looked like, and is read as any other. */
export interface Rich {
  /** Has pages of lines, as a text file has. */
  text?: string;
  /** Images, after the text. */
  blocks?: Block[];
  /** A line above the text: what this was made from. */
  note?: string;
}

export type RichKind = "image" | "pdf" | "notebook";

/** Bytes in which a PDF's header may stand, and those in which a notebook says what it is. */
const PDF_HEAD = 1024;
const NOTEBOOK_HEAD = 64 * 1024;

/** What a file is, from its first bytes: all of them, or 64 KB and more. The name speaks for notebooks alone. */
export function richKind(head: Uint8Array, path: string): RichKind | undefined {
  const first = head[0];
  // Text begins with a letter, and most files are text.
  if (first === undefined) return undefined;
  const image = imageType(head);
  if (image === "image/png" || image === "image/jpeg") return "image";
  // The other signatures are letters, so a text may begin like that.
  if (image && isBinary(head)) return "image";
  if (isPdf(head)) return "pdf";
  return isNotebook(head, path) ? "notebook" : undefined;
}

/** At the very start, or behind what a mail or a printer put before it; a text that speaks of PDFs is none. */
function isPdf(head: Uint8Array): boolean {
  const sample = head.subarray(0, PDF_HEAD);
  for (let at = sample.indexOf(PERCENT); at >= 0; at = sample.indexOf(PERCENT, at + 1)) {
    if (!PDF.every((byte, index) => sample[at + index] === byte)) continue;
    const digit = sample[at + PDF.length] ?? 0;
    if (digit < 0x30 || digit > 0x39) continue;
    const end = sample.indexOf(LF, at + PDF_LINES);
    return at === 0 || isBinary(head) || (end >= 0 && !host.isUtf8(sample.subarray(0, end)));
  }
  return false;
}

const PERCENT = 0x25;
const PDF = [...new TextEncoder().encode("%PDF-")];
/** The header and the line of odd bytes below it, which says that the file isn't text. */
const PDF_LINES = 32;
const LF = 0x0a;

function isNotebook(head: Uint8Array, path: string): boolean {
  let at = head[0] === 0xef ? 3 : 0;
  while (head[at] === 0x20 || head[at] === 0x09 || head[at] === 0x0a || head[at] === 0x0d) at++;
  if (head[at] !== 0x7b) return false;
  if (/\.ipynb$/i.test(path)) return true;
  const sample = head.subarray(0, NOTEBOOK_HEAD);
  return ['"cells"', '"nbformat"'].every((key) =>
    new Needle(new TextEncoder().encode(key)).indexIn(sample) >= 0
  );
}

/** The file as it is shown. Throws where it claims to be one of these and is broken. */
export async function readRich(
  kind: RichKind,
  bytes: Uint8Array,
  shown: string,
  signal: AbortSignal,
): Promise<Rich> {
  switch (kind) {
    case "image": {
      const { readImage } = await import("./image.ts");
      return await readImage(bytes, shown);
    }
    case "pdf": {
      const { readPdf } = await import("./pdf.ts");
      return await readPdf(bytes, shown, signal);
    }
    case "notebook": {
      const { readNotebook } = await import("./notebook.ts");
      return await readNotebook(bytes);
    }
  }
}
