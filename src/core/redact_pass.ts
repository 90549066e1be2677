/**
 * The pass that every byte of output takes: it notes what may be a secret, for the close look behind it
 * (`redact_scan.ts`). Three things are noted:
 *
 * - grams: at each fourth place, four bytes that are some pattern's. Each pattern that stands as it is shows one.
 * - escape codes between two bytes and two that may stand side by side in a pattern: programs colour parts of words.
 * - line breaks, likewise: encoders break long texts into lines.
 *
 * There are two of it that note the same. Short texts take the one in JavaScript (`redact_plain_pass.ts`). What is long
 * goes through one in WebAssembly (`redact_wasm_pass.ts`), which is three times as fast: it looks at sixteen bytes at
 * once.
 */
import { codeEnd, colourEnd, LONGEST_COLOUR, UNFINISHED } from "./redact_escapes.ts";
import { Gaps } from "./redact_gaps.ts";
import type { Patterns } from "./redact_patterns.ts";

/** Blanks that a pass puts behind the text, since it reads several bytes at once. */
export const SPARE = 64;

/** What takes more memory than this isn't kept for what is much smaller. */
const MOST_KEPT = 1024 * 1024;

/** Numbers by threes: where a code or line break begins and ends, and the first code from there. */
export type Breaks = ArrayLike<number>;

export abstract class Pass {
  protected readonly patterns: Patterns;
  /** The text, and at least `SPARE` bytes behind it. */
  abstract text: Uint8Array<ArrayBuffer>;
  /** Escape codes, neighbours as one. */
  readonly codes = new Gaps();
  /** How many line breaks there are, neighbours as one. */
  lines = 0;
  /** Places of grams; those of the three bytes behind a place as negative numbers, by `~`. */
  grams: ArrayLike<number> = [];
  acrossCodes: Breaks = [];
  acrossLines: Breaks = [];
  /** Nothing but ASCII text, line ends and colours came by. */
  plain = true;
  /** Bytes of codes. */
  hidden = 0;
  /** Line feeds, and carriage returns before them. */
  feeds = 0;
  returns = 0;
  /** Where a colour begins that isn't all there; -1 where none does. */
  unfinished = -1;
  protected end = 0;

  constructor(patterns: Patterns) {
    this.patterns = patterns;
  }

  /** Makes room for so many bytes of text. What was there is gone. */
  room(length: number): void {
    const have = this.text.length, needed = length + SPARE;
    if (needed > have || (have > MOST_KEPT && needed < have / 4)) this.renew(needed);
  }

  /** New memory: so many bytes at least. */
  protected abstract renew(bytes: number): void;

  /** Notes what there is in the first `end` bytes. */
  run(end: number): void {
    this.end = end;
    this.plain = true;
    this.hidden = this.feeds = this.returns = 0;
    this.unfinished = -1;
    this.text.fill(0x20, end, end + SPARE);
    this.note();
  }

  protected abstract note(): void;

  /** The end of the code that begins at `at`; `at` itself where none does. */
  protected codeEnd(at: number): number {
    let end = colourEnd(this.text, at, this.end);
    if (end >= 0) return end;
    end = codeEnd(this.text, at, this.end);
    if (end === UNFINISHED && this.end - at < LONGEST_COLOUR) this.unfinished = at;
    else this.plain = false;
    return end === UNFINISHED ? this.end : end;
  }
}
