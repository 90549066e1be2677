/** One command, run to its end in a bounded time. */
import { LONGEST_MS } from "../core/watchdog.ts";
import { type ChildEnd, type ChildStart, startChild, type StartedChild } from "./child.ts";
import type { ProcessGroups } from "./groups.ts";

export interface Start extends Omit<ChildStart, "stdin"> {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Written to standard input, which is empty otherwise. Whoever doesn't read it changes nothing. */
  input?: string;
}

/** Its exit code is `undefined` where the signal that ended it was ours. */
export interface Ended extends ChildEnd {
  why: "exit" | "timeout" | "interrupted";
  /** Processes that it started outlived the command. */
  survivors: boolean;
}

/** Runs a command to its end. Rejects only where it can't be started. */
export async function run(start: Start, groups: ProcessGroups): Promise<Ended> {
  const { argv, cwd, env, onOutput, input } = start;
  const stdin = input === undefined ? "none" : { text: input };
  const child = await startChild({ argv, cwd, env, stdin, onOutput }, groups);
  const ended = await toEnd(child, start);
  // Whoever is left and writes into the pipes ends by that.
  child.release();
  return ended;
}

/** Waits for the end of a child, or ends it when its time is over or at an abort. Its pipes stay open. */
export async function toEnd(
  child: StartedChild,
  { timeoutMs, signal }: Pick<Start, "timeoutMs" | "signal">,
): Promise<Ended> {
  let why: Ended["why"] = "exit";
  let ending: Promise<void> | undefined;
  const end = (reason: "timeout" | "interrupted") => {
    if (ending) return;
    why = reason;
    ending = child.kill();
  };
  const timer = setTimeout(() => end("timeout"), Math.min(timeoutMs, LONGEST_MS));
  const onAbort = () => end("interrupted");
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) onAbort();
  await child.exited;
  clearTimeout(timer);
  signal?.removeEventListener("abort", onAbort);
  await ending;
  const { exitCode, signal: by } = await child.ended;
  return {
    exitCode: why === "exit" || by === undefined ? exitCode : undefined,
    signal: by,
    why,
    survivors: child.survivors(),
  };
}
