/**
 * What a call prints, on its way to its client. Printing doesn't wait for who reads it, so what waits is bounded: of more
 * than that the beginning and the end arrive, and what was left out is said.
 */
import { type FromDaemon, send } from "./wire.ts";

type Socket = import("node:net").Socket;
type Piece = Extract<FromDaemon, { fd: 1 | 2 }>;

/** Characters that wait in the connection, and behind it, where each piece may be the last. */
const MOST_WAITING = 8 * 1024 * 1024;
const MOST_HELD = 512 * 1024;

export class Outlet {
  readonly #socket: Socket;
  #held: Piece[] = [];
  #chars = 0;
  #leftOut = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("drain", () => this.flush());
  }

  write(fd: 1 | 2, text: string): void {
    const piece = { fd, text };
    if (this.#held.length === 0 && this.#socket.writableLength <= MOST_WAITING) {
      return send(this.#socket, piece);
    }
    this.#held.push(piece);
    this.#chars += text.length;
    // Whole pieces go, so that a line of JSON stays one.
    while (this.#chars > MOST_HELD && this.#held.length > 1) {
      const { length } = this.#held.shift()!.text;
      this.#chars -= length;
      this.#leftOut += length;
    }
  }

  /** Sends what is held: there is room again, or nothing comes any more. */
  flush(): void {
    if (this.#leftOut > 0) {
      const text =
        `warning: ${this.#leftOut} characters of output are left out: they were not read in time\n`;
      send(this.#socket, { fd: 2, text });
    }
    for (const piece of this.#held) send(this.#socket, piece);
    this.#held = [];
    this.#chars = 0;
    this.#leftOut = 0;
  }
}
