/** Reading files on this machine: what they are comes before they are opened, and errors name the path. */
import { concat } from "./bytes.ts";
import { errorCode, fileError, notAFile } from "./errors.ts";
import { sha256Stream } from "./hash.ts";
import { type FileInfo, host, type OpenFile } from "./runtime.ts";

const CHUNK = 256 * 1024;
const SMALL = 4096;

/** `undefined` where nothing is. Links are followed, unless it is `itself` that is meant. */
export function infoOf(path: string, shown = path, itself = false): FileInfo | undefined {
  try {
    return itself ? host.files.lstat(path) : host.files.stat(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw fileError("look at", shown, error);
  }
}

/** Where a link leads, as it is written there. */
export function targetOf(path: string, shown = path): string {
  try {
    return host.files.readlink(path);
  } catch (error) {
    throw fileError("look at", shown, error);
  }
}

/** The whole of a regular file. */
export function readFile(path: string, shown = path): Uint8Array {
  return readFileUpTo(path, Infinity, shown) as Uint8Array;
}

/** The same for a file of at most so many bytes; the size of a larger one. */
export function readFileUpTo(path: string, most: number, shown = path): Uint8Array | { size: number } {
  const { file, size } = openRegular(path, shown);
  try {
    return size > most ? { size } : readAll(file, size);
  } catch (error) {
    throw fileError("read", shown, error);
  } finally {
    file.close();
  }
}

/** The same, chunk by chunk. A chunk is only valid until the next one. */
export function* chunksOf(path: string, shown = path): Iterable<Uint8Array> {
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

/** The SHA-256 of a regular file of any size. */
export function hashOf(path: string, shown = path): string {
  const hash = sha256Stream();
  for (const chunk of chunksOf(path, shown)) hash.update(chunk);
  return hash.digest("hex");
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

/**
 * Everything from where the file stands to its end. A read may bring less than there is, so the end is where nothing
 * comes; or where the first read brings all that the file's size says, and no byte more.
 */
export function readAll(file: OpenFile, size = file.info().size): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let wanted = size + 1;; wanted = CHUNK) {
    const part = new Uint8Array(wanted);
    const count = fill(file, part, parts.length === 0 ? size : 0);
    if (count > 0) parts.push(part.subarray(0, count));
    if (count < wanted) return concat(parts);
  }
}

/** Reads until `into` is full, nothing comes, or one read brings just `all`; files in /proc say 0. */
function fill(file: OpenFile, into: Uint8Array, all: number): number {
  let done = 0;
  while (done < into.length) {
    const count = file.read(into.subarray(done));
    done += count;
    if (count === 0 || count === all) break;
  }
  return done;
}
