/**
 * A program in a terminal of its own. It leads a session, so it has its own group, and its terminal is where it asks.
 * Standard output and error come as one, with the ends of lines that a terminal makes (CR LF).
 */
import { AgentError, errorCode, messageOf } from "../core/errors.ts";
import { host } from "../core/runtime.ts";
import type { Child, ChildEnd, ChildStart } from "./child.ts";
import { endTree, type ProcessGroups } from "./groups.ts";
import { foregroundOf, groupIsThere, livingGroups, send, sleep, straysWith, Survivors } from "./processes.ts";
import { checkStart, startError, unstartable } from "./spawn.ts";
import { TerminalInput } from "./terminal_input.ts";

type Library = typeof import("@lydell/node-pty");
/** With what its Unix class has beside what it publishes; the version is pinned, and `isKnown` looks. */
type Pty = import("@lydell/node-pty").IPty & {
  readonly fd: number;
  readonly _socket: import("node:tty").ReadStream;
  once(event: "close", listener: () => void): void;
};

/** Output is at its end when the terminal says so, or when nothing came in so many rounds; at most so many in all. */
const ROUND_MS = 25;
const QUIET_ROUNDS = 10;
const MOST_ROUNDS = 80;

export type TerminalStart = Omit<ChildStart, "stdin"> & { cols: number; rows: number };

/** Starts a program in a terminal. Rejects with a reason where it can't be. `load` is for tests. */
export async function startTerminal(
  start: TerminalStart,
  groups: ProcessGroups,
  load: () => Promise<Library> = () => import("@lydell/node-pty"),
): Promise<Child> {
  checkStart({ ...start, stdin: "open" });
  const { spawn } = await loaded(load);
  // The library would say it on the terminal, in its own words.
  const code = host.platform === "win32"
    ? undefined
    : closedFolder(start.cwd) ?? unstartable(start.argv[0]!, { ...start, stdin: "open" });
  if (code !== undefined) throw startError({ ...start, stdin: "open" }, { code });
  const mark = groups.newMark();
  const { LINES: _lines, COLUMNS: _columns, ...env } = groups.marked(start.env, mark);
  const [program, ...args] = start.argv as [string, ...string[]];
  host.keepOpenFiles();
  let pty: Pty;
  try {
    pty = spawn(program, args, {
      name: "xterm-256color",
      cols: start.cols,
      rows: start.rows,
      cwd: start.cwd,
      env,
      encoding: null,
    }) as Pty;
  } catch (error) {
    throw new AgentError(
      `Cannot open a terminal: ${messageOf(error)}`,
      "close others, or go without (tty=false)",
    );
  }
  if (!isKnown(pty)) {
    pty.kill("SIGKILL");
    throw new AgentError(
      "Cannot open a terminal: the installed @lydell/node-pty is not the version that this is made for",
      "go without a terminal (tty=false), or run `npm install`",
    );
  }
  return new TerminalChild(pty, mark, groups, start.onOutput);
}

/** Has it all that is used here and that the library doesn't publish? */
function isKnown({ fd, _socket: stream, once }: Partial<Pty>): boolean {
  return Number.isInteger(fd) && typeof once === "function" && typeof stream?.once === "function" &&
    typeof stream.destroy === "function" && typeof stream.destroyed === "boolean";
}

/** The code with which nothing can be started in a folder. */
function closedFolder(cwd: string): string | undefined {
  try {
    host.files.stat(`${cwd}/.`);
    return undefined;
  } catch (error) {
    return errorCode(error);
  }
}

