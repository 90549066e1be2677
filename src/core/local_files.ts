/** `Files` on this machine: reading here, changing in `commit.ts`. */
import { type CommitCall, commitChanges } from "./commit.ts";
import { AgentError, errorCode, fileError, notAFile, quote } from "./errors.ts";
import type { Change, Files, Snapshot, WriteOptions, Written } from "./files.ts";
import { sha256, sha256Of, sha256Stream } from "./hash.ts";
import type { Journal } from "./journal.ts";
import { type FileInfo, host, type OpenFile } from "./runtime.ts";

const CHUNK = 256 * 1024;
const SMALL = 4096;

/** The files of this machine, for one call: what it changes stands in the journal under its name. */
export class LocalFiles implements Files {
  readonly #journal: Journal;
  readonly #call: CommitCall;

  constructor(journal: Journal, call: CommitCall) {
    this.#journal = journal;
    this.#call = call;
  }

  info(path: string, shown?: string): FileInfo | undefined {
    return info(path, shown);
  }

  read(path: string, shown?: string): Uint8Array {
    return read(path, shown);
  }

  chunks(path: string, shown?: string): Iterable<Uint8Array> {
    return chunks(path, shown);
  }

  snapshot(path: string, { shown, itself }: { shown?: string; itself?: boolean } = {}): Snapshot | undefined {
    return LocalSnapshot.take(path, shown, itself);
  }

  commit(changes: readonly Change[]): Written[] {
    return commitChanges(changes, this.#journal, this.#call);
  }

  write(path: string, bytes: Uint8Array, options: WriteOptions = {}): Written {
    const { shown = path, mode, createOnly, expectedSha256 } = options;
    const before = this.snapshot(path, { shown });
    if (before && createOnly) throw new AgentError(`Cannot create ${quote(shown)}: it already exists`);
    if (expectedSha256 !== undefined && !(before?.sha256 ?? "").startsWith(expectedSha256)) {
      throw changed(shown);
    }
    return this.commit([{ path, shown, before, after: [bytes], mode }])[0]!;
  }

  remove(path: string): void {
    const before = this.snapshot(path, { itself: true });
    if (!before) throw new AgentError(`Cannot remove ${quote(path)}: no such file`);
    this.commit([{ path, before, after: undefined }]);
  }
}

/** A change was made from something that isn't there any more. */
export function changed(shown: string): AgentError {
  return new AgentError(
    `Cannot write ${quote(shown)}: it changed since it was read`,
    "read it again and base the change on what is there now",
  );
}

/** A larger file is hashed chunk by chunk. */
const KEPT = 1024 * 1024;
/** How long after a file's last change the clock of its file system can't tell a further one. Deno's is in seconds. */
const RACY_MS = 2000;

export class LocalSnapshot implements Snapshot {
  readonly info: FileInfo;
  readonly link: string | undefined;
  readonly #path: string;
  readonly #shown: string;
  readonly #takenAt = Date.now();
  #bytes: Uint8Array | undefined;
  #sha256: string | undefined;

  private constructor(path: string, shown: string, info: FileInfo) {
    this.info = info;
    this.#path = path;
    this.#shown = shown;
    this.link = info.kind === "symlink" ? host.files.readlink(path) : undefined;
  }

  static take(path: string, shown = path, itself = false): LocalSnapshot | undefined {
    const found = itself ? look(path, shown, host.files.lstat) : info(path, shown);
    return found && new LocalSnapshot(path, shown, found);
  }

  get bytes(): Uint8Array {
    return this.#bytes ??= this.link === undefined ? read(this.#path, this.#shown) : new Uint8Array();
  }

