/** Reads a text file in pages of lines. */
import { quote } from "../core/errors.ts";
import { takeHead } from "../core/fit.ts";
import { decode, isBinary, TextStream } from "../core/text.ts";
import { defineTool, type Output } from "../core/tool.ts";
import { pathTraits } from "./path_traits.ts";

export interface ReadArgs {
  path: string;
  offset?: number;
  limit?: number;
}

/** A page of a file: the lines as they are, without their ends. */
export interface Page {
  lines: string[];
  /** The number of the first line, from 1. */
  start: number;
  total: number;
  undecodable: boolean;
  note?: string;
}

/** Lines a page has at most, characters a line shows at most. */
const PAGE_LINES = 2000;
const LINE_CHARS = 2000;
/** Bytes of a file that is read at once. */
const IN_ONE_PIECE = 256 * 1024;

/** Room for what faces put around a line's number, and for the notes below the page. */
const MARK_CHARS = 4;
const NOTES_CHARS = 400;

export const readFile = defineTool<ReadArgs, Page>({
  name: "read_file",
  toolsets: ["lean"],
  covers: "read",
  aliases: ["cat", "view", "open_file"],
  input: (z) =>
    z.strictObject({
      path: z.string().min(1).describe("absolute, relative to the working folder, or ~/…"),
      offset: z.int().min(1).optional().describe("number of the first line, from 1"),
      limit: z.int().min(1).optional().describe("how many lines; 2,000 where absent"),
    }),
  traits: ({ path }, place) => pathTraits(place, path, "read", "read"),
  limit: { chars: 30_000, keep: "head" },
  run({ path, offset = 1, limit = PAGE_LINES }, context) {
    const full = context.resolve(path);
    const pager = new Pager(offset, Math.min(limit, PAGE_LINES), context.gate.limit - NOTES_CHARS);
    const size = context.files.info(full, path)?.size ?? 0;
    const binary = () => notice(`binary file, ${size} bytes; its content is not shown`);
    let undecodable: boolean;
    // Most files are small, and decoding in one piece is several times faster than in many.
    if (size <= IN_ONE_PIECE) {
      const bytes = context.files.read(full, path);
      if (isBinary(bytes)) return binary();
      const decoded = decode(bytes);
      pager.push(decoded.text);
      undecodable = decoded.undecodable;
    } else {
      const text = new TextStream();
      let first = true;
      for (const chunk of context.files.chunks(full, path)) {
        if (first && isBinary(chunk)) return binary();
        first = false;
        pager.push(text.push(chunk));
      }
      pager.push(text.end());
      undecodable = text.undecodable;
    }
    pager.end();
    if (pager.total === 0) return notice("the file is empty");
    return { lines: pager.lines, start: offset, total: pager.total, undecodable };
  },
  present: (data, { path }) => presentPage(data, path, (number) => `${number}\t`, (line) => `offset=${line}`),
});

function notice(note: string): Page {
  return { lines: [], start: 1, total: 0, undecodable: false, note };
}

/**
 * Takes the text piece by piece and keeps lines `offset` to `offset + limit - 1`, as far as `room` goes. All lines
 * are counted. A last newline ends a line and starts none.
 */
class Pager {
  readonly lines: string[] = [];
  total = 0;
  readonly #offset: number;
  readonly #limit: number;
  #room: number;
  /** The start of the line that is not at its end yet, and how long it is so far. */
  #line = "";
  #length = 0;
  #endsWithCr = false;

  constructor(offset: number, limit: number, room: number) {
    this.#offset = offset;
    this.#limit = limit;
    this.#room = room;
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
      : `${takeHead(this.#line, LINE_CHARS)}... [line clipped: ${length} characters in all]`;
    this.#room -= line.length + String(this.total + 1).length + MARK_CHARS;
    // The first line of a page always fits, so that paging moves on.
    if (this.#room > 0 || this.lines.length === 0) this.lines.push(line);
  }
}

/** A page as text: each line behind its mark, then what is left and the call that continues. */
export function presentPage(
  data: Page,
  path: string,
  mark: (line: number) => string,
  next: (line: number) => string,
): Output {
  const { lines, start, total, note } = data;
  if (note !== undefined) return { content: `[${path}: ${note}]` };
  if (start > total) {
    const content = `Cannot read ${quote(path)} from ${next(start)}: it has ${total} ${
      total === 1 ? "line" : "lines"
    }\n\nhint: the last line is at ${next(total)}`;
    return { content, status: "error" };
  }
  const rows = lines.map((line, index) => mark(start + index) + line);
  const last = start + lines.length - 1;
  const notes: string[] = [];
  if (data.undecodable) {
    notes.push("[some bytes are not UTF-8 and show as \uFFFD; edits to this file are refused]");
  }
  if (last < total) {
    notes.push(`[lines ${start}-${last} of ${total} shown. Use ${next(last + 1)} to continue]`);
  }
  return { content: [...rows, ...notes].join("\n") };
}
