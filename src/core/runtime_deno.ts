/** `Host` on Deno, with `Deno.*` alone: touching `process` or a `node:` module would cost more than a whole start. */
import type { OwnHost } from "./caller.ts";
import type { FileInfo, FileKind, Host, HostFiles, OpenFile, OpenHow } from "./runtime.ts";

interface DenoStat {
  isFile: boolean;
  isDirectory: boolean;
  isSymlink: boolean;
  isFifo: boolean | null;
  isSocket: boolean | null;
  size: number;
  mode: number | null;
  uid: number | null;
  gid: number | null;
  mtime: Date | null;
  ctime: Date | null;
  dev: number;
  ino: number | null;
  nlink: number | null;
}

interface DenoFile {
  readSync(into: Uint8Array): number | null;
  writeSync(bytes: Uint8Array): number;
  seekSync(offset: number, whence: number): number;
  truncateSync(size: number): void;
  syncSync(): void;
  statSync(): DenoStat;
  close(): void;
}

interface DenoStream {
  isTerminal(): boolean;
  writeSync(bytes: Uint8Array): number;
}

/** The part of Deno's interface that is used here; declared by hand so that `tsc` needs no Deno types. */
interface DenoNamespace {
  version: { deno: string };
  build: { os: string };
  args: string[];
  pid: number;
  uid(): number | null;
  cwd(): string;
  chdir(path: string): void;
  env: { get(name: string): string | undefined; toObject(): Record<string, string> };
  stdin: { readable: ReadableStream<Uint8Array>; isTerminal(): boolean };
  stdout: DenoStream;
  stderr: DenoStream;
  exit(code: number): never;
  addSignalListener(signal: string, handler: () => void): void;
  removeSignalListener(signal: string, handler: () => void): void;
  readFileSync(path: string): Uint8Array;
  openSync(path: string, options: Record<string, unknown>): DenoFile;
  statSync(path: string): DenoStat;
  lstatSync(path: string): DenoStat;
  realPathSync(path: string): string;
  readLinkSync(path: string): string;
  readDirSync(path: string): Iterable<{ name: string }>;
  mkdirSync(path: string, options: { mode: number }): void;
  renameSync(from: string, to: string): void;
  removeSync(path: string, options?: { recursive: boolean }): void;
  chmodSync(path: string, mode: number): void;
  chownSync(path: string, uid: number, gid: number): void;
  linkSync(from: string, to: string): void;
  symlinkSync(target: string, path: string): void;
  copyFileSync(from: string, to: string): void;
  permissions: { querySync(what: { name: string }): { state: string } };
  dlopen(path: string, symbols: Record<string, unknown>): {
    symbols: Record<string, (...args: unknown[]) => unknown>;
  };
}

const OPEN: Record<OpenHow, Record<string, boolean>> = {
  "r": { read: true },
  "r+": { read: true, write: true },
  "w": { write: true, create: true, truncate: true },
  "wx": { write: true, createNew: true },
  "a": { append: true, create: true },
};

export function denoHost(): OwnHost {
  const deno = (globalThis as unknown as { Deno: DenoNamespace }).Deno;
  const os = deno.build.os;
  // As it is now: it may be guarded against plugins later.
  const { exit } = deno;
  const stream = (fd: 1 | 2) => fd === 1 ? deno.stdout : deno.stderr;
  return {
    name: "deno",
    version: deno.version.deno,
    platform: os === "windows" ? "win32" : os as Host["platform"],
    pid: deno.pid,
    detachesSlowly: true,
    get uid() {
      return deno.uid() ?? -1;
    },
    files: denoFiles(deno),
    now: () => performance.now(),
    args: () => deno.args,
    cwd: () => deno.cwd(),
    chdir: (path) => deno.chdir(path),
    env: (name) => deno.env.get(name),
    envAll: () => deno.env.toObject(),
    home: () =>
      deno.env.get("HOME") ??
        globalThis.process.getBuiltinModule("node:os").homedir(),
    isTerminal: (fd) => fd === 0 ? deno.stdin.isTerminal() : stream(fd).isTerminal(),
    write(fd, text) {
      const bytes = new TextEncoder().encode(text);
      for (let done = 0; done < bytes.length;) {
        try {
          done += stream(fd).writeSync(done === 0 ? bytes : bytes.subarray(done));
        } catch (error) {
          if ((error as { code?: string }).code !== "EAGAIN") throw error;
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
        }
      }
    },
    stdin: () => deno.stdin.readable as unknown as AsyncIterable<Uint8Array>,
    decode(bytes) {
      try {
        return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
      } catch {
        return undefined;
      }
    },
    isUtf8(bytes) {
      // A small text is decoded sooner than the module is loaded; for a large one decoding would need its size again.
      if (bytes.length < 1024 * 1024) return this.decode(bytes) !== undefined;
      return globalThis.process.getBuiltinModule("node:buffer").isUtf8(bytes);
    },
    async sha256(bytes) {
      const digest = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
      return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
    },
    builtin: <T>(name: string) => globalThis.process.getBuiltinModule(name) as T,
    exit: (code) => exit(code),
    keepOpenFiles: fileKeeper(deno),
    onSignal(signal, handler) {
      deno.addSignalListener(signal, handler);
      return () => deno.removeSignalListener(signal, handler);
    },
    onStray(report) {
      const target = globalThis as unknown as EventTarget;
      const listener = (event: StrayEvent) => {
        event.preventDefault();
        report(event.type === "error" ? event.error : event.reason);
      };
      for (const type of STRAYS) target.addEventListener(type, listener);
      return () => {
        for (const type of STRAYS) target.removeEventListener(type, listener);
      };
    },
  };
}

