/**
 * What the daemon and its clients say to each other: JSON, a line each. The daemon begins with `Hello`; the client
 * asks one thing, and the daemon answers with pieces of output and an exit code.
 */
import { isRecord } from "../../core/json.ts";
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
}

export type ToDaemon =
  | { ask: "call"; call: Asked; caller: Caller; flags: [string, readonly string[]][]; color: boolean }
  /** `ifIdle`: only if nothing is kept; the code then says whether. */
  | { ask: "stop"; ifIdle: boolean }
  /** The call that was asked for is to end. */
  | { ask: "abort"; reason: "interrupted" | "signal" };

export type FromDaemon = Hello | { fd: 1 | 2; text: string } | { code: number };

/** Sends one line. Whoever has gone hears nothing. */
export function send(socket: Socket, message: ToDaemon | FromDaemon): void {
  if (socket.writable) socket.write(JSON.stringify(message) + "\n");
}

/** Calls `take` with each line; what is no message ends the connection. */
export function onMessages(socket: Socket, take: (message: Record<string, unknown>) => void): void {
  const rest: string[] = [];
  socket.setEncoding("utf8");
  socket.on("data", (data) => {
    const [first, ...more] = String(data).split("\n") as [string, ...string[]];
    rest.push(first);
    for (const next of more) {
      const message = parse(rest.splice(0).join(""));
      if (!message) return void socket.destroy();
      take(message);
      rest.push(next);
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
