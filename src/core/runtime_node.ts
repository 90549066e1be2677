/** `Host` on Node. Modules are fetched by `getBuiltinModule`, so that Deno never loads them for this file. */
import type { OwnHost } from "./caller.ts";
import type { FileInfo, FileKind, Host, HostFiles, OpenFile } from "./runtime.ts";

type Fs = typeof import("node:fs");

export function nodeHost(): OwnHost {
  const process = globalThis.process;
  // As it is now: it may be guarded against plugins later.
  const { exit } = process;
  const builtin = <T>(name: string) => process.getBuiltinModule(name) as T;
  const fs = builtin<Fs>("node:fs");
  return {
    name: "node",
    version: process.versions.node,
    platform: process.platform as Host["platform"],
    pid: process.pid,
    detachesSlowly: false,
    uid: process.getuid?.() ?? -1,
    files: nodeFiles(fs),
    // The global `performance` would load a module of its own, a millisecond of each start.
    now() {
      const [seconds, nanos] = process.hrtime();
      return seconds * 1e3 + nanos / 1e6;
    },
    args: () => process.argv.slice(2),
    cwd: () => process.cwd(),
    chdir: (path) => process.chdir(path),
    env: (name) => process.env[name],
    envAll: () => ({ ...process.env }) as Record<string, string>,
    home: () => process.env.HOME ?? builtin<typeof import("node:os")>("node:os").homedir(),
    isTerminal: (fd) => isTerminal(fs, fd, (fd) => builtin<typeof import("node:tty")>("node:tty").isatty(fd)),
    write: (fd, text) => writeAll(fs, fd, text),
    stdin: () => process.stdin,
    decode(bytes) {
      if (!builtin<typeof import("node:buffer")>("node:buffer").isUtf8(bytes)) return undefined;
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
    },
    isUtf8: (bytes) => builtin<typeof import("node:buffer")>("node:buffer").isUtf8(bytes),
    sha256: (bytes) =>
      Promise.resolve(
        builtin<typeof import("node:crypto")>("node:crypto").createHash("sha256").update(bytes).digest("hex"),
      ),
    builtin,
    exit: (code) => exit.call(process, code),
    onSignal(signal, handler) {
      process.on(signal, handler);
      return () => process.off(signal, handler);
    },
    keepOpenFiles() {},
    onStray(report) {
      process.on("uncaughtException", report);
      process.on("unhandledRejection", report);
      return () => {
        process.off("uncaughtException", report);
        process.off("unhandledRejection", report);
      };
    },
  };
}

/**
 * What the device's number says already isn't asked of `node:tty`, which brings the whole of sockets and streams: a
 * sixth of a start. Linux' devices.txt: 1 is `/dev/null` and its kin, 136 to 143 are pseudo-terminals.
 */
function isTerminal(fs: Fs, fd: number, isatty: (fd: number) => boolean): boolean {
  if (process.platform !== "linux") return isatty(fd);
  try {
    const stats = fs.fstatSync(fd);
    const major = (stats.rdev >> 8) & 0xfff;
    if (!stats.isCharacterDevice() || major === 1) return false;
    return major >= 136 && major <= 143 || isatty(fd);
  } catch {
    return false;
  }
}

/** A full pipe that somebody else made non-blocking answers EAGAIN: wait a moment and go on, nothing is dropped. */
function writeAll(fs: Fs, fd: number, text: string): void {
  // Encoded by the system call itself; only what it leaves over is encoded here.
  let bytes: Uint8Array | undefined;
  let done = 0;
  do {
    try {
      done += bytes ? fs.writeSync(fd, bytes, done) : fs.writeSync(fd, text);
    } catch (error) {
      if ((error as { code?: string }).code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
    if (!bytes && done < Buffer.byteLength(text)) bytes = new TextEncoder().encode(text);
  } while (bytes && done < bytes.length);
}

function nodeFiles(fs: Fs): HostFiles {
  return {
    read: (path) => fs.readFileSync(path),
    readText: (path) => {
      const text = fs.readFileSync(path, "utf8");
      return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
    },
    open: (path, how, mode) => new NodeFile(fs, fs.openSync(path, how, mode)),
    exists: (path) => fs.existsSync(path),
    stat: (path) => info(fs.statSync(path)),
    lstat: (path) => info(fs.lstatSync(path)),
    realpath: (path) => fs.realpathSync.native(path),
    readlink: (path) => fs.readlinkSync(path),
    readDir: (path) => fs.readdirSync(path),
    mkdir: (path, mode) => fs.mkdirSync(path, { mode }),
    rename: (from, to) => fs.renameSync(from, to),
    remove: (path) => fs.unlinkSync(path),
    removeTree: (path) => fs.rmSync(path, { recursive: true, force: true }),
    chmod: (path, mode) => fs.chmodSync(path, mode),
    chown: (path, uid, gid) => fs.chownSync(path, uid, gid),
    link: (from, to) => fs.linkSync(from, to),
    symlink: (target, path) => fs.symlinkSync(target, path),
    copy: (from, to) => fs.copyFileSync(from, to, fs.constants.COPYFILE_FICLONE),
    removeFolder: (path) => fs.rmdirSync(path),
  };
}

class NodeFile implements OpenFile {
  #fs: Fs;
  #fd: number;
  /** `null` lets the system keep the place, as long as nobody asked for another one. */
  #position: number | null = null;
  constructor(fs: Fs, fd: number) {
    this.#fs = fs;
    this.#fd = fd;
  }
  read(into: Uint8Array): number {
    const count = this.#fs.readSync(this.#fd, into, 0, into.length, this.#position);
    if (this.#position !== null) this.#position += count;
    return count;
  }
  write(bytes: Uint8Array): void {
    let done = 0;
    while (done < bytes.length) {
      const count = this.#fs.writeSync(this.#fd, bytes, done, bytes.length - done, this.#position);
      if (this.#position !== null) this.#position += count;
      done += count;
    }
  }
  writeText(text: string): void {
    const total = Buffer.byteLength(text);
    const done = this.#fs.writeSync(this.#fd, text, this.#position);
    if (this.#position !== null) this.#position += done;
    // Nearly always all of it; a disk that fills up takes a part.
    if (done < total) this.write(Buffer.from(text).subarray(done));
  }
  seek(position: number): void {
    this.#position = position;
  }
  truncate(size: number): void {
    this.#fs.ftruncateSync(this.#fd, size);
  }
  sync(): void {
    this.#fs.fsyncSync(this.#fd);
  }
  info(): FileInfo {
    return info(this.#fs.fstatSync(this.#fd));
  }
  close(): void {
    this.#fs.closeSync(this.#fd);
  }
}

function info(stats: import("node:fs").Stats): FileInfo {
  return {
    kind: kindOf(stats),
    size: stats.size,
    mode: stats.mode,
    uid: stats.uid,
    gid: stats.gid,
    mtimeMs: Math.floor(stats.mtimeMs),
    ctimeMs: Math.floor(stats.ctimeMs),
    dev: stats.dev,
    ino: stats.ino,
    nlink: stats.nlink,
  };
}

function kindOf(stats: import("node:fs").Stats): FileKind {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "directory";
  if (stats.isSymbolicLink()) return "symlink";
  if (stats.isFIFO()) return "fifo";
  if (stats.isSocket()) return "socket";
  return "device";
}
