/** A Jupyter notebook as text: its cells in order, each below a line that names it, and the images of its outputs. */
import { fromBase64, plainBase64 } from "../../core/base64.ts";
import { messageOf } from "../../core/errors.ts";
import { decodeText } from "../../core/text.ts";
import type { Block } from "../../core/tool.ts";
import { picture } from "./image.ts";
import type { Rich } from "./rich.ts";

type Json = Record<string, unknown>;

/** Images of one notebook, and characters of their base64 together. */
const MOST_IMAGES = 20;
const MOST_IMAGE_CHARS = 20_000_000;

/** Nothing where the bytes are no notebook after all: broken JSON, or an object without cells. */
export async function readNotebook(bytes: Uint8Array): Promise<Rich> {
  const cells = cellsOf(decodeText(bytes).text);
  if (!cells) return {};
  const view = new View();
  for (const [index, cell] of cells.entries()) await view.cell(index + 1, cell);
  const count = `${cells.length} ${cells.length === 1 ? "cell" : "cells"}`;
  return {
    note: `[notebook of ${count}, shown as text; an edit works on the file's JSON, whose lines are others]`,
    text: await withoutEscapes(view.rows.join("\n")),
    blocks: view.images,
  };
}

function cellsOf(text: string): Json[] | undefined {
  try {
    const { cells, nbformat } = JSON.parse(text) as Json;
    return Array.isArray(cells) && typeof nbformat === "number" ? cells.filter(isObject) : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Text in a notebook is a string or a list of its pieces. */
function textIn(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.filter((piece) => typeof piece === "string").join("") : undefined;
}

async function withoutEscapes(text: string): Promise<string> {
  if (!/[\x1b\x9b]/.test(text)) return text;
  const { default: strip } = await import("strip-ansi");
  return strip(text);
}

/** The rows and images so far. */
class View {
  readonly rows: string[] = [];
  readonly images: Block[] = [];
  #found = 0;
  #chars = 0;

  async cell(number: number, cell: Json): Promise<void> {
    if (number > 1) this.rows.push("");
    const { cell_type: type, source, outputs, attachments } = cell;
    this.#add(`[cell ${number}, ${typeof type === "string" ? type : "of no kind"}]`, textIn(source) ?? "");
    if (isObject(attachments)) {
      for (const bundle of Object.values(attachments)) if (isObject(bundle)) await this.#imagesIn(bundle);
    }
    if (Array.isArray(outputs)) {
      for (const output of outputs) if (isObject(output)) await this.#output(output);
    }
  }

  async #output({ output_type: type, name, text, data, traceback, ename, evalue }: Json): Promise<void> {
    if (type === "stream") {
      this.#add(name === "stderr" ? "[output, stderr]" : "[output]", textIn(text) ?? "");
    } else if (type === "error") {
      const lines = Array.isArray(traceback) ? traceback.filter((line) => typeof line === "string") : [];
      this.#add("[error]", lines.length > 0 ? lines.join("\n") : `${String(ename)}: ${String(evalue)}`);
    } else if (isObject(data)) {
      const plain = textIn(data["text/plain"]) ?? textIn(data["text/markdown"]);
      if (plain !== undefined) this.#add("[output]", plain);
      const shown = await this.#imagesIn(data);
      if (plain === undefined && shown === 0) {
        this.rows.push(`[output left out: ${Object.keys(data).join(", ") || "empty"}]`);
      }
    }
  }

  #add(head: string, text: string): void {
    this.rows.push(head);
    const body = text.replace(/\r?\n$/, "");
    if (body !== "") this.rows.push(body);
  }

  /** Each image leaves a line in its place that says which of the blocks it is. Returns how many there were. */
  async #imagesIn(bundle: Json): Promise<number> {
    let count = 0;
    for (const [type, value] of Object.entries(bundle)) {
      const data = type.startsWith("image/") ? textIn(value) : undefined;
      if (data === undefined) continue;
      count++;
      this.rows.push(await this.#image(type, data, ++this.#found));
    }
    return count;
  }

  async #image(type: string, data: string, number: number): Promise<string> {
    const leftOut = (why: string) => `[image ${number}, ${type}, left out: ${why}]`;
    if (this.images.length >= MOST_IMAGES) return leftOut(`no more than ${MOST_IMAGES} are shown`);
    if (!/^image\/(png|jpeg|gif|webp)$/.test(type)) {
      return leftOut("only PNG, JPEG, GIF and WebP can be shown");
    }
    const plain = plainBase64(data);
    if (plain === undefined) return leftOut("it is no base64");
    try {
      const { block, note } = await picture(fromBase64(plain), `image ${number}`);
      if (this.#chars + block.data.length > MOST_IMAGE_CHARS) {
        return leftOut("the images are too large together");
      }
      this.#chars += block.data.length;
      this.images.push(block);
      return `[image ${number}: ${note.slice(1)}`;
    } catch (error) {
      return leftOut(messageOf(error).replace(/^Cannot show "[^"]*": /, ""));
    }
  }
}
