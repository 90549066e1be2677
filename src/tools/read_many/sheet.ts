/** The result as it grows: files under headings as long as there is room, then what was read and what was not. */
import { printable } from "../../core/errors.ts";
import type { Block, Output } from "../../core/tool.ts";
import { type Page, shownOf } from "../read/pager.ts";

/** Room that the lines at the end have at most, and room for the notice of a cut. */
const END_CHARS = 4000;
const NOTICE_CHARS = 160;
const MOST_NAMED = 20;
const MOST_IMAGES = 20;
const ITEM_CHARS = 240;

/** A page as far as it fits. */
export interface Fitted {
  output: Output;
  /** `share`: it was cut so that others have room too. */
  part: "all" | "share" | "some" | "none";
}

export class Sheet {
  /** Nothing more fits. */
  full = false;
  readonly #content: Block[] = [];
  readonly #endRoom: number;
  #room: number;
  #images = 0;
  #read = 0;
  #failed = 0;
  readonly #skipped: string[] = [];
  readonly #left: string[] = [];

  constructor(limit: number) {
    this.#endRoom = Math.min(END_CHARS, Math.floor(limit / 2));
    this.#room = limit - this.#endRoom;
  }

  /** What is left for files. */
  get room(): number {
    return this.#room;
  }

  /** The part of a page that fits, without line numbers, in `share` at most; a cut says where the file goes on. */
  fit(page: Page, shown: string, share = Infinity): Fitted {
    const { lines, start, total, note, head, encoding, undecodable, blocks = [] } = page;
    if (note !== undefined) return { output: { content: `[${note}]` }, part: "all" };
    const rows = head === undefined ? [] : [head];
    const notes: string[] = [];
    if (encoding !== undefined) notes.push(`[read as ${encoding}]`);
    if (undecodable) notes.push(`[some bytes are not ${encoding ?? "UTF-8"} and show as \uFFFD]`);
    const taken = around(shown) + [...rows, ...notes].join("\n").length;
    const all = taken + lines.reduce((sum, line) => sum + line.length + 1, 0);
    const isWhole = start + lines.length > total && all <= Math.min(this.#room, share);
    // The first line goes beyond the share if it must, so that there is a line to go on from.
    const least = lines[0]?.length ?? 0;
    const room = this.#room - taken - NOTICE_CHARS;
    const mine = Math.min(room, Math.max(share - taken - NOTICE_CHARS, least + 1));
    const count = isWhole ? lines.length : countWithin(lines, mine);
    rows.push(...lines.slice(0, count));
    const part = count === lines.length ? "all" : count === 0 ? "none" : mine < room ? "share" : "some";
    if (start + count <= total) {
      notes.push(`[${shownOf(page, count)}; read this file by itself from line ${start + count}]`);
    }
    const text = [...rows, ...notes].join("\n");
    return { output: { content: text === "" ? blocks : [{ type: "text", text }, ...blocks] }, part };
  }

  /** A file under its heading; it is left for later where it doesn't fit. */
  add(shown: string, blocks: readonly Block[]): void {
    const images = blocks.filter(({ type }) => type === "image");
    if (images.length > 0 && this.#images + images.length > MOST_IMAGES) {
      return this.skip(shown, `${MOST_IMAGES} images are shown at a time`);
    }
    const text = blocks.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n");
    const length = around(shown) + text.length;
    if (length > this.#room) return this.leave(shown);
    this.#room -= length;
    this.#images += images.length;
    this.#read++;
    this.#push(`${heading(shown)}${text}${text === "" ? "" : "\n\n"}`);
    this.#content.push(...images);
  }

  skip(shown: string, reason: string): void {
    this.#skipped.push(`${clip(printable(shown))} (${clip(oneLine(reason))})`);
  }

  /** It could not be read, or was not allowed to be. */
  fail(shown: string, reason: string): void {
    this.#failed++;
    this.skip(shown, reason);
  }

  /** There was no room for it. */
  leave(shown: string): void {
    this.full = true;
    this.#left.push(clip(printable(shown)));
  }

  /** `warnings`: sentences about the search, at the end. */
  end(warnings: readonly string[]): Output {
    const counts = `${files(this.#read)} read, ${this.#skipped.length} skipped`;
    const left = this.#left.length;
    const share = Math.floor((this.#endRoom - 300) / (left > 0 ? 2 : 1));
    const ending = ["--- End of content ---"];
    ending.push(this.#skipped.length === 0 ? counts : `${counts}: ${listed(this.#skipped, "; ", share)}`);
    if (left > 0) {
      ending.push(`${files(left)} left, for which there was no room: ${listed(this.#left, ", ", share)}`);
      ending.push("Read them one by one, or include fewer at a time");
    }
    for (const warning of warnings) ending.push(clip(warning));
    this.#push(ending.join("\n"));
    const nothing = this.#read === 0 && this.#failed > 0 && this.#failed === this.#skipped.length;
    return { content: this.#content, ...(nothing && { status: "error" }) };
  }

  #push(text: string): void {
    const last = this.#content.at(-1);
    if (last?.type === "text") last.text += text;
    else this.#content.push({ type: "text", text });
  }
}

function countWithin(lines: readonly string[], room: number): number {
  let left = room;
  const past = lines.findIndex((line) => (left -= line.length + 1) < 0);
  return past < 0 ? lines.length : past;
}

function heading(shown: string): string {
  return `--- ${printable(shown)} ---\n\n`;
}

/** Characters that a file takes besides its text. */
export function around(shown: string): number {
  return heading(shown).length + 2;
}

export function files(count: number): string {
  return `${count} ${count === 1 ? "file" : "files"}`;
}

/** The first ones, as far as they fit, and how many follow. */
function listed(items: readonly string[], separator: string, room: number): string {
  const named: string[] = [];
  let length = 0;
  for (const item of items) {
    length += item.length + separator.length;
    if (named.length === MOST_NAMED || length > room) break;
    named.push(item);
  }
  const more = items.length - named.length;
  return more === 0 ? named.join(separator) : [...named, `… and ${more} more`].join(separator);
}

function oneLine(text: string): string {
  return text.split("\n", 1)[0]!;
}

function clip(text: string): string {
  return text.length <= ITEM_CHARS ? text : `${text.slice(0, ITEM_CHARS)}…`;
}
