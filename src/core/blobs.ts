/**
 * The old contents in the journal, each a file that is named by its SHA-256. A large one is a second name for the file
 * that a call replaces, where the file system allows; until the call is done, it is the same file as the call's.
 */
import { AgentError, quote } from "./errors.ts";
import { sha256 } from "./hash.ts";
import { bringIn, bringInBytes, type Version } from "./journal_entry.ts";
import { join, makeFolder } from "./paths.ts";
import { type FileInfo, host } from "./runtime.ts";
import { namesIn, removeQuietly } from "./upkeep.ts";

/** From here on an old content is kept by a second name instead of a copy. */
const LINK_FROM = 1024 * 1024;

/** Where an old content comes from. */
export interface BlobSource {
  path: string;
  bytes(): Uint8Array;
  /** Other names share the file, so one more would change with them. */
  shared: boolean;
}

export class Blobs {
  readonly #folder: string;

  /** `folder`: the journal's. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  #path(sha: string): string {
    return join(this.#folder, "blobs", sha.slice(0, 2), sha);
  }

  /** Puts an old content among the others; the bytes that it adds. */
  keep(before: Version, { path, bytes, shared }: BlobSource): number {
    const blob = this.#path(before.sha256);
    const there = look(blob);
    // With a second name it is another call's, who may take it away again.
    if (there?.size === before.size && there.nlink === 1 && isTouched(blob)) return 0;
    makeFolder(join(this.#folder, "blobs", before.sha256.slice(0, 2)), 0o700);
    if (before.size < LINK_FROM) bringInBytes(this.#folder, blob, bytes());
    else if (shared || there || !linked(path, blob)) this.#copy(path, blob);
    return before.size;
  }

  /** Throws where it is gone, or isn't what it was. */
  read(version: Version, shown: string): Uint8Array {
    const bytes = this.find(version.sha256);
    if (bytes && sha256(bytes) === version.sha256) return bytes;
    const state = bytes
      ? "its old content was changed in the journal"
      : "the journal no longer has its old content";
    throw new AgentError(`Cannot restore ${quote(shown)}: ${state}`);
  }

  /** As it lies there; `undefined` where it doesn't. */
  find(sha: string): Uint8Array | undefined {
    const blob = this.#path(sha);
    return look(blob) && host.files.read(blob);
  }

  /** A file turns out to be written in place: its old content must not be a second name for it. */
  unshare({ sha256 }: Version, path: string): void {
    const blob = this.#path(sha256);
    if (isSameFile(path, blob)) this.#copy(path, blob);
  }

  /** Where the file is in its old place, the second name for it goes. */
  separate({ sha256 }: Version, path: string): void {
    const blob = this.#path(sha256);
    if (isSameFile(path, blob)) removeQuietly(blob);
  }

  /** The file was replaced, so what was its second name is the journal's alone, and has the journal's mode. */
  takeOver({ sha256, size }: Version, path: string): void {
    if (size < LINK_FROM) return;
    const blob = this.#path(sha256);
    try {
      if (isSameFile(path, blob)) removeQuietly(blob);
      else host.files.chmod(blob, 0o600);
    } catch {
      // The folder is closed to others anyway.
    }
  }

  /** Removes what nobody needs and nobody has touched since `moment`. */
  clean(needed: ReadonlySet<string>, moment: number): void {
    const folder = join(this.#folder, "blobs");
    for (const prefix of namesIn(folder)) {
      for (const name of namesIn(join(folder, prefix))) {
        const blob = join(folder, prefix, name);
        if (!needed.has(name) && (look(blob)?.ctimeMs ?? moment) < moment) removeQuietly(blob);
      }
    }
  }

  #copy(path: string, blob: string): void {
    bringIn(this.#folder, blob, (part) => {
      host.files.copy(path, part);
      host.files.chmod(part, 0o600);
    });
  }
}

/** Makes a content young, so that it isn't cleared away before its new entry is seen; false where it is gone. */
function isTouched(blob: string): boolean {
  try {
    host.files.chmod(blob, 0o600);
    return true;
  } catch {
    return false;
  }
}

function linked(path: string, blob: string): boolean {
  try {
    host.files.link(path, blob);
    return true;
  } catch {
    return false;
  }
}

function look(path: string): FileInfo | undefined {
  try {
    return host.files.lstat(path);
  } catch {
    return undefined;
  }
}

function isSameFile(a: string, b: string): boolean {
  const one = look(a), other = look(b);
  return one !== undefined && other !== undefined && one.ino === other.ino && one.dev === other.dev;
}
