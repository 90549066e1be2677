/** A hook that is a web server: the call goes there by POST. */
import { messageOf } from "../core/errors.ts";
import { LONGEST_MS } from "../core/watchdog.ts";
import { ANSWER_MB, failedRun, type HookRun, TOO_LONG } from "./hook_answer.ts";
import { headerValue, type HttpHook } from "./hook_http_config.ts";

const MB = 1024 * 1024;
/** Redirections that are followed, all of them on the same server. */
const MOST_HOPS = 5;

/** 2xx with JSON is an answer like a program's, 2xx with nothing is none; all else is a fault. Never rejects. */
export async function post(hook: HttpHook, body: string, signal: AbortSignal | undefined): Promise<HookRun> {
  const headers = headersOf(hook);
  if (typeof headers === "string") return failedRun(headers);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), Math.min(hook.timeoutMs, LONGEST_MS));
  const either = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
  try {
    return await ask(hook.url, headers, body, either);
  } catch (error) {
    if (late.signal.aborted) return failedRun("it ran out of time", { timedOut: true });
    if (signal?.aborted) return failedRun("the call was interrupted");
    return failedRun(`it can't be reached: ${causeOf(error)}`);
  } finally {
    clearTimeout(timer);
    // What is still open, such as the rest of an answer that nobody reads.
    late.abort();
  }
}

async function ask(
  url: string,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<HookRun> {
  let at = url;
  for (let hops = 0; hops <= MOST_HOPS; hops++) {
    const response = await fetch(at, { method: "POST", headers, body, redirect: "manual", signal });
    const { status } = response;
    const target = status === 307 || status === 308 ? response.headers.get("location") : null;
    if (target === null) return await read(response);
    await response.body?.cancel();
    const next = new URL(target, at);
    // The call, and what the headers hold, is for that server alone.
    if (next.origin !== new URL(at).origin) {
      return failedRun(`it sends the call on to another server (HTTP ${status})`, { status });
    }
    at = next.href;
  }
  return failedRun(`it sends the call in circles (more than ${MOST_HOPS} redirections)`);
}

async function read(response: Response): Promise<HookRun> {
  const { status, ok } = response;
  if (!ok) {
    await response.body?.cancel();
    return failedRun(`it answered with HTTP ${status}`, { status });
  }
  const text = await textOf(response);
  if (text === undefined) return failedRun(TOO_LONG, { status, tooLong: true });
  const answer = text.replace(/^\uFEFF/, "").trim();
  if (answer !== "" && !answer.startsWith("{")) {
    return failedRun("its answer is no JSON", { status, stdout: text });
  }
  return {
    exitCode: 0,
    signal: undefined,
    timedOut: false,
    tooLong: false,
    status,
    stdout: text,
    stderr: "",
  };
}

/** `undefined` where it is longer than is looked at. */
async function textOf(response: Response): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "", room = ANSWER_MB * MB;
  if (!response.body) return text;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    room -= chunk.length;
    if (room < 0) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** In words where a header can't be sent. The value isn't shown: it may be a key. */
function headersOf({ headers, allowedEnvVars }: HttpHook): Record<string, string> | string {
  const result: Record<string, string> = { "content-type": "application/json" };
  for (const [name, value] of Object.entries(headers)) {
    const text = headerValue(value, allowedEnvVars).trim();
    // deno-lint-ignore no-control-regex -- what a header can't hold
    if (/[^\t\x20-\x7e\x80-\xff]/.test(text)) {
      return `the value of its header ${name} is none that can be sent`;
    }
    result[name.toLowerCase()] = text;
  }
  return result;
}

/** Node says "fetch failed", and why in the cause. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return messageOf(cause);
}
