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

/** The numbers of others' processes that carry `mark`; on Linux. Costs a look at every process. */
export function processesWith(mark: string): number[] {
  if (host.platform !== "linux") return [];
  // As a variable's value, so that no text that quotes the mark passes.
  const carries = new RegExp(`(?:^|\\0)${MARKED}=[^\\0]*${mark.replaceAll(".", "\\.")}`);
  return linuxProcesses("environ", (text) => carries.test(text)).filter((pid) => pid !== host.pid);
}

/** Has the group a member that is alive? */
export function groupLives(group: number): boolean {
  if (!groupIsThere(group)) return false;
  // Zombies that nobody has waited for still count for `kill`, so on Linux their state is looked at.
  return host.platform !== "linux" || linuxProcesses("stat", (stat) => {
        const [state, , pgrp] = statFields(stat);
        return Number(pgrp) === group && state !== "Z" && state !== "X";
      }).length > 0;
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
  try {
    const fields = statFields(host.files.readText(`/proc/${pid}/stat`));
    return fields[0] === "Z" || fields[0] === "X" ? undefined : Number(fields[19]);
  } catch {
    return undefined;
  }
}

/** From the state on: pid (command) state ppid pgrp …; the command may hold anything, so count from the last bracket. */
function statFields(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** The processes whose file in `/proc` passes. Others' can't be read, and some end meanwhile. */
function linuxProcesses(file: "stat" | "environ", passes: (text: string) => boolean): number[] {
  const decoder = new TextDecoder();
  return namesIn("/proc").map(Number).filter((pid) => {
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
