/**
 * The last steps of the gate: cut text to a limit with a true notice, and make every outgoing string well-formed.
 * Limits count UTF-16 code units.
 */
import type { Block } from "./tool.ts";

/** Where a cut falls: `middle` keeps both ends (the end holds the error), `head` keeps the start. */
export type Keep = "middle" | "head";

/** The last limit, for anything whoever made it: a text cut at 30,000 plus its notice isn't cut again. */
export const LAST_LIMIT = 32_000;

/** How far a cut may move to fall on a grapheme border. */
const REACH = 64;

/** `text` within `limit`, notice included, cut on grapheme borders. `where` is added to the notice. */
export function cut(text: string, limit: number, keep: Keep, where = ""): string {
  const [block] = cutBlocks([{ type: "text", text }], limit, keep, where);
  return block?.type === "text" ? block.text : "";
}

/**
 * All text blocks together within `limit`, as if they were one text: a cut in the middle keeps the first and the
 * last of them, and there is one notice. Blocks of which nothing is left go; images stay.
 */
export function cutBlocks(
  content: readonly Block[],
  limit: number,
  keep: Keep,
  where = "",
): readonly Block[] {
  const total = textLength(content);
  if (total <= limit) return content;
  const lines = linesOf(content);
  const budget = Math.max(0, limit - notice(total, where, lines).length);
  const head = keep === "head" ? budget : Math.ceil(budget / 2);
  const tailFrom = total - (budget - head);
  let at = 0, kept = 0, keptLines = 0;
  const parts = content.map((block) => {
    if (block.type !== "text") return block;
    const from = at, { text } = block;
    at += text.length;
    const start = takeHead(text, head - from);
    const end = takeTail(text, at - tailFrom);
    kept += start.length + end.length;
    keptLines += lineEndsIn(start) + lineEndsIn(end);
    return { start, end, whole: start.length === text.length };
  });
  // A limit that the notice alone breaks gets as much of it as there is room for.
  const said = takeHead(notice(total - kept, where, lines - keptLines), limit);
  const cutHere = parts.find((part) => "whole" in part && !part.whole);
  return parts.flatMap((part): Block[] => {
    if (!("whole" in part)) return [part];
    const text = part.start + (part === cutHere ? said : "") + part.end;
    return text === "" ? [] : [{ type: "text", text }];
  });
}

/** UTF-16 code units of all text blocks. */
export function textLength(content: readonly Block[]): number {
  let length = 0;
  for (const block of content) if (block.type === "text") length += block.text.length;
  return length;
}

function linesOf(content: readonly Block[]): number {
  let lines = 0;
  for (const block of content) if (block.type === "text") lines += lineEndsIn(block.text);
  return lines;
}

/**
 * The beginning of a line that is shown before the gate has seen it, to its last blank within `chars`: a secret that was
 * cut in two would pass the gate unknown.
 */
export function takeWords(line: string, chars: number): string {
  if (line.length <= chars) return line;
  const end = line.slice(0, chars).search(/\s\S*$/);
  return `${end < 0 ? "" : line.slice(0, end)}… [${line.length} characters]`;
}

/** At most the first `count` code units, ending on a grapheme border. */
export function takeHead(text: string, count: number): string {
  return text.slice(0, border(text, count, -1));
}

/** At most the last `count` code units, starting on a grapheme border. */
export function takeTail(text: string, count: number): string {
  return text.slice(border(text, text.length - count, 1));
}

/** The sentence that stands where text was cut. `lines`: ends of lines in what is left out; NaN where nobody knows. */
export function notice(omitted: number, where = "", lines = 0): string {
  const counted = lines > 0 ? `${lines} ${lines === 1 ? "line" : "lines"}, ` : "";
  return `\n... [${counted}${omitted} characters omitted${where}] ...\n`;
}

/** Ends of lines. */
export function lineEndsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Is a line of a text such a sentence? */
export function isNotice(line: string): boolean {
  return /^\.\.\. \[.* omitted.*\] \.\.\.$/.test(line);
}

/** The grapheme border at or next to `index`, towards `step`. Past `REACH` it settles for a whole code point. */
function border(text: string, index: number, step: -1 | 1): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  const from = Math.max(0, index - REACH);
  const window = text.slice(from, index + REACH);
  if (isAscii(window)) return index;
  let best: number | undefined;
  for (const { index: at } of new Intl.Segmenter().segment(window)) {
    // The window itself may start inside a grapheme, so its first border is not to be trusted.
    if (at === 0 && from > 0) continue;
    const place = from + at;
    if (step > 0 && place >= index) return place;
    if (step < 0 && place <= index) best = place;
  }
  if (step > 0 && index + REACH >= text.length) return text.length;
  return best ?? codePointBorder(text, index, step);
}

/** `index`, or next to it towards `step` where it would part a surrogate pair. */
function codePointBorder(text: string, index: number, step: -1 | 1): number {
  const low = (text.charCodeAt(index) & 0xfc00) === 0xdc00;
  const high = (text.charCodeAt(index - 1) & 0xfc00) === 0xd800;
  return low && high ? index + step : index;
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    // A CR LF pair is one grapheme, so CR counts as odd.
    const unit = text.charCodeAt(i);
    if (unit > 126 || unit === 13) return false;
  }
  return true;
}

/** Replaces lone surrogates: one of them makes a provider refuse this and every later request. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}
