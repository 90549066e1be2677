/**
 * The files that tools work on. One interface, so that a tool never knows whether they are here or on a device.
 */
import type { FileInfo } from "./runtime.ts";

/** A file, or a link itself, as it was found: what a change is made from, and what must still be there when it's done. */
export interface Snapshot {
  readonly info: FileInfo;
  /** Where a link leads; absent for a file. */
  readonly link: string | undefined;
  /** The content, read at the first use. */
  readonly bytes: Uint8Array;
  /** Of the content; of a link, its target's name. */
  readonly sha256: string;
}

/** New content, in pieces that may be views of the old content; a link; or `undefined`: the file goes. */
export type Content = readonly Uint8Array[] | { link: string } | undefined;

/** One file's part of a commit. */
export interface Change {
  /** Absolute. A link is written through; where the file goes or becomes a link, it is meant itself. */
  path: string;
  /** What errors call it; the path where absent. */
  shown?: string;
  /** `undefined`: there must be nothing. */
  before: Snapshot | undefined;
  after: Content;
  /** The mode the file shall have; its own, or what the umask leaves, where absent. */
  mode?: number | undefined;
}

/** What became of one change. */
export interface Written {
  created: boolean;
  oldSha256: string | undefined;
  newSha256: string | undefined;
  /** Why the old content can't be had back by `agent undo`; absent where it can. */
  lost?: string;
}

export interface WriteOptions {
  /** Refuse where something exists. */
  createOnly?: boolean;
  /** The file must still have these bytes' hash, right before the write. */
  expectedSha256?: string;
  /** What errors call the path, as below. */
  shown?: string;
  /** The mode the file shall have; its own, or what the umask leaves, where absent. */
  mode?: number | undefined;
}

/** Errors are `AgentError`s that name the path as it was given, or as `shown`: what the call had written. */
export interface Files {
  /** `undefined` where nothing is. Links are followed. */
  info(path: string, shown?: string): FileInfo | undefined;
  /** The whole of a regular file; folders and special files are refused before they are opened. */
  read(path: string, shown?: string): Uint8Array;
  /** The same for a file of at most so many bytes; the size of a larger one. */
  readUpTo(path: string, most: number, shown?: string): Uint8Array | { size: number };
  /** A regular file, chunk by chunk, for files of any size. The chunk is only valid until the next one. */
  chunks(path: string, shown?: string): Iterable<Uint8Array>;
  /** The file as it is now; `undefined` where nothing is. `itself`: a link is not followed. */
  snapshot(path: string, options?: { shown?: string; itself?: boolean }): Snapshot | undefined;
  /**
   * Makes all changes or none: each file is the old or the new one at any moment, a change whose `before` is no
   * longer true is refused, and an error takes back what was done. Keeps modes and, where possible, owners; writes
   * through links. Where a file can't be replaced (other names share it, its folder is closed), it is written in place,
   * and may be in part after a kill until the next start. The old contents go to the undo journal.
   */
  commit(changes: readonly Change[]): Written[];
  /** A commit of one file's whole content. */
  write(path: string, bytes: Uint8Array, options?: WriteOptions): Written;
  /** Removes one file, a link itself and not what it leads to; a folder is refused. */
  remove(path: string): void;
}
