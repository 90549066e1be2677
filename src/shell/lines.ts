/** Whole lines, as a terminal would show them, of text that comes in pieces. */
import { terminalText } from "./terminal_text.ts";

/** Characters of a line that has no end yet; of more, the last are kept. */
const MOST_REST = 64 * 1024;

export class Lines {
  readonly #tell: (line: string) => void;
  /** The line that has no end yet, joined when it is looked at: it may come in very many pieces. */
  #rest: string[] = [];
  #size = 0;

  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  push(text: string): void {
    const end = text.lastIndexOf("\n");
    if (end < 0) return this.#keep(text);
    const lines = (this.#joined() + text.slice(0, end)).split("\n");
    this.#rest = [];
    this.#size = 0;
    for (const line of lines) this.#tell(terminalText(line));
    this.#keep(text.slice(end + 1));
  }

  /** The line that has no end yet. */
  get rest(): string {
    return terminalText(this.#joined());
  }

  /** Nothing comes any more, so that is a line too. */
  end(): void {
    if (this.#size > 0) this.#tell(this.rest);
    this.#rest = [];
    this.#size = 0;
  }

  #keep(text: string): void {
    if (text === "") return;
    this.#rest.push(text);
    this.#size += text.length;
    if (this.#size > 2 * MOST_REST) this.#joined();
  }

  #joined(): string {
    const rest = this.#rest.join("").slice(-MOST_REST);
    this.#rest = rest === "" ? [] : [rest];
    this.#size = rest.length;
    return rest;
  }
}
