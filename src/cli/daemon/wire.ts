/**
 * What the daemon and its clients say to each other: JSON, a line each. The daemon begins with `Hello`; the client
 * asks one thing, and the daemon answers with pieces of output and an exit code.
 */
import { isRecord, isStrings } from "../../core/json.ts";
import type { Caller } from "../../core/caller.ts";

type Socket = import("node:net").Socket;

/** The first line: who answers. A client whose version differs asks for nothing but the daemon's end. */
export interface Hello {
  hello: string;
  pid: number;
}

/** A tool's name and arguments. Without a name it is the tool that looks after sessions. */
export interface Asked {
  name?: string;
  args: Record<string, unknown>;
  /** The exit code is that of the session which it waits for. */
  waits?: boolean;
  /** What that session prints is passed on as it comes, until its end. */
  follows?: boolean;
}

export type ToDaemon =
  | { ask: "call"; call: Asked; caller: Caller; flags: [string, readonly string[]][]; color: boolean }
  /** `ifIdle`: only if nothing is kept; the code then says whether. */
  | { ask: "stop"; ifIdle: boolean }
  /** The call that was asked for is to end. */
  | { ask: "abort"; reason: "interrupted" | "signal" };

export type FromDaemon = Hello | { fd: 1 | 2; text: string } | { code: number };

/** Is it a call, in the form in which a client of this version makes one? */
export function isCall(message: Record<string, unknown>): message is Extract<ToDaemon, { ask: "call" }> {
  const { ask, call, caller, flags } = message;
  return ask === "call" && isRecord(call) && isRecord(call.args) &&
    (call.name === undefined || typeof call.name === "string") &&
    isRecord(caller) && typeof caller.cwd === "string" && isRecord(caller.env) &&
    Object.values(caller.env).every((value) => typeof value === "string") &&
    Array.isArray(flags) &&
    flags.every((flag) => Array.isArray(flag) && typeof flag[0] === "string" && isStrings(flag[1]));
}

/** Sends one line. Whoever has gone hears nothing. */
export function send(socket: Socket, message: ToDaemon | FromDaemon): void {
  if (socket.writable) socket.write(JSON.stringify(message) + "\n");
}

/** What becomes of what a connection says. */
export interface Hearing {
  /** Each message; why it is refused, and `undefined` where it isn't. */
  take(message: Record<string, unknown>): string | undefined | void;
  /** Something can't be taken: nothing behind it is heard any more. */
  refuse(why: string): void;
  /** Characters of a line. */
  most?: number;
}

/** Hears a connection, line by line. */
export function onMessages(socket: Socket, { take, refuse, most = Infinity }: Hearing): void {
  let rest: string[] = [];
  let length = 0;
  let isOver = false;
  const end = (why: string) => {
    isOver = true;
    rest = [];
    refuse(why);
  };
  socket.setEncoding("utf8");
  socket.on("data", (data) => {
    if (isOver) return;
    const pieces = String(data).split("\n");
    for (const [index, piece] of pieces.entries()) {
      rest.push(piece);
      length += piece.length;
      if (length > most) return end(`it is longer than ${most} characters`);
      if (index === pieces.length - 1) return;
      const message = parse(rest.join(""));
      rest = [];
      length = 0;
      const why = message ? take(message) : "it is no JSON object";
      if (typeof why === "string") return end(why);
    }
  });
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
