/** Arguments of a call as they are typed: JSON, `key=value`, `key:=json`, `key=@file`, `@file`, `-`. */
import type { AbortLike } from "../core/call.ts";
import { fileError, messageOf, quote, UsageError } from "../core/errors.ts";
import { resolvePath } from "../core/paths.ts";
import { host } from "../core/runtime.ts";

/** The arguments. Values of `key=value` are texts; the tool's schema makes them numbers and the like. */
export async function readArguments(words: readonly string[]): Promise<Record<string, unknown>> {
  const [first] = words;
  if (words.length === 1 && first === "-") return parseObject(await readStdin(), "standard input");
  if (words.length === 1 && first!.startsWith("@")) return parseObject(readText(first!.slice(1)), first!);
  if (words.length === 1 && first!.trimStart().startsWith("{")) return parseObject(first!, "the arguments");
  const args: Record<string, unknown> = {};
  for (const word of words) {
    const [key, value] = readPair(word);
    if (Object.hasOwn(args, key)) throw new UsageError(`Cannot use ${quote(key)} twice`);
    args[key] = value;
  }
  return args;
}

function readPair(word: string): [string, unknown] {
  const match = /^([A-Za-z_][\w.-]*)(:=|=)(.*)$/s.exec(word);
  if (!match) {
    throw new UsageError(
      `Cannot read the argument ${quote(word)}: not key=value`,
      "use key=value, key:=json, key=@file, or one JSON object",
    );
  }
  const [, key, how, value] = match as unknown as [string, string, string, string];
  if (how === ":=") return [key, parseJson(value, key)];
  return [key, value.startsWith("@") && value.length > 1 ? readText(value.slice(1)) : value];
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`Cannot read the JSON of ${where}: ${messageOf(error)}`);
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
function readText(path: string): string {
  let bytes: Uint8Array;
  try {
    bytes = host.files.read(resolvePath(host.cwd(), path));
  } catch (error) {
    throw new UsageError(messageOf(fileError("read", path, error)));
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UsageError(`Cannot use ${quote(path)}: it is not UTF-8 text`);
  }
}

async function readStdin(): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of host.stdin()) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

/**
 * Lines of standard input as they come, without their ends; blank ones too, so that numbers stay true. An abort is
 * the end of the input.
 */
export async function* stdinLines(signal: AbortLike): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of untilAborted(host.stdin(), signal)) {
    rest += decoder.decode(chunk, { stream: true });
    let from = 0;
    for (let at = rest.indexOf("\n"); at >= 0; at = rest.indexOf("\n", from)) {
      yield rest.slice(from, at);
      from = at + 1;
    }
    rest = rest.slice(from);
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}

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
