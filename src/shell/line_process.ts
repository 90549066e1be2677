/** A program that is talked to by lines: what is sent before it is there waits, what it says comes line by line. */
import { messageOf } from "../core/errors.ts";
import { type ChildStart, startChild, type StartedChild } from "./child.ts";
import type { ProcessGroups } from "./groups.ts";

/** Of what it said on standard error, its end. */
const STDERR_KEPT = 4096;

/** Why it is over, if nobody ended it. */
export type LineFault =
  /** Its process ended; how, in words. */
  | { kind: "ended"; how: string }
  /** It never was; why. */
  | { kind: "not started"; why: string }
  /** It doesn't read what it is sent. */
  | { kind: "deaf" }
  /** It sent a line of more characters than it may. */
  | { kind: "too long" };

export interface LineProcessParts {
  groups: ProcessGroups;
  /** What it throws is why it can't be started. */
  start(): Pick<ChildStart, "argv" | "cwd" | "env">;
  /** Characters of a line. */
  mostLine: number;
  /** A line without its end; none comes after the process is over. */
  take(line: string): void;
  /** Once, and not where `end` or `close` came before. */
  failed(fault: LineFault): void;
}

export class LineProcess {
  readonly #parts: LineProcessParts;
  readonly #started: Promise<void>;
  readonly #decoder = new TextDecoder();
  readonly #errors = new TextDecoder();
  #child: StartedChild | undefined;
  /** What it is to be sent once it is there. */
  #unsent: string[] = [];
  /** The line that has no end yet, joined when it has: it may come in very many pieces. */
  #pieces: string[] = [];
  #length = 0;
  #stderr = "";
  #isOver = false;

  constructor(parts: LineProcessParts) {
    this.#parts = parts;
    this.#started = this.#start();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The end of what it said on standard error. */
  get stderr(): string {
    return this.#stderr;
  }

  async #start(): Promise<void> {
    // Whoever makes this has it before it hears of anything.
    await undefined;
    try {
      const child = await startChild({
        ...this.#parts.start(),
        stdin: "open",
        onOutput: (chunk, stream) => stream === "stdout" ? this.#hear(chunk) : this.#hearErrors(chunk),
      }, this.#parts.groups);
      this.#child = child;
      void child.ended.then(({ exitCode, signal }) => {
        const how = signal === undefined ? `with exit code ${exitCode}` : `by ${signal}`;
        this.#fail({ kind: "ended", how });
        child.release();
      });
      if (this.#isOver) void child.kill();
      else if (this.#unsent.length > 0) this.#write(this.#unsent.join(""));
    } catch (error) {
      this.#fail({ kind: "not started", why: messageOf(error) });
    } finally {
      this.#unsent = [];
    }
  }

  /** `line` has no line end in it. */
  send(line: string): void {
    if (this.#isOver) return;
    if (this.#child) this.#write(line + "\n");
    else this.#unsent.push(line + "\n");
  }

  /** One that doesn't read any more says so by its end, or runs out of time. */
  #write(lines: string): void {
    if (this.#child!.write(lines) === "full") this.#fail({ kind: "deaf" });
  }

  #hear(chunk: Uint8Array): void {
    if (this.#isOver) return;
    const parts = this.#decoder.decode(chunk, { stream: true }).split("\n");
    for (const [index, part] of parts.entries()) {
      if (index > 0) {
        const line = this.#pieces.join("");
        this.#pieces = [];
        this.#length = 0;
        this.#parts.take(line);
        if (this.#isOver) return;
      }
      this.#pieces.push(part);
      this.#length += part.length;
    }
    if (this.#length > this.#parts.mostLine) this.#fail({ kind: "too long" });
  }

  #hearErrors(chunk: Uint8Array): void {
    this.#stderr = (this.#stderr + this.#errors.decode(chunk, { stream: true })).slice(-STDERR_KEPT);
  }

  #fail(fault: LineFault): void {
    if (this.#isOver) return;
    // What one that ended left behind is the session's to end.
    if (fault.kind === "ended") this.#isOver = true;
    else this.end();
    this.#parts.failed(fault);
  }

  /** It is given up: nothing of it is heard any more, and it is killed. */
  end(): void {
    this.#isOver = true;
    this.#pieces = [];
    void this.#child?.kill();
  }

  /** The end of its input, a moment to end on its own, TERM, a moment, KILL. */
  async close(farewellMs: number): Promise<void> {
    await this.#started;
    const child = this.#child;
    if (!child) return;
    child.endInput();
    if (farewellMs > 0) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      await Promise.race([child.exited, new Promise((resolve) => timer = setTimeout(resolve, farewellMs))]);
      clearTimeout(timer);
    }
    await child.kill();
  }
}
