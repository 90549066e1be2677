/** Lines that are told together: a program that prints many is not told of many times. */

/** Time in which lines are gathered, and characters that one telling has. */
const GATHER_MS = 200;
const MOST_CHARS = 4_000;

export class LineBatch {
  readonly #tell: (text: string) => void;
  #lines: string[] = [];
  #chars = 0;
  #more = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(tell: (text: string) => void) {
    this.#tell = tell;
  }

  push(line: string): void {
    if (line.trim() === "") return;
    this.#timer ??= setTimeout(() => this.flush(), GATHER_MS);
    if (this.#chars > 0 && this.#chars + line.length > MOST_CHARS) {
      this.#more++;
      return;
    }
    const shown = line.length > MOST_CHARS ? `${line.slice(0, MOST_CHARS)}…` : line;
    this.#lines.push(shown);
    this.#chars += shown.length + 1;
  }

  /** Tells at once what was gathered. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines.length === 0) return;
    if (this.#more > 0) this.#lines.push(`[${this.#more} more lines, which didn't fit; poll the session]`);
    const text = this.#lines.join("\n");
    this.#lines = [];
    this.#chars = 0;
    this.#more = 0;
    this.#tell(text);
  }
}
