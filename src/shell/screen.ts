/** What a full-screen program shows: its output as a terminal of that size would draw it. */
import { messageOf } from "../core/errors.ts";
import { maskedRows } from "./screen_secrets.ts";

type Library = typeof import("@xterm/headless");
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
 * drawn, so await `settled` first. A program that prints faster than can be drawn loses the middle, not the end. Where
 * the library can't be loaded nothing is drawn, and `fault` says why.
 */
export class Screen {
  #size: Size;
  readonly #reply: ((text: string) => void) | undefined;
  readonly #redact: (text: string) => string;
  readonly #load: () => Promise<Library>;
  /** What waits to be drawn; neighbouring texts are one. */
  #queue: (string | Size)[] = [];
  #waiting = 0;
  #drawing: Promise<void> | undefined;
  #terminal: Terminal | undefined;
  /** Since the last `take` the program went up on its screen, or erased above. */
  #isRedrawn = false;
  /** And lines went off its top. */
  #hasScrolled = false;
  /** Why nothing can be drawn. */
  fault: string | undefined;

  /**
   * `reply` gets what a terminal answers when the program asks it something (where the cursor is, say). `redact` masks
   * secrets in text. `load` is for tests.
   */
  constructor(
    cols: number,
    rows: number,
    reply?: (text: string) => void,
    redact: (text: string) => string = (text) => text,
    load: () => Promise<Library> = () => import("@xterm/headless"),
  ) {
    this.#size = { cols, rows };
    this.#reply = reply;
    this.#redact = redact;
    this.#load = load;
  }

  write(text: string): void {
    if (text === "" || this.fault !== undefined) return;
    const last = this.#queue.at(-1);
    if (typeof last === "string") this.#queue[this.#queue.length - 1] = last + text;
    else this.#queue.push(text);
    this.#waiting += text.length;
    if (this.#waiting > MOST_WAITING) this.#shorten();
    this.#start();
  }

  resize(cols: number, rows: number): void {
    if (this.fault !== undefined) return;
    this.#queue.push({ cols, rows });
    this.#start();
  }

  /** Resolves when all that was written so far is drawn. */
  async settled(): Promise<void> {
    await this.#drawing;
  }

  /** The lines that are seen now, redacted, without trailing blanks and without blank lines at the end. */
  text(): string {
    if (!this.#terminal) return "";
    const { buffer: { active }, rows: height } = this.#terminal;
    const rows = Array.from({ length: height }, (_, row) => {
      const line = active.getLine(active.baseY + row);
      const goesOn = row + 1 < height && active.getLine(active.baseY + row + 1)?.isWrapped === true;
      return { text: line?.translateToString(!goesOn) ?? "", goesOn };
    });
    return maskedRows(rows, this.#redact).map((row) => row.trimEnd()).join("\n").trimEnd();
  }

  /**
   * Does the screen show what the program means to show, and not what it printed? So it is on the alternate screen, and
   * where it drew anew what stood there. Where lines went off the top meanwhile, what it printed is more.
   */
  get isDrawn(): boolean {
    return this.isAlternate || this.#isRedrawn && !this.#hasScrolled;
  }

  /** What is drawn so far was seen. */
  take(): void {
    this.#isRedrawn = this.#hasScrolled = false;
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
    this.#drawing = this.#draw().catch((error) => {
      this.fault = messageOf(error).split("\n", 1)[0]!;
      this.#terminal = undefined;
      this.#queue = [];
    });
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
    const library = await this.#load();
    // Its names are found on Node's `default` alone where it is loaded as a module.
    const { Terminal } = "default" in library ? library.default as Library : library;
    const terminal = new Terminal({ ...this.#size, scrollback: 0, allowProposedApi: true, logLevel: "off" });
    if (this.#reply) terminal.onData(this.#reply);
    this.#watch(terminal);
    return terminal;
  }

  /** Hears of movements before they are made. */
  #watch(terminal: Terminal): void {
    const { parser } = terminal;
    const cursor = () => terminal.buffer.active.cursorY;
    const goes = (final: string, isUp: (params: (number | number[])[]) => boolean) =>
      parser.registerCsiHandler({ final }, (params) => {
        this.#isRedrawn ||= isUp(params);
        return false;
      });
    const toRow = ([row = 1]: (number | number[])[]) => Math.max(Number(row), 1) - 1 < cursor();
    for (const final of ["H", "f", "d"]) goes(final, toRow);
    for (const final of ["A", "F"]) goes(final, () => cursor() > 0);
    goes("J", ([part = 0]) => (part === 1 || part === 2) && cursor() > 0);
    // Sets what scrolls, and goes home.
    goes("r", () => cursor() > 0);
    parser.registerEscHandler({ final: "M" }, () => {
      this.#isRedrawn = true;
      return false;
    });
    terminal.onScroll(() => this.#hasScrolled = true);
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
