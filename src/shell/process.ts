/**
 * One command: started in a process group of its own, with empty standard input, ended as a whole. Its end is its
 * exit and a short drain, not the end of its pipes: a grandchild may hold those for hours.
 */
import { AgentError, errorCode, fileError, quote } from "../core/errors.ts";
import { randomHex } from "../core/hash.ts";
import { isAbsolute, join } from "../core/paths.ts";
import { host } from "../core/runtime.ts";
import type { StreamName } from "../core/tool.ts";
import { LONGEST_MS } from "../core/watchdog.ts";

type ChildProcess = import("node:child_process").ChildProcess;

/** Time between TERM and KILL, in milliseconds. */
const TERM_GRACE_MS = 1500;
/** Time for the system to clear away what KILL has ended. */
const KILL_GRACE_MS = 500;
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
  /** 128 and the signal's number where one ended it, as shells say; `undefined` where the signal was ours. */
  exitCode: number | undefined;
  signal: string | undefined;
  why: "exit" | "timeout" | "interrupted";
  /** Processes of the group that outlived the command. */
  survivors: boolean;
}

const MARKED = "AGENT_CHILD_OF";

/** The processes of one session: groups that may still have members, and on Linux whoever left them. */
export class ProcessGroups {
  readonly #groups = new Set<number>();
  /** In a variable that every child inherits: by it a process is known that left its group (`setsid`). */
  readonly #marker = randomHex(12);
  #started = false;

