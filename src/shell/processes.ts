/** Processes of the system: are they there, whose are they, and how they are ended. */
import { errorCode } from "../core/errors.ts";
import { host } from "../core/runtime.ts";
import { namesIn } from "../core/upkeep.ts";

/** Time between TERM and KILL, in milliseconds. */
const TERM_GRACE_MS = 1500;
/** Time for the system to clear away what KILL has ended. */
const KILL_GRACE_MS = 500;

/** In a variable that every child inherits: by it a process is known that left its group (`setsid`). */
export const MARKED = "AGENT_CHILD_OF";

/** The numbers of others' processes that carry `mark`; on Linux. Costs a look at every process, or at those `among` which it is. */
export function processesWith(mark: string, among?: readonly number[]): number[] {
  if (host.platform !== "linux") return [];
  // As a variable's value, so that no text that quotes the mark passes.
  const carries = new RegExp(`(?:^|\\0)${MARKED}=[^\\0]*${mark.replaceAll(".", "\\.")}`);
  return linuxProcesses("environ", (text) => carries.test(text), among).filter((pid) => pid !== host.pid);
}

/** In so short a time the system doesn't give all its numbers, in milliseconds. */
const QUICK_MS = 1000;
/** So many numbers are quicker looked at than all processes. */
const FEW = 200;

/**
 * One that carries `mark`, started below the process `root` that began so many milliseconds ago. Numbers are given in turn,
 * and most commands are quick and start few others or none.
 */
function oneBelow(root: number, mark: string, ageMs: number): number | undefined {
  const last = ageMs < QUICK_MS ? lastNumber() : undefined;
  const few = last !== undefined && last >= root && last - root <= FEW
    ? Array.from({ length: last - root }, (_, at) => root + 1 + at)
      .filter((pid) => host.files.exists(`/proc/${pid}`))
    : undefined;
  return processesWith(mark, few)[0];
}

/** The number that was given last to a process, as the system tells it; Linux. */
function lastNumber(): number | undefined {
  const text = linuxText("/proc/loadavg");
  return Number(text?.trimEnd().split(" ")[4]) || undefined;
}

/** Those of `processesWith` that are in none of the groups. */
export function straysWith(mark: string, groups: ReadonlySet<number>): number[] {
  return processesWith(mark).filter((pid) => !groups.has(Number(statOf(pid)?.[2])));
}

/** Has the group a member that is alive? */
export function groupLives(group: number): boolean {
  return livingGroups([group]).length > 0;
}

/** The groups that have a member that is alive. */
export function livingGroups(groups: readonly number[]): number[] {
  const there = groups.filter(groupIsThere);
  // Zombies that nobody has waited for still count for `kill`, so on Linux their state is looked at.
  if (there.length === 0 || host.platform !== "linux") return there;
  const living = new Set<number>();
  livingProcesses((group) => living.add(group));
  return there.filter((group) => living.has(group));
}

/** Processes that are alive and whose group passes; on Linux. Costs a look at every process. */
function livingProcesses(passes: (group: number) => unknown): number[] {
  return linuxProcesses("stat", (stat) => {
    const [state, , group] = statFields(stat);
    return state !== "Z" && state !== "X" && Boolean(passes(Number(group)));
  });
}

/**
 * Is any left of a group, or of those that carry a mark? To be asked once the group's first process has ended. To find one
 * costs a look at every process, so the one that was found is looked at alone until it is gone.
 */
export class Survivors {
  readonly #group: number;
  readonly #mark: string;
  readonly #startedAt = host.now();
  #known: { pid: number; start: number | undefined } | undefined;
  #areGone = false;

  constructor(group: number, mark: string) {
    this.#group = group;
    this.#mark = mark;
  }

