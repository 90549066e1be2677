/**
 * Commands that outlive their call: started in the background, still running when their time to answer was over, or
 * left behind by a command that ended. Each has a number; all end with the runtime.
 */
import { AgentError } from "../core/errors.ts";
import { host } from "../core/runtime.ts";
import { isRunning } from "../core/upkeep.ts";
import type { Child, ChildEnd } from "./child.ts";
import type { Collector } from "./collector.ts";
import { sleep } from "./groups.ts";
import type { Notices } from "./notices.ts";
import type { Screen } from "./screen.ts";

/** `adopted`: the command is over, but processes that it started are not. */
export type SessionState = "running" | "adopted" | "exited" | "killed";

/** Sessions that are over and kept, so that their output can still be asked for. */
const MOST_OVER = 100;
/** Sessions at once. */
const MOST_LIVE = 64;
/** How often who waits for processes that were left behind looks whether they are gone. */
const LOOK_MS = 100;
/** What was printed last may take so long to arrive once all were ended. */
const LAST_OUTPUT_MS = 1_000;

export class ShellSession {
  readonly id: number;
  readonly command: string;
  readonly cwd: string;
  readonly tty: boolean;
  readonly child: Child;
  readonly collector: Collector;
  readonly #screen: SessionParts["screen"];
  readonly startedAt = host.now();
  state: SessionState = "running";
  end: ChildEnd | undefined;
  endedAt: number | undefined;
  /** Its end was told, by a result or a notice. */
  told = false;
  readonly #listeners = new Set<() => void>();
  readonly #readers = new Set<(text: string) => void>();
  readonly #watchers = new Map<number, Watcher>();
  #watcherCount = 0;

  constructor(id: number, parts: SessionParts) {
    this.id = id;
    this.command = parts.command;
    this.cwd = parts.cwd;
    this.tty = parts.tty;
    this.child = parts.child;
    this.collector = parts.collector;
    this.#screen = parts.screen;
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
    if (state === "killed") return "killed";
    const how = end?.signal !== undefined ? `ended by ${end.signal}` : `exited with code ${end?.exitCode}`;
    return state === "adopted" ? `${how}; processes that it started still run` : how;
  }

  /** After "it". */
  get pastStatus(): string {
    return this.state === "killed" ? "was killed" : this.status;
  }

