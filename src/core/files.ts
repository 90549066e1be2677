/**
 * The files that tools work on. One interface, so that a tool never knows whether they are here or on a device.
 */
import type { FileInfo } from "./runtime.ts";

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

export interface Written {
  created: boolean;
  oldSha256: string | undefined;
  newSha256: string;
}

/** Errors are `AgentError`s that name the path as it was given, or as `shown`: what the call had written. */
export interface Files {
  /** `undefined` where nothing is. Links are followed. */
  info(path: string, shown?: string): FileInfo | undefined;
  /** The whole of a regular file; folders and special files are refused before they are opened. */
  read(path: string, shown?: string): Uint8Array;
  /** A regular file, chunk by chunk, for files of any size. The chunk is only valid until the next one. */
  chunks(path: string, shown?: string): Iterable<Uint8Array>;
  /**
   * Replaces the whole content: the file is the old or the new one at any moment. Keeps the mode and, where
   * possible, the owner; writes through links and in place where other names share the file.
   */
  write(path: string, bytes: Uint8Array, options?: WriteOptions): Written;
  /** Removes one file, a link itself and not what it leads to; a folder is refused. */
  remove(path: string): void;
}
