/**
 * One command: started in a process group of its own, with empty standard input, ended as a whole. Its end is its
 * exit and a short drain, not the end of its pipes: a grandchild may hold those for hours.
 */
import { AgentError, errorCode, fileError, quote } from "../core/errors.ts";
import { host } from "../core/runtime.ts";
import type { StreamName } from "./collector.ts";

type ChildProcess = import("node:child_process").ChildProcess;

/** Time between TERM and KILL, in milliseconds. */
const TERM_GRACE_MS = 1500;
/** Time for output that is on its way after the exit. */
const DRAIN_MS = 250;

export interface Start {
  /** The program and its arguments; nothing is interpreted. */
  argv: readonly string[];
  cwd: string;
  env: Record<string, string>;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Written to standard input, which is empty otherwise. Whoever doesn't read it changes nothing. */
  input?: string;
  onOutput(chunk: Uint8Array, stream: StreamName): void;
}

export interface Ended {
  /** `undefined` when a signal ended it. */
  exitCode: number | undefined;
  signal: string | undefined;
  why: "exit" | "timeout" | "interrupted";
  /** Processes of the group that outlived the command. */
  survivors: boolean;
}

/** Process groups that may still have members; all are ended with the session. */
export class ProcessGroups {
  readonly #groups = new Set<number>();

  add(group: number): void {
    this.#groups.add(group);
  }

  remove(group: number): void {
    this.#groups.delete(group);
  }

  /** Ends every group, TERM first. */
  async endAll(): Promise<void> {
    await Promise.all([...this.#groups].map((group) => endGroup(group)));
    this.#groups.clear();
  }

  /** The same without waiting, for a process that is about to die. */
  killAll(): void {
    for (const group of this.#groups) signalGroup(group, "SIGKILL");
    this.#groups.clear();
  }
}

/** Runs a command to its end. Rejects only where it can't be started. */
export function run(start: Start, groups: ProcessGroups): Promise<Ended> {
  const child = spawn(start);
  return new Promise((resolve, reject) => {
    let why: Ended["why"] = "exit";
    let ending: Promise<void> | undefined;
    const end = (reason: "timeout" | "interrupted") => {
      if (ending || child.pid === undefined) return;
      why = reason;
      ending = endGroup(child.pid);
    };
    const timer = setTimeout(() => end("timeout"), start.timeoutMs);
    const onAbort = () => end("interrupted");
    const stopWatching = () => {
      clearTimeout(timer);
      start.signal?.removeEventListener("abort", onAbort);
    };
    start.signal?.addEventListener("abort", onAbort, { once: true });

    const drained = Promise.all([drain(child, "stdout", start), drain(child, "stderr", start)]);
    child.once("error", (error) => {
      stopWatching();
      reject(startError(start, error));
    });
    child.once("exit", (code, signal) => {
      stopWatching();
      void (async () => {
        await ending;
        await Promise.race([drained, sleep(DRAIN_MS)]);
        child.stdout?.destroy();
        child.stderr?.destroy();
        const survivors = groupLives(child.pid!);
        if (!survivors) groups.remove(child.pid!);
        resolve({ exitCode: code ?? undefined, signal: signal ?? undefined, why, survivors });
      })();
    });
    if (child.pid !== undefined) groups.add(child.pid);
    if (start.input !== undefined) feed(child, start.input);
    if (start.signal?.aborted) onAbort();
  });
}

/** In a group and session of its own: no terminal to ask on, and one signal reaches all of it. */
function spawn(start: Start): ChildProcess {
  const { spawn } = host.builtin<typeof import("node:child_process")>("node:child_process");
  let [program, ...args] = start.argv as [string, ...string[]];
  // Deno forks slowly with `detached`; `setsid` replaces itself, so the pid stays the same.
  const outside = host.name === "deno" && host.platform === "linux";
  if (outside) [program, args] = ["setsid", [program, ...args]];
  return spawn(program, args, {
    cwd: start.cwd,
    env: start.env,
    stdio: [start.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    detached: !outside && host.platform !== "win32",
    windowsHide: true,
  });
}

/** A child that closes its input early makes a broken pipe, which is its own affair. */
function feed(child: ChildProcess, input: string): void {
  child.stdin?.on("error", () => {});
  child.stdin?.end(input);
}

function drain(child: ChildProcess, stream: StreamName, { onOutput }: Start): Promise<void> {
  const pipe = child[stream];
  if (!pipe) return Promise.resolve();
  return new Promise((resolve) => {
    pipe.on("data", (chunk: Uint8Array) => onOutput(chunk, stream));
    pipe.once("close", resolve);
    pipe.once("error", () => resolve());
  });
}

function startError(start: Start, error: unknown): unknown {
  // A missing folder and a missing program give the same code.
  if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") {
    try {
      if (host.files.stat(start.cwd).kind !== "directory") throw error;
    } catch {
      return new AgentError(`Cannot run a command in ${quote(start.cwd)}: no such folder`);
    }
  }
  return fileError("start", start.argv[0]!, error);
}

/** TERM, a moment, KILL. Resolves when no process of the group is left, or KILL was sent. */
export async function endGroup(group: number): Promise<void> {
  if (host.platform === "win32") return await killTreeOnWindows(group);
  signalGroup(group, "SIGTERM");
  const deadline = host.now() + TERM_GRACE_MS;
  while (groupLives(group)) {
    if (host.now() > deadline) {
      signalGroup(group, "SIGKILL");
      return;
    }
    await sleep(20);
  }
}

function killTreeOnWindows(pid: number): Promise<void> {
  const { spawn } = host.builtin<typeof import("node:child_process")>("node:child_process");
  return new Promise((resolve) => {
    const killer = spawn("taskkill", taskkillArgs(pid), { stdio: "ignore", windowsHide: true });
    killer.once("error", () => resolve());
    killer.once("exit", () => resolve());
  });
}

/** Not run on our machines; its argument list is tested. */
export function taskkillArgs(pid: number): string[] {
  return ["/pid", String(pid), "/T", "/F"];
}

function signalGroup(group: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    host.builtin<typeof process>("node:process").kill(-group, signal);
  } catch {
    // Nobody is left.
  }
}

/** Zombies that nobody has waited for still count for `kill`, so on Linux their state is looked at. */
function groupLives(group: number): boolean {
  try {
    host.builtin<typeof process>("node:process").kill(-group, 0);
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
  return host.platform !== "linux" || linuxGroupLives(group);
}

function linuxGroupLives(group: number): boolean {
  for (const name of host.files.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = new TextDecoder().decode(host.files.read(`/proc/${name}/stat`));
      // pid (command) state ppid pgrp …; the command may hold anything, so count from the last bracket.
      const [state, , pgrp] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (Number(pgrp) === group && state !== "Z" && state !== "X") return true;
    } catch {
      // It ended meanwhile.
    }
  }
  return false;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
