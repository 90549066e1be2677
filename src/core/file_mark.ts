/** Whether a file's content is as it was, from what `stat` says: hashing is for where that leaves a doubt. */
import type { FileInfo } from "./runtime.ts";

/** What `stat` said of a file when its content was last looked at. */
export interface FileMark {
  size: number;
  mtimeMs: number;
  ctimeMs: number;
  ino: number;
}

/** A clock's tick: a file changed within it may have changed again without its times saying so. */
const RACY_MS = 2000;

export function markOf({ size, mtimeMs, ctimeMs, ino }: FileInfo): FileMark {
  return { size, mtimeMs, ctimeMs, ino };
}

/** Is it the same file, last changed long enough before `checkedMs`, when its content was looked at? */
export function isUnchanged(now: FileMark, then: FileMark, checkedMs: number): boolean {
  // Whole seconds of ctime: Deno knows no finer ones, and each runtime would hash again what the other has hashed.
  const same = now.size === then.size && now.mtimeMs === then.mtimeMs && now.ino === then.ino &&
    Math.floor(now.ctimeMs / 1000) === Math.floor(then.ctimeMs / 1000);
  return same && now.mtimeMs < checkedMs - RACY_MS && now.ctimeMs < checkedMs - RACY_MS;
}
