/** One child process of a plugin: orders and their answers, by lines. */
import { AgentError, messageOf } from "../core/errors.ts";
import { isRecord } from "../core/json.ts";
import { type ChildStart, startChild, type StartedChild } from "../shell/child.ts";
import type { ProcessGroups } from "../shell/groups.ts";
import { MOST_LINE, type Orders, type ToChild } from "./isolation_wire.ts";

/** Of what it said on standard error, its end. */
const STDERR_KEPT = 2048;

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export interface ProcessParts {
  groups: ProcessGroups;
  start: Pick<ChildStart, "argv" | "cwd" | "env">;
  /** Any line but an answer; checked by nobody yet. */
  hear(message: Record<string, unknown>): void;
  /** Once, with the reason; orders that waited have been refused. `asked`: somebody has been told by that. */
  over(why: string, asked: boolean): void;
}

export class IsolatedProcess {
  readonly #parts: ProcessParts;
  readonly #started: Promise<void>;
  readonly #waiting = new Map<number, Waiting>();
  readonly #decoder = new TextDecoder();
  readonly #errors = new TextDecoder();
  #child: StartedChild | undefined;
  #unsent: string[] = [];
  #pieces: string[] = [];
  #length = 0;
  #stderr = "";
  #count = 0;
  isOver = false;

  constructor(parts: ProcessParts) {
    this.#parts = parts;
    this.#started = this.#start();
  }

  async #start(): Promise<void> {
    try {
      const child = await startChild({
        ...this.#parts.start,
        stdin: "open",
        onOutput: (chunk, stream) => stream === "stdout" ? this.#hear(chunk) : this.#hearErrors(chunk),
      }, this.#parts.groups);
      this.#child = child;
      void child.ended.then(({ exitCode, signal }) => {
        const how = signal === undefined ? `with exit code ${exitCode}` : `by ${signal}`;
        const [last = ""] = this.#stderr.trim().split("\n").slice(-1);
        this.#finish(`its process ended ${how}${last === "" ? "" : `: ${last.slice(0, 300)}`}`);
        child.release();
      });
      if (this.isOver) void child.kill();
      else this.#write(this.#unsent.join(""));
    } catch (error) {
      this.#finish(messageOf(error));
    } finally {
      this.#unsent = [];
    }
  }

  /** Rejects with what the plugin threw, or with how its process ended. `begun` gets the order's number. */
  order<D extends keyof Orders>(
    what: D,
    given: Orders[D],
    begun?: (order: number) => void,
  ): Promise<unknown> {
    const order = ++this.#count;
    begun?.(order);
    return new Promise((resolve, reject) => {
      if (this.isOver) return reject(new Error("its process has ended"));
      this.#waiting.set(order, { resolve, reject });
      this.send({ order, do: what, with: given } as ToChild);
    });
  }

  send(message: ToChild): void {
    const line = JSON.stringify(message) + "\n";
    if (line.length > MOST_LINE) {
      if ("order" in message) this.#settle(message.order, { error: { message: TOO_MUCH } });
      else if ("reply" in message) this.send({ reply: message.reply, error: { message: TOO_MUCH } });
      return;
    }
    if (this.#child) this.#write(line);
    else if (!this.isOver) this.#unsent.push(line);
  }

  #write(lines: string): void {
    if (lines !== "" && this.#child!.write(lines) === "full") this.end("it doesn't read what it is sent");
  }

  #hear(chunk: Uint8Array): void {
    if (this.isOver) return;
    const parts = this.#decoder.decode(chunk, { stream: true }).split("\n");
    for (const [index, part] of parts.entries()) {
      if (index > 0) {
        const line = this.#pieces.join("");
        this.#pieces = [];
        this.#length = 0;
        this.#take(line);
        if (this.isOver) return;
      }
      this.#pieces.push(part);
      this.#length += part.length;
    }
    if (this.#length > MOST_LINE) this.end("it sent a line of more than 16 MB");
  }

  /** Lines that aren't ours are what the plugin printed past its console. */
  #take(line: string): void {
    if (!line.startsWith("{")) return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return;
    }
    if (!isRecord(message)) return;
    if (typeof message.answer === "number") this.#settle(message.answer, message);
    else this.#parts.hear(message);
  }

  #settle(order: number, answer: Record<string, unknown>): void {
    const waiting = this.#waiting.get(order);
    if (!waiting) return;
    this.#waiting.delete(order);
    if (isRecord(answer.error)) waiting.reject(errorOf(answer.error));
    else waiting.resolve(answer.value);
  }

  #hearErrors(chunk: Uint8Array): void {
    this.#stderr = (this.#stderr + this.#errors.decode(chunk, { stream: true })).slice(-STDERR_KEPT);
  }

  /** What it is given up for. */
  end(why: string): void {
    this.#finish(why);
    void this.#child?.kill();
  }

  #finish(why: string): void {
    if (this.isOver) return;
    this.isOver = true;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#parts.over(why, waiting.length > 0);
    for (const { reject } of waiting) reject(new Error(why));
  }

  /** The end of its input, and of the process. */
  async close(): Promise<void> {
    this.isOver = true;
    await this.#started;
    this.#child?.endInput();
    await this.#child?.kill();
    for (const { reject } of this.#waiting.values()) reject(new Error("the plugin was disposed"));
    this.#waiting.clear();
  }
}

const TOO_MUCH = "it is more than 16 MB";

function errorOf({ message, hint }: Record<string, unknown>): Error {
  const text = typeof message === "string" ? message : "an unprintable value was thrown";
  return typeof hint === "string" ? new AgentError(text, hint) : new Error(text);
}
