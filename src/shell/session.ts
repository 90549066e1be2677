/** A command that outlives its call: its state, what it printed, its input, and whoever waits for it. */
import { isNotice } from "../core/fit.ts";
import type { Saved } from "../core/overflow.ts";
import { host } from "../core/runtime.ts";
import { isRunning } from "../core/upkeep.ts";
import { atMost, type Child, type ChildEnd } from "./child.ts";
import type { Collector } from "./collector.ts";
import type { Notices } from "./notices.ts";
import { OpenLine } from "./open_line.ts";
import type { Screen } from "./screen.ts";

/** `adopted`: the command is over, but processes that it started are not. */
export type SessionState = "running" | "adopted" | "exited" | "killed";

/** Takes a line or doesn't. */
export type LineFilter = (line: string) => boolean;

/** What is new of a session. */
export interface Look {
  output: string;
  /** That is what the program's screen shows, not what it printed. */
  isScreen: boolean;
  /** Why it isn't the screen, said once. */
  note?: string;
  /** New lines that a filter was held against, where it fits none. */
  unfit?: number;
}

/** How often who waits looks anew: whether processes that were left behind are gone, say. */
const LOOK_MS = 100;
/** What was printed last may take so long to arrive once all were ended. */
const LAST_OUTPUT_MS = 1_000;

export class ShellSession {
  /** 0 for one that has none yet. */
  id: number;
  readonly command: string;
  readonly cwd: string;
  readonly tty: boolean;
  /** Whether it was started with an input to write to. */
  readonly hasInput: boolean;
  readonly child: Child;
  readonly collector: Collector;
  readonly #screen: SessionParts["screen"];
  readonly #file: SessionParts["file"];
  readonly openLine = new OpenLine();
  readonly startedAt = host.now();
  state: SessionState = "running";
  end: ChildEnd | undefined;
  endedAt: number | undefined;
  /** Its end was told, by a result or a notice: the command's, whoever it left behind. */
  told = false;
  /** And that nothing of it runs any more. */
  toldOver = false;
  readonly #listeners = new Set<() => void>();
  readonly #readers = new Set<(text: string) => void>();
  readonly #watchers = new Map<number, Watcher>();
  #watcherCount = 0;
  #killedFor: string | undefined;
  /** What came since the last take, in the file's bytes; more, where it held what is not UTF-8. */
  #newBytes = 0;
  /** Ends of lines that came since then. */
  #newLineEnds = 0;
  #saidFault = false;

  constructor(id: number, parts: SessionParts) {
    this.id = id;
    this.command = parts.command;
    this.cwd = parts.cwd;
    this.tty = parts.tty;
    this.hasInput = parts.hasInput;
    this.child = parts.child;
    this.collector = parts.collector;
    this.#screen = parts.screen;
    this.#file = parts.file;
    if (parts.end) this.#ends(parts.end);
    else void parts.child.ended.then((end) => this.#ends(end));
  }

  #ends(end: ChildEnd): void {
    this.end = end;
    this.endedAt = host.now();
    if (this.state === "running") this.state = "adopted";
    this.refresh();
    this.#changed();
  }

  /** Nobody tells when the last of those left behind is gone, so it is looked at. */
  refresh(): void {
    if (this.state === "adopted" && !this.child.survivors()) {
      this.state = "exited";
      this.child.release();
    }
    if (!this.isLive && this.end) this.collector.close();
  }

  get isLive(): boolean {
    return this.state === "running" || this.state === "adopted";
  }

  /** For people and models: `running`, `exited with code 3`, `ended by SIGTERM`, `killed`. */
  get status(): string {
    const { state, end } = this;
    if (state === "running") return "running";
    if (state === "killed") return this.#killedFor === undefined ? "killed" : `ended, ${this.#killedFor}`;
    const how = end?.signal !== undefined ? `ended by ${end.signal}` : `exited with code ${end?.exitCode}`;
    return state === "adopted" ? `${how}; processes that it started still run` : how;
  }

