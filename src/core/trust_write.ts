/** Changes to what is trusted. Several processes may write at once: each reads, changes and replaces under a lock. */
import { dirs } from "./dirs.ts";
import { AgentError, fileError, quote } from "./errors.ts";
import { sha256 } from "./hash.ts";
import { isRecord, put } from "./json.ts";
import { withLock } from "./lock.ts";
import { dirname, join, makeFolder } from "./paths.ts";
import { host } from "./runtime.ts";
import type { KnownContent } from "./trust_content.ts";
import {
  readTrust,
  TRUST_VERSION,
  type TrustedProject,
  type TrustStore,
  type UserPins,
} from "./trust_store.ts";
import { removeQuietly } from "./upkeep.ts";
import { writeWhole } from "./write_whole.ts";

/** Texts by name, for showing what has changed. */
export type Texts = Readonly<Record<string, string>>;

/** A project is trusted from here on, as `known` says it is. */
export function trustProject(
  root: string,
  known: KnownContent,
  extras: readonly string[],
  texts: Texts,
): void {
  const project: TrustedProject = { hash: known.hash, at: new Date().toISOString(), extras };
  saveJson(fileOf(root, "json"), known);
  saveJson(fileOf(root, "texts"), texts);
  changeTrust((store) => put(store.projects, root, project));
}

/** Was it trusted? */
export function forgetProject(root: string): boolean {
  if (!Object.hasOwn(readTrust().projects, root)) return false;
  return changeTrust((store) => {
    for (const ending of ["json", "texts"] as const) removeQuietly(fileOf(root, ending));
    const was = Object.hasOwn(store.projects, root);
    delete store.projects[root];
    return was;
  });
}

/** The user's own plugins and hooks are what they are now. `change` gets what was known before. */
export function pinUser(
  config: string,
  change: (before: UserPins | undefined) => UserPins,
  texts?: Texts,
): void {
  if (texts) saveJson(fileOf(config, "texts"), texts);
  changeTrust((store) => {
    const before = Object.hasOwn(store.users, config) ? store.users[config] : undefined;
    put(store.users, config, change(before));
  });
}

/** A store that can't be used is begun anew: whoever trusts something now has been told. */
function changeTrust<T>(change: (store: TrustStore) => T): T {
  const path = dirs().trust;
  try {
    makeFolder(dirname(path), 0o700);
    return withLock(`${path}.lock`, () => {
      const { projects, users } = readTrust();
      const result = change({ projects, users });
      saveJson(path, { version: TRUST_VERSION, projects, users });
      return result;
    });
  } catch (error) {
    throw fileError("write", path, error);
  }
}

/** What the files of a trusted project were; `undefined` where that is lost, which only costs time. */
export function knownOf(root: string): KnownContent | undefined {
  const known = readJson(fileOf(root, "json"));
  const isSound = isRecord(known) && typeof known.hash === "string" && isRecord(known.files) &&
    isRecord(known.texts);
  return isSound ? known as unknown as KnownContent : undefined;
}

/** Times of files have changed and their contents haven't: the next start needn't hash them. */
export function refreshKnown(root: string, known: KnownContent): void {
  try {
    saveJson(fileOf(root, "json"), known);
  } catch {
    // The next start hashes again.
  }
}

/** The texts of what was last trusted at a path. */
export function textsOf(path: string): Texts {
  const texts = readJson(fileOf(path, "texts"));
  return isRecord(texts) ? texts as Texts : {};
}

function fileOf(path: string, ending: "json" | "texts"): string {
  return join(dirname(dirs().trust), "trust", `${sha256(path).slice(0, 32)}.${ending}`);
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(host.files.readText(path));
  } catch {
    return undefined;
  }
}

function saveJson(path: string, value: unknown): void {
  makeFolder(dirname(path), 0o700);
  writeWhole(path, new TextEncoder().encode(JSON.stringify(value)), { mode: 0o600, sync: true });
}

/** Trust is a person's to give: a command that a session started is refused. */
export function refuseWithinSession(marker: string): void {
  if (host.env(marker) === undefined) return;
  throw new AgentError(
    `Cannot trust anything from a command of a session (${quote(marker)} is set)`,
    "a person does that, in a terminal of their own",
  );
}
