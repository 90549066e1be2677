/** Arguments of a call as they are typed: JSON, `key=value`, `key:=json`, `key=@file`, `@file`, `-`. */
import type { AbortLike } from "../core/request.ts";
import { fileError, messageOf, quote, UsageError } from "../core/errors.ts";
import { resolvePath } from "../core/paths.ts";
import { shellQuote } from "../core/shell_quote.ts";
import { host } from "../core/runtime.ts";

/**
 * The arguments. Values of `key=value` are texts; the tool's schema makes them numbers and the like. `required` are
 * the parameters that the tool can't do without, for a word whose key was forgotten.
 */
export async function readArguments(
  words: readonly string[],
  required: () => readonly string[],
): Promise<Record<string, unknown>> {
  const [first] = words;
  if (words.length === 1 && first === "-") return parseObject(await readStdin(), "standard input");
  if (words.length === 1 && first!.startsWith("@")) return parseObject(readText(first!.slice(1)), first!);
  if (words.length === 1 && first!.trimStart().startsWith("{")) return parseObject(first!, "the arguments");
  const pairs = words.map((word) => PAIR.exec(word));
  const loose = words.filter((_, index) => !pairs[index]);
  if (loose.length > 0) {
    const given = new Set(pairs.map((pair) => pair?.[1]));
    const missing = required().find((name) => !given.has(name));
    throw new UsageError(
      `Cannot read the argument ${quote(loose[0]!)}: not key=value`,
      loose.length === 1 && missing !== undefined
        ? `did you mean ${missing}=${shellQuote(loose[0]!)}?`
        : "use key=value, key:=json, key=@file, or one JSON object",
    );
  }
  const args: Record<string, unknown> = {};
  for (const pair of pairs) {
    const [, key, how, value] = pair as unknown as [string, string, string, string];
    if (Object.hasOwn(args, key)) throw new UsageError(`Cannot use ${quote(key)} twice`);
    args[key] = how === ":=" ? parseJson(value, key) : readValue(key, value);
  }
  return args;
}

const PAIR = /^([A-Za-z_][\w.-]*)(:=|=)(.*)$/s;

function readValue(key: string, value: string): string {
  if (!value.startsWith("@") || value.length === 1) return value;
  const asText = `for a text that starts with @: ${key}:=${shellQuote(JSON.stringify(value))}`;
  return readText(value.slice(1), asText);
}

/** The words of the engine differ by runtime, so they are not passed on. */
function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`Cannot read ${where}: not JSON`);
  }
}

function parseObject(text: string, where: string): Record<string, unknown> {
  const value = parseJson(text, where);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new UsageError(`Cannot use ${where}: not a JSON object`);
}

/** The text of a file, all of it: what `key=@file` sends is what the file holds. */
function readText(path: string, hint?: string): string {
  let bytes: Uint8Array;
  try {
    bytes = host.files.read(resolvePath(host.cwd(), path));
  } catch (error) {
    throw new UsageError(messageOf(fileError("read", path, error)), hint);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UsageError(`Cannot use ${quote(path)}: it is not UTF-8 text`, hint);
  }
}

/** Megabytes of one call on standard input. */
export const MOST_MB = 64;

/** A text that comes in pieces. Of one that is too long nothing is kept. */
export class Pieces<T extends Uint8Array | string> {
  #kept: T[] = [];
  /** Bytes or characters so far, kept or not. */
  size = 0;

  /** `undefined` is a piece that was too long itself. */
  add(piece: T | undefined): void {
    this.size += piece?.length ?? Infinity;
    if (piece !== undefined && this.#fits()) this.#kept.push(piece);
    else this.#kept = [];
  }

  /** All of them, `undefined` where they are too long; then there are none. */
  take(): T[] | undefined {
    const kept = this.#fits() ? this.#kept : undefined;
    this.#kept = [];
    this.size = 0;
    return kept;
  }

  #fits(): boolean {
    return this.size <= MOST_MB * 1024 * 1024;
  }
}

async function readStdin(): Promise<string> {
  const pieces = new Pieces<Uint8Array>();
  for await (const chunk of host.stdin()) pieces.add(chunk);
  const all = pieces.take();
  if (!all) throw new UsageError(`Cannot use standard input: longer than ${MOST_MB} MB`);
  return withoutMark(decode(all));
}

/** One text of all pieces; a character may begin in one and end in the next. */
function decode(pieces: readonly Uint8Array[]): string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const last = pieces.length - 1;
  return pieces.map((piece, index) => decoder.decode(piece, { stream: index < last })).join("");
}

/** A byte order mark is no part of the text. */
export function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}

/**
 * Lines of standard input as they come, without their ends; blank ones too, so that numbers stay true, and
 * `undefined` for one that is too long. An abort is the end of the input.
 */
export async function* stdinLines(signal: AbortLike): AsyncGenerator<string | undefined> {
  const line = new Pieces<Uint8Array>();
  const take = () => {
    const pieces = line.take();
    return pieces && decode(pieces);
  };
  for await (const chunk of untilAborted(host.stdin(), signal)) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      line.add(chunk.subarray(from, at));
      yield take();
      from = at + 1;
    }
    if (from < chunk.length) line.add(chunk.subarray(from));
  }
  if (line.size > 0) yield take();
}

const NEWLINE = 10;

/** What is still to come after an abort is never waited for. */
async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortLike): AsyncGenerator<T> {
  const items = source[Symbol.asyncIterator]();
  while (!signal.aborted) {
    const next = await new Promise<IteratorResult<T> | undefined>((resolve, reject) => {
      const stop = () => resolve(undefined);
      signal.addEventListener("abort", stop);
      items.next().then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
    });
    if (!next || next.done) return;
    yield next.value;
  }
}