  /** After "it". */
  get pastStatus(): string {
    return this.state === "killed" ? `was ${this.status}` : this.status;
  }

  /** A result says how it stands; an end counts as told by that. */
  tells(): void {
    if (this.end || !this.isLive) this.told = true;
    if (!this.isLive) this.toldOver = true;
  }

  /** Output came: redacted, and as it came otherwise. */
  heard(text: string): void {
    this.#newBytes += byteLength(text);
    for (let at = -1; (at = text.indexOf("\n", at + 1)) >= 0;) this.#newLineEnds++;
    this.openLine.push(text, host.now());
    for (const reader of [...this.#readers]) reader(text);
    this.#changed();
  }

  /** Hears what comes, until the function that it returns is called. */
  read(reader: (text: string) => void): () => void {
    this.#readers.add(reader);
    return () => void this.#readers.delete(reader);
  }

  /** All output from a character on; at its end nothing is new any more, if `taken`. */
  lookFrom(offset: number, limit: number, taken: boolean): { text: string; next: number; total: number } {
    const look = this.collector.from(offset, limit);
    if (taken && look.next >= look.total && this.collector.hasNew) this.#take(Infinity);
    this.refresh();
    return look;
  }

  /** New output; `taken`: it isn't new any more. A full-screen program gives what its screen shows. */
  async look(limit: number, taken: boolean): Promise<Look> {
    const screen = await this.#drawn();
    const output = taken ? this.#take(limit) : this.collector.peek(limit);
    // A look after the end may have begun the file anew.
    this.refresh();
    return this.#looked(screen, output, taken);
  }

  /** The same of the lines that fit, all of them, however much came; what could not be looked through is said. */
  async lookFor(fits: LineFilter, limit: number, taken: boolean, signal: AbortSignal): Promise<Look> {
    const screen = await this.#drawn();
    const output = screen?.isDrawn ? "" : await this.#newLines(fits, limit, signal);
    const isTaken = taken && !signal.aborted;
    const lines = this.#newLineEnds + (this.openLine.hasNew ? 1 : 0);
    if (isTaken) this.#take(0);
    this.refresh();
    const look = this.#looked(screen, output, isTaken);
    if (look.isScreen) return { ...look, output: look.output.split("\n").filter(fits).join("\n") };
    return output === "" && lines > 0 ? { ...look, unfit: lines } : look;
  }

  async #newLines(fits: LineFilter, limit: number, signal: AbortSignal): Promise<string> {
    const { collector } = this;
    if (collector.newChars > limit && this.#file) {
      const { newLinesIn } = await import("./fitting_lines.ts");
      // Whoever looks past what is kept has it written.
      const flush = () => void collector.peek(0);
      const quest = { fits, room: limit, flush, signal };
      const found = await newLinesIn(this.#file, () => this.#newBytes, quest);
      if (found !== undefined) return found;
    }
    return collector.peek(limit).split("\n").filter((line) => fits(line) || isNotice(line)).join("\n");
  }

  #take(limit: number): string {
    this.#newBytes = 0;
    this.#newLineEnds = 0;
    this.openLine.take();
    return this.collector.take(limit);
  }

  async #drawn(): Promise<Screen | undefined> {
    const screen = this.#screen?.();
    await screen?.settled();
    // Where the program is gone, what it left on the alternate screen is nobody's.
    return this.state !== "running" && screen?.isAlternate ? undefined : screen;
  }

