/**
 * What a session would have to end should it be killed, written down for the next start:
 *
 *     state/sessions/live/PID-START-HEX.json            the session's mark, and its groups
 *     state/sessions/live/passing-PID-START-HEX…        short-lived files of its commands
 *
 * It is there from its first command to its close. Where the process is gone, `reap` ends on Linux whoever carries the
 * mark or is in such a group.
 */
import { randomHex } from "../core/hash.ts";
import { isRecord } from "../core/json.ts";
import { join, makeFolder } from "../core/paths.ts";
import { host, type OpenFile } from "../core/runtime.ts";
import { isRunning, namesIn, removeQuietly } from "../core/upkeep.ts";
import { removePipes } from "./pipes.ts";
import {
  beganAt,
  endLiving,
  isStill,
  livingGroups,
  nowInTicks,
  ownGroup,
  pidPlace,
  startOf,
  straysWith,
} from "./processes.ts";

/** The file of one session. Where it can't be written, the session goes on without. */
export class LiveRecord {
  readonly #folder: string | undefined;
  readonly #marker: string;
  /** When the first process of each began, and when the group was last known to be there. */
  readonly #groups = new Map<number, { start: number; seen: number }>();
  #path: string | undefined;
  #file: OpenFile | undefined;
  #place = "";
  #length = 0;

  constructor(folder: string | undefined, marker: string) {
    this.#folder = folder;
    this.#marker = marker;
  }

  /** Once; until it is removed. */
  write(): void {
    if (this.#folder === undefined || this.#path !== undefined) return;
    this.#path = join(this.#folder, `${host.pid}-${startOf(host.pid) ?? 0}-${randomHex(6)}.json`);
    try {
      makeFolder(this.#folder, 0o700);
      this.#file = host.files.open(this.#path, "wx", 0o600);
      this.#place = pidPlace();
    } catch {
      // A state folder that can't be written is told by whoever keeps more in it.
    }
    this.#save();
  }

  /** A group that was started. */
  add(group: number): void {
    const start = beganAt(group);
    if (start === undefined) return;
    this.#groups.set(group, { start, seen: start });
    this.#save();
  }

  /** Its first process has just ended, and others of it are there. */
  sawOthers(group: number): void {
    const known = this.#groups.get(group), now = nowInTicks();
    if (!known || now === undefined) return;
    known.seen = now;
    this.#save();
  }

  /** It is empty. The file says so some time: `isStill` holds what stands there too long against the truth. */
  forget(group: number): void {
    this.#groups.delete(group);
  }

  remove(): void {
    this.#file?.close();
    this.#file = undefined;
    this.#groups.clear();
    this.#length = 0;
    if (this.#path !== undefined) removeQuietly(this.#path);
    this.#path = undefined;
  }

  /** In one write over the old, so that a kill leaves the one or the other; never shorter, which costs a call more. */
  #save(): void {
    if (!this.#file) return;
    const groups = [...this.#groups].map(([group, { start, seen }]) => [group, start, seen]);
    const text = JSON.stringify({ marker: this.#marker, place: this.#place, groups }).padEnd(this.#length);
    this.#length = text.length;
    try {
      this.#file.seek(0);
      this.#file.writeText(text);
    } catch {
      // A full disk is told by whoever keeps more there.
    }
  }
}

/** The start of a name for a short-lived file beside the records. */
export function passingName(): string {
  return `passing-${host.pid}-${startOf(host.pid) ?? 0}-${randomHex(16)}`;
}

/** Ends what sessions left that were killed; `folder` holds their files. */
export async function reap(folder: string): Promise<void> {
  const names = namesIn(folder).filter(isDead);
  const records = names.filter((name) => name.endsWith(".json")).map((name) => recordIn(join(folder, name)));
  const marks = records.flatMap(({ marker }) => marker ?? []);
  const groups = records.flatMap(groupsOf);
  if (marks.length > 0) {
    const own = new Set(groups);
    await endLiving(() => [
      ...livingGroups(groups).map((group) => -group),
      ...new Set(marks.flatMap((mark) => straysWith(mark, own))),
    ]);
    for (const mark of marks) removePipes(folder, mark);
  }
  // Those that were ended may have written some more.
  for (const name of new Set([...names, ...namesIn(folder).filter(isDead)])) {
    removeQuietly(join(folder, name));
  }
}

/** A file of a session whose process is gone. */
function isDead(name: string): boolean {
  const [, pid, start] = /^(?:passing-)?(\d+)-(\d+)-[0-9a-f]+(?:\.\w+)?$/.exec(name) ?? [];
  if (pid === undefined) return false;
  return !isRunning(Number(pid)) || startOf(Number(pid)) !== Number(start);
}

interface Left {
  marker?: string;
  place?: unknown;
  groups?: unknown;
}

/** One that a kill cut short says nothing. A mark must be whole: a short one would fit others' processes. */
function recordIn(path: string): Left {
  try {
    const record: unknown = JSON.parse(host.files.readText(path));
    if (!isRecord(record)) return {};
    const { marker, place, groups } = record;
    return typeof marker === "string" && /^[0-9a-f]{24}$/.test(marker) ? { marker, place, groups } : {};
  } catch {
    return {};
  }
}

/** Its groups that are there, and no others that have their numbers by now, after a new start of the system say. */
function groupsOf({ place, groups }: Left): number[] {
  if (!Array.isArray(groups) || typeof place !== "string" || place !== pidPlace()) return [];
  return groups.flatMap((entry: unknown) => {
    if (!Array.isArray(entry) || entry.length !== 3 || !entry.every(Number.isSafeInteger)) return [];
    const [group, start, seen] = entry as [number, number, number];
    return group > 1 && group !== ownGroup() && isStill(group, start, seen) ? [group] : [];
  });
}
