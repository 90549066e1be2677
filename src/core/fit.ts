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
  if (text.length <= limit) return text;
  const budget = Math.max(0, limit - notice(text.length, where).length);
  const head = keep === "head" ? budget : Math.ceil(budget / 2);
  const start = takeHead(text, head);
  const end = takeTail(text, budget - head);
  return start + notice(text.length - start.length - end.length, where) + end;
}

/** At most the first `count` code units, ending on a grapheme border. */
export function takeHead(text: string, count: number): string {
  return text.slice(0, border(text, count, -1));
}

/** At most the last `count` code units, starting on a grapheme border. */
export function takeTail(text: string, count: number): string {
  return text.slice(border(text, text.length - count, 1));
}

/** The sentence that stands where text was cut. */
export function notice(omitted: number, where = ""): string {
  return `\n... [${omitted} characters omitted${where}] ...\n`;
}

/** The grapheme border at or next to `index`, towards `step`. Past `REACH` it settles for a whole code point. */
function border(text: string, index: number, step: -1 | 1): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  const from = Math.max(0, index - REACH);
  const window = text.slice(from, index + REACH);
  if (isAscii(window)) return index;
  let best = step < 0 ? from : Math.min(text.length, index + REACH);
  for (const { index: at } of new Intl.Segmenter().segment(window)) {
    // The window itself may start inside a grapheme, so its first border is not to be trusted.
    if (at === 0 && from > 0) continue;
    const place = from + at;
    if (step < 0 && place <= index) best = place;
    if (step > 0 && place >= index) return place;
  }
  return best > from || from === 0 ? best : codePointBorder(text, index);
}

function codePointBorder(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff ? index - 1 : index;
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
  return text.isWellFormed?.() === false ? text.toWellFormed() : text;
}

/** The last clamp: all text blocks together within `limit`, each well-formed; images are left alone. */
export function clamp(content: readonly Block[], limit = LAST_LIMIT): readonly Block[] {
  let total = 0;
  let clean = true;
  for (const block of content) {
    if (block.type !== "text") continue;
    total += block.text.length;
    if (block.text.isWellFormed?.() === false) clean = false;
  }
  if (clean && total <= limit) return content;
  let left = limit;
  return content.map((block) => {
    if (block.type !== "text") return block;
    const text = cut(wellFormed(block.text), left, "middle");
    left = Math.max(0, left - text.length);
    return { type: "text" as const, text };
  }).filter((block) => block.type !== "text" || block.text !== "");
}
