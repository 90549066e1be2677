/** Finds secrets in bytes: one fast pass that notes what may be one, then a close look there. */
import { Gaps } from "./redact_gaps.ts";
import type { Breaks, Pass } from "./redact_pass.ts";
import { four, type Patterns } from "./redact_patterns.ts";
import { PlainPass } from "./redact_plain_pass.ts";
import { Reading, type Span } from "./redact_reading.ts";
import { WasmPass } from "./redact_wasm_pass.ts";

/**
 * Encoded text that is broken into lines has at least so many letters before a break. Behind shorter lines nothing is
 * held back, or the end of every line would wait for the next one.
 */
const SHORTEST_LINE = 32;
/** Bytes from which the fast pass is worth its start, and up to which it has room. */
const LONG = 16 * 1024;
const TOO_LONG = 4 * 1024 * 1024;
const NO_GAPS = new Gaps();

/** One scan at a time, of whatever stream: its memory is used again by the next. */
export class Scanner {
  readonly #patterns: Patterns;
  readonly #long: number;
  readonly #plainPass: Pass;
  /** `null` where there can't be one. */
  #fastPass: Pass | undefined | null;
  #pass: Pass;
  readonly #asItStands: Reading;
  readonly #withoutCodes: Reading;
  readonly #withoutLines: Reading;
  #end = 0;
  readonly #marks = new Map<string, Uint8Array>();

  /** `long`: how many bytes take the fast pass. */
  constructor(patterns: Patterns, long = LONG) {
    this.#patterns = patterns;
    this.#long = long;
    this.#pass = this.#plainPass = new PlainPass(patterns);
    this.#asItStands = new Reading(patterns, false);
    this.#withoutCodes = new Reading(patterns, false);
    this.#withoutLines = new Reading(patterns, true);
  }

  /** Memory for so many bytes, to be filled and scanned next. */
  room(length: number): Uint8Array<ArrayBuffer> {
    const fast = length >= this.#long && length <= TOO_LONG ? this.#fast(length) : null;
    this.#pass = fast ?? this.#plainPass;
    if (!fast) this.#pass.room(length);
    return this.#pass.text;
  }

  /** Address space may be limited, so that there is no room for WebAssembly, or none for so much. */
  #fast(length: number): Pass | null {
    if (this.#fastPass === null) return null;
    try {
      this.#fastPass ??= new WasmPass(this.#patterns);
      this.#fastPass.room(length);
      return this.#fastPass;
    } catch {
      return this.#fastPass = null;
    }
  }

  /** The secret parts of the first `end` bytes, in order. */
  scan(end: number): Span[] {
    const pass = this.#pass;
    this.#end = end;
    pass.run(end);
    this.#asItStands.open(pass.text, end, NO_GAPS);
    this.#withoutCodes.open(pass.text, end, pass.codes);
    this.#withoutLines.open(pass.text, end, pass.codes);
    return merged([
      this.#atGrams(pass.grams),
      this.#acrossCodes(pass.acrossCodes),
      this.#acrossLines(pass.acrossLines),
    ]);
  }

