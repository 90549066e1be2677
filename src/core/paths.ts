/**
 * Path arithmetic and the one resolver of all tools.
 *
 * `node:path` costs a cold start on Deno 18 ms, and libraries that stand in for it turn every backslash into a
 * slash, which renames a POSIX file; so the few functions we need are here. POSIX paths are taken byte for byte.
 * On Windows both separators are understood and `/` is written.
 */
import { AgentError, errorCode, quote } from "./errors.ts";
import { host } from "./runtime.ts";

const windows = host.platform === "win32";
const DRIVE = /^[A-Za-z]:\//;

function slashes(path: string): string {
  return windows ? path.replaceAll("\\", "/") : path;
}

export function isAbsolute(path: string): boolean {
  const plain = slashes(path);
  return plain.startsWith("/") || (windows && DRIVE.test(plain));
}

/** A part that `normalize` drops: an empty one, `.` or `..`. */
const DROPPED = /\/\.{0,2}(?:\/|$)/;

/** Drops `.`, empty parts and `x/..`; keeps no slash at the end. */
export function normalize(path: string): string {
  const plain = slashes(path);
  if (plain.startsWith("/") && !DROPPED.test(plain)) return plain;
  const root = plain.startsWith("/") ? "/" : windows && DRIVE.test(plain) ? plain.slice(0, 3) : "";
  const parts: string[] = [];
  for (const part of plain.slice(root.length).split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (root === "") parts.push(part);
  }
  return root + parts.join("/") || ".";
}

export function join(...parts: string[]): string {
  return normalize(parts.filter((part) => part !== "").join("/"));
}

export function dirname(path: string): string {
  const plain = slashes(path);
  const at = plain.lastIndexOf("/");
  if (at < 0) return ".";
  if (at === 0) return "/";
  return windows && at === 2 && DRIVE.test(plain) ? plain.slice(0, 3) : plain.slice(0, at);
}

export function basename(path: string): string {
  const plain = slashes(path);
  return plain.slice(plain.lastIndexOf("/") + 1);
}

/** The `file:` address of an absolute path. */
export function fileUrl(path: string): string {
  const parts = slashes(path).split("/").map((part, at) => at === 0 ? part : encodeURIComponent(part));
  return `file://${parts[0] === "" ? "" : "/"}${parts.join("/")}`;
}

/** `path` seen from `folder`; `undefined` when it isn't inside. `""` is the folder itself. */
export function inside(folder: string, path: string): string | undefined {
  if (path === folder) return "";
  const prefix = folder.endsWith("/") ? folder : folder + "/";
  return path.startsWith(prefix) ? path.slice(prefix.length) : undefined;
}

/** An absolute path from what was written: `~` and `~/x` are the home folder, anything else is relative to `cwd`. */
export function resolvePath(cwd: string, path: string): string {
  if (!path.isWellFormed()) {
    throw new AgentError(
      `Cannot use the path ${quote(path)}: it holds half of a character (a lone surrogate)`,
    );
  }
  if (path === "~") return normalize(host.home());
  if (path.startsWith("~/")) return join(host.home(), path.slice(2));
  return isAbsolute(path) ? normalize(path) : join(cwd, path);
}

/**
 * The identity of a path: its real path, links followed. For what doesn't exist yet, the real path of its
 * nearest existing parent and the rest as written. Locks, rules and read records all use this.
 */
export function realPath(path: string): string {
  const missing: string[] = [];
  for (let at = path;; at = dirname(at)) {
    try {
      return join(slashes(host.files.realpath(at)), ...missing);
    } catch {
      // A link that dangles is written through, so its target is what counts.
      const target = danglingTarget(at);
      if (target !== undefined) return join(target, ...missing);
    }
    if (dirname(at) === at) return join(at, ...missing);
    missing.unshift(basename(at));
  }
}

function danglingTarget(path: string, depth = 0): string | undefined {
  if (depth > 40) return undefined;
  try {
    if (host.files.lstat(path).kind !== "symlink") return undefined;
    const target = resolveLink(path, host.files.readlink(path));
    return danglingTarget(target, depth + 1) ?? join(realPath(dirname(target)), basename(target));
  } catch {
    return undefined;
  }
}

function resolveLink(path: string, target: string): string {
  return isAbsolute(target) ? normalize(target) : join(dirname(path), target);
}

/**
 * Makes a folder and its missing parents. Climbs by hand: a recursive `mkdir` below `/proc` never returns on
 * Node 20.
 */
export function makeFolder(path: string, mode = 0o777): void {
  try {
    host.files.mkdir(path, mode);
  } catch (error) {
    if (isFolderThere(path, error)) return;
    const parent = dirname(path);
    if (errorCode(error) !== "ENOENT" || parent === path) throw error;
    makeFolder(parent, mode);
    makeLast(path, mode);
  }
}

/** One try, so that it ends where nothing can be made though the parent is there. */
function makeLast(path: string, mode: number): void {
  try {
    host.files.mkdir(path, mode);
  } catch (error) {
    if (!isFolderThere(path, error)) throw error;
  }
}

function isFolderThere(path: string, error: unknown): boolean {
  if (errorCode(error) !== "EEXIST") return false;
  if (host.files.stat(path).kind === "directory") return true;
  // As the system says it for a file further up.
  throw Object.assign(new Error(`${path} is not a folder`), { code: "ENOTDIR" });
}
