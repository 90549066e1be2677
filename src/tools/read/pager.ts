/** Pages of lines: how they are cut from a text, and how they are told. */
import { quote } from "../../core/errors.ts";
import { takeHead } from "../../core/fit.ts";
import type { Block, Output } from "../../core/tool.ts";

/** A page of a file: the lines as they are, without their ends. */
export interface Page {
  lines: string[];
  /** The number of the first line, from 1. */
  start: number;
  total: number;
  /** The file was not read to its end: there are `total` lines at least. */
  more?: true;
  /** Some bytes have no meaning in the file's encoding. */
  undecodable: boolean;
  /** The encoding, where it isn't UTF-8. */
  encoding?: string;
  /** Stands in place of the lines: why there are none. */
  note?: string;
  /** A line of its own above the lines: what the text was made from. */
  head?: string;
  /** Images, after the text. */
  blocks?: readonly Block[];
  /** The lines are the block around a line; all of it is what it has beyond this page. */
  around?: { anchor: number; all: Span };
}

/** Lines by their numbers, from 1, both ends included. */
export interface Span {
  first: number;
  last: number;
}

/** Lines a page has at most, characters a line shows at most. */
export const PAGE_LINES = 2000;
const LINE_CHARS = 2000;

/** Room for what faces put around a line's number, for the notice at a clipped line, and for the notes of a page. */
const MARK_CHARS = 4;
const CLIPPED_CHARS = 64;
export const NOTES_CHARS = 400;

/** What a page may take, and what goes out of it. */
export interface PageGate {
  /** Characters. */
  room: number;
  /** Redacts a text whose end is cut off: what may be the beginning of a secret is left out. */
  clean(text: string): string;
}

/** A page without lines, which says why. */
export function notice(note: string): Page {
  return { lines: [], start: 1, total: 0, undecodable: false, note };
}

/** How much of a page's room a line takes, at most. */
export function roomOf(line: string, number: number): number {
  const length = line.length <= LINE_CHARS ? line.length : LINE_CHARS + CLIPPED_CHARS;
  return length + String(number).length + MARK_CHARS;
}

/**
 * Takes the text piece by piece and keeps lines `offset` to `offset + limit - 1`, as far as `room` goes. All lines
 * are counted. A last newline ends a line and starts none.
 */
export class Pager {
  readonly lines: string[] = [];
  total = 0;
  readonly #offset: number;
  readonly #limit: number;
  readonly #clean: PageGate["clean"];
  #room: number;
  /** The start of the line that is not at its end yet, and how long it is so far. */
  #line = "";
  #length = 0;
  #endsWithCr = false;

  constructor(offset: number, limit: number, { room, clean }: PageGate) {
    this.#offset = offset;
    this.#limit = limit;
    this.#room = room;
    this.#clean = clean;
  }

  /** No further line will be kept. */
  get done(): boolean {
    return this.lines.length > 0 && !this.#onPage();
  }

  push(text: string): void {
    let at = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", at)) {
      this.#extend(text, at, end);
      this.#endLine(true);
      at = end + 1;
    }
    this.#extend(text, at, text.length);
  }

  end(): void {
    if (this.#length > 0) this.#endLine(false);
  }

  #extend(text: string, start: number, end: number): void {
    if (end === start) return;
    // A line of a gigabyte is counted, not kept; a little more than is shown tells where a character ends.
    const room = LINE_CHARS + 128 - this.#line.length;
    if (room > 0 && this.#onPage()) this.#line += text.slice(start, Math.min(end, start + room));
    this.#length += end - start;
    this.#endsWithCr = text.charCodeAt(end - 1) === 13;
  }

  #endLine(terminated: boolean): void {
    if (this.#onPage()) this.#keep(this.#length - (terminated && this.#endsWithCr ? 1 : 0));
    this.total++;
    this.#line = "";
    this.#length = 0;
    this.#endsWithCr = false;
  }

  #onPage(): boolean {
    return this.total + 1 >= this.#offset && this.lines.length < this.#limit && this.#room > 0;
  }

  #keep(length: number): void {
    const line = length <= LINE_CHARS
      ? this.#line.slice(0, length)
      : `${takeHead(this.#clean(this.#line), LINE_CHARS)}... [line clipped: ${length} characters in all]`;
    this.#room -= line.length + String(this.total + 1).length + MARK_CHARS;
    // The first line of a page always fits, so that paging moves on.
    if (this.#room > 0 || this.lines.length === 0) this.lines.push(line);
  }
}

/** A page as a result: each line behind its mark, then what is left and the call that continues. */
export function presentPage(
  data: Page,
  path: string,
  mark: (line: number) => string,
  next: (line: number) => string,
): Output {
  const { lines, start, total, note, head } = data;
  if (note !== undefined) {
    return { content: [...(head === undefined ? [] : [head]), `[${path}: ${note}]`].join("\n") };
  }
  if (start > total && total > 0) {
    const content = `Cannot read ${quote(path)} from ${next(start)}: it has ${total} ${
      total === 1 ? "line" : "lines"
    }\n\nhint: the last line is at ${next(total)}`;
    return { content, status: "error" };
  }
  const rows = lines.map((line, index) => mark(start + index) + line);
  if (head !== undefined) rows.unshift(head);
  if (data.encoding !== undefined) rows.push(`[read as ${data.encoding}]`);
  if (data.undecodable) rows.push(`[some bytes are not ${data.encoding ?? "UTF-8"} and show as \uFFFD]`);
  const cut = cutNote(data, next);
  if (cut !== undefined) rows.push(cut);
  const text = rows.join("\n");
  const { blocks = [] } = data;
  return { content: blocks.length === 0 ? text : text === "" ? blocks : [{ type: "text", text }, ...blocks] };
}

/** `lines 1-20 of 300 shown`: the first `count` lines of a page. */
export function shownOf({ start, total, more }: Page, count: number): string {
  return `lines ${start}-${start + count - 1} of ${more ? "at least " : ""}${total} shown`;
}

/** What the page leaves out, and how to see it. */
function cutNote(page: Page, next: (line: number) => string): string | undefined {
  const { lines, start, total, around } = page;
  const last = start + lines.length - 1;
  const shown = shownOf(page, lines.length);
  if (!around) return last < total ? `[${shown}. Use ${next(last + 1)} to continue]` : undefined;
  const { anchor, all } = around;
  if (start === 1 && last === total) return undefined;
  if (all.first === start && all.last === last) return `[${shown}: the block around line ${anchor}]`;
  const from = next(all.first < start ? all.first : last + 1);
  return `[${shown}; the block around line ${anchor} is lines ${all.first}-${all.last}. ` +
    `Use mode=slice and ${from} to see the rest]`;
}