async function loaded(load: () => Promise<Library>): Promise<Library> {
  try {
    return await load();
  } catch (error) {
    const message = messageOf(error).split("\n", 1)[0]!;
    const missing = /cannot find|could not find|not a dependency/i.test(message);
    throw new AgentError(
      `Cannot open a terminal: @lydell/node-pty ${
        missing ? "is not installed" : `can't be loaded: ${message}`
      }`,
      "go without a terminal (tty=false), or run `npm install @lydell/node-pty`",
    );
  }
}

class TerminalChild implements Child {
  readonly pid: number;
  readonly ended: Promise<ChildEnd>;
  readonly #pty: Pty;
  readonly #mark: string;
  readonly #groups: ProcessGroups;
  readonly #input: TerminalInput;
  readonly #left: Survivors;
  #bytes = 0;
  #isOver = false;
  /** The group is known to be empty, so that its number may be another's by now. */
  #isGone = false;
  #killing: Promise<void> | undefined;

  constructor(pty: Pty, mark: string, groups: ProcessGroups, onOutput: ChildStart["onOutput"]) {
    this.#pty = pty;
    this.pid = pty.pid;
    this.#mark = mark;
    this.#groups = groups;
    this.#left = new Survivors(this.pid, mark);
    groups.add(this.pid);
    // The library would wait for the end of the output before it tells the exit, and after 200 ms of its clock drop
    // what is unread: on a busy machine that is output.
    pty.once = (_, listener) => listener();
    const stream = pty._socket;
    const closed = new Promise<void>((resolve) => stream.once("close", () => resolve()));
    const exited = new Promise<ChildEnd>((resolve) =>
      pty.onExit(({ exitCode, signal }) => resolve(endOf(exitCode, signal)))
    );
    // Where nobody listens the library throws what isn't the usual end.
    stream.on("error", () => stream.destroy());
    const take = (chunk: Uint8Array) => {
      this.#bytes += chunk.length;
      onOutput(chunk, "stdout");
    };
    stream.on("data", take);
    // Node takes a short read from a terminal that nobody has open any more for the last one, but each read is short.
    stream.once("end", () => {
      for (let rest; !stream.destroyed && (rest = readNow(pty.fd)).length > 0;) take(rest);
    });
    this.#input = new TerminalInput(stream, pty.fd);
    this.ended = exited.then(async (end) => {
      this.#isOver = true;
      groups.exited(this.pid);
      await Promise.race([closed, this.#quiet()]);
      if (!this.survivors()) this.release();
      return end;
    });
  }

  /** Others than itself, of whatever group: a shell gives each job its own. */
  survivors(): boolean {
    if (!this.#isOver) return false;
    const areThere = this.#left.areThere(!this.#isGone);
    if (!this.#isGone && !(areThere && groupIsThere(this.pid))) {
      this.#isGone = true;
      this.#groups.remove(this.pid);
    }
    return areThere;
  }

  /** "full" where more than 4 MiB would wait for a program that reads nothing. */
  write(text: string): "ok" | "closed" | "full" {
    return this.#isOver ? "closed" : this.#input.write(text);
  }

  /** Ctrl-D, which is the end of the input where it stands at the beginning of a line. */
  endInput(): void {
    this.write("\x04");
  }

  resize(cols: number, rows: number): void {
    if (!this.#pty._socket.destroyed) this.#pty.resize(cols, rows);
  }

  /**
   * As a character, which a program may take for something else. One that doesn't read is told by a signal, and so are
   * those that it left behind, which have no terminal any more.
   */
  interrupt(): boolean {
    if (!this.#isOver) {
      if (!this.#input.isWaiting) return this.write("\x03") === "ok";
      this.#input.clear();
      send(-(foregroundOf(this.pid) ?? this.pid), "SIGINT");
      return true;
    }
    if (!this.survivors()) return false;
    const group = this.#isGone ? [] : livingGroups([this.pid]);
    for (const one of group) send(-one, "SIGINT");
    for (const pid of straysWith(this.#mark, new Set(group))) send(pid, "SIGINT");
    return true;
  }

  kill(): Promise<void> {
    return this.#killing ??= this.#kill();
  }

  /** What still runs loses its terminal. */
  release(): void {
    this.#pty._socket.destroy();
  }

  async #kill(): Promise<void> {
    this.survivors();
    await endTree(this.#isGone ? undefined : this.pid, this.#mark);
    void this.ended.then(() => this.release());
  }

  /** Each round is a timer and then a look at what came, so that a process that stood still has read before it counts. */
  async #quiet(): Promise<void> {
    const { setImmediate } = host.builtin<typeof import("node:timers")>("node:timers");
    for (let round = 0, still = 0; still < QUIET_ROUNDS && round < MOST_ROUNDS; round++) {
      const before = this.#bytes;
      await sleep(ROUND_MS);
      if (this.#pty._socket.destroyed) return;
      await new Promise<void>((resolve) => setImmediate(() => resolve()));
      still = this.#bytes === before ? still + 1 : 0;
    }
  }
}

/** What can be read at once; nothing where the descriptor isn't known to Node's file calls (Deno, which reads all). */
function readNow(fd: number): Uint8Array {
  const bytes = new Uint8Array(4096);
  try {
    return bytes.subarray(0, host.builtin<typeof import("node:fs")>("node:fs").readSync(fd, bytes));
  } catch {
    return bytes.subarray(0, 0);
  }
}

function endOf(exitCode: number, signal = 0): ChildEnd {
  if (signal === 0) return { exitCode, signal: undefined };
  const { constants } = host.builtin<typeof import("node:os")>("node:os");
  const name = Object.entries(constants.signals).find(([, number]) => number === signal)?.[0];
  return { exitCode: 128 + signal, signal: name };
}
