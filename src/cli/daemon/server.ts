/** The daemon: runs the calls that it is asked for, as their callers, and keeps what they leave running. */
import type { Caller } from "../../core/caller.ts";
import { EXIT, messageOf, UsageError } from "../../core/errors.ts";
import { host } from "../../core/runtime.ts";
import { KeptSessions } from "../../shell/kept.ts";
import { VERSION } from "../../version.ts";
import { Flags } from "../command.ts";
import type { Command, Invocation } from "../command.ts";
import { Interrupt, runCall } from "../commands/exec.ts";
import { Printer } from "../printer.ts";
import { follow } from "./follow.ts";
import { Outlet } from "./outlet.ts";
import { type DaemonPlace, release } from "./place.ts";
import { requestOf, sessionCode } from "./request.ts";
import { isCall, onMessages, send, type ToDaemon } from "./wire.ts";

type Socket = import("node:net").Socket;
type Server = import("node:net").Server;
type Call = Extract<ToDaemon, { ask: "call" }>;

/** Output that nobody has asked for yet is kept so long for its own sake. */
const UNREAD_MS = 60 * 60 * 1000;
/** How often it looks whether there is still something to do. */
const LOOK_MS = 5_000;
/** Characters of a request: arguments with a file's content, and an environment. */
const MOST_REQUEST = 32 * 1024 * 1024;
/** Time for a client whose request was refused to go. */
const REFUSED_MS = 10_000;
/** Time for the last lines to be read. */
const HANG_UP_MS = 1_000;

export interface DaemonOptions {
  place: DaemonPlace;
  idleMs: number;
  /** What it says in its log. */
  say(text: string): void;
}

export class Daemon {
  readonly #options: DaemonOptions;
  readonly #kept = new KeptSessions();
  readonly #calls = new Map<Socket, Interrupt>();
  readonly #running = new Set<Promise<void>>();
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #busyAt = host.now();
  #finish: () => void = () => {};
  #ending = false;
  /** Resolves when it is to end, for whatever reason. */
  readonly finished = new Promise<void>((resolve) => this.#finish = resolve);

  constructor(options: DaemonOptions) {
    this.#options = options;
  }

  async listen(): Promise<void> {
    const { createServer } = host.builtin<typeof import("node:net")>("node:net");
    const { place: { socket }, idleMs } = this.#options;
    const server = this.#server = createServer((connection) => this.#take(connection));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ path: socket }, () => resolve());
    });
    host.files.chmod(socket, 0o600);
    const timer = setInterval(() => this.#look(), Math.max(10, Math.min(idleMs / 4, LOOK_MS)));
    void this.finished.then(() => clearInterval(timer));
  }

  /** Calls are answered as interrupted, and all sessions end. */
  async close(): Promise<void> {
    this.stop();
    for (const stop of this.#calls.values()) stop.abort("signal");
    await Promise.all(this.#running);
    await this.#kept.end();
    await Promise.all([...this.#sockets].map(hangUp));
    release(this.#options.place);
  }

  /** The same in a hurry. */
  kill(): void {
    this.#kept.kill();
    release(this.#options.place);
  }

  /** Nobody new is let in; `finished` says so. */
  stop(): void {
    if (this.#ending) return;
    this.#ending = true;
    this.#server?.close();
    this.#finish();
  }

  get #isEmpty(): boolean {
    return this.#calls.size === 0 && this.#kept.running === 0 &&
      this.#kept.unread(UNREAD_MS, host.now()) === 0;
  }

  #look(): void {
    const now = host.now();
    if (this.#sockets.size > 0 || !this.#isEmpty) this.#busyAt = now;
    else if (now - this.#busyAt >= this.#options.idleMs) this.stop();
  }

  #take(socket: Socket): void {
    // Without a word: who asks is told by the end of the connection to try again.
    if (this.#ending) return void socket.destroy();
    this.#sockets.add(socket);
    const gone = () => {
      if (!this.#sockets.delete(socket)) return;
      this.#busyAt = host.now();
      this.#calls.get(socket)?.abort("interrupted");
    };
    // Deno doesn't always have a `close` behind an error.
    socket.on("error", gone);
    socket.once("close", gone);
    onMessages(socket, {
      take: (message) => this.#hear(socket, message),
      refuse: (why) => refuse(socket, why),
      most: MOST_REQUEST,
    });
    send(socket, { hello: VERSION, pid: host.pid });
  }

  /** Why a message is refused, where it is. */
  #hear(socket: Socket, message: Record<string, unknown>): string | undefined {
    const { ask, reason, ifIdle } = message;
    if (ask === "abort") this.#calls.get(socket)?.abort(reason === "signal" ? reason : "interrupted");
    else if (ask === "stop") {
      const refused = ifIdle === true && !this.#isEmpty;
      if (!refused) this.stop();
      send(socket, { code: refused ? EXIT.failed : EXIT.done });
    } else if (!isCall(message)) return "it is none that a client of this version makes";
    else if (this.#calls.has(socket)) return "the one before is not answered yet";
    else if (this.#ending) socket.destroy();
    else {
      const work: Promise<void> = this.#answer(socket, message)
        .catch((error) => this.#options.say(messageOf(error)))
        .finally(() => this.#running.delete(work));
      this.#running.add(work);
    }
    return undefined;
  }

  async #answer(socket: Socket, { call, caller, flags, color }: Call): Promise<void> {
    const stop = new Interrupt();
    this.#calls.set(socket, stop);
    const given = new Flags(new Map(flags));
    const outlet = new Outlet(socket);
    const printer = new Printer({
      color: color ? "always" : "never",
      debug: given.has("debug"),
      write: (fd, text) => outlet.write(fd, text),
    });
    const invocation: Invocation = { command: DETACHED, flags: given, args: [], printer };
    const work = async () => {
      try {
        // One process can't forbid and allow exits for several calls in turn, so `serve` does it for good.
        const parts = { kept: this.#kept, catchStrays: false };
        if (call.follows) {
          return await follow(invocation, call, stop, parts, (text) => outlet.write(1, text));
        }
        const codeOf = call.waits ? sessionCode : undefined;
        return await runCall(invocation, (runtime) => requestOf(runtime, call), stop, parts, codeOf);
      } catch (error) {
        printer.error(error);
        return error instanceof UsageError ? EXIT.usage : EXIT.failed;
      }
    };
    let code: number = EXIT.failed;
    try {
      code = await host.actFor(asCaller(caller), work);
    } finally {
      this.#calls.delete(socket);
      outlet.flush();
      send(socket, { code });
      socket.end();
    }
  }
}

/** Its flags were read by the client. */
const DETACHED: Command = {
  name: "exec",
  about: "",
  flags: [],
  examples: [],
  load: () => Promise.reject(new Error("it runs already")),
};

/** Nothing of a message is taken on trust but its values. */
function asCaller({ cwd, env }: Caller): Caller {
  return { cwd, env };
}

/** Says what is wrong with a request, and hangs up. */
function refuse(socket: Socket, why: string): void {
  send(socket, { fd: 2, text: `error: Cannot take the request: ${why}\n` });
  send(socket, { code: EXIT.usage });
  socket.end();
  // Who still writes wouldn't see the answer if nobody read.
  const timer = setTimeout(() => socket.destroy(), REFUSED_MS);
  socket.once("close", () => clearTimeout(timer));
}

/** What was written still arrives, where somebody reads it. */
function hangUp(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, HANG_UP_MS);
    socket.end(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
