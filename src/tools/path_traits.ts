/** The traits of calls that work on files. */
import { type FileInfo, host } from "../core/runtime.ts";
import type { Effect, Place, Traits } from "../core/tool.ts";

/** The traits of a call that works on one file: its keys, and what permission looks at for each kind of access. */
export function pathTraits(place: Place, path: string, effect: Effect, ...access: Effect[]): Traits {
  return traitsOf(judge(place, path), effect, access);
}

/** The traits of a call that reads a file: of the one whose name looks the same, where it will follow that. */
export function readTraits(place: Place, path: string): Traits {
  const judged = judge(place, path);
  return traitsOf(judged.info ? judged : lookingAlike(place, path) ?? judged, "read", ["read"]);
}

/** The traits of a call that looks at all that is below a folder, or at one file. */
export function treeTraits(place: Place, path: string): Traits {
  const value = place.identify(path);
  return { effect: "read", keys: [`tree:${value}`], subjects: [{ kind: "path", value, access: "read" }] };
}

interface Judged {
  value: string;
  /** Absent: there is nothing yet. */
  info: FileInfo | undefined;
}

function judge(place: Place, path: string): Judged {
  const real = place.identify(path);
  const info = look(real);
  if (info) return { value: real, info };
  // What stands behind `/dev/stdin` has no path of its own.
  const given = place.resolve(path), special = look(given);
  return special ? { value: given, info: special } : { value: real, info };
}

/** `undefined` where several look like it, which the reading will say. */
function lookingAlike(place: Place, path: string): Judged | undefined {
  try {
    return judge(place, place.locate(path));
  } catch {
    return undefined;
  }
}

function look(path: string): FileInfo | undefined {
  try {
    return host.files.stat(path);
  } catch {
    return undefined;
  }
}

function traitsOf({ value, info }: Judged, effect: Effect, access: readonly Effect[]): Traits {
  return {
    effect,
    keys: keysOf(value, info),
    subjects: access.map((one) => ({ kind: "path", value, access: one })),
  };
}

/** The real path that was judged, which is the one to work on: a link may lead elsewhere meanwhile. */
export function judgedPath({ subjects = [] }: Traits): string {
  return subjects[0]!.value;
}

/** What the schedule knows a file by: its real path, and for one that has several names, what all of them share. */
export function pathKeys(real: string): string[] {
  return keysOf(real, look(real));
}

function keysOf(real: string, info: FileInfo | undefined): string[] {
  const shared = info?.kind === "file" && info.nlink > 1;
  return shared ? [`path:${real}`, `file:${info.dev}:${info.ino}`] : [`path:${real}`];
}
