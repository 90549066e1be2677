/**
 * Commands that outlive their call: started in the background, still running when their time to answer was over, or
 * left behind by a command that ended. Each has a number; all end with the runtime.
 */
import { AgentError } from "../core/errors.ts";
import { host } from "../core/runtime.ts";
import type { Child, ChildEnd } from "./child.ts";
import type { Collector } from "./collector.ts";
import { sleep } from "./groups.ts";
import type { Notices } from "./notices.ts";

/** `adopted`: the command is over, but processes that it started are not. */
export type SessionState = "running" | "adopted" | "exited" | "killed";

/** Sessions that are over and kept, so that their output can still be asked for. */
const MOST_OVER = 100;
/** Sessions at once. */
const MOST_LIVE = 64;

export class ShellSession {
  readonly id: number;
  readonly command: string;
  readonly cwd: string;
  readonly tty: boolean;
  readonly child: Child;
  readonly collector: Collector;
  readonly startedAt = host.now();
  state: SessionState = "running";
  end: ChildEnd | undefined;
  endedAt: number | undefined;
  /** Its end was told, by a result or a notice. */
  told = false;
  readonly #listeners = new Set<() => void>();
  readonly #watchers = new Map<number, Watcher>();
  #watcherCount = 0;

  constructor(id: number, parts: SessionParts) {
    this.id = id;
    this.command = parts.command;
    this.cwd = parts.cwd;
    this.tty = parts.tty;
    this.child = parts.child;
    this.collector = parts.collector;
    void parts.child.ended.then((end) => {
      this.end = end;
      this.endedAt = host.now();
      if (this.state === "running") this.state = parts.child.survivors() ? "adopted" : "exited";
      this.#changed();
    });
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

  /** Output came, whatever of it is held back yet. */
  heard(): void {
    this.#changed();
  }

  /** Ends the whole tree; safe to call for one that is over. */
  async kill(): Promise<void> {
    if (!this.isLive) return;
    this.state = "killed";
    await this.child.kill();
    this.child.release();
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
    await woken;
    clearTimeout(timer);
    this.#listeners.delete(listener);
    signal.removeEventListener("abort", onAbort);
    signal.throwIfAborted();
    return done();
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** Tells each line that the command prints, and its end. */
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
    if (session) return session;
    const known = this.list().filter(({ isLive }) => isLive).map(({ id }) => id);
    const state = id > 0 && id <= this.#count ? "it ended long ago" : "there never was one";
    throw new AgentError(
      `Cannot find session ${id}: ${state}`,
      known.length === 0 ? "none is running" : `running: ${known.join(", ")}`,
    );
  }

  list(): ShellSession[] {
    return [...this.#sessions.values()];
  }

  /** The end of a background session is told once, by whoever is first: a result or a notice. */
  announceEnd(session: ShellSession): void {
    void session.child.ended.then(async () => {
      // A call that waits for it tells it itself.
      await sleep(0);
      if (session.told || session.state === "killed") return;
      session.told = true;
      const seconds = ((session.endedAt! - session.startedAt) / 1000).toFixed(1);
      this.notices.push(
        `session ${session.id}`,
        `[session ${session.id} (${shortened(session.command)}) ${session.status} after ${seconds} s]`,
      );
    });
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
