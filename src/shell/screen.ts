/** What a full-screen program shows: its output as a terminal of that size would draw it. */

type Terminal = import("@xterm/headless").Terminal;

/** Characters that may wait to be drawn, and the last of them that are kept where more come. */
const MOST_WAITING = 2 ** 20;
const KEPT = 2 ** 16;

interface Size {
  cols: number;
  rows: number;
}

/**
 * A terminal's screen. Text is drawn in the background, in order; `text` and `isAlternate` tell the state that is
 * drawn, so await `settled` first. A program that prints faster than can be drawn loses the middle, not the end.
 */
export class Screen {
  #size: Size;
  readonly #reply: ((text: string) => void) | undefined;
  /** What waits to be drawn; neighbouring texts are one. */
  #queue: (string | Size)[] = [];
  #waiting = 0;
  #drawing: Promise<void> | undefined;
  #terminal: Terminal | undefined;

  /** `reply` gets what a terminal answers when the program asks it something (where the cursor is, say). */
  constructor(cols: number, rows: number, reply?: (text: string) => void) {
    this.#size = { cols, rows };
    this.#reply = reply;
  }

  write(text: string): void {
    if (text === "") return;
    const last = this.#queue.at(-1);
    if (typeof last === "string") this.#queue[this.#queue.length - 1] = last + text;
    else this.#queue.push(text);
    this.#waiting += text.length;
    if (this.#waiting > MOST_WAITING) this.#shorten();
    this.#start();
  }

  resize(cols: number, rows: number): void {
    this.#queue.push({ cols, rows });
    this.#start();
  }

  /** Resolves when all that was written so far is drawn. Rejects where the library can't be loaded. */
  async settled(): Promise<void> {
    await this.#drawing;
  }

  /** The lines that are seen now, without trailing blanks and without blank lines at the end. */
  text(): string {
    if (!this.#terminal) return "";
    const { active } = this.#terminal.buffer;
    const lines: string[] = [];
    for (let row = 0; row < this.#terminal.rows; row++) {
      lines.push(active.getLine(active.baseY + row)?.translateToString(true).trimEnd() ?? "");
    }
    return lines.join("\n").trimEnd();
  }

  /** Is a full-screen program at work: one that draws on the alternate screen? */
  get isAlternate(): boolean {
    return this.#terminal?.buffer.active.type === "alternate";
  }

  /** Has the program asked that cursor keys are sent in their other form? For `keyText`. */
  get applicationKeys(): boolean {
    return this.#terminal?.modes.applicationCursorKeysMode === true;
  }

  #start(): void {
    if (this.#drawing) return;
    this.#drawing = this.#draw();
    // `settled` says it.
    this.#drawing.catch(() => {});
  }

  async #draw(): Promise<void> {
    const terminal = this.#terminal ??= await this.#open();
    for (let next; (next = this.#queue.shift()) !== undefined;) {
      if (typeof next !== "string") {
        terminal.resize(next.cols, next.rows);
        continue;
      }
      this.#waiting -= next.length;
      const text = next;
      await new Promise<void>((resolve) => terminal.write(text, resolve));
    }
    this.#drawing = undefined;
  }

  async #open(): Promise<Terminal> {
    const library = await import("@xterm/headless");
    // Its names are found on Node's `default` alone where it is loaded as a module.
    const { Terminal } = "default" in library ? library.default as typeof library : library;
    const terminal = new Terminal({ ...this.#size, scrollback: 0, allowProposedApi: true, logLevel: "off" });
    if (this.#reply) terminal.onData(this.#reply);
    return terminal;
  }

  /** Leaves the end of what waits, the last size, and the modes that were switched in the rest. */
  #shorten(): void {
    const text = this.#queue.filter((part) => typeof part === "string").join("");
    const size = this.#queue.findLast((part) => typeof part !== "string");
    const modes = new Map<string, string>();
    for (const [, mode, to] of text.slice(0, -KEPT).matchAll(/\x1b\[\?([\d;]+)([hl])/g)) {
      modes.delete(mode!);
      modes.set(mode!, `\x1b[?${mode}${to}`);
    }
    const kept = [...modes.values()].join("") + text.slice(-KEPT);
    this.#queue = [...size === undefined ? [] : [size], kept];
    this.#waiting = kept.length;
  }
}
