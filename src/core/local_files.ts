/** `Files` on this machine. */
import { AgentError, errorCode, fileError, quote } from "./errors.ts";
import type { Files, WriteOptions, Written } from "./files.ts";
import { sha256 } from "./hash.ts";
import { dirname, makeFolder, realPath } from "./paths.ts";
import { type FileInfo, host, type OpenFile } from "./runtime.ts";
import { writeNew, writeWhole } from "./write_whole.ts";

const CHUNK = 256 * 1024;
const SMALL = 4096;

export function localFiles(): Files {
  return { info, read, chunks, write, remove };
}

function info(path: string, shown = path): FileInfo | undefined {
  try {
    return host.files.stat(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw fileError("look at", shown, error);
  }
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
    if (found.kind !== "file") throw notRegular("read", shown, found);
    return { file: host.files.open(path, "r"), size: found.size };
  } catch (error) {
    throw fileError("read", shown, error);
  }
}

function notRegular(action: string, path: string, { kind }: FileInfo): AgentError {
  const what = {
    directory: "it is a folder",
    fifo: "it is a named pipe",
    socket: "it is a socket",
    device: "it is a device",
  };
  return new AgentError(
    `Cannot ${action} ${quote(path)}: ${what[kind as keyof typeof what] ?? `it is a ${kind}`}`,
  );
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

function write(path: string, bytes: Uint8Array, options: WriteOptions = {}): Written {
  const target = realPath(path);
  const { shown = path } = options;
  try {
    const found = info(target, shown);
    if (found && found.kind !== "file") throw notRegular("write", shown, found);
    if (found && options.createOnly) throw new AgentError(`Cannot create ${quote(shown)}: it already exists`);
    const oldSha256 = found ? sha256(read(target, shown)) : undefined;
    const { expectedSha256 } = options;
    if (expectedSha256 !== undefined && !(oldSha256 ?? "").startsWith(expectedSha256)) {
      throw new AgentError(
        `Cannot write ${quote(shown)}: it changed since it was read`,
        "read it again and base the change on what is there now",
      );
    }
    if (!found) {
      makeFolder(dirname(target));
      create(target, bytes, options.createOnly ?? false);
    } else if (found.nlink > 1) overwriteInPlace(target, bytes);
    else replace(target, bytes, found);
    if (options.mode !== undefined) host.files.chmod(target, options.mode);
    return { created: !found, oldSha256, newSha256: sha256(bytes) };
  } catch (error) {
    throw fileError("write", shown, error);
  }
}

function remove(path: string): void {
  try {
    const found = host.files.lstat(path);
    if (found.kind === "directory") throw notRegular("remove", path, found);
    host.files.remove(path);
  } catch (error) {
    throw fileError("remove", path, error);
  }
}

/** A new file gets the mode that the umask leaves. */
function create(target: string, bytes: Uint8Array, exclusive: boolean): void {
  const write = exclusive ? writeNew : writeWhole;
  write(target, bytes, { mode: 0o666, sync: true });
}

/** Never more open than the file that it replaces. */
function replace(target: string, bytes: Uint8Array, old: FileInfo): void {
  // A file that may not be written stays as it is, though its folder would let it be replaced.
  host.files.open(target, "r+").close();
  const prepare = (temporary: string) => {
    try {
      host.files.chown(temporary, old.uid, old.gid);
    } catch {
      // Only root may give files away; the rename then makes the file the caller's, as an editor would.
    }
    host.files.chmod(temporary, old.mode & 0o7777);
  };
  writeWhole(target, bytes, { mode: 0o600, sync: true, prepare });
}

/** Other names share this file: a rename would part them. */
function overwriteInPlace(target: string, bytes: Uint8Array): void {
  const file = host.files.open(target, "r+");
  try {
    file.write(bytes);
    file.truncate(bytes.length);
    file.sync();
  } finally {
    file.close();
  }
}
