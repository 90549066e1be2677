/**
 * The block of lines around a line, told from how far the lines are indented.
 *
 * From the anchor the block grows a line up and a line down in turn, while the indent stays at or above the floor:
 * `max_levels` levels of four columns left of the anchor, or column 0. What stands at the floor itself is special,
 * unless siblings are wanted:
 *
 * - upwards the first line there is the header of the block, and growing ends with it; directly above it, its comment.
 *   A line that closes or continues a block (`}`, `} else {`, `):`) is no header, nor is a comment inside the block;
 * - downwards only such closing lines belong to the block, one after each deeper part; the first other line there
 *   comes after its end;
 * - where the anchor is at the floor, it is the header or the end itself, or the comment above a header.
 *
 * A blank line counts as indented like the line above it; blank lines at the edges go.
 */
import { AgentError, quote } from "../../core/errors.ts";
import { notice, type Page, PAGE_LINES, type PageGate, Pager, roomOf, type Span } from "./pager.ts";

export interface BlockOptions {
  anchor_line?: number;
  max_levels?: number;
  include_siblings?: boolean;
  include_header?: boolean;
  max_lines?: number;
}

/** Columns of a level, and of a tab. */
const COLUMNS = 4;

const COMMENT = /^\s*(?:#|\/\/|--)/;
const CLOSING = /^\s*(?:[)\]}]|<\/|(?:end|fi|done|esac)\s*(?:[;),.|<>&]|$))/;

/** The page of a text that shows the block around a line. `room` is how many characters the page may have. */
export function pageOfBlock(
  text: string,
  args: { path: string; offset?: number; limit?: number; indentation?: BlockOptions },
  gate: PageGate,
): Page {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const total = lines.length;
  if (total === 0) return notice("the file is empty");
  const { indentation: options = {} } = args;
  const anchor = options.anchor_line ?? args.offset ?? 1;
  if (anchor > total) {
    throw new AgentError(
      `Cannot read ${
        quote(args.path)
      } around line ${anchor}: anchor_line exceeds file length, it has ${total} ${
        total === 1 ? "line" : "lines"
      }`,
      `the last line is ${total}`,
    );
  }
  const count = Math.min(args.limit ?? PAGE_LINES, options.max_lines ?? PAGE_LINES, PAGE_LINES);
  const { all, shown } = blockAround(lines, anchor, options, { lines: count, room: gate.room });
  const pager = new Pager(shown.first, shown.last - shown.first + 1, gate);
  pager.push(text);
  pager.end();
  return { lines: pager.lines, start: shown.first, total, undecodable: false, around: { anchor, all } };
}

/** Lines and characters that may be shown. */
export interface Allowance {
  lines: number;
  room: number;
}

/** The block around line `anchor` (from 1), and as much of it, near the anchor, as is allowed. */
export function blockAround(
  lines: readonly string[],
  anchor: number,
  options: BlockOptions,
  allowed: Allowance,
): { all: Span; shown: Span } {
  const indents = indentsOf(lines);
  const { max_levels: levels = 0 } = options;
  const floor = levels === 0 ? 0 : Math.max(0, indents[anchor - 1]! - levels * COLUMNS);
  const reach = { lines, indents, floor, at: anchor - 1, options };
  const all = { first: reachUp(reach) + 1, last: reachDown(reach) + 1 };
  return {
    all: trimmed(lines, all, anchor),
    shown: trimmed(lines, grow(lines, all, anchor, allowed), anchor),
  };
}

/** In columns; a blank line has the indent of the line above it. */
function indentsOf(lines: readonly string[]): Uint32Array {
  const indents = new Uint32Array(lines.length);
  let before = 0;
  for (const [index, line] of lines.entries()) {
    if (!isBlank(line)) before = indentOf(line);
    indents[index] = before;
  }
  return indents;
}

function indentOf(line: string): number {
  let columns = 0;
  for (const character of line) {
    if (character === " ") columns++;
    else if (character === "\t") columns += COLUMNS;
    else break;
  }
  return columns;
}

function isBlank(line: string): boolean {
  return line.trim() === "";
}

interface Reach {
  lines: readonly string[];
  indents: Uint32Array;
  floor: number;
  /** The anchor's index. */
  at: number;
  options: BlockOptions;
}

/** The index of the first line that belongs to the block. */
function reachUp({ lines, indents, floor, at, options }: Reach): number {
  const { include_siblings: siblings = false, include_header: comments = true } = options;
  const isHeader = (index: number) => {
    const line = lines[index]!;
    return !siblings && indents[index] === floor && !isBlank(line) && !CLOSING.test(line) &&
      (index === at || !COMMENT.test(line));
  };
  let first = at;
  while (!isHeader(first) && first > 0 && indents[first - 1]! >= floor) first--;
  if (!isHeader(first) || !comments) return first;
  while (first > 0 && indents[first - 1] === floor && COMMENT.test(lines[first - 1]!)) first--;
  return first;
}

/** The index of the last line that belongs to the block. */
function reachDown({ lines, indents, floor, at, options }: Reach): number {
  const { include_siblings: siblings = false } = options;
  const isClosing = (index: number) => indents[index] === floor && CLOSING.test(lines[index]!);
  let last = at;
  let closed = isClosing(at);
  let headless = indents[at] === floor && COMMENT.test(lines[at]!);
  for (let next = at + 1; next < lines.length && indents[next]! >= floor; next++) {
    const line = lines[next]!;
    if (siblings || indents[next]! > floor || (isClosing(next) && !closed)) {
      closed = isClosing(next);
      last = next;
    } else if (isBlank(line)) {
      headless = false;
    } else if (headless) {
      headless = COMMENT.test(line);
      last = next;
    } else if (!COMMENT.test(line)) {
      // What a comment or a blank line belongs to is told by the next line.
      break;
    }
  }
  return last;
}

/** From the anchor a line up and a line down in turn, until the block or the allowance is at its end. */
function grow(lines: readonly string[], all: Span, anchor: number, allowed: Allowance): Span {
  let { room } = allowed;
  const takes = (number: number) => (room -= roomOf(lines[number - 1]!, number)) > 0;
  let first = anchor, last = anchor;
  takes(anchor);
  let up = true, down = true;
  const isFull = () => last - first + 1 >= allowed.lines;
  while ((up || down) && !isFull()) {
    if (up && (up = first > all.first && takes(first - 1))) first--;
    if (down && !isFull() && (down = last < all.last && takes(last + 1))) last++;
  }
  return { first, last };
}

/** Without blank lines at the edges; the anchor stays. */
function trimmed(lines: readonly string[], { first, last }: Span, anchor: number): Span {
  while (first < anchor && isBlank(lines[first - 1]!)) first++;
  while (last > anchor && isBlank(lines[last - 1]!)) last--;
  return { first, last };
}
