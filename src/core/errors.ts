/**
 * Errors a person or a model reads: action, quoted value, state (`Cannot read "x": no such file`), then a hint
 * that names the next step.
 */

/** Exit codes of the command line (`docs/cli.md`). */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  denied: 3,
  credentials: 4,
  timeout: 124,
  interrupted: 130,
} as const;

/** An error whose message is meant for whoever made the call. `hint` names the next step. */
export class AgentError extends Error {
  override readonly name = "AgentError";
  readonly hint: string | undefined;
  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** The command line or the settings are wrong: exit 2. */
export class UsageError extends AgentError {
  readonly usage = true;
}

const STATES: Record<string, string> = {
  ENOENT: "no such file",
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of the path is not a folder",
  EEXIST: "it already exists",
  ENOTEMPTY: "the folder is not empty",
  ENOSPC: "no space left on the disk",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
  ELOOP: "too many levels of symbolic links",
  ENAMETOOLONG: "the name is too long",
  EMFILE: "too many open files",
  EBUSY: "it is in use",
  ETXTBSY: "it is being run",
  EFBIG: "the file is too large",
  E2BIG: "its arguments are too long for the system",
  EIO: "the disk reported an error",
};

/** The code of a system error, such as `ENOENT`; `undefined` for any other value. */
export function errorCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}

/** One line for any thrown value; never throws itself, whatever a stranger threw. */
export function messageOf(error: unknown): string {
  try {
    if (error instanceof Error) return error.message || error.name;
    if (typeof error === "string") return error;
    return JSON.stringify(error) ?? String(error);
  } catch {
    return "an unprintable value was thrown";
  }
}

/** `Cannot <action> "<path>": <state>` for a system error on a path; any other error comes back as it is. */
export function fileError(action: string, path: string, error: unknown): unknown {
  const code = errorCode(error);
  if (code === undefined) return error;
  const state = path.includes("\0") ? "a path can't hold a NUL character" : STATES[code] ?? code;
  return new AgentError(`Cannot ${action} ${quote(path)}: ${state}`);
}

/** The error where a file is needed: for a folder, pipe, socket or device. */
export function notAFile(action: string, path: string, { kind }: { kind: string }): AgentError {
  const states: Record<string, string> = {
    directory: "it is a folder",
    fifo: "it is a named pipe",
    socket: "it is a socket",
    device: "it is a device",
    symlink: "it is a link",
  };
  return new AgentError(`Cannot ${action} ${quote(path)}: ${states[kind] ?? kind}`);
}

/** The value in double quotes on one line, control characters escaped, so that an error can't forge a second line. */
export function quote(value: string): string {
  return quoteWhole(value.length > 200 ? value.slice(0, 200) + "…" : value);
}

/** The same however long, for what is cut when it has been redacted. */
export function quoteWhole(value: string): string {
  return JSON.stringify(value)
    .replace(/[\x7f-\x9f\u2028\u2029]/g, (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0"));
}

/** A name as it is, in quotes where it holds what could pass for another line or steer a terminal. */
export function printable(name: string): string {
  return /[\x00-\x1f\x7f-\x9f\u2028\u2029]/.test(name) ? quote(name) : name;
}

/** The entries of `known` nearest to `name` by edit distance, best first, at most `count`. */
export function nearest(name: string, known: Iterable<string>, count = 3): string[] {
  const wanted = name.toLowerCase().slice(0, COMPARED);
  const scored: { name: string; distance: number }[] = [];
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    const limit = Math.max(2, Math.floor(Math.max(wanted.length, candidate.length) / 3));
    const related = wanted.length >= 3 && candidate.toLowerCase().includes(wanted);
    if (distance <= limit || related) scored.push({ name: candidate, distance });
  }
  scored.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return scored.slice(0, count).map((entry) => entry.name);
}

/** Characters of a name that are compared. */
const COMPARED = 64;

/** Levenshtein's distance, two rows at a time. */
function editDistance(a: string, b: string): number {
  const left = a.slice(0, COMPARED), right = b.slice(0, COMPARED);
  let previous = Array.from({ length: right.length + 1 }, (_, i) => i);
  for (let i = 1; i <= left.length; i++) {
    const row = [i];
    for (let j = 1; j <= right.length; j++) {
      const change = left[i - 1] === right[j - 1] ? 0 : 1;
      row[j] = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + change);
    }
    previous = row;
  }
  return previous[right.length]!;
}
