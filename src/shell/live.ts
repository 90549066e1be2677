/**
 * What a session would have to end should it be killed, written down for the next start:
 *
 *     state/sessions/live/PID-START-HEX.json    the session's mark
 *
 * It is there from its first command to its close. Where the process is gone, `reap` ends on Linux whoever carries the mark.
 */
import { randomHex } from "../core/hash.ts";
import { isRecord } from "../core/json.ts";
import { join, makeFolder } from "../core/paths.ts";
import { host } from "../core/runtime.ts";
import { isRunning, namesIn, removeQuietly } from "../core/upkeep.ts";
import { removePipes } from "./pipes.ts";
import { endLiving, processesWith, startOf } from "./processes.ts";

/** The file of one session. Where it can't be written, the session goes on without. */
export class LiveRecord {
  readonly #folder: string | undefined;
  readonly #marker: string;
  #path: string | undefined;

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
      const file = host.files.open(this.#path, "wx", 0o600);
      file.writeText(JSON.stringify({ marker: this.#marker }));
      file.close();
    } catch {
      // A state folder that can't be written is told by whoever keeps more in it.
    }
  }

  remove(): void {
    if (this.#path !== undefined) removeQuietly(this.#path);
    this.#path = undefined;
  }
}

/** The start of a name for a short-lived file beside the records. */
export function passingName(): string {
  return `passing-${host.pid}-${randomHex(16)}`;
}

/** Ends what sessions left that were killed; `folder` holds their files. */
export async function reap(folder: string): Promise<void> {
  for (const name of namesIn(folder)) {
    const pid = /^passing-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) removeQuietly(join(folder, name));
  }
  const dead = namesIn(folder).filter(isDead).map((name) => join(folder, name));
  if (dead.length === 0) return;
  const marks = dead.map(markIn).filter((mark) => mark !== undefined);
  await endLiving(() => [...new Set(marks.flatMap(processesWith))]);
  for (const mark of marks) removePipes(folder, mark);
  dead.forEach(removeQuietly);
}

function isDead(name: string): boolean {
  const [, pid, start] = /^(\d+)-(\d+)-\w+\.json$/.exec(name) ?? [];
  if (pid === undefined) return false;
  return !isRunning(Number(pid)) || startOf(Number(pid)) !== Number(start);
}

/** One that a kill cut short says nothing. A mark must be whole: a short one would fit others' processes. */
function markIn(path: string): string | undefined {
  try {
    const record: unknown = JSON.parse(host.files.readText(path));
    const marker = isRecord(record) ? record.marker : undefined;
    return typeof marker === "string" && /^[0-9a-f]{24}$/.test(marker) ? marker : undefined;
  } catch {
    return undefined;
  }
}
