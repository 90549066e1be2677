/** The way into a terminal. It never blocks, whatever the program in it reads. */
import { errorCode } from "../core/errors.ts";
import { host } from "../core/runtime.ts";

/** Bytes that may wait for the program to read. */
const MOST_WAITING = 4 * 2 ** 20;
/** A terminal takes no more than this at once. */
const PIECE = 4096;
/** Pieces that are written before others have their turn. */
const PIECES_A_TURN = 16;
const LONGEST_PAUSE_MS = 100;

/**
 * Writes through the descriptor itself where Node's file calls know it: there the stream would try again and again,
 * with all else standing still, until the program reads. Where they don't (Deno), the stream waits.
 */
export class TerminalInput {
  readonly #stream: import("node:tty").ReadStream;
  readonly #fd: number | undefined;
  #pieces: Uint8Array[] = [];
  #size = 0;
  #busy = false;

  constructor(stream: import("node:tty").ReadStream, fd: number) {
    this.#stream = stream;
    this.#fd = this.#fs.isOpen(fd) ? fd : undefined;
    stream.once("close", () => this.clear());
  }

  /** Is something waiting that the program hasn't taken? */
  get isWaiting(): boolean {
    return this.#size > 0;
  }

  /** "closed": the terminal is gone. "full": more would wait than may, and this was dropped. */
  write(text: string): "ok" | "closed" | "full" {
    if (this.#stream.destroyed) return "closed";
    const bytes = new TextEncoder().encode(text);
    if (this.#size + bytes.length > MOST_WAITING) return "full";
    for (let at = 0; at < bytes.length; at += PIECE) this.#pieces.push(bytes.subarray(at, at + PIECE));
    this.#size += bytes.length;
    if (!this.#busy) this.#next(1);
    return "ok";
  }

  /** Forgets what waits. */
  clear(): void {
    this.#pieces = [];
    this.#size = 0;
  }

  #next(pauseMs: number): void {
    this.#busy = false;
    if (this.#stream.destroyed) return this.clear();
    if (this.#size === 0) return;
    if (this.#fd === undefined) return this.#throughStream();
    for (let count = 0; count < PIECES_A_TURN && this.#size > 0; count++) {
      const written = this.#fs.write(this.#fd, this.#pieces[0]!);
      if (written === undefined) return this.clear();
      if (written === 0) return this.#later(Math.min(pauseMs * 2, LONGEST_PAUSE_MS));
      this.#taken(written);
      pauseMs = 1;
    }
    if (this.#size > 0) this.#later(0);
  }

  #later(pauseMs: number): void {
    this.#busy = true;
    setTimeout(() => this.#next(pauseMs), pauseMs);
  }

  #throughStream(): void {
    this.#busy = true;
    const piece = this.#pieces[0]!;
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Deno isn't told when there is room again; it looks when reading begins anew.
    const look = (pauseMs: number) => {
      timer = setTimeout(() => {
        if (this.#stream.destroyed) return;
        this.#stream.pause();
        this.#stream.resume();
        look(Math.min(pauseMs * 2, LONGEST_PAUSE_MS));
      }, pauseMs);
    };
    look(1);
    (this.#stream as unknown as import("node:net").Socket).write(piece, () => {
      clearTimeout(timer);
      // Unless it was forgotten meanwhile.
      if (this.#pieces[0] === piece) this.#taken(piece.length);
      this.#next(1);
    });
  }

  #taken(count: number): void {
    const piece = this.#pieces[0]!;
    if (count < piece.length) this.#pieces[0] = piece.subarray(count);
    else this.#pieces.shift();
    this.#size -= count;
  }

  readonly #fs = {
    isOpen: (fd: number): boolean => {
      try {
        host.builtin<typeof import("node:fs")>("node:fs").fstatSync(fd);
        return true;
      } catch {
        return false;
      }
    },
    /** The bytes that were taken; 0: none now; `undefined`: none any more. */
    write: (fd: number, bytes: Uint8Array): number | undefined => {
      try {
        return host.builtin<typeof import("node:fs")>("node:fs").writeSync(fd, bytes);
      } catch (error) {
        return errorCode(error) === "EAGAIN" ? 0 : undefined;
      }
    },
  };
}
