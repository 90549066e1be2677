/** Runs ripgrep: what it prints is handed on as it comes, what it complains of is kept. Its words are all ours. */
import { AgentError, messageOf } from "../../core/errors.ts";
import { host } from "../../core/runtime.ts";
import { searchProgram } from "./program.ts";

export interface Ended {
  /** What it complained of, a line each, without its own name. */
  complaints: string[];
  /** It did not search at all. */
  failed: boolean;
}

/** Of what it complains. */
const MOST_COMPLAINTS = 64 * 1024;

/**
 * `take` is waited for, so that no more is read than it can use; what it answers `true` to is enough. An abort ends the
 * search and is thrown.
 */
export async function runRipgrep(
  words: readonly string[],
  signal: AbortSignal,
  take: (chunk: Uint8Array) => void | Promise<void>,
): Promise<Ended> {
  signal.throwIfAborted();
  const { spawn } = host.builtin<typeof import("node:child_process")>("node:child_process");
  const { command, args, env } = await searchProgram();
  const child = spawn(command, [...args, ...words], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  const end = () => void child.kill("SIGKILL");
  signal.addEventListener("abort", end);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", (error) => reject(new AgentError(`Cannot search: ${messageOf(error)}`)));
    child.once("close", resolve);
  });
  // Whoever reads may throw first.
  ended.catch(() => {});
  let complaint = "";
  const decoder = new TextDecoder();
  child.stderr.on("data", (chunk: Uint8Array) => {
    if (complaint.length < MOST_COMPLAINTS) complaint += decoder.decode(chunk, { stream: true });
  });
  try {
    for await (const chunk of child.stdout as AsyncIterable<Uint8Array>) await take(chunk);
    const code = await ended;
    signal.throwIfAborted();
    return { complaints: linesOf(complaint), failed: code !== 0 && code !== 1 };
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", end);
    if (child.exitCode === null) end();
  }
}

function linesOf(complaint: string): string[] {
  return complaint.split("\n").map((line) => line.replace(/^rg: /, "")).filter((line) => line.trim() !== "");
}
