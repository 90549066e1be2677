/**
 * What the user trusts, in the state folder:
 *
 *     state/trust.json           projects by real path, and what is known of the user's own plugins and hooks
 *     state/trust/<id>.json      what a project's files were, so that a start hashes only what `stat` leaves in doubt
 *     state/trust/<id>.texts     their texts, to show what has changed since
 *
 * All of it is the user's alone, and each file is old or new at any moment.
 */
import { dirs } from "./dirs.ts";
import { errorCode, fileError, messageOf } from "./errors.ts";
import type { FileMark } from "./file_mark.ts";
import { isRecord } from "./json.ts";
import { host } from "./runtime.ts";

/** A file, link or missing file that counts. `is`: a file's SHA-256, `-> TARGET` of a link, `absent`. */
export interface FileRecord extends Partial<FileMark> {
  is: string;
}

export interface TrustedProject {
  /** Of all names and contents. */
  hash: string;
  at: string;
  /** Files outside of the project's own folder that count as well, relative to the project. */
  extras: readonly string[];
}

/** What the user's own config folder was when it was last trusted. */
export interface UserPins {
  at: string;
  /** Values of watched settings, as JSON. */
  settings: Readonly<Record<string, string>>;
  /** Scripts that hooks name. */
  scripts: Readonly<Record<string, FileRecord>>;
  scriptsMs: number;
  /** Each plugin's inputs with their SHA-256, by its entry; absent until plugins are first looked at. */
  plugins?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface TrustStore {
  projects: Record<string, TrustedProject>;
  /** By config folder. */
  users: Record<string, UserPins>;
  /** Why the file can't be used: nothing is trusted then. */
  broken?: string;
}

export const TRUST_VERSION = 1;

export function readTrust(): TrustStore {
  const path = dirs().trust;
  try {
    const store = checked(JSON.parse(host.files.readText(path)));
    const { uid, mode } = host.files.stat(path);
    if (host.uid !== -1 && uid !== host.uid) return broken("it belongs to another user");
    if (host.platform !== "win32" && (mode & 0o022) !== 0) return broken("others can write it");
    return store;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return { projects: {}, users: {} };
    return broken(
      error instanceof SyntaxError ? "it is not JSON" : messageOf(fileError("read", path, error)),
    );
  }
}

function broken(why: string): TrustStore {
  return { projects: {}, users: {}, broken: why };
}

/** Nothing of it is taken where any of it is not what we write. */
function checked(value: unknown): TrustStore {
  if (!isRecord(value) || value.version !== TRUST_VERSION) return broken("it is of another version");
  const { projects, users } = value;
  const isSound = isRecord(projects) && Object.values(projects).every(isProject) &&
    isRecord(users) && Object.values(users).every(isPins);
  if (!isSound) return broken("it is not what agent writes");
  return { projects: projects as TrustStore["projects"], users: users as TrustStore["users"] };
}

function isProject(value: unknown): boolean {
  return isRecord(value) && typeof value.hash === "string" && Array.isArray(value.extras);
}

function isPins(value: unknown): boolean {
  return isRecord(value) && isRecord(value.settings) && isRecord(value.scripts) &&
    (value.plugins === undefined ||
      (isRecord(value.plugins) && Object.values(value.plugins).every(isRecord)));
}

/** An own entry, whatever its name. */
export function entryOf<T>(entries: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}
