/**
 * A program that runs: started in a process group of its own, its output passed on as it comes, its end its exit and
 * a short drain. Not the end of its pipes: a grandchild may hold those for hours.
 */
import { host } from "../core/runtime.ts";
import type { StreamName } from "../core/tool.ts";
import { endTree, interruptLeft, type ProcessGroups } from "./groups.ts";
import { groupIsThere, inputOf, isOpenElsewhere, send, Survivors } from "./processes.ts";
import { checkStart, spawnDirectly, type Spawned, spawnThroughHelper, startError } from "./spawn.ts";

/** Time for output that is on its way after the exit. */
const DRAIN_MS = 250;
/** Characters that may wait for a program to read them. */
const MOST_WAITING = 16 * 1024 * 1024;

/** A started program with all that it starts. */
export interface Child {
  readonly pid: number;
  /** Settles once the program has exited and its output is drained (a bounded wait). Never rejects. */
  readonly ended: Promise<ChildEnd>;
  /** After `ended`: processes that it started, or others that hold its output, still live. Who left its group is found on Linux. */
  survivors(): boolean;
  /**
   * To its standard input. "closed": it doesn't read any more, or never had one. "full": it hasn't read what it was
   * given before, 16 MB of it, and this was dropped. Never blocks, never throws.
   */
  write(text: string): "ok" | "closed" | "full";
  endInput(): void;
  /** Terminals only. */
  resize?(cols: number, rows: number): void;
  /** Ctrl-C: SIGINT to the group; false where nobody is left in it. */
  interrupt(): boolean;
  /** TERM, a moment, KILL for the whole tree; resolves when none is left. Idempotent. */
  kill(): Promise<void>;
  /** Nobody wants the output any more: pipes are let go. */
  release(): void;
}

export interface ChildEnd {
  /** 128 and the signal's number where one ended it, as shells say; `undefined` where nobody knows. */
  exitCode: number | undefined;
  signal: string | undefined;
}

export interface ChildStart {
  /** The program and its arguments; nothing is interpreted. */
  argv: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /**
   * `none`: empty standard input (at its end at once); `open`: a pipe to write to; a text: all of it, which may also be
   * opened by name (`/dev/stdin`) at any time.
   */
  stdin: "none" | "open" | { text: string };
  /** The bytes are good until it returns. Also after `ended`, where somebody still prints, until `release`. */
  onOutput(chunk: Uint8Array, stream: StreamName): void;
}

/** A child without a terminal. */
export interface StartedChild extends Child {
  /** Settles with its exit, before the drain. */
  readonly exited: Promise<unknown>;
}

/** Rejects with an `AgentError` that says why it can't be started. */
export async function startChild(start: ChildStart, groups: ProcessGroups): Promise<StartedChild> {
  checkStart(start);
  const mark = groups.newMark();
  const marked = { ...start, env: groups.marked(start.env, mark) };
  try {
    const helper = await groups.helper();
    const spawned = (helper && await spawnThroughHelper(marked, groups.pipes, helper)) ??
      await spawnDirectly(marked, groups.pipes);
    return new RunningChild(spawned, start.onOutput, groups, mark);
  } catch (error) {
    throw startError(start, error);
  }
}

class RunningChild implements StartedChild {
  readonly pid: number;
  readonly exited: Promise<unknown>;
  readonly ended: Promise<ChildEnd>;
  readonly #spawned: Spawned;
  readonly #groups: ProcessGroups;
  readonly #mark: string;
  /** Its standard input, where that has to be looked at. */
  readonly #input: string | undefined;
  /** Streams of output that somebody holds. */
  readonly #open = new Set<StreamName>();
  #hasExited = false;
  #isOver = false;
  readonly #members: Survivors;
  /** The group is known to be empty, so that its number may be another's by now. */
  #isGone = false;
  #killing: Promise<void> | undefined;

