/** One child process of a plugin: orders and their answers, by lines. */
import { AgentError } from "../core/errors.ts";
import { isRecord } from "../core/json.ts";
import { host } from "../core/runtime.ts";
import type { ChildStart } from "../shell/child.ts";
import type { ProcessGroups } from "../shell/groups.ts";
import { type LineFault, LineProcess } from "../shell/line_process.ts";
import { MOST_LINE, type Orders, type ToChild } from "./isolation_wire.ts";

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
  answered: (() => void) | undefined;
}

export interface OrderEvents {
  /** Before it is sent, with its number. */
  begun?(order: number): void;
  /** Before anything that the process says after its answer is heard. */
  answered?(): void;
}

export interface ProcessParts {
  groups: ProcessGroups;
  start: Pick<ChildStart, "argv" | "cwd" | "env">;
  /** Any line but an answer; checked by nobody yet. */
  hear(message: Record<string, unknown>): void;
  /** Once, with the reason; orders that waited have been refused. `asked`: somebody has been told by that. */
  over(why: string, asked: boolean): void;
}

/** Characters of what it says between two answers: logs, output, questions, what it registers. */
const MOST_UNASKED = 32 * 1024 * 1024;

export class IsolatedProcess {
  readonly #parts: ProcessParts;
  readonly #lines: LineProcess;
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;
  /** Characters that it sent unasked since its last answer. */
  #unasked = 0;
  readonly #letDebuggerIn: () => void;
  isOver = false;

  constructor(parts: ProcessParts) {
    this.#parts = parts;
    const { groups, start } = parts;
    // Node opens its debugger, and with it everything, to whoever sends it this signal; a child of ours can.
    this.#letDebuggerIn = host.name === "node" && host.platform !== "win32"
      ? host.onSignal("SIGUSR1", () => {})
      : () => {};
    this.#lines = new LineProcess({
      groups,
      start: () => start,
      mostLine: MOST_LINE,
      take: (line) => this.#take(line),
      failed: (fault) => this.#finish(this.#inWords(fault)),
    });
  }

  /** Rejects with what the plugin threw, or with how its process ended. */
  order<D extends keyof Orders>(
    what: D,
    given: Orders[D],
    { begun, answered }: OrderEvents = {},
  ): Promise<unknown> {
    const order = ++this.#count;
    begun?.(order);
    return new Promise((resolve, reject) => {
      if (this.isOver) return reject(new Error("its process has ended"));
      this.#waiting.set(order, { resolve, reject, answered });
      this.send({ order, do: what, with: given } as ToChild);
    });
  }

  send(message: ToChild): void {
    const line = JSON.stringify(message);
    if (line.length < MOST_LINE) this.#lines.send(line);
    else if ("order" in message) this.#settle(message.order, { error: { message: TOO_MUCH } });
    else if ("reply" in message) this.send({ reply: message.reply, error: { message: TOO_MUCH } });
  }

  /** Lines that aren't ours are what the plugin printed past its console. */
  #take(line: string): void {
    if (this.isOver) return;
    this.#unasked += line.length;
    if (this.#unasked > MOST_UNASKED) {
      return this.end(`it sends more than ${MOST_UNASKED / 1024 / 1024} MB that nobody asked for`);
    }
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
    this.#unasked = 0;
    waiting.answered?.();
    if (isRecord(answer.error)) waiting.reject(errorOf(answer.error));
    else waiting.resolve(answer.value);
  }

  #inWords(fault: LineFault): string {
    if (fault.kind === "too long") return "it sent a line of more than 16 MB";
    if (fault.kind === "deaf") return "it doesn't read what it is sent";
    if (fault.kind === "not started") return fault.why;
    const [last = ""] = this.#lines.stderr.trim().split("\n").slice(-1);
    return `its process ended ${fault.how}${last === "" ? "" : `: ${last.slice(0, 300)}`}`;
  }

  /** What it is given up for. */
  end(why: string): void {
    this.#finish(why);
    this.#lines.end();
  }

  #finish(why: string): void {
    if (this.isOver) return;
    this.#letDebuggerIn();
    this.isOver = true;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#parts.over(why, waiting.length > 0);
    for (const { reject } of waiting) reject(new Error(why));
  }

  /** The end of its input, and of the process. */
  async close(): Promise<void> {
    this.isOver = true;
    await this.#lines.close(0);
    for (const { reject } of this.#waiting.values()) reject(new Error("the plugin was disposed"));
    this.#waiting.clear();
  }
}

const TOO_MUCH = "it is more than 16 MB";

function errorOf({ message, hint }: Record<string, unknown>): Error {
  const text = typeof message === "string" ? message : "an unprintable value was thrown";
  return typeof hint === "string" ? new AgentError(text, hint) : new Error(text);
}
