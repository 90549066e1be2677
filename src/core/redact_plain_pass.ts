/** The pass for short texts, and for where there is no WebAssembly or no room for it. */
import { Pass } from "./redact_pass.ts";
import { Gaps } from "./redact_gaps.ts";
import { type Across, checkSlot, gramSlot } from "./redact_patterns.ts";
import { isBreak } from "./redact_reading.ts";

/** Memory grows by so much at least. */
const STEP = 4096;

export class PlainPass extends Pass {
  text = new Uint8Array(0);
  #words = new Int32Array(0);
  readonly #lines = new Gaps();

  protected renew(bytes: number): void {
    this.text = new Uint8Array(Math.ceil(bytes / STEP) * STEP);
    this.#words = new Int32Array(this.text.buffer);
  }

  protected note(): void {
    this.codes.count = this.#lines.count = 0;
    this.#pass();
    this.lines = this.#lines.count;
    this.acrossCodes = this.codes.count === 0
      ? []
      : this.#across(this.codes, this.patterns.acrossCodes, false);
    this.acrossLines = this.lines === 0 ? [] : this.#across(this.#lines, this.patterns.acrossLines, true);
  }

  /** Looks at four bytes at a time: at grams, and at what is no plain text. */
  #pass(): void {
    const bytes = this.text, words = this.#words, lines = this.#lines;
    const { grams: slots, checks, shortGrams } = this.patterns;
    const grams: number[] = [];
    for (let at = 0, noted = 0; at < this.end; at += 4) {
      const word = words[at >> 2]!;
      if (slots[gramSlot(word)] !== 0 && checks[checkSlot(word)] !== 0) {
        grams.push(at);
      }
      if (shortGrams !== undefined && shortGrams[gramSlot(word & ~0xff)] !== 0) grams.push(~at);
      // A byte below 0x20 or above 0x7f.
      if (((word - 0x20202020 | word) & 0x80808080) === 0) continue;
      for (let place = Math.max(at, noted); place < at + 4; place++) {
        const byte = bytes[place]!;
        if (byte >= 0x20 && byte < 0x80) continue;
        if (byte === 0x0a) {
          lines.add(place, place + 1);
          this.feeds++;
        } else if (byte === 0x0d) {
          lines.add(place, place + 1);
          if (bytes[place + 1] === 0x0a) this.returns++;
          else this.plain = false;
        } else if (byte === 0x1b || byte === 0xc2) {
          const end = this.codeEnd(place);
          if (end === place) continue;
          this.codes.add(place, end);
          this.hidden += end - place;
          noted = end;
          place = end - 1;
        } else if (byte >= 0x80 || byte === 0x07 || byte === 0x08) this.plain = false;
      }
    }
    this.grams = grams;
  }

  /** Those of the gaps that may stand inside a pattern, by what counts next to them. */
  #across(gaps: Gaps, tables: Across, wraps: boolean): number[] {
    const bytes = this.text, codes = this.codes, found: number[] = [];
    let code = 0;
    for (let index = 0; index < gaps.count; index++) {
      const start = gaps.starts[index]!, end = gaps.ends[index]!;
      while (code < codes.count && codes.starts[code]! < start) code++;
      const after = codes.start(code) === start ? code + 1 : code;
      const from = codes.end(code - 1), to = after < codes.count ? codes.starts[after]! : this.end;
      const near = start - 2 < Math.max(from, 0) || end + 1 >= to ||
        (wraps && (isBreak(bytes[start - 2]!) || isBreak(bytes[end + 1]!)));
      if (near || tables.mayStandIn(bytes[start - 2]!, bytes[start - 1]!, bytes[end]!, bytes[end + 1]!)) {
        found.push(start, end, code);
      }
    }
    return found;
  }
}