  /** Output came: redacted, and as it came otherwise. */
  heard(text = ""): void {
    for (const reader of [...this.#readers]) reader(text);
    this.#changed();
  }

  /** Hears what comes, until the function that it returns is called. */
  read(reader: (text: string) => void): () => void {
    this.#readers.add(reader);
    return () => void this.#readers.delete(reader);
  }

  /** New output; `taken`: it isn't new any more. A full-screen program gives what its screen shows. */
  async look(limit: number, taken: boolean): Promise<{ output: string; isScreen: boolean }> {
    const screen = this.state === "running" ? this.#screen?.() : undefined;
    await screen?.settled();
    const output = taken ? this.collector.take(limit) : this.collector.peek(limit);
    // A look after the end may have begun the file anew.
    this.refresh();
    return screen?.isAlternate ? { output: screen.text(), isScreen: true } : { output, isScreen: false };
  }

  /** Has a program in the terminal asked for cursor keys in their other form? */
  get applicationKeys(): boolean {
    return this.#screen?.()?.applicationKeys ?? false;
  }

  /**
   * To the program, or why not. Ctrl-C is more than a character: without a terminal, and for a program that doesn't
   * read, it is a signal.
   */
  write(text: string): "ok" | "closed" | "full" {
    for (const [index, part] of text.split("\x03").entries()) {
      if (index > 0) this.child.interrupt();
      const outcome = part === "" ? "ok" : this.child.write(part);
      if (outcome !== "ok") return outcome;
    }
    return "ok";
  }

  resize(cols: number, rows: number): void {
    this.child.resize?.(cols, rows);
    this.#screen?.()?.resize(cols, rows);
  }

  /** Ends the whole tree; safe to call for one that is over. One that ended by itself stays so. */
  async kill(): Promise<void> {
    if (!this.isLive) return;
    if (this.state === "adopted" || isRunning(this.child.pid)) this.state = "killed";
    await this.child.kill();
    await Promise.race([this.child.ended, sleep(LAST_OUTPUT_MS)]);
    this.child.release();
    this.refresh();
    this.#changed();
  }

  /** Resolves when `done` says so, after each change, or after `ms`; whether it did. */
  async until(done: () => boolean, ms: number, signal: AbortSignal): Promise<boolean> {
    if (done()) return true;
    let wake = () => {};
    const woken = new Promise<void>((resolve) => wake = resolve);
    const listener = () => done() && wake();
    const onAbort = () => wake();
    this.#listeners.add(listener);
    signal.addEventListener("abort", onAbort, { once: true });
    const timer = setTimeout(wake, ms);
    const looking = setInterval(() => {
      if (this.state !== "adopted") return;
      this.refresh();
      listener();
    }, LOOK_MS);
    await woken;
    clearTimeout(timer);
    clearInterval(looking);
    this.#listeners.delete(listener);
    signal.removeEventListener("abort", onAbort);
    signal.throwIfAborted();
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
}

interface Watcher {
  notices: Notices;
  label: string;
}

export interface SessionParts {
  command: string;
  cwd: string;
  tty: boolean;
  child: Child;
  collector: Collector;
  /** What a terminal shows, once it showed more than lines. */
  screen?: () => Screen | undefined;
  /** It has ended already, and left processes behind. */
  end?: ChildEnd;
}

export class ShellSessions {
  readonly notices: Notices;
  readonly #sessions = new Map<number, ShellSession>();
  #count = 0;

  constructor(notices: Notices) {
    this.notices = notices;
  }

  /** Takes a started command over. */
  add(parts: SessionParts): ShellSession {
    const session = new ShellSession(++this.#count, parts);
    this.#sessions.set(session.id, session);
    this.#forgetOld();
    return session;
  }

  /** Throws where there is room for no more. */
  needRoom(): void {
    const live = this.list().filter(({ isLive }) => isLive).length;
    if (live < MOST_LIVE) return;
    throw new AgentError(`Cannot start a session: ${live} are running`, "end one of them first");
  }

  /** Distinct for one that never was. */
  get(id: number): ShellSession {
    const session = this.#sessions.get(id);
    session?.refresh();
    if (session) return session;
    const known = this.list().filter(({ isLive }) => isLive).map(({ id }) => id);
    const state = id > 0 && id <= this.#count ? "it ended long ago" : "there never was one";
    throw new AgentError(
      `Cannot find session ${id}: ${state}`,
      known.length === 0 ? "none is running" : `running: ${known.join(", ")}`,
    );
  }

  list(): ShellSession[] {
    const all = [...this.#sessions.values()];
    for (const session of all) session.refresh();
    return all;
  }

  /** The end of a background session is told once, by whoever is first: a result or a notice. */
  announceEnd(session: ShellSession): void {
    void session.child.ended.then(async () => {
      // A call that waits for it tells it itself.
      await sleep(0);
      if (session.state === "killed") return;
      const seconds = ((session.endedAt! - session.startedAt) / 1000).toFixed(1);
      this.tellEnd(session, `${session.status} after ${seconds} s`);
    });
  }

  /** A notice that it ended, unless that was told. */
  tellEnd(session: ShellSession, how: string): void {
    if (session.told) return;
    session.told = true;
    const { id, command } = session;
    this.notices.push(`session ${id}`, `[session ${id} (${shortened(command)}) ${how}]`);
  }

  async endAll(): Promise<void> {
    await Promise.all(this.list().map((session) => session.kill()));
  }

  #forgetOld(): void {
    const over = this.list().filter(({ isLive }) => !isLive);
    for (const { id } of over.slice(0, Math.max(0, over.length - MOST_OVER))) this.#sessions.delete(id);
  }
}

/** A command on one line, for lists and notices. */
export function shortened(command: string): string {
  const line = command.replace(/\s+/g, " ").trim();
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
