/** Whole lines, as a terminal would show them, of text that comes in pieces. */
import { terminalText } from "./terminal_text.ts";

/** Characters of a line that has no end yet; of more, the last are kept. */
const MOST_REST = 64 * 1024;

export class Lines {
  readonly #tell: (line: string) => void;
  #rest = "";

  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  push(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop()!.slice(-MOST_REST);
    for (const line of lines) this.#tell(terminalText(line));
  }

  /** The line that has no end yet. */
  get rest(): string {
    return terminalText(this.#rest);
  }

  /** Nothing comes any more, so that is a line too. */
  end(): void {
    if (this.#rest !== "") this.#tell(this.rest);
    this.#rest = "";
  }
}
