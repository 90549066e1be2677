import { host } from "../core/runtime.ts";
import type { Effect, Place, Traits } from "../core/tool.ts";

/** The traits of a call that works on one file: its keys, and what permission looks at for each kind of access. */
export function pathTraits(place: Place, path: string, effect: Effect, ...access: Effect[]): Traits {
  const value = place.identify(path);
  return {
    effect,
    keys: pathKeys(value),
    subjects: access.map((one) => ({ kind: "path", value, access: one })),
  };
}

/** The traits of a call that reads a file: of the one whose name looks the same, where it will follow that. */
export function readTraits(place: Place, path: string): Traits {
  let found = path;
  try {
    found = place.locate(path);
  } catch {
    // Several look like it, which the reading will say.
  }
  return pathTraits(place, found, "read", "read");
}

/** What the schedule knows a file by: its real path, and for one that has several names, what all of them share. */
export function pathKeys(real: string): string[] {
  const keys = [`path:${real}`];
  try {
    const { kind, nlink, dev, ino } = host.files.stat(real);
    if (kind === "file" && nlink > 1) keys.push(`file:${dev}:${ino}`);
  } catch {
    // Not there yet: the name is all there is.
  }
  return keys;
}
