/** `agent exec`: one call from the command line, or calls from standard input. */
import type { EndedCommand, Runtime, RuntimeParts } from "../../agent.ts";
import type { AbortLike, CallOptions, CallRequest } from "../../core/request.ts";
import { AgentError, EXIT, messageOf, quote, UsageError } from "../../core/errors.ts";
import { shellQuote } from "../../core/shell_quote.ts";
import type { Result } from "../../core/result.ts";
import { host } from "../../core/runtime.ts";
import type { Sink, StreamEvent } from "../../core/stream.ts";
import type { Turn } from "../../core/turn.ts";
import type { Totals } from "../batch.ts";
import type { Invocation } from "../command.ts";
import { readArguments } from "../input.ts";
import { openRuntime, surfaceOptions } from "../open.ts";

export async function run(invocation: Invocation): Promise<number> {
  const { flags } = invocation;
  if (flags.has("detach")) {
    return await withLastEvent(invocation, async () => {
      checkWords(invocation);
      const { detach } = await import("../daemon/detach.ts");
      return await detach(invocation);
    });
  }
  return await withLastEvent(invocation, async () => {
    checkWords(invocation);
    const stop = new Interrupt();
    const options = callOptions(invocation, stop);
    const [name] = invocation.args;
    const alone = name !== undefined && name !== "-";
    const runtime = await openRuntime(invocation, { alone, onEvent: await sinkOf(invocation) });
    const request = await readRequest(invocation, runtime);
    const stopWatching = watchSignals(runtime, stop);
    try {
      return await inSession(runtime, invocation, stop, options, request);
    } finally {
      stopWatching();
    }
  });
}

/** Another exit code for a result than the usual one, where it isn't `undefined`. */
export type CodeOf = (result: Result) => number | undefined;

/** One call that isn't made from this command line's own words. `parts` are the runtime's. */
export async function runCall(
  invocation: Invocation,
  find: (runtime: Runtime) => CallRequest,
  stop: Interrupt,
  parts: Partial<RuntimeParts> = {},
  codeOf?: CodeOf,
): Promise<number> {
  return await withLastEvent(invocation, async () => {
    const options = callOptions(invocation, stop);
    const runtime = await openRuntime(invocation, { ...parts, onEvent: await sinkOf(invocation) });
    return await inSession(runtime, invocation, stop, options, find(runtime), codeOf);
  });
}

async function sinkOf({ flags, printer }: Invocation): Promise<Sink | undefined> {
  const print: Sink | undefined = flags.has("jsonl") ? (event) => printer.json(event) : undefined;
  if (!flags.has("explain")) return print;
  const { explainer } = await import("../explain/explain.ts");
  const explain = explainer((text) => printer.note(text));
  return (event) => {
    print?.(event);
    explain(event);
  };
}

/** A stream of events ends in one that says what came of it. A number is an exit code, of which it has been said. */
async function withLastEvent(
  { flags, printer }: Invocation,
  work: () => Promise<Totals | number>,
): Promise<number> {
  const say = (event: StreamEvent) => {
    if (flags.has("jsonl")) printer.json(event);
  };
  try {
    const totals = await work();
    if (typeof totals === "number") return totals;
    say({ type: "result", ...totals });
    return totals.exitCode;
  } catch (error) {
    const hint = error instanceof AgentError ? error.hint : undefined;
    say({ type: "error", message: messageOf(error), hint });
    throw error;
  }
}

function checkWords({ flags, args }: Invocation): void {
  const [one, other] = ["json", "jsonl", "plain"].filter((name) => flags.has(name));
  if (other !== undefined) {
    throw new UsageError(
      `Cannot use --${one} with --${other}: each is a form of its own`,
      "choose one of them",
    );
  }
  if (args[0] === "-" && args.length > 1) {
    throw new UsageError(
      `Cannot run agent exec - with ${quote(args[1]!)}: calls come on standard input alone`,
      `agent exec - < ${shellQuote(args[1]!)}`,
    );
  }
  if (args.length === 0 && host.isTerminal(0)) {
    throw new UsageError(
      "Cannot run: no tool was named",
      "agent exec TOOL key=value, or calls on standard input",
    );
  }
}