const CLOSE_RANGE_CLOEXEC = 4;
const MOST_FILES = 0x7fffffff;

/** Deno opens sockets, and copies of its own streams, so that children inherit them. */
function fileKeeper(deno: DenoNamespace): () => void {
  if (deno.build.os !== "linux") return () => {};
  let mark: (() => void) | undefined;
  const load = (): () => void => {
    // It would ask on the terminal.
    if (deno.permissions.querySync({ name: "ffi" }).state !== "granted") return () => {};
    // A parameter in a struct keeps Deno from compiling the call, which would take longer than many calls do.
    const parameters = ["i32", "i32", { struct: ["i32"] }];
    try {
      const { symbols } = deno.dlopen("libc.so.6", { close_range: { parameters, result: "i32" } });
      const flags = new Int32Array([CLOSE_RANGE_CLOEXEC]);
      return () => void symbols.close_range!(3, MOST_FILES, flags);
    } catch {
      // An older system.
      return () => {};
    }
  };
  return () => (mark ??= load())();
}

const STRAYS = ["error", "unhandledrejection"];

/** `ErrorEvent` or `PromiseRejectionEvent`. */
interface StrayEvent extends Event {
  error?: unknown;
  reason?: unknown;
}

function denoFiles(deno: DenoNamespace): HostFiles {
  return {
    read: (path) => deno.readFileSync(path),
    readText: (path) => new TextDecoder().decode(deno.readFileSync(path)),
    open(path, how, mode) {
      const file = deno.openSync(path, mode === undefined ? OPEN[how] : { ...OPEN[how], mode });
      return new DenoOpenFile(file);
    },
    exists(path) {
      try {
        deno.statSync(path);
        return true;
      } catch {
        return false;
      }
    },
    stat: (path) => info(deno.statSync(path)),
    lstat: (path) => info(deno.lstatSync(path)),
    realpath: (path) => deno.realPathSync(path),
    readlink: (path) => deno.readLinkSync(path),
    readDir: (path) => Array.from(deno.readDirSync(path), (entry) => entry.name),
    mkdir: (path, mode) => deno.mkdirSync(path, { mode }),
    rename: (from, to) => deno.renameSync(from, to),
    remove: (path) => deno.removeSync(path),
    removeTree(path) {
      try {
        deno.removeSync(path, { recursive: true });
      } catch (error) {
        if ((error as { code?: string }).code !== "ENOENT") throw error;
      }
    },
    chmod: (path, mode) => deno.chmodSync(path, mode),
    chown: (path, uid, gid) => deno.chownSync(path, uid, gid),
    link: (from, to) => deno.linkSync(from, to),
    symlink: (target, path) => deno.symlinkSync(target, path),
    copy: (from, to) => deno.copyFileSync(from, to),
    removeFolder: (path) => deno.removeSync(path),
  };
}

class DenoOpenFile implements OpenFile {
  #file: DenoFile;
  #encoder = new TextEncoder();
  constructor(file: DenoFile) {
    this.#file = file;
  }
  read(into: Uint8Array): number {
    return this.#file.readSync(into) ?? 0;
  }
  write(bytes: Uint8Array): void {
    let done = 0;
    while (done < bytes.length) done += this.#file.writeSync(bytes.subarray(done));
  }
  writeText(text: string): void {
    this.write(this.#encoder.encode(text));
  }
  seek(position: number): void {
    this.#file.seekSync(position, 0);
  }
  truncate(size: number): void {
    this.#file.truncateSync(size);
  }
  sync(): void {
    this.#file.syncSync();
  }
  info(): FileInfo {
    return info(this.#file.statSync());
  }
  close(): void {
    this.#file.close();
  }
}

function info(stat: DenoStat): FileInfo {
  return {
    kind: kindOf(stat),
    size: stat.size,
    mode: stat.mode ?? 0,
    uid: stat.uid ?? -1,
    gid: stat.gid ?? -1,
    mtimeMs: stat.mtime?.getTime() ?? 0,
    ctimeMs: stat.ctime?.getTime() ?? 0,
    dev: stat.dev,
    ino: stat.ino ?? 0,
    nlink: stat.nlink ?? 1,
  };
}

function kindOf(stat: DenoStat): FileKind {
  if (stat.isFile) return "file";
  if (stat.isDirectory) return "directory";
  if (stat.isSymlink) return "symlink";
  if (stat.isFifo) return "fifo";
  if (stat.isSocket) return "socket";
  return "device";
}
