/**
 * What a start asks of trust: is the project a stranger's, and are the user's own hooks what they were? Every start runs
 * this, so what takes longer than a look is loaded when it is needed.
 */
import { dirs } from "./dirs.ts";
import { type FileMark, isUnchanged, markOf } from "./file_mark.ts";
import { join, realPath } from "./paths.ts";
import { findProject } from "./project.ts";
import { host } from "./runtime.ts";
import { type Layer, type Setting, SETTINGS } from "./settings.ts";
import type { Content } from "./trust_content.ts";
import { entryOf, readTrust, type UserPins } from "./trust_store.ts";

/** The project's part of the settings. */
export interface Project {
  /** What it brings, if it is trusted. */
  content?: Content;
  /** For this run, by its person's word. */
  once?: boolean;
  layers: readonly Layer[];
  /** What is left out since it isn't, and what to do, in one line. */
  leftOut?: string;
}

/** The user's settings as they count, and what their plugins are held against. */
export interface PinnedUser {
  layer: Layer | undefined;
  /** Absent where the user doesn't want it. */
  pins?: UserPins;
  /** Scripts of hooks that aren't what they were. */
  changed?: ReadonlySet<string>;
}

const NO_PROJECT: Project = { layers: [] };

/** The project around `cwd`. `once`: its person trusts it for this run. */
export async function openProject(
  cwd: string,
  once: boolean,
  user: Layer | undefined,
  warn: (text: string) => void,
): Promise<Project> {
  const place = findProject(realPath(cwd));
  if (!place?.hasFolder) return NO_PROJECT;
  const { lookAt, projectLayers } = await import("./trust_project.ts");
  const looked = lookAt(place.root, once);
  const { content } = looked;
  return { ...looked, once, layers: content ? await projectLayers(content, user, warn) : [] };
}

/** Holds the user's settings against what is known of them; what is seen for the first time is remembered. */
export async function pinnedUser(
  user: Layer | undefined,
  warn: (text: string) => void,
): Promise<PinnedUser> {
  const store = readTrust();
  const config = configFolder();
  const now = watchedIn(user);
  const known = entryOf(store.users, config);
  const isSame = known && sameTexts(known.settings, now) && areUntouched(known);
  const pinned: PinnedUser = isSame ? { layer: user, pins: known } : await settled();
  // What the file says of this counts once it is trusted itself.
  return pinned.layer?.values.get("trust.pinUser") === false ? { layer: pinned.layer } : pinned;

  async function settled(): Promise<PinnedUser> {
    const { settleUser } = await import("./trust_user.ts");
    return settleUser(user, now, config, store, warn);
  }
}

/** The name under which the user's own folder is known. */
export function configFolder(): string {
  return dirs().config;
}

/** Claude Code's own settings: judged by who reads them, `claude_settings.ts`. */
export function claudeFile(): string {
  return join(host.home(), ".claude/settings.json");
}

/** Does `stat` alone say that no script has changed? */
function areUntouched({ scripts, scriptsMs }: UserPins): boolean {
  return Object.entries(scripts).every(([path, then]) => {
    if (path === claudeFile()) return true;
    try {
      const now = markOf(host.files.stat(path));
      return then.size !== undefined && isUnchanged(now, then as FileMark, scriptsMs);
    } catch {
      return false;
    }
  });
}

/** The settings that say what runs and what may, as JSON. */
export function watchedIn(user: Layer | undefined): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of user?.values ?? []) {
    if ((SETTINGS[name] as Setting).watched) found[name] = JSON.stringify(value);
  }
  return found;
}

function sameTexts(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