  get sha256(): string {
    // Of a small file the bytes are kept, so that they and the hash are of one moment.
    return this.#sha256 ??= this.link !== undefined
      ? sha256(this.link)
      : this.#bytes || this.info.size < KEPT
      ? sha256(this.bytes)
      : hashOf(this.#path, this.#shown);
  }

  /** The hash of new content; and on the way this one's, where both begin with the same bytes. */
  hashOfNew(pieces: readonly Uint8Array[]): string {
    const [first] = pieces, bytes = this.#bytes;
    const alike = first && bytes && first.buffer === bytes.buffer && first.byteOffset === bytes.byteOffset;
    if (!alike || this.#sha256 !== undefined) return sha256Of(pieces);
    const hash = sha256Stream();
    hash.update(first);
    const old = hash.copy();
    old.update(bytes.subarray(first.length));
    this.#sha256 = old.digest("hex");
    for (const piece of pieces.slice(1)) hash.update(piece);
    return hash.digest("hex");
  }

  /** Is the same thing there, with the same content? `path` is the real one. */
  isStill(path: string): boolean {
    const now = look(path, this.#shown, host.files.lstat);
    if (!now || now.kind !== this.info.kind) return false;
    if (this.link !== undefined) return host.files.readlink(path) === this.link;
    if (now.size !== this.info.size) return false;
    // The time of change can't be set, so one that is old and the same is proof.
    const { ino, dev, ctimeMs } = this.info;
    const untouched = now.ino === ino && now.dev === dev && now.ctimeMs === ctimeMs;
    if (untouched && ctimeMs < this.#takenAt - RACY_MS) return true;
    return this.#bytes ? sameContent(path, this.#bytes) : hashOf(path, this.#shown) === this.sha256;
  }
}

function sameContent(path: string, bytes: Uint8Array): boolean {
  const { compare } = host.builtin<typeof import("node:buffer")>("node:buffer").Buffer;
  let at = 0;
  for (const chunk of chunks(path)) {
    const part = bytes.subarray(at, at + chunk.length);
    if (part.length !== chunk.length || compare(part, chunk) !== 0) return false;
    at += chunk.length;
  }
  return at === bytes.length;
}

function hashOf(path: string, shown: string): string {
  const hash = sha256Stream();
  for (const chunk of chunks(path, shown)) hash.update(chunk);
  return hash.digest("hex");
}

function look(path: string, shown: string, how: (path: string) => FileInfo): FileInfo | undefined {
  try {
    return how(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw fileError("look at", shown, error);
  }
}

function info(path: string, shown = path): FileInfo | undefined {
  return look(path, shown, host.files.stat);
}

function read(path: string, shown = path): Uint8Array {
  const { file, size } = openRegular(path, shown);
  try {
    return readAll(file, size);
  } catch (error) {
    throw fileError("read", shown, error);
  } finally {
    file.close();
  }
}

function* chunks(path: string, shown = path): Iterable<Uint8Array> {
  const { file, size } = openRegular(path, shown);
  try {
    // One byte more than a small file has, so that its end shows at the second read. Files in /proc say 0.
    const buffer = new Uint8Array(Math.min(CHUNK, Math.max(size, SMALL) + 1));
    for (let count = file.read(buffer); count > 0; count = file.read(buffer)) yield buffer.subarray(0, count);
  } catch (error) {
    throw fileError("read", shown, error);
  } finally {
    file.close();
  }
}

/** A pipe or device would hang at the opening already, so what it is comes first, through links too. */
function openRegular(path: string, shown: string): { file: OpenFile; size: number } {
  try {
    const found = host.files.stat(path);
    if (found.kind !== "file") throw notAFile("read", shown, found);
    return { file: host.files.open(path, "r"), size: found.size };
  } catch (error) {
    throw fileError("read", shown, error);
  }
}

/** Everything from where the file stands to its end. */
export function readAll(file: OpenFile, size = file.info().size): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let wanted = size + 1;; wanted = CHUNK) {
    const part = new Uint8Array(wanted);
    const count = file.read(part);
    if (count > 0) parts.push(part.subarray(0, count));
    // A short read is the end, but in /proc, whose files say 0, and where one call can't take so much.
    if (count === 0 || (size > 0 && count < wanted && wanted < ONE_CALL)) break;
  }
  return parts.length === 1 ? parts[0]! : concat(parts);
}

/** Bytes that one call of the system's is sure to take. */
const ONE_CALL = 2 ** 30;

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
