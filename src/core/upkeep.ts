/** What stores that clear themselves up have in common. */
import { errorCode } from "./errors.ts";
import { join } from "./paths.ts";
import { host } from "./runtime.ts";

/** How long a store is left alone after somebody looked through it. */
const PAUSE_MS = 60 * 60 * 1000;

/**
 * Was nobody here for a while? The time stands on a file of its own; without the folder there is nothing to do.
 * `anyway`: it is due, however short the while.
 */
export function isDue(folder: string, now: number, anyway = false): boolean {
  const marker = join(folder, ".cleaned");
  try {
    const age = now - host.files.stat(marker).mtimeMs;
    if (age >= 0 && age < PAUSE_MS && !anyway) return false;
  } catch {
    // Never yet.
  }
  try {
    host.files.open(marker, "w", 0o600).close();
    return true;
  } catch {
    return false;
  }
}

/** Is there a process with this number? It may be another one than the number was taken from. */
export function isRunning(pid: number): boolean {
  if (pid === host.pid) return true;
  if (host.platform === "linux") return exists(`/proc/${pid}`);
  try {
    return host.builtin<typeof process>("node:process").kill(pid, 0);
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}

/** Is anything there, a link that leads nowhere included? */
export function exists(path: string): boolean {
  try {
    host.files.lstat(path);
    return true;
  } catch {
    return false;
  }
}

/** The names in a folder; none where it can't be read. */
export function namesIn(folder: string): string[] {
  try {
    return host.files.readDir(folder);
  } catch {
    return [];
  }
}

/** Removes a file that may be gone already. */
export function removeQuietly(path: string): void {
  try {
    host.files.remove(path);
  } catch {
    // It is gone, which is what was wanted.
  }
}

/** Removes folders that a call made, given outermost first, as far as nothing is in them. */
export function removeEmptyFolders(folders: readonly string[]): void {
  for (const folder of [...folders].reverse()) {
    try {
      host.files.removeFolder(folder);
    } catch {
      // Never made, or somebody has put something there.
    }
  }
}
