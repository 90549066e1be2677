/** Calls from standard input: read as they come, run some at once, answered in call order. */
import type { Runtime } from "../agent.ts";
import type { CallOptions } from "../core/call.ts";
import { EXIT, messageOf, UsageError } from "../core/errors.ts";
import { type Result, textOf } from "../core/result.ts";
import { host } from "../core/runtime.ts";
import type { Turn } from "../core/turn.ts";
import type { Invocation } from "./command.ts";
import { positive, type Totals } from "./commands/exec.ts";
import { type Batch, type DialectName, malformed, readBatch } from "./dialects.ts";
import { stdinLines } from "./input.ts";

const CONCURRENCY = 64;

export async function batch(
  runtime: Runtime,
  turn: Turn,
  options: CallOptions,
  invocation: Invocation,
): Promise<Totals> {
  const { flags, printer } = invocation;
  const most = Math.floor(positive("concurrency", flags.get("concurrency") ?? String(CONCURRENCY))) || 1;
  const silent = flags.has("jsonl");
  const totals = { calls: 0, failed: 0 };
  const ask = await asker(invocation);
  const running = new Set<Promise<unknown>>();
  /** The answers that were given before, so that order is kept. */
  let printed: Promise<void> = Promise.resolve();

  const print = (part: Batch, results: readonly Result[]) => {
    if (silent) return;
    if (!flags.has("plain")) return printer.json(part.render(results));
    for (const { content, status } of results) {
      if (status === "success") printer.line(textOf(content));
      else printer.failure(textOf(content));
    }
  };
  const start = (part: Batch) => {
    const work = Promise.all(part.calls.map(async (request) => {
      const result = await runtime.call(turn, request, { ...options, origin: "script", ask });
      totals.calls++;
      if (result.status === "error") totals.failed++;
      return result;
    }));
    const tracked = work.finally(() => running.delete(tracked));
    running.add(tracked);
    if (flags.has("unordered")) {
      printed = Promise.all([printed, work.then((results) => print(part, results))]).then(() => {});
    } else printed = printed.then(async () => print(part, await work));
  };

  for await (const part of batches(flags.get("dialect") as DialectName | undefined)) {
    if (options.signal?.aborted) break;
    start(part);
    while (running.size >= most) await Promise.race(running);
  }
  await printed;
  if (totals.calls === 0) printer.warn("there were no calls on standard input");
  const exitCode = options.signal?.aborted ? EXIT.interrupted : totals.failed > 0 ? EXIT.failed : EXIT.done;
  return { ...totals, exitCode };
}

/** Each line's calls; or, where the first line only opens a bracket, those of the whole input. */
async function* batches(dialect: DialectName | undefined): AsyncGenerator<Batch> {
  let number = 0;
  let whole: string[] | undefined;
  for await (const line of stdinLines()) {
    number++;
    const text = number === 1 ? line.replace(/^\uFEFF/, "") : line;
    if (whole) whole.push(text);
    else if (number === 1 && /^\s*[[{]\s*$/.test(text)) whole = [text];
    else if (text.trim() !== "") yield* parts(text, `line_${number}`, `line ${number}`, dialect);
  }
  if (whole) yield* parts(whole.join("\n"), "input", "standard input", dialect);
}

/** One JSON value; a list holds a value each. */
function* parts(text: string, id: string, where: string, dialect: DialectName | undefined): Generator<Batch> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return yield malformed(id, `Cannot read the call in ${where}: not JSON: ${messageOf(error)}`);
  }
  for (const [index, item] of (Array.isArray(value) ? value : [value]).entries()) {
    try {
      yield readBatch(item, dialect);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const name = Array.isArray(value) ? `${id}_${index + 1}` : id;
      yield malformed(name, `Cannot read the call in ${where}: ${error.message}`);
    }
  }
}

/** Asks on the terminal, where there is one; calls come by standard input, so the answer can't. */
async function asker({ flags, printer }: Invocation): Promise<CallOptions["ask"]> {
  if (flags.has("no-input") || !host.isTerminal(2)) return undefined;
  const { terminalAsker } = await import("./ask.ts");
  return terminalAsker(printer);
}
