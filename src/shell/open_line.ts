/** The line of a session's output that has no end yet, for whoever looks for lines: looks take parts of it. */

/** Characters of it that are kept; of more, the last. */
const MOST = 64 * 1024;

export class OpenLine {
  #text = "";
  /** As much of it as a look has taken. */
  passed = "";
  /** When output came last. */
  heardAt = -Infinity;

  push(text: string, now: number): void {
    if (text === "") return;
    this.heardAt = now;
    const end = text.lastIndexOf("\n") + 1;
    this.#text = end > 0 ? text.slice(end) : this.#text + text;
    if (end > 0 || this.#text.length > 2 * MOST) this.#text = this.#text.slice(-MOST);
  }

  /** Something of it came since then. */
  get hasNew(): boolean {
    return this.#text !== "" && this.#text !== this.passed;
  }

  /** What came so far is not new any more. */
  take(): void {
    this.passed = this.#text;
  }
}