  constructor(
    spawned: Spawned,
    onOutput: ChildStart["onOutput"],
    groups: ProcessGroups,
    mark: string,
  ) {
    this.pid = spawned.pid;
    this.exited = spawned.exited;
    this.#spawned = spawned;
    this.#groups = groups;
    this.#mark = mark;
    this.#members = new Survivors(this.pid, mark);
    groups.add(this.pid);
    spawned.stdin?.on("error", () => {});
    // A quick child may have closed it already.
    if (spawned.stdin && host.detachesSlowly && host.platform === "linux") {
      this.#input = inputOf(this.pid) ?? "";
    }
    const drained = (["stdout", "stderr"] as const).map((stream) => this.#drain(stream, onOutput));
    this.ended = this.#end(Promise.all(drained));
  }

  async #end(drained: Promise<unknown>): Promise<ChildEnd> {
    const { code, signal } = await this.#spawned.exited;
    this.#hasExited = true;
    this.#groups.exited(this.pid);
    await atMost(DRAIN_MS, drained);
    this.#isOver = true;
    this.#spawned.stdin?.destroy();
    this.#look();
    return { exitCode: code ?? signalCode(signal), signal: signal ?? undefined };
  }

  #drain(stream: StreamName, onOutput: ChildStart["onOutput"]): Promise<void> {
    const pipe = this.#spawned[stream];
    if (!pipe) return Promise.resolve();
    this.#open.add(stream);
    return new Promise((resolve) => {
      pipe.on("data", (chunk: Uint8Array) => onOutput(chunk, stream));
      pipe.once("error", () => pipe.destroy());
      pipe.once("close", () => {
        this.#open.delete(stream);
        resolve();
      });
    });
  }

  /** Once it is over: is anybody left, in its group or out of it? */
  #look(): boolean {
    if (!this.#isOver) return true;
    const areThere = this.#members.areThere(!this.#isGone);
    if (!this.#isGone && !(areThere && groupIsThere(this.pid))) {
      this.#isGone = true;
      this.#groups.remove(this.pid);
    }
    return areThere;
  }

  survivors(): boolean {
    return this.#isOver && (this.#open.size > 0 || this.#look());
  }

  write(text: string): "ok" | "closed" | "full" {
    const { stdin } = this.#spawned;
    if (!stdin || this.#isOver || !stdin.writable) return "closed";
    if (stdin.writableLength > MOST_WAITING) return "full";
    if (!this.#reads()) return "closed";
    stdin.write(text);
    return stdin.errored === null ? "ok" : "closed";
  }

  /** Where writing itself says so too late, the system is asked. */
  #reads(): boolean {
    const input = this.#input;
    return input === undefined || (input !== "" && (inputOf(this.pid) === input || isOpenElsewhere(input)));
  }

  endInput(): void {
    this.#spawned.stdin?.end();
  }

  interrupt(): boolean {
    if (!this.#look()) return false;
    if (host.platform === "win32") void this.kill();
    else if (this.#isOver) interruptLeft(this.#isGone ? undefined : this.pid, this.#mark);
    // It may be about to make its group only.
    else send(this.#hasExited || groupIsThere(this.pid) ? -this.pid : this.pid, "SIGINT");
    return true;
  }

  kill(): Promise<void> {
    return this.#killing ??= this.#kill();
  }

  async #kill(): Promise<void> {
    this.#look();
    await endTree(this.#isGone ? undefined : this.pid, this.#mark);
    this.#look();
  }

  release(): void {
    this.#spawned.stdin?.destroy();
    this.#spawned.stdout?.destroy();
    this.#spawned.stderr?.destroy();
  }
}

/** Waits for `promise`, but not for longer. Where this process was busy all the time, what waits for it is taken first. */
export async function atMost(ms: number, promise: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((resolve) => timer = setTimeout(resolve, ms));
  const isLate = await Promise.race([late.then(() => true), promise.then(() => false)]);
  clearTimeout(timer);
  if (!isLate) return;
  const { setImmediate } = host.builtin<typeof import("node:timers")>("node:timers");
  for (let turn = 0; turn < 2; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

function signalCode(name: string | null): number | undefined {
  const { constants } = host.builtin<typeof import("node:os")>("node:os");
  const number = (constants.signals as Readonly<Record<string, number>>)[name ?? ""];
  return number === undefined ? undefined : 128 + number;
}