  /** `group`: may the group still have members? Where it is known to have none, its number may be another's. */
  areThere(group: boolean): boolean {
    if (host.platform !== "linux") return group && groupLives(this.#group);
    if (this.#areGone) return false;
    const { pid, start } = this.#known ?? {};
    if (pid !== undefined && start !== undefined && startOf(pid) === start) return true;
    const member = group && groupIsThere(this.#group)
      ? livingProcesses((one) => one === this.#group)[0]
      : undefined;
    const found = member ?? oneBelow(this.#group, this.#mark, host.now() - this.#startedAt);
    this.#known = found === undefined ? undefined : { pid: found, start: startOf(found) };
    // Who is gone starts nobody any more.
    this.#areGone = found === undefined;
    return !this.#areGone;
  }
}

/** Has the group a member, dead ones that nobody has waited for included? One system call. */
export function groupIsThere(group: number): boolean {
  try {
    host.builtin<typeof process>("node:process").kill(-group, 0);
    return true;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}

/** The pipe that is the standard input of a process, in the system's words: `pipe:[N]`. Linux. */
export function inputOf(pid: number): string | undefined {
  const link = linkAt(`/proc/${pid}/fd/0`);
  return link?.startsWith("pipe:") ? link : undefined;
}

/** Has another process of this user's the pipe open? Costs a look at all their files. */
export function isOpenElsewhere(pipe: string): boolean {
  return namesIn("/proc").some((pid) =>
    /^\d+$/.test(pid) && Number(pid) !== host.pid &&
    namesIn(`/proc/${pid}/fd`).some((fd) => linkAt(`/proc/${pid}/fd/${fd}`) === pipe)
  );
}

function linkAt(path: string): string | undefined {
  try {
    return host.files.readlink(path);
  } catch {
    return undefined;
  }
}

/**
 * When a process began, in the system's own count: with its number, one process for all time. A dead one that nobody
 * has waited for has none: in a container it may stay so for ever. Linux; 0 elsewhere.
 */
export function startOf(pid: number): number | undefined {
  if (host.platform !== "linux") return 0;
  const fields = statOf(pid);
  return !fields || fields[0] === "Z" || fields[0] === "X" ? undefined : Number(fields[19]);
}

/** The same of one that may be dead, where nobody has waited for it; Linux only. */
export function beganAt(pid: number): number | undefined {
  const fields = host.platform === "linux" ? statOf(pid) : undefined;
  return fields && Number(fields[19]);
}

/** The time in the system's own count, as the start of a process has it; Linux only. */
export function nowInTicks(): number | undefined {
  const seconds = Number.parseFloat(linuxText("/proc/uptime") ?? "");
  return Number.isNaN(seconds) ? undefined : Math.floor(seconds * 100);
}

/** Where numbers of processes and their starts mean the same: one run of the system, and what one container sees of it. */
export function pidPlace(): string {
  const run = linuxText("/proc/sys/kernel/random/boot_id");
  return run === undefined ? "" : `${run.trim()} ${linkAt("/proc/self/ns/pid") ?? ""}`;
}

/** The group of this process; Linux only. */
export function ownGroup(): number | undefined {
  const group = host.platform === "linux" ? statOf(host.pid)?.[2] : undefined;
  return group === undefined ? undefined : Number(group);
}

/**
 * Is the group `group` the one whose first process, which led a session, began at `start`, and which was there at `seen`?
 * Its number can't be another's as long as it has a member. So one that was born into that session in this time tells
 * where the first one is gone; younger ones don't.
 */
export function isStill(group: number, start: number, seen: number): boolean {
  const first = beganAt(group);
  if (first !== undefined) return first === start;
  return linuxProcesses("stat", (stat) => {
    const fields = statFields(stat);
    const [, , ofGroup, ofSession] = fields.map(Number);
    const began = Number(fields[19]);
    return ofGroup === group && ofSession === group && began >= start && began <= seen;
  }).length > 0;
}

/** The group that has the terminal of a process now, a job of a shell say; on Linux. */
export function foregroundOf(pid: number): number | undefined {
  const group = host.platform === "linux" ? Number(statOf(pid)?.[5]) : 0;
  return group > 0 ? group : undefined;
}

/** What `/proc` says of a process; `undefined` where it is gone. */
function statOf(pid: number): string[] | undefined {
  const stat = linuxText(`/proc/${pid}/stat`);
  return stat === undefined ? undefined : statFields(stat);
}

function linuxText(path: string): string | undefined {
  try {
    return host.files.readText(path);
  } catch {
    return undefined;
  }
}

/** From the state on: pid (command) state ppid pgrp session tty tpgid …; the command may hold anything, so count from the last bracket. */
function statFields(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** The processes whose file in `/proc` passes. Others' can't be read, and some end meanwhile. */
function linuxProcesses(
  file: "stat" | "environ",
  passes: (text: string) => boolean,
  among: readonly number[] = namesIn("/proc").map(Number),
): number[] {
  const decoder = new TextDecoder();
  return among.filter((pid) => {
    try {
      return pid > 0 && passes(decoder.decode(host.files.read(`/proc/${pid}/${file}`)));
    } catch {
      return false;
    }
  });
}

/** To a process, or to a group by its negative number. */
export function send(target: number, name: "SIGINT" | "SIGTERM" | "SIGKILL"): void {
  try {
    host.builtin<typeof process>("node:process").kill(target, name);
  } catch {
    // Nobody is left.
  }
}

/**
 * TERM, a moment, KILL for all that `living` tells: processes, and groups by their negative numbers; also for who
 * shows up meanwhile. Resolves when none is left, or soon after KILL.
 */
export async function endLiving(living: () => readonly number[]): Promise<void> {
  const told = new Set<number>();
  const over = await isOver(() => {
    const targets = living();
    for (const target of targets) if (!told.has(target)) send(target, "SIGTERM");
    for (const target of targets) told.add(target);
    return targets;
  }, TERM_GRACE_MS);
  if (over) return;
  await isOver(() => {
    const targets = living();
    for (const target of targets) send(target, "SIGKILL");
    return targets;
  }, KILL_GRACE_MS);
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

/** A program with all below it, on Windows. */
export function killTreeOnWindows(pid: number): Promise<void> {
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

/** Resolves after so many milliseconds. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
