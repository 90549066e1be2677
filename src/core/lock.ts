/** A lock between processes of one user, for work that takes moments. */
import { errorCode } from "./errors.ts";
import { host } from "./runtime.ts";
import { exists, isRunning, removeQuietly } from "./upkeep.ts";

/** Nobody holds it so long. */
const LONGEST_MS = 2_000;

/**
 * Does `work` while no other process does its own under the same file. Where the lock can't be had, by a file system
 * that is full or a process that hangs, the work is done all the same: it has checks of its own.
 */
export function withLock<T>(file: string, work: () => T): T {
  const held = take(file);
  try {
    return work();
  } finally {
    if (held) removeQuietly(file);
  }
}

/** Takes away what a killed process left. */
export function clearLock(file: string): void {
  if (isAbandoned(file)) removeQuietly(file);
}

function take(file: string): boolean {
  const deadline = host.now() + LONGEST_MS;
  for (let pause = 1; host.now() < deadline; pause = Math.min(pause * 2, 20)) {
    try {
      // A link is there with what it says or not at all.
      host.files.symlink(String(host.pid), file);
      return true;
    } catch (error) {
      if (errorCode(error) !== "EEXIST") return false;
    }
    clearLock(file);
    if (exists(file)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
  }
  removeQuietly(file);
  return false;
}

/** Left by a process that was killed. Our own number is a dead process's: we hold one at a time. */
function isAbandoned(file: string): boolean {
  try {
    const pid = Number(host.files.readlink(file));
    return pid > 0 && (pid === host.pid || !isRunning(pid));
  } catch {
    return false;
  }
}
