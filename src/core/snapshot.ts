/** Files as they were found, and whether they are still so. Content decides; a time may only prove that nothing changed. */
import { AgentError, quote } from "./errors.ts";
import type { Snapshot } from "./files.ts";
import { sha256, sha256Of, sha256Stream } from "./hash.ts";
import { chunksOf, hashOf, infoOf, readFile, targetOf } from "./local_read.ts";
import { type FileInfo, host } from "./runtime.ts";

/** A larger file is hashed chunk by chunk. */
const KEPT = 1024 * 1024;
/** How long after a file's last change the clock of its file system can't tell a further one. Deno's is in seconds. */
const RACY_MS = 2000;

/** A content by which a file can be known again. */
export interface Known {
  /** It is a link, and leads there. */
  readonly link?: string | undefined;
  readonly size: number;
  readonly sha256: string;
  /** The content itself, where it is at hand. */
  readonly bytes?: Uint8Array | undefined;
}

/** Is this in the path's place? `undefined`: is nothing there? A link is not followed. */
export function isNow(path: string, known: Known | undefined, shown = path): boolean {
  const now = infoOf(path, shown, true);
  if (!now || !known) return !now && !known;
  if (known.link !== undefined) return now.kind === "symlink" && targetOf(path, shown) === known.link;
  if (now.kind !== "file" || now.size !== known.size) return false;
  return known.bytes ? sameContent(path, known.bytes, shown) : hashOf(path, shown) === known.sha256;
}

/** Is what was found still there? `path` is the real one. */
export function isStill(path: string, found: Snapshot, shown = path): boolean {
  if (found instanceof LocalSnapshot) return found.isStill(path);
  return isNow(path, { link: found.link, size: found.info.size, sha256: found.sha256 }, shown);
}

/** The hash of new content, which may be made of views of the old one. */
export function hashOfNew(pieces: readonly Uint8Array[], before: Snapshot | undefined): string {
  return before instanceof LocalSnapshot ? before.hashOfNew(pieces) : sha256Of(pieces);
}

/** Refuses to change what isn't the content that the caller means: a hash, or the first digits of one. */
export function needHash(
  action: string,
  shown: string,
  before: Snapshot | undefined,
  expected: string,
): void {
  if (before?.sha256.startsWith(expected)) return;
  const now = before ? `its content has the sha256 ${before.sha256.slice(0, 12)}` : "there is no such file";
  throw new AgentError(`Cannot ${action} ${quote(shown)}: ${now}, not ${expected.slice(0, 12)}`, AGAIN);
}

/** A change was made from something that isn't there any more. */
export function changed(shown: string): ChangedError {
  return new ChangedError(
    `Cannot write ${quote(shown)}: it changed since it was read`,
    "read it again and base the change on what is there now",
  );
}

/** A file is another one than the change was made from. */
export class ChangedError extends AgentError {}

const AGAIN = "read it again and base the change on what is there now";

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
    this.link = info.kind === "symlink" ? targetOf(path, shown) : undefined;
  }

  /** `undefined` where nothing is. */
  static take(path: string, shown = path, itself = false): LocalSnapshot | undefined {
    const found = infoOf(path, shown, itself);
    return found && new LocalSnapshot(path, shown, found);
  }

  get bytes(): Uint8Array {
    return this.#bytes ??= this.link === undefined ? readFile(this.#path, this.#shown) : new Uint8Array();
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
    if (this.link === undefined && this.#isUntouched(path)) return true;
    const { link, info: { size }, sha256 } = this;
    return isNow(
      path,
      { link, size, sha256, bytes: link === undefined ? this.#bytes : undefined },
      this.#shown,
    );
  }

  /** The time of change can't be set, so one that is old and the same is proof. */
  #isUntouched(path: string): boolean {
    const { kind, size, ino, dev, ctimeMs } = this.info;
    if (ctimeMs >= this.#takenAt - RACY_MS) return false;
    const now = infoOf(path, this.#shown, true);
    return now !== undefined && now.kind === kind && now.size === size && now.ino === ino &&
      now.dev === dev && now.ctimeMs === ctimeMs;
  }
}

function sameContent(path: string, bytes: Uint8Array, shown: string): boolean {
  const { compare } = host.builtin<typeof import("node:buffer")>("node:buffer").Buffer;
  let at = 0;
  for (const chunk of chunksOf(path, shown)) {
    const part = bytes.subarray(at, at + chunk.length);
    if (part.length !== chunk.length || compare(part, chunk) !== 0) return false;
    at += chunk.length;
  }
  return at === bytes.length;
}