  /** Patterns that stand as they are. */
  #atGrams(grams: ArrayLike<number>): Span[] {
    const { text } = this.#pass, spans: Span[] = [];
    for (let index = 0; index < grams.length; index++) {
      const at = grams[index]!;
      if (at < 0) {
        this.#asItStands.match(~at + 1, 0, 0, spans);
        continue;
      }
      const offsets = this.#patterns.offsetsOf(four(text, at));
      for (let left = offsets; left !== 0; left &= left - 1) {
        const start = at - (31 - Math.clz32(left & -left));
        if (start >= 0) this.#asItStands.match(start, 0, 0, spans);
      }
    }
    return spans;
  }

  #acrossCodes(breaks: Breaks): Span[] {
    const spans: Span[] = [];
    let found = 0;
    for (let index = 0; index < breaks.length; index += 3) {
      const start = breaks[index]!, end = breaks[index + 1]!, code = breaks[index + 2]!;
      // Of the codes in a secret that was found, the last one tells whether another goes on from there.
      const next = this.#pass.codes.start(code + 1);
      if (end < found && next > 0 && next < found) continue;
      const tables = this.#patterns.acrossCodes;
      found = Math.max(found, this.#withoutCodes.across(start, end, code, tables, spans));
    }
    return spans;
  }

  #acrossLines(breaks: Breaks): Span[] {
    const spans: Span[] = [];
    for (let index = 0; index < breaks.length; index += 3) {
      const start = breaks[index]!, end = breaks[index + 1]!, code = breaks[index + 2]!;
      this.#withoutLines.across(start, end, code, this.#patterns.acrossLines, spans);
    }
    return spans;
  }

  /**
   * Where the end of the bytes begins that may be the start of a secret, in any way of reading; after `scan`. `letters`:
   * how many letters of an encoding came just before these bytes, as `lettersBefore` tells. A colour that isn't all there
   * waits too: it can't be seen.
   */
  heldFrom(letters: number): number {
    const { codes, lines, unfinished } = this.#pass;
    const goesOn = (lineBreak: number) => this.lettersBefore(lineBreak, letters) >= SHORTEST_LINE;
    let from = this.#asItStands.heldFrom(goesOn);
    if (unfinished >= 0) from = Math.min(from, unfinished);
    if (codes.count > 0) from = Math.min(from, this.#withoutCodes.heldFrom(goesOn));
    if (lines > 0) from = Math.min(from, this.#withoutLines.heldFrom(goesOn));
    return from;
  }

  /**
   * How many of the bytes before `end` a terminal wouldn't show, secrets left out; -1 where there is more than ASCII text,
   * line ends and colours. `spans` are those that `scan` found.
   */
  unseenBefore(end: number, spans: readonly Span[]): number {
    const { plain, returns, hidden, codes } = this.#pass;
    const whole = spans.length === 0 && end === this.#end;
    if (!plain || (returns > 0 && !whole)) return -1;
    let unseen = hidden + returns;
    if (whole) return unseen;
    let behind = codes.count;
    for (; behind > 0 && codes.ends[behind - 1]! > end; behind--) {
      unseen -= codes.ends[behind - 1]! - codes.starts[behind - 1]!;
    }
    for (const span of spans) {
      for (let index = codes.from(span.start); index < behind && codes.starts[index]! < span.end; index++) {
        unseen -= codes.ends[index]! - codes.starts[index]!;
      }
    }
    return unseen;
  }

  /** Line feeds before `end`, without those in secrets; where `unseenBefore` knows. */
  feedsBefore(end: number, spans: readonly Span[]): number {
    const { feeds, text } = this.#pass;
    let left = feeds - lineFeeds(text, end, this.#end);
    for (const span of spans) left -= lineFeeds(text, Math.max(span.start, 0), Math.min(span.end, end));
    return left;
  }

  /** Letters of base64 or hex just before a place, codes left out, as far as they matter; `before`: those before the bytes. */
  lettersBefore(place: number, before: number): number {
    const { text, codes } = this.#pass;
    let at = place, letters = 0, code = codes.from(place) - 1;
    while (at > 0 && letters < SHORTEST_LINE) {
      if (codes.end(code) === at) at = codes.start(code--);
      else if (!isLetter(text[--at]!)) return letters;
      else letters++;
    }
    return Math.min(SHORTEST_LINE, at === 0 ? letters + before : letters);
  }

  /** What stands for a secret. */
  mark(name: string): Uint8Array {
    let mark = this.#marks.get(name);
    if (!mark) this.#marks.set(name, mark = new TextEncoder().encode(`<redacted:${name}>`));
    return mark;
  }
}

function lineFeeds(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) if (bytes[at] === 0x0a) count++;
  return count;
}

function isLetter(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x2b || byte === 0x2f || byte === 0x2d || byte === 0x5f;
}

/** All of them in order, those that overlap as one. */
function merged(lists: readonly Span[][]): Span[] {
  const result: Span[] = [];
  for (const list of lists) if (!isOrdered(list)) list.sort(order);
  const at = lists.map(() => 0);
  for (;;) {
    let first: Span | undefined, from = 0;
    for (let index = 0; index < lists.length; index++) {
      const span = lists[index]![at[index]!];
      if (span && (!first || !before(first, span))) {
        first = span;
        from = index;
      }
    }
    if (!first) return result;
    at[from]!++;
    const last = result.at(-1);
    if (last && first.start < last.end) last.end = Math.max(last.end, first.end);
    else result.push(first);
  }
}

/** What begins before another, or with it and is no shorter. */
function before(a: Span, b: Span): boolean {
  return a.start < b.start || (a.start === b.start && a.end >= b.end);
}

function isOrdered(list: readonly Span[]): boolean {
  for (let at = 1; at < list.length; at++) if (!before(list[at - 1]!, list[at]!)) return false;
  return true;
}

function order(a: Span, b: Span): number {
  return a.start - b.start || b.end - a.end;
}
