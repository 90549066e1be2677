/** Asks the daemon, and starts it where it is needed and isn't there. */
import { AgentError, errorCode, EXIT, fileError, quote } from "../../core/errors.ts";
import { host } from "../../core/runtime.ts";
import { sleep } from "../../shell/processes.ts";
import { VERSION } from "../../version.ts";
import type { Invocation } from "../command.ts";
import { type DaemonPlace, daemonPlace, ownerOf } from "./place.ts";
import { lasting, startDaemon, type StartedDaemon } from "./start.ts";
import { type Asked, onMessages, send, type ToDaemon } from "./wire.ts";

type Socket = import("node:net").Socket;

/** Time for a daemon to start or to end. */
const PATIENCE_MS = 20_000;
const PAUSE_MS = 20;
/** How often a caller looks whether the daemon lives. */
const WATCH_MS = 250;

/** A connection to a daemon that has said who it is. */
interface Link {
  socket: Socket;
  version: string;
  /** Hears what comes next, and at the end `undefined`. */
  hear(listener: (message: Record<string, unknown> | undefined) => void): void;
}

/** Runs a call in the daemon; its exit code. `undefined` where there is no daemon and none is to be started. */
export async function callDaemon(
  invocation: Invocation,
  call: Asked,
  { start }: { start: boolean },
): Promise<number | undefined> {
  const place = daemonPlace(start);
  const link = place && await (start ? linkOrStart(place) : linkOrNone(place));
  if (!link) return undefined;
  const { flags, printer } = invocation;
  return await converse(link, invocation, {
    ask: "call",
    call,
    caller: { cwd: host.cwd(), env: lasting(host.envAll()) },
    flags: flags.entries(),
    color: printer.isColored,
  });
}

/** Ends the daemon, with all its sessions; false where there is none. */
export async function stopDaemon(invocation: Invocation): Promise<boolean> {
  const place = daemonPlace(false);
  const link = place && await connect(place);
  if (!place || !link) return false;
  await converse(link, invocation, { ask: "stop", ifIdle: false });
  await until(() => ownerOf(place) === undefined, place);
  return true;
}

/** A daemon of this version; one of another is asked to make room. `undefined` where there is none. */
async function linkOfOurs(place: DaemonPlace): Promise<Link | undefined> {
  const link = await connect(place);
  if (!link || link.version === VERSION) return link;
  const answer = await new Promise<Record<string, unknown> | undefined>((resolve) => {
    link.hear(resolve);
    send(link.socket, { ask: "stop", ifIdle: true });
  });
  link.socket.destroy();
  // Without an answer it has just ended.
  if (answer && answer.code !== EXIT.done) {
    throw new AgentError(
      `Cannot use the daemon: it is of version ${
        quote(link.version)
      }, this is ${VERSION}, and it keeps sessions`,
      "agent sessions stop ends it with its sessions",
    );
  }
  await until(() => ownerOf(place) === undefined, place);
  return undefined;
}

/** One that starts or ends meanwhile is waited for: what it keeps or leaves is what was asked about. */
async function linkOrNone(place: DaemonPlace): Promise<Link | undefined> {
  let found: Link | undefined;
  await until(async () => {
    found = await linkOfOurs(place);
    return found !== undefined || ownerOf(place) === undefined;
  }, place);
  return found;
}

/** However many start at once, one of them becomes the daemon, and all find that one. */
async function linkOrStart(place: DaemonPlace): Promise<Link> {
  let started: StartedDaemon | undefined;
  let found: Link | undefined;
  await until(async () => {
    found = await linkOfOurs(place);
    if (found) return true;
    if (ownerOf(place) !== undefined) return false;
    if (started?.ended && ownerOf(place) === undefined) started = undefined;
    started ??= startDaemon(place);
    return false;
  }, place);
  return found!;
}

async function until(done: () => boolean | Promise<boolean>, { log }: DaemonPlace): Promise<void> {
  const deadline = host.now() + PATIENCE_MS;
  while (!await done()) {
    if (host.now() > deadline) {
      throw new AgentError("Cannot reach the daemon: it does not answer", `${quote(log)} may say why`);
    }
    await sleep(PAUSE_MS);
  }
}

/** `undefined` where nobody listens, or where who did has just ended. */
function connect(place: DaemonPlace): Promise<Link | undefined> {
  // Where Deno's children inherit sockets, theirs stays open when the daemon is dead: a connection says too little.
  if (ownerOf(place) === undefined) return Promise.resolve(undefined);
  const { socket: path } = place;
  const net = host.builtin<typeof import("node:net")>("node:net");
  return new Promise((resolve, reject) => {
    const socket = net.connect({ path });
    let closed = false;
    let listener: (message: Record<string, unknown> | undefined) => void = ({ hello } = {}) => {
      if (typeof hello !== "string") return resolve(undefined);
      const hear: Link["hear"] = (next) => {
        listener = next;
        if (closed) next(undefined);
      };
      resolve({ socket, version: hello, hear });
    };
    let missed = 0;
    const watch = setInterval(() => {
      missed = ownerOf(place) === undefined ? missed + 1 : 0;
      // What it said last may still be on its way at the first look.
      if (missed > 1) gone();
    }, WATCH_MS);
    const gone = () => {
      if (closed) return;
      closed = true;
      clearInterval(watch);
      listener(undefined);
    };
    // Deno doesn't always have a `close` behind an error.
    socket.on("error", (error) => {
      const code = errorCode(error) ?? "";
      if (["EACCES", "EPERM"].includes(code)) reject(fileError("connect to", path, error));
      gone();
    });
    socket.once("close", gone);
    onMessages(socket, { take: (message) => listener(message), refuse: () => socket.destroy() });
  });
}

/** Prints what comes, and gives back the exit code. The first Ctrl-C ends the call, the second this process. */
async function converse({ socket, hear }: Link, { printer }: Invocation, message: ToDaemon): Promise<number> {
  let aborted = false;
  const on = (signal: "SIGINT" | "SIGTERM" | "SIGHUP", reason: "interrupted" | "signal") =>
    host.onSignal(signal, () => {
      if (aborted) host.exit(EXIT.interrupted);
      aborted = true;
      send(socket, { ask: "abort", reason });
    });
  const removers = [on("SIGINT", "interrupted"), on("SIGTERM", "signal"), on("SIGHUP", "signal")];
  try {
    return await new Promise<number>((resolve, reject) => {
      hear((answer) => {
        if (!answer) {
          return reject(
            new AgentError(
              "Cannot finish the call: the daemon ended meanwhile",
              "it may have run; look at what it does before it is run again",
            ),
          );
        }
        const { fd, text, code } = answer;
        try {
          if (typeof code === "number") resolve(code);
          else if (fd === 1) printer.out(String(text));
          else printer.err(String(text));
        } catch (error) {
          reject(error);
        }
      });
      send(socket, message);
    });
  } finally {
    for (const remove of removers) remove();
    socket.destroy();
  }
}
