/**
 * What a terminal would show of a program's output: carriage returns and backspaces go back, lines are erased, the
 * cursor goes up into lines above as progress bars have it, and all other codes go. A screen has no width and no end.
 */
import { EndlessLine } from "./endless_line.ts";

const LF = 10, CR = 13, BACKSPACE = 8;
/** A line that a program moves to, at most: a wrong number must not cost memory. */
const MOST_COLUMNS = 1000;

/** The text that is seen at the end. */
export function terminalText(text: string): string {
  if (!/[\x07\x08\r\x1b\u0080-\u009f]/.test(text)) return text;
  const screen = new EndlessScreen();
  screen.write(text);
  return screen.text();
}

/** Lines with a cursor. */
export class EndlessScreen {
  #lines = [new EndlessLine()];
  #row = 0;
  /** In characters. */
  #column = 0;

  write(text: string): void {
    let at = 0;
    for (const { 0: code, index } of text.matchAll(CONTROLS)) {
      if (index > at) this.#put(text.slice(at, index));
      at = index + code.length;
      this.#control(code);
    }
    if (at < text.length) this.#put(text.slice(at));
  }

  text(): string {
    return this.#lines.map(({ text }) => text).join("\n");
  }

  /**
   * Takes lines off the top that nobody is likely to come back to: all but the last `lines`, of which only as many stay
   * as have `chars` characters together. Ends with a line break where lines went.
   */
  takeTop(lines: number, chars: number): string {
    let from = this.#lines.length, room = chars;
    const least = Math.min(this.#row, this.#lines.length - 1);
    while (from > 0 && this.#lines.length - from < lines && room > 0) room -= this.#lines[--from]!.length + 1;
    from = Math.min(from, least);
    const taken = this.#lines.splice(0, from);
    this.#row -= from;
    const line = this.#lines[0]!;
    let head = "";
    // One endless line: its start stays as it is.
    if (this.#lines.length === 1 && line.length > chars && this.#column >= line.length) {
      const { text } = line;
      head = text.slice(0, -Math.floor(chars / 2)).toWellFormed();
      const rest = this.#lines[0] = new EndlessLine(text.slice(-Math.floor(chars / 2)).toWellFormed());
      this.#column = rest.length;
    }
    return taken.map(({ text }) => text + "\n").join("") + head;
  }

  /** Output that would bring an empty screen to this state. */
  state(): string {
    const up = this.#lines.length - 1 - this.#row;
    const back = this.#column === this.#line.length;
    if (up === 0 && back) return this.text();
    return `${this.text()}\r${up > 0 ? `\x1b[${up}A` : ""}${this.#column > 0 ? `\x1b[${this.#column}C` : ""}`;
  }

  get #line(): EndlessLine {
    return this.#lines[this.#row]!;
  }

  #put(text: string): void {
    this.#column = this.#line.put(this.#column, text);
  }

  #control(code: string): void {
    switch (code.charCodeAt(0)) {
      case LF:
        this.#column = 0;
        return this.#down(1);
      case CR:
        this.#column = 0;
        return;
      case BACKSPACE:
        this.#column = Math.max(0, this.#column - 1);
        return;
    }
    const { number, final } = CSI.exec(code)?.groups ?? {};
    if (final !== undefined) this.#move(final, number === "" ? undefined : Number(number));
  }

  #move(final: string, number: number | undefined): void {
    const count = Math.min(number || 1, MOST_COLUMNS);
    switch (final) {
      case "A":
      case "F":
        this.#row = Math.max(0, this.#row - count);
        break;
      case "B":
      case "E":
        this.#row = Math.min(this.#lines.length - 1, this.#row + count);
        break;
      case "C":
        this.#column = Math.max(this.#column, Math.min(this.#column + count, MOST_COLUMNS));
        break;
      case "D":
        this.#column = Math.max(0, this.#column - count);
        break;
      case "G":
        this.#column = count - 1;
        break;
      case "K":
        this.#eraseLine(number ?? 0);
        break;
      case "J":
        if ((number ?? 0) !== 0) break;
        this.#eraseLine(0);
        this.#lines.length = this.#row + 1;
        break;
    }
    if (final === "E" || final === "F") this.#column = 0;
  }

  #down(count: number): void {
    this.#row += count;
    while (this.#row >= this.#lines.length) this.#lines.push(new EndlessLine());
  }

  #eraseLine(part: number): void {
    const line = this.#line;
    if (part === 0) line.cut(this.#column);
    else if (part === 2) line.cut(0);
    else if (part === 1) line.blank(Math.min(line.length, this.#column + 1));
  }
}

const CSI = /^(?:\x1b\[|\x9b)(?<number>\d{0,4})(?<final>[A-GJK])$/;

const ST = "(?:\\x1b\\\\|\\x9c)";
/** What isn't text: control characters, and codes as strip-ansi has them, where they are whole or at the end. */
const CONTROLS = new RegExp(
  [
    `[\\n\\r\\x07\\x08]`,
    `(?:\\x1b\\[|\\x9b)[\\x30-\\x3f]*[\\x20-\\x2f]*(?:[\\x40-\\x7e]|$)`,
    `(?:\\x1b\\]|\\x9d)[^\\x07\\x18\\x1a\\x1b\\x80-\\x9f]*(?:\\x07|${ST}|\\x1b?$)`,
    `(?:\\x1b[PX^_k]|[\\x90\\x98\\x9e\\x9f])[^\\x18\\x1a\\x1b\\x80-\\x9f]*(?:${ST}|\\x1b?$)`,
    `\\x1b[\\x20-\\x2f]+(?:[\\x30-\\x7e]|$)`,
    `\\x1b[\\dA-PR-TZcf-oq-uy=><~|}]`,
    `[\\x1b\\x80-\\x9f]`,
  ].join("|"),
  "g",
);