  /** `env` with the session's mark, beside those of sessions further up. */
  marked(env: Record<string, string>): Record<string, string> {
    return { ...env, [MARKED]: [env[MARKED] ?? [], this.#marker].flat().join(":") };
  }

  add(group: number): void {
    this.#started = true;
    this.#groups.add(group);
  }

  remove(group: number): void {
    this.#groups.delete(group);
  }

  /** Ends all of them, TERM first. */
  async endAll(): Promise<void> {
    await Promise.all([...[...this.#groups].map(endGroup), endLiving(() => this.#strays())]);
    this.#groups.clear();
  }

  /** The same without waiting, for a process that is about to die. */
  killAll(): void {
    for (const group of this.#groups) send(-group, "SIGKILL");
    for (const pid of this.#strays()) send(pid, "SIGKILL");
    this.#groups.clear();
  }

  /** Costs a look at every process, so it is done only where a command ran. */
  #strays(): number[] {
    return this.#started && host.platform === "linux"
      ? linuxProcesses("environ", (text) => text.includes(this.#marker))
      : [];
  }
}

/** Runs a command to its end. Rejects only where it can't be started. */
export function run(start: Start, groups: ProcessGroups): Promise<Ended> {
  let child: ChildProcess;
  try {
    child = spawn({ ...start, env: groups.marked(start.env) });
  } catch (error) {
    return Promise.reject(startError(start, error));
  }
  return new Promise((resolve, reject) => {
    let why: Ended["why"] = "exit";
    let ending: Promise<void> | undefined;
    const end = (reason: "timeout" | "interrupted") => {
      if (ending || child.pid === undefined) return;
      why = reason;
      ending = endGroup(child.pid);
    };
    const timer = setTimeout(() => end("timeout"), Math.min(start.timeoutMs, LONGEST_MS));
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
        // Before its pipes go: whoever writes into them would end by that.
        const survivors = groupLives(child.pid!);
        child.stdout?.destroy();
        child.stderr?.destroy();
        if (!survivors) groups.remove(child.pid!);
        const exitCode = code ?? (why === "exit" ? signalCode(signal) : undefined);
        resolve({ exitCode, signal: signal ?? undefined, why, survivors });
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
  if (program === "") throw new AgentError("Cannot start a program: its name is empty");
  if (start.argv.some((word) => word.includes("\0"))) {
    throw new AgentError(`Cannot start ${quote(program)}: an argument holds a NUL character`);
  }
  // Where `detached` is slow, `setsid` does the same; it replaces itself, so the pid stays the same. Where it can't start
  // the program it would say so in its own words and with an exit code, so that is found out before.
  const outside = host.detachesSlowly && host.platform === "linux" &&
    unstartable("setsid", start) === undefined;
  if (outside) {
    const code = unstartable(program, start);
    if (code !== undefined) throw Object.assign(new Error(code), { code });
    [program, args] = ["setsid", ["--", program, ...args]];
  }
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

/** The code with which starting a program would fail, looked for as the system does. */
function unstartable(program: string, { cwd, env }: Start): "ENOENT" | "EACCES" | undefined {
  const places = program.includes("/")
    ? [program]
    : (env.PATH ?? "/usr/bin:/bin").split(":").map((folder) => join(folder || ".", program));
  let code: "ENOENT" | "EACCES" = "ENOENT";
  for (const place of places) {
    try {
      const { kind, mode } = host.files.stat(isAbsolute(place) ? place : join(cwd, place));
      if (kind === "file" && (mode & 0o111) !== 0) return undefined;
      code = "EACCES";
    } catch (error) {
      if (errorCode(error) === "EACCES") code = "EACCES";
    }
  }
  return code;
}

function startError(start: Start, error: unknown): unknown {
  if (errorCode(error) === undefined) return error;
  const program = start.argv[0]!;
  try {
    // A folder and a program that are missing or closed give the same codes. The dot asks for leave to enter.
    host.files.stat(`${start.cwd}/.`);
  } catch (reason) {
    const state = errorCode(reason) === "EACCES" ? "permission denied" : "no such folder";
    return new AgentError(`Cannot run a command in ${quote(start.cwd)}: ${state}`);
  }
  if (errorCode(error) !== "ENOENT") return fileError("start", program, error);
  return new AgentError(
    `Cannot start ${quote(program)}: no such program`,
    program.includes(" ") ? "a list is a program and its arguments; give a command line as text" : undefined,
  );
}

function signalCode(name: string | null): number | undefined {
  const { constants } = host.builtin<typeof import("node:os")>("node:os");
  const number = (constants.signals as Readonly<Record<string, number>>)[name ?? ""];
  return number === undefined ? undefined : 128 + number;
}

async function endGroup(group: number): Promise<void> {
  if (host.platform === "win32") return await killTreeOnWindows(group);
  await endLiving(() => groupLives(group) ? [-group] : []);
}

/**
 * TERM, a moment, KILL for all that `living` tells: processes, and groups by their negative numbers. Resolves when
 * none is left, or soon after KILL.
 */
async function endLiving(living: () => readonly number[]): Promise<void> {
  const targets = living();
  if (targets.length === 0) return;
  for (const target of targets) send(target, "SIGTERM");
  if (await isOver(living, TERM_GRACE_MS)) return;
  for (const target of living()) send(target, "SIGKILL");
  await isOver(living, KILL_GRACE_MS);
}

/** Is nobody left within the time? Looking costs a walk through all processes, so it is done ever less often. */
async function isOver(living: () => readonly number[], withinMs: number): Promise<boolean> {
  const deadline = host.now() + withinMs;
  for (let pause = 5; living().length > 0; pause = Math.min(pause * 2, 100)) {
    if (host.now() > deadline) return false;
    await sleep(pause);
  }
  return true;
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

/** To a process, or to a group by its negative number. */
function send(target: number, name: "SIGTERM" | "SIGKILL"): void {
  try {
    host.builtin<typeof process>("node:process").kill(target, name);
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
  return host.platform !== "linux" || linuxProcesses("stat", (stat) => {
        // pid (command) state ppid pgrp …; the command may hold anything, so count from the last bracket.
        const [state, , pgrp] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return Number(pgrp) === group && state !== "Z" && state !== "X";
      }).length > 0;
}

/** The processes whose file in `/proc` passes. Others' can't be read, and some end meanwhile. */
function linuxProcesses(file: "stat" | "environ", passes: (text: string) => boolean): number[] {
  const decoder = new TextDecoder();
  return host.files.readDir("/proc").map(Number).filter((pid) => {
    try {
      return pid > 0 && passes(decoder.decode(host.files.read(`/proc/${pid}/${file}`)));
    } catch {
      return false;
    }
  });
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
