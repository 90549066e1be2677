/**
 * What is told unasked: a background command ended, a watched one printed. Kept until the next result of the session
 * takes it along; whoever hears them at once (the event stream, a host) hears each as it comes.
 */

/** Characters of all notices that wait. */
const MOST_CHARS = 10_000;

export class Notices {
  readonly #tell: (source: string, text: string) => void;
  #waiting: string[] = [];
  #chars = 0;
  #dropped = 0;

  /** `tell` hears each at once. */
  constructor(tell: (source: string, text: string) => void) {
    this.#tell = tell;
  }

  push(source: string, text: string): void {
    this.#tell(source, text);
    if (this.#chars + text.length > MOST_CHARS) this.#dropped++;
    else {
      this.#waiting.push(text);
      this.#chars += text.length;
    }
  }

  /** All that waited, as one text; nothing waits any more. */
  take(): string | undefined {
    if (this.#waiting.length === 0 && this.#dropped === 0) return undefined;
    const more = this.#dropped === 0
      ? []
      : [`[${this.#dropped} more notices, which didn't fit; poll the session]`];
    const text = [...this.#waiting, ...more].join("\n");
    this.#waiting = [];
    this.#chars = 0;
    this.#dropped = 0;
    return text;
  }
}
