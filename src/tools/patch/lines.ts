/** A file as numbered lines, each with the bytes it has there. */
import type { FileText } from "../../core/file_text.ts";

const LF = 10;
const CR = 13;

export class Lines {
  readonly file: FileText;
  /** Without their ends. */
  readonly texts: readonly string[];
  /** Where each begins in the bytes; one more for the end of the file. */
  readonly #starts: readonly number[];
  #usual: string | undefined;

  constructor(file: FileText) {
    this.file = file;
    this.#starts = lineStarts(file);
    const { text } = file;
    const texts = text.includes("\r") ? text.split(/\r\n|\n|\r/) : text.split("\n");
    // A last newline ends a line and starts none.
    if (texts.at(-1) === "") texts.pop();
    this.texts = texts;
  }

  /** The bytes of lines `from` to `to`, this one not included. */
  bytes(from: number, to: number): Uint8Array {
    return this.file.bytes.subarray(this.#starts[from], this.#starts[to]);
  }

  /** `\n`, `\r\n`, `\r`, or nothing for a last line without one. */
  endOf(line: number): string {
    const { file, file: { unit } } = this;
    const next = this.#starts[line + 1]!;
    if (next === this.#starts[line]) return "";
    if (file.isAt(next - unit, CR)) return "\r";
    if (!file.isAt(next - unit, LF)) return "";
    return next - 2 * unit >= this.#starts[line]! && file.isAt(next - 2 * unit, CR) ? "\r\n" : "\n";
  }

  /** The end that most lines have; LF where there is none. */
  get usualEnd(): string {
    return this.#usual ??= this.#countEnds();
  }

  #countEnds(): string {
    if (this.file.lineFeed(0) >= 0) return this.file.dominantEnd;
    return this.texts.some((_, line) => this.endOf(line) === "\r") ? "\r" : "\n";
  }
}

function lineStarts(file: FileText): number[] {
  const { bytes, unit, encoding: { mark } } = file;
  const starts = [mark];
  if (unit === 1 && !bytes.includes(CR)) {
    for (let at = bytes.indexOf(LF, mark); at >= 0; at = bytes.indexOf(LF, at + 1)) starts.push(at + 1);
  } else {
    for (let at = mark; at < bytes.length; at += unit) {
      const isCr = file.isAt(at, CR);
      if (!isCr && !file.isAt(at, LF)) continue;
      if (isCr && file.isAt(at + unit, LF)) at += unit;
      starts.push(at + unit);
    }
  }
  if (starts.at(-1)! < bytes.length) starts.push(bytes.length);
  return starts;
}
