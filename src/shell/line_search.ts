/**
 * Looks for a line in text as it comes: each whole line once. One that has no end yet, a prompt say, may be half of what
 * is to come, so it counts when nothing has come for a moment.
 */
import { Lines } from "./lines.ts";
import { terminalText } from "./terminal_text.ts";

/** A program that prints nothing for so long has said what it had to say. */
const QUIET_MS = 300;

export class LineSearch {
  readonly #fits: (line: string) => boolean;
  readonly #now: () => number;
  readonly #lines: Lines;
  /** What stands before the first of the new text on its line; that alone is nothing new. */
  #passed: string;
  #seen = false;
  #isNew = false;
  #cameAt = -Infinity;

  /** `passed`: the start of the line that the text goes on with, seen by an earlier search. */
  constructor(fits: (line: string) => boolean, now: () => number, passed = "") {
    this.#fits = fits;
    this.#now = now;
    this.#lines = new Lines((line) => this.#judge(line));
    this.#lines.push(passed);
    this.#passed = terminalText(passed);
  }

  /** `at`: when it came. */
  push(text: string, at = this.#now()): void {
    if (this.#seen || text === "") return;
    this.#lines.push(text);
    this.#isNew = true;
    this.#cameAt = at;
  }

  /** Did the line come? To be asked again after a while; `anyway`: for the last time. */
  found(anyway = false): boolean {
    if (this.#seen || !this.#isNew) return this.#seen;
    if (!anyway && this.#now() - this.#cameAt < QUIET_MS) return false;
    this.#isNew = false;
    const { rest } = this.#lines;
    return this.#seen = rest !== this.#passed && this.#fits(rest);
  }

  #judge(line: string): void {
    const isOld = this.#passed !== "" && line === this.#passed;
    this.#passed = "";
    if (!isOld) this.#seen ||= this.#fits(line);
  }
}