/** The call on the command line; `undefined` where calls come on standard input. */
async function readRequest({ args }: Invocation, { registry }: Runtime): Promise<CallRequest | undefined> {
  const [name, ...words] = args;
  if (name === undefined || name === "-") return undefined;
  const required = () => registry.entries().find((entry) => entry.name === name)?.schema.required ?? [];
  return { name, args: await readArguments(words, required) };
}

async function inSession(
  runtime: Runtime,
  invocation: Invocation,
  stop: Interrupt,
  options: CallOptions,
  request: CallRequest | undefined,
  codeOf?: CodeOf,
): Promise<Totals> {
  const { flags } = invocation;
  try {
    await runtime.start();
    const turn = await runtime.prepareTurn({ open: true, ...surfaceOptions(flags) });
    if (request) return await single(runtime, turn, request, options, invocation, codeOf);
    const { batch } = await import("../batch.ts");
    return await batch(runtime, turn, options, stop, invocation);
  } finally {
    const ended = await runtime.close(stop.reason ?? "exit");
    if (ended.length > 0) sayEnded(ended, request !== undefined, invocation);
  }
}

/** Nothing that was started is ended in silence. */
function sayEnded(ended: readonly EndedCommand[], alone: boolean, { printer }: Invocation): void {
  const names = ended.map(({ id, command }) => `session ${id} (${command})`).join(", ");
  const [was, them] = ended.length === 1 ? ["was", "it"] : ["were", "them"];
  const way = alone ? `--detach keeps ${them}` : "agent exec --detach keeps what a single call starts";
  printer.warn(`${names} ${was} ended with this run; ${way}`);
}

async function single(
  runtime: Runtime,
  turn: Turn,
  request: CallRequest,
  options: CallOptions,
  { flags, printer }: Invocation,
  codeOf: CodeOf | undefined,
): Promise<Totals> {
  const { name } = request;
  if (!turn.find(name) && runtime.registry.entries().some((entry) => entry.name === name)) {
    const flag = flags.has("tools") ? "--tools" : "--toolset";
    throw new UsageError(`Cannot call ${quote(name)}: ${flag} leaves it out`);
  }
  const result = await runtime.call(turn, request, { ...options, origin: "person" });
  const own = flags.has("exit-status") && result.exitCode !== undefined;
  if (flags.has("json")) printer.json(result);
  else if (own) printer.streams(result);
  else if (!flags.has("jsonl")) printer.result(result);
  const failed = result.status === "error" ? 1 : 0;
  const exitCode = codeOf?.(result) ?? (own ? result.exitCode! : exitCodeOf(result));
  return { calls: 1, failed, exitCode };
}

function exitCodeOf(result: Result): number {
  switch (result.outcome) {
    case "denied":
      return EXIT.denied;
    case "timeout":
      return EXIT.timeout;
    case "interrupted":
      return EXIT.interrupted;
    case "unknown":
    case "invalid":
      return EXIT.usage;
    default:
      return result.status === "success" ? EXIT.done : EXIT.failed;
  }
}

function callOptions({ flags }: Invocation, signal: Interrupt): CallOptions {
  const seconds = flags.positive("timeout");
  const timeoutMs = seconds === undefined ? undefined : seconds * 1000;
  return {
    signal,
    timeoutMs,
    dryRun: flags.has("dry-run"),
    streamLimit: flags.has("full") ? Infinity : undefined,
  };
}

/** As much of an `AbortSignal` as a call needs, without its cost at start. */
export class Interrupt implements AbortLike {
  readonly #listeners = new Set<() => void>();
  /** Why the session ends, for its log. */
  reason: "interrupted" | "signal" | undefined;

  get aborted(): boolean {
    return this.reason !== undefined;
  }

  abort(reason: "interrupted" | "signal"): void {
    this.reason = reason;
    for (const listener of [...this.#listeners]) listener();
  }

  addEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.delete(listener);
  }
}

/** The first signal ends the calls, which are answered so, and closes the session; the second ends the process. */
function watchSignals(runtime: Runtime, stop: Interrupt): () => void {
  const on = (signal: "SIGINT" | "SIGTERM" | "SIGHUP", reason: "interrupted" | "signal") =>
    host.onSignal(signal, () => {
      if (!stop.aborted) return stop.abort(reason);
      runtime.kill();
      host.exit(EXIT.interrupted);
    });
  const removers = [on("SIGINT", "interrupted"), on("SIGTERM", "signal"), on("SIGHUP", "signal")];
  return () => {
    for (const remove of removers) remove();
  };
}
