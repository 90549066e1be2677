/**
 * What calls of one session share and may change: the folder, the permission mode, what was read. Later calls see
 * the change; a turn only points here.
 */
import { quote, UsageError } from "./errors.ts";
import { randomHex } from "./hash.ts";
import { join, realPath } from "./paths.ts";
import type { Mode } from "./permission.ts";
import { ReadRecords } from "./reads.ts";

export class Session {
  readonly id: string;
  /** The folder the session started in: the working folder that permission speaks of. A real path. */
  readonly project: string;
  /** The folder that relative paths are relative to, now. */
  cwd: string;
  mode: Mode;
  /** What was read, so that nothing is overwritten unseen. */
  readonly reads: ReadRecords;

  /** `records`: the folder where a named session's records stand. */
  constructor(options: { id?: string; cwd: string; mode: Mode; records?: string; reads?: ReadRecords }) {
    this.id = options.id ?? newSessionId();
    // It becomes a file's name, so it must not lead out of the folder.
    if (!isSessionName(this.id)) {
      throw new UsageError(`Cannot use the session ${quote(this.id)}: not a plain name`, SESSION_NAMES);
    }
    this.project = realPath(options.cwd);
    this.cwd = this.project;
    this.mode = options.mode;
    const named = options.id !== undefined && options.records !== undefined;
    this.reads = options.reads ??
      new ReadRecords(named ? join(options.records!, `${this.id}.jsonl`) : undefined);
  }

  /** Folders whose files may be read without asking. */
  get folders(): readonly string[] {
    return [this.project];
  }
}

/** Sorts by time, and is safe as a file's name. */
export function newSessionId(now = new Date()): string {
  return `${now.toISOString().slice(0, 19).replace(/[-:]/g, "")}-${randomHex(6)}`;
}

/** What `isSessionName` takes, in words. */
export const SESSION_NAMES = "letters, digits, dots, dashes and underscores, a letter or digit first";

/** A session's name becomes a file's name, so only plain characters are taken. */
export function isSessionName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name);
}
