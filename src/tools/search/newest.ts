/** Files in the order in which they were changed, the newest first, those of one moment by name. */
import { host } from "../../core/runtime.ts";
import { byText, First } from "./first.ts";

export interface Aged {
  path: string;
  mtimeMs: number;
}

export function newestFirst(count: number): First<Aged> {
  return new First<Aged>(count, (a, b) => b.mtimeMs - a.mtimeMs || byText(a.path, b.path));
}

/** What is gone meanwhile comes last. */
export function aged(path: string): Aged {
  try {
    return { path, mtimeMs: host.files.stat(path).mtimeMs };
  } catch {
    return { path, mtimeMs: 0 };
  }
}
