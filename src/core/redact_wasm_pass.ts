/** The pass in WebAssembly, for long texts: `redact_pass.wat`, its memory, and what it notes there. */
import { Pass, SPARE } from "./redact_pass.ts";
import { PASS_CODE } from "./redact_pass_code.ts";
import { GRAM_SLOTS, type Patterns } from "./redact_patterns.ts";
import { fromBase64 } from "./base64.ts";

/** What is used of WebAssembly, whose types come with browsers only. */
interface Wasm {
  Module: new (code: Uint8Array) => object;
  Memory: new (size: { initial: number }) => { buffer: ArrayBuffer };
  Instance: new (module: object, imports: object) => { exports: unknown };
}

interface Exports {
  pass(end: number): void;
  across(
    starts: number,
    ends: number,
    count: number,
    end: number,
    table: number,
    shift: number,
    wraps: number,
    hits: number,
  ): number;
  readonly codes: { value: number };
  readonly lines: { value: number };
  readonly gramsEnd: { value: number };
  readonly feeds: { value: number };
  readonly returns: { value: number };
  readonly hidden: { value: number };
  readonly odd: { value: number };
}

const PAGE = 64 * 1024;
/** As the source has it: three tables of grams, then the text. */
const TEXT = 3 * GRAM_SLOTS;
/** Room for what one read of a pipe brings and what is held from those before. */
const FIRST_ROOM = 72 * 1024;

export class WasmPass extends Pass {
  readonly #wasm: Wasm;
  readonly #module: object;
  text = new Uint8Array(0);
  #numbers = new Int32Array(0);
  #exports!: Exports;
  #places!: Places;

  /** Throws where there is no WebAssembly, or no room for it. */
  constructor(patterns: Patterns) {
    super(patterns);
    this.#wasm = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly;
    this.#module = new this.#wasm.Module(fromBase64(PASS_CODE));
    this.renew(0);
  }

  protected renew(needed: number): void {
    const room = Math.max(FIRST_ROOM, Math.ceil(needed * 1.25 / SPARE) * SPARE);
    const { grams, checks, shortGrams, acrossCodes, acrossLines } = this.patterns;
    const places = new Places(room, acrossCodes.table.length, acrossLines.table.length);
    const memory = new this.#wasm.Memory({ initial: Math.ceil(places.end / PAGE) });
    const bytes = new Uint8Array(memory.buffer);
    bytes.set(grams);
    bytes.set(checks, GRAM_SLOTS);
    if (shortGrams) bytes.set(shortGrams, 2 * GRAM_SLOTS);
    bytes.set(acrossCodes.table, places.codesTable);
    bytes.set(acrossLines.table, places.linesTable);
    const host = {
      ...places,
      memory,
      oddCode: (at: number) => this.codeEnd(at),
      hasShort: shortGrams ? 1 : 0,
    };
    this.#exports = new this.#wasm.Instance(this.#module, { host }).exports as Exports;
    this.#places = places;
    this.#numbers = new Int32Array(memory.buffer);
    this.text = bytes.subarray(TEXT, TEXT + room);
    this.codes.starts = this.#numbers.subarray(places.codeStarts / 4, places.codeEnds / 4);
    this.codes.ends = this.#numbers.subarray(places.codeEnds / 4, places.lineStarts / 4);
  }

  protected note(): void {
    const { pass, codes, lines, gramsEnd, feeds, returns, hidden, odd } = this.#exports, at = this.#places;
    pass(this.end);
    this.codes.count = codes.value;
    this.lines = lines.value;
    this.hidden = hidden.value;
    this.feeds = feeds.value;
    this.returns = returns.value;
    if (odd.value !== 0) this.plain = false;
    const codesFrom = gramsEnd.value;
    const linesFrom = this.#across(at.codeStarts, at.codeEnds, codes.value, at.codesTable, false, codesFrom);
    const end = this.#across(at.lineStarts, at.lineEnds, lines.value, at.linesTable, true, linesFrom);
    this.grams = this.#numbers.subarray(at.grams / 4, codesFrom / 4);
    this.acrossCodes = this.#numbers.subarray(codesFrom / 4, linesFrom / 4);
    this.acrossLines = this.#numbers.subarray(linesFrom / 4, end / 4);
  }

  #across(
    starts: number,
    ends: number,
    count: number,
    table: number,
    wraps: boolean,
    hits: number,
  ): number {
    if (count === 0) return hits;
    const { shift } = wraps ? this.patterns.acrossLines : this.patterns.acrossCodes;
    return this.#exports.across(starts, ends, count, this.end, table, shift, wraps ? 1 : 0, hits);
  }
}

/** Where things stand in the memory. Lists have a number to spare at each end. */
class Places {
  readonly codeStarts: number;
  readonly codeEnds: number;
  readonly lineStarts: number;
  readonly lineEnds: number;
  readonly lineCodes: number;
  /** What was noted: grams, two at each fourth byte at most, then codes and line breaks by threes. */
  readonly grams: number;
  readonly codesTable: number;
  readonly linesTable: number;
  readonly end: number;

  /** The shortest code has two bytes, and one at least between it and the next; a line break has one. */
  constructor(room: number, codesTable: number, linesTable: number) {
    const codes = 4 * (Math.ceil(room / 3) + 2), lines = 4 * (Math.ceil(room / 2) + 2);
    this.codeStarts = TEXT + room;
    this.codeEnds = this.codeStarts + codes + 4;
    this.lineStarts = this.codeEnds + codes;
    this.lineEnds = this.lineStarts + lines + 4;
    this.lineCodes = this.lineEnds + lines;
    this.grams = this.lineCodes + lines;
    this.codesTable = this.grams + 2 * room + 3 * (codes + lines);
    this.linesTable = this.codesTable + codesTable;
    this.end = this.linesTable + linesTable;
  }
}
