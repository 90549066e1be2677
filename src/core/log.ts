/**
 * The call log: the event stream on disk, append-only JSONL, a file per session, 0600 in 0700. Each line is
 * written before the call goes on, so a kill loses nothing; a line that can't be written is said once.
 */
import { errorCode, messageOf } from "./errors.ts";
import { dirname, join, makeFolder } from "./paths.ts";
import { host, type OpenFile } from "./runtime.ts";
import type { StreamEvent } from "./stream.ts";

export class CallLog {
  readonly path: string;
  readonly #complain: (message: string) => void;
  #file: OpenFile | undefined;
  #broken = false;
  #isClosed = false;

  /** The file is made at the first event. `complain` hears once when the log can't be written. */
  constructor(folder: string, session: string, complain: (message: string) => void) {
    this.path = join(folder, `${session}.jsonl`);
    this.#complain = complain;
  }

  write(event: StreamEvent): void {
    // A command that goes on may print long after the session's end.
    if (this.#broken || this.#isClosed) return;
    const line = lineOf(event);
    try {
      this.#file ??= openLog(this.path);
      this.#file.writeText(line);
    } catch (error) {
      this.#broken = true;
      this.#complain(`Cannot write the call log "${this.path}": ${errorCode(error) ?? messageOf(error)}`);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#file?.close();
    this.#file = undefined;
  }
}

/** A field that can't be told as JSON costs that field, not the event nor those after it. */
function lineOf(event: StreamEvent): string {
  try {
    return JSON.stringify(event) + "\n";
  } catch {
    const told = Object.entries(event).map(([name, value]) => {
      try {
        return [name, value === undefined ? value : JSON.parse(JSON.stringify(value))];
      } catch {
        return [name, "[left out: it is not JSON]"];
      }
    });
    return JSON.stringify(Object.fromEntries(told)) + "\n";
  }
}

function openLog(path: string): OpenFile {
  let file: OpenFile;
  try {
    file = host.files.open(path, "a", 0o600);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    makeFolder(dirname(path), 0o700);
    file = host.files.open(path, "a", 0o600);
  }
  // A line that a kill cut short is ended, so that it doesn't swallow the next one.
  const { size } = file.info();
  if (size > 0 && lastByte(path, size) !== NEWLINE) file.write(new Uint8Array([NEWLINE]));
  return file;
}

const NEWLINE = 10;

function lastByte(path: string, size: number): number | undefined {
  const file = host.files.open(path, "r");
  try {
    const byte = new Uint8Array(1);
    file.seek(size - 1);
    return file.read(byte) === 1 ? byte[0] : undefined;
  } finally {
    file.close();
  }
}

export interface LogFile {
  session: string;
  path: string;
  mtimeMs: number;
}

/** Files of the log, the one that was written last at the end. */
export function logFiles(folder: string): LogFile[] {
  let names: string[];
  try {
    names = host.files.readDir(folder);
  } catch {
    return [];
  }
  return names.filter((name) => name.endsWith(".jsonl")).map((name) => {
    const path = join(folder, name);
    return { session: name.slice(0, -".jsonl".length), path, mtimeMs: host.files.stat(path).mtimeMs };
  }).sort((a, b) => a.mtimeMs - b.mtimeMs || (a.session < b.session ? -1 : 1));
}

/** The events of a log file. A line cut short by a kill is passed over. */
export function readLog(path: string): StreamEvent[] {
  const lines = host.files.readText(path).split("\n");
  return lines.flatMap((line) => {
    try {
      return line === "" ? [] : [JSON.parse(line) as StreamEvent];
    } catch {
      return [];
    }
  });
}
