/** Calls from standard input: read as they come, run some at once, answered in call order. */
import type { Runtime } from "../agent.ts";
import type { AbortLike, CallOptions, CallRequest } from "../core/request.ts";
import { EXIT } from "../core/errors.ts";
import type { Result } from "../core/result.ts";
import { host } from "../core/runtime.ts";
import type { Turn } from "../core/turn.ts";
import type { Invocation } from "./command.ts";
import { type Batch, type DialectName, idOf, malformed, readBatch } from "./dialects.ts";
import { MOST_MB, Pieces, stdinLines, withoutMark } from "./input.ts";

const CONCURRENCY = 64;

/** What a run of calls came to. */
export interface Totals {
  calls: number;
  failed: number;
  exitCode: number;
}

export async function batch(
  runtime: Runtime,
  turn: Turn,
  options: CallOptions,
  stop: AbortLike,
  invocation: Invocation,
): Promise<Totals> {
  const { flags, printer } = invocation;
  const most = Math.floor(flags.positive("concurrency") ?? CONCURRENCY) || 1;
  const silent = flags.has("jsonl");
  const totals = { calls: 0, failed: 0 };
  const ask = await asker(invocation);
  const slots = new Slots(most);
  /** The answers that were given before, so that order is kept. */
  let printed: Promise<void> = Promise.resolve();

  const lines = new Lines((text) => printer.out(text));
  const print = (part: Batch, results: readonly Result[]) => {
    if (silent) return;
    if (!flags.has("plain")) return lines.push(JSON.stringify(part.render(results)) + "\n");
    for (const result of results) printer.result(result);
  };
  const call = async (request: CallRequest) => {
    const result = await runtime.call(turn, request, { ...options, origin: "script", ask });
    slots.leave();
    totals.calls++;
    if (result.status === "error") totals.failed++;
    return result;
  };
  const start = async (part: Batch) => {
    // A response without calls has nothing to answer.
    if (part.calls.length === 0) return;
    const calls: Promise<Result>[] = [];
    for (const request of part.calls) {
      const waiting = slots.enter();
      if (waiting) await waiting;
      calls.push(call(request));
    }
    const work = Promise.all(calls);
    if (flags.has("unordered")) {
      printed = Promise.all([printed, work.then((results) => print(part, results))]).then(() => {});
    } else printed = printed.then(async () => print(part, await work));
    // A failure to print is thrown at the end, not where nobody waits yet.
    printed.catch(() => {});
  };

  for await (const part of batches(flags.get("dialect") as DialectName | undefined, stop)) {
    if (stop.aborted) break;
    await start(part);
  }
  await printed;
  lines.end();
  if (totals.calls === 0) printer.warn("there were no calls on standard input");
  const exitCode = stop.aborted ? EXIT.interrupted : totals.failed > 0 ? EXIT.failed : EXIT.done;
  return { ...totals, exitCode };
}

/** Answers that are ready at the same time go out in one write. */
class Lines {
  readonly #write: (text: string) => void;
  #text = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #broken: { error: unknown } | undefined;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  push(line: string): void {
    this.#text += line;
    if (this.#broken) throw this.#broken.error;
    if (this.#text.length >= MOST_WAITING) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flushQuietly());
  }

  /** Writes what is left. Throws what a write in between met. */
  end(): void {
    clearTimeout(this.#timer);
    if (this.#broken) throw this.#broken.error;
    this.#flush();
  }

  /** Nobody waits for a timer, so an error is kept for the next who asks. */
  #flushQuietly(): void {
    try {
      this.#flush();
    } catch (error) {
      this.#broken = { error };
    }
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = this.#text;
    this.#text = "";
    if (text !== "") this.#write(text);
  }
}

/** Characters of answers that wait for the next write. */
const MOST_WAITING = 64 * 1024;

/** So many calls run at once; the others wait here, in call order. */
class Slots {
  #free: number;
  #wake: (() => void) | undefined;

  constructor(count: number) {
    this.#free = count;
  }

  /** `undefined` where there is room at once, as there mostly is. */
  enter(): Promise<void> | undefined {
    if (this.#free === 0) return new Promise((resolve) => this.#wake = resolve);
    this.#free--;
    return undefined;
  }

  /** Whoever waits takes the place. */
  leave(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    if (wake) wake();
    else this.#free++;
  }
}

/** Each line's calls; or, where the first line only opens a bracket, those of the whole input. */
async function* batches(dialect: DialectName | undefined, stop: AbortLike): AsyncGenerator<Batch> {
  let number = 0;
  let whole: Pieces<string> | undefined;
  let first = true;
  for await (const line of stdinLines(stop)) {
    number++;
    const text = number === 1 && line !== undefined ? withoutMark(line) : line;
    if (!whole && text?.trim() === "") continue;
    if (first && text !== undefined && /^\s*[[{]\s*$/.test(text)) whole = new Pieces();
    if (whole) whole.add(text);
    else yield* parts(text, `line_${number}`, `line ${number}`, dialect);
    first = false;
  }
  if (whole) yield* parts(whole.take()?.join("\n"), "input", "standard input", dialect);
}

/** One JSON value; a list holds a value each. `undefined` is a text that was too long to be kept. */
function* parts(
  text: string | undefined,
  id: string,
  where: string,
  dialect: DialectName | undefined,
): Generator<Batch> {
  if (text === undefined) {
    return yield malformed(id, `Cannot read the call in ${where}: longer than ${MOST_MB} MB`, dialect);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return yield malformed(id, `Cannot read the call in ${where}: not JSON`, dialect);
  }
  for (const [index, item] of (Array.isArray(value) ? value : [value]).entries()) {
    yield readBatch(item, dialect) ??
      malformed(
        idOf(item) ?? (Array.isArray(value) ? `${id}_${index + 1}` : id),
        `Cannot read the call in ${where}: not of the form ${dialect ?? "agent, anthropic or openai"}` +
          `\n\nhint: ${EXAMPLES[dialect ?? "agent"]}`,
        dialect,
      );
  }
}

const EXAMPLES: Record<DialectName, string> = {
  agent: '{"id": "1", "name": "TOOL", "args": {}}',
  anthropic: '{"type": "tool_use", "id": "1", "name": "TOOL", "input": {}}',
  openai: '{"type": "function_call", "call_id": "1", "name": "TOOL", "arguments": "{}"}',
};

/** Asks on the terminal, where there is one; calls come by standard input, so the answer can't. */
async function asker({ flags, printer }: Invocation): Promise<CallOptions["ask"]> {
  if (flags.has("no-input") || !host.isTerminal(2)) return undefined;
  const { terminalAsker } = await import("./ask.ts");
  return terminalAsker(printer);
}