  #looked(screen: Screen | undefined, output: string, taken: boolean): Look {
    const look = this.#seen(screen, output);
    if (taken) screen?.take();
    return look;
  }

  #seen(screen: Screen | undefined, output: string): Look {
    if (screen?.isDrawn) return { output: screen.text(), isScreen: true };
    if (screen?.fault === undefined || this.#saidFault) return { output, isScreen: false };
    this.#saidFault = true;
    const note = `[its screen can't be shown, only what it printed: @xterm/headless: ${screen.fault}]`;
    return { output, isScreen: false, note };
  }

  /** Has a program in the terminal asked for cursor keys in their other form? */
  get applicationKeys(): boolean {
    return this.#screen?.()?.applicationKeys ?? false;
  }

  /**
   * To the program, or why not. Ctrl-C and Ctrl-D are more than characters: without a terminal, and for a program that
   * doesn't read, the one is a signal, and without a terminal the other is the end of the input.
   */
  write(text: string): "ok" | "closed" | "full" {
    for (const part of text.split(this.tty ? /(\x03)/ : /([\x03\x04])/)) {
      const outcome = this.#writePart(part);
      if (outcome !== "ok") return outcome;
    }
    return "ok";
  }

  #writePart(part: string): "ok" | "closed" | "full" {
    if (part === "") return "ok";
    if (part === "\x03") return this.child.interrupt() ? "ok" : "closed";
    if (part !== "\x04" || this.tty) return this.child.write(part);
    const outcome = this.child.write("");
    if (outcome === "ok") this.child.endInput();
    return outcome;
  }

  resize(cols: number, rows: number): void {
    this.child.resize?.(cols, rows);
    this.#screen?.()?.resize(cols, rows);
  }

  /** Ends the whole tree; safe to call for one that is over. One that ended by itself stays so. `why` is for its status. */
  async kill(why?: string): Promise<void> {
    if (!this.isLive) return;
    if (this.state === "adopted" || isRunning(this.child.pid)) {
      this.state = "killed";
      this.#killedFor = why;
    }
    await this.child.kill();
    await atMost(LAST_OUTPUT_MS, this.child.ended);
    this.child.release();
    this.refresh();
    this.#changed();
  }

  /** Resolves when `done` says so, after each change and now and then, after `ms`, or at an abort; whether it did. */
  async until(done: () => boolean, ms: number, signal: AbortSignal): Promise<boolean> {
    if (done()) return true;
    let wake = () => {};
    const woken = new Promise<void>((resolve) => wake = resolve);
    const listener = () => done() && wake();
    const onAbort = () => wake();
    this.#listeners.add(listener);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) wake();
    const timer = setTimeout(wake, ms);
    const looking = setInterval(() => {
      this.refresh();
      listener();
    }, LOOK_MS);
    await woken;
    clearTimeout(timer);
    clearInterval(looking);
    this.#listeners.delete(listener);
    signal.removeEventListener("abort", onAbort);
    return done();
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** Somebody wants to be told what it prints. */
  watch(notices: Notices, label: string): number {
    const id = ++this.#watcherCount;
    this.#watchers.set(id, { notices, label });
    return id;
  }

  /** Drops one watcher, or all; false where there is no such one. */
  unwatch(id?: number): boolean {
    if (id === undefined) {
      this.#watchers.clear();
      return true;
    }
    return this.#watchers.delete(id);
  }

  /** Redacted lines, for those who watch. */
  printed(text: string): void {
    for (const { notices, label } of this.#watchers.values()) {
      notices.push(`session ${this.id}`, `[${label}] ${text}`);
    }
  }

  get watchers(): number[] {
    return [...this.#watchers.keys()];
  }

  /** What is watched, in the words of those who watch. */
  get watched(): string[] {
    return [...this.#watchers.values()].map(({ label }) => label);
  }
}

interface Watcher {
  notices: Notices;
  label: string;
}

export interface SessionParts {
  command: string;
  cwd: string;
  tty: boolean;
  hasInput: boolean;
  child: Child;
  collector: Collector;
  /** What a terminal shows, once it showed more than lines. */
  screen?: () => Screen | undefined;
  /** The file that its whole output goes to, once it was needed. */
  file?: () => Saved | undefined;
  /** It has ended already, and left processes behind. */
  end?: ChildEnd;
}

function byteLength(text: string): number {
  return host.builtin<typeof import("node:buffer")>("node:buffer").Buffer.byteLength(text);
}
