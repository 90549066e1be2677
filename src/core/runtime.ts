/**
 * The only file that asks: Deno or Node?
 *
 * Everything a cold start touches goes through `host`, because on Deno a first use of `node:fs` costs 20 ms,
 * of `process` 12 and of `node:path` 6, while `Deno.*` is free. Modules that are needed later
 * (`node:child_process`, `node:crypto`) come from `host.builtin`, when they are used.
 */
import { type Caller, withCallers } from "./caller.ts";
import { denoHost } from "./runtime_deno.ts";
import { nodeHost } from "./runtime_node.ts";

export type FileKind = "file" | "directory" | "symlink" | "fifo" | "socket" | "device";

/** What `stat` tells, the same on both runtimes. Times are whole milliseconds, rounded down. */
export interface FileInfo {
  kind: FileKind;
  size: number;
  mode: number;
  uid: number;
  gid: number;
  mtimeMs: number;
  ctimeMs: number;
  dev: number;
  ino: number;
  nlink: number;
}

/** An open file. All calls are synchronous and throw errors with a `code` such as `ENOENT`. */
export interface OpenFile {
  /** Reads at the current place; 0 means the end. */
  read(into: Uint8Array): number;
  /** Writes all of `bytes`. */
  write(bytes: Uint8Array): void;
  /** The same for text, as UTF-8. */
  writeText(text: string): void;
  seek(position: number): void;
  truncate(size: number): void;
  /** Returns when the bytes are on the disk. */
  sync(): void;
  info(): FileInfo;
  close(): void;
}

/** `r` reads; `w` creates or empties; `a` appends; `wx` creates and fails where something exists; `r+` changes. */
export type OpenHow = "r" | "r+" | "w" | "wx" | "a";

/** File calls that both runtimes have, synchronous, with Node's error codes. */
export interface HostFiles {
  read(path: string): Uint8Array;
  /** A file as UTF-8 text, without a byte-order mark. */
  readText(path: string): string;
  open(path: string, how: OpenHow, mode?: number): OpenFile;
  /** Is something there, through links? Never throws, which is what a miss costs elsewhere. */
  exists(path: string): boolean;
  stat(path: string): FileInfo;
  lstat(path: string): FileInfo;
  realpath(path: string): string;
  /** Where a link leads, as it is written there. */
  readlink(path: string): string;
  readDir(path: string): string[];
  /** Makes one folder. */
  mkdir(path: string, mode: number): void;
  rename(from: string, to: string): void;
  /** Removes one file or link. */
  remove(path: string): void;
  /** Removes a folder with all that is in it; says nothing when there is none. */
  removeTree(path: string): void;
  chmod(path: string, mode: number): void;
  chown(path: string, uid: number, gid: number): void;
  /** A second name for a file, in the same file system. */
  link(from: string, to: string): void;
  /** A link at `path` that leads to `target`. */
  symlink(target: string, path: string): void;
  /** Copies a file's content, sharing its blocks where the file system can. */
  copy(from: string, to: string): void;
  /** Removes an empty folder. */
  removeFolder(path: string): void;
}

export interface Host {
  readonly name: "node" | "deno";
  readonly version: string;
  readonly platform: "linux" | "darwin" | "win32";
  readonly pid: number;
  /** Starting a child in a group of its own copies the whole process first, which takes long. */
  readonly detachesSlowly: boolean;
  /** The user's id; -1 where the system has none. */
  readonly uid: number;
  readonly files: HostFiles;
  /** Milliseconds on a clock that only goes forward. */
  now(): number;
  args(): string[];
  cwd(): string;
  chdir(path: string): void;
  env(name: string): string | undefined;
  envAll(): Record<string, string>;
  home(): string;
  isTerminal(fd: 0 | 1 | 2): boolean;
  /** Writes all of `text` to standard output (1) or standard error (2) before it returns. */
  write(fd: 1 | 2, text: string): void;
  /** Standard input, chunk by chunk. */
  stdin(): AsyncIterable<Uint8Array>;
  /** UTF-8 as text, its mark included; `undefined` where some bytes are none. A `TextDecoder` costs Node 2 ms to make. */
  decode(bytes: Uint8Array): string | undefined;
  /** Are the bytes UTF-8? */
  isUtf8(bytes: Uint8Array): boolean;
  /** SHA-256 as hex, without `node:crypto` where that takes long to load. */
  sha256(bytes: Uint8Array): Promise<string>;
  /** A module of Node's, loaded now. */
  builtin<T>(name: `node:${string}`): T;
  exit(code: number): never;
  /**
   * What is open now stays with this process: a program that it starts gets standard input, output and error alone. To be
   * called before each start; Node does so by itself. On Deno it needs Linux 5.11, glibc 2.34 and leave for `ffi`.
   */
  keepOpenFiles(): void;
  /** Calls `handler` on each `signal`; returns the remover. */
  onSignal(signal: "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGUSR1", handler: () => void): () => void;
  /** Does `work`, in all that it waits for too, with the folder and the environment of somebody else. */
  actFor<T>(caller: Caller, work: () => T): T;
  /** Calls `report` with what nobody caught, thrown or rejected, instead of ending; returns the remover. */
  onStray(report: (error: unknown) => void): () => void;
}

export const host: Host = withCallers("Deno" in globalThis ? denoHost() : nodeHost());
