/**
 * The user's own settings, held against what they were when they were last trusted. What a shell command did to them
 * shows here: changed hooks don't run, and those of before stand, until `agent trust --user`. Loaded where something differs.
 */
import { dirs } from "./dirs.ts";
import { importsFrom, readClaude } from "./claude_settings.ts";
import { messageOf, printable } from "./errors.ts";
import { type FileMark, isUnchanged, markOf } from "./file_mark.ts";
import { isRecord, put } from "./json.ts";
import { hashOf, infoOf, readFile } from "./local_read.ts";
import { inside, realPath } from "./paths.ts";
import { host } from "./runtime.ts";
import { fileLayer, type Layer, type SettingName } from "./settings.ts";
import { claudeFile, configFolder, type PinnedUser, watchedIn } from "./trust.ts";
import { hooksIn, HOW, namedBy, withoutChanged, withoutHooks } from "./trust_hooks.ts";
import { entryOf, type FileRecord, readTrust, type TrustStore, type UserPins } from "./trust_store.ts";
import { pinUser, type Texts } from "./trust_write.ts";

type Watched = Readonly<Record<string, string>>;

/** A script larger than this is no script. */
const MOST_BYTES = 4 * 1024 * 1024;

export async function settleUser(
  user: Layer | undefined,
  now: Watched,
  config: string,
  store: TrustStore,
  warn: (text: string) => void,
): Promise<PinnedUser> {
  const before = entryOf(store.users, config);
  if (store.broken !== undefined) {
    const why = `${printable(dirs().trust)} can't be used (${store.broken})`;
    warn(`${why}, so your own hooks and plugins are off; ${HOW}`);
    const hooks = user?.values.get("hooks");
    const gates = isRecord(hooks) && { hooks: JSON.stringify(withoutHooks(hooks, () => true, why)) };
    return { layer: withSettings(user, { ...gates }), pins: { ...await pinsOf({}), plugins: {} } };
  }
  if (!before) {
    const pins = await pinsOf(now);
    save(config, () => pins, warn, textsOfUser(pins));
    return { layer: user, pins };
  }
  return new Settling(before, now, config, warn).settle(user);
}

class Settling {
  readonly #before: UserPins;
  readonly #now: Watched;
  readonly #config: string;
  readonly #warn: (text: string) => void;

  constructor(before: UserPins, now: Watched, config: string, warn: (text: string) => void) {
    this.#before = before;
    this.#now = now;
    this.#config = config;
    this.#warn = warn;
  }

  settle(user: Layer | undefined): PinnedUser {
    const before = this.#before;
    this.#tell();
    const changed = PINNED.filter((name) => before.settings[name] !== this.#now[name]);
    const file = printable(dirs().settingsFile);
    if (changed.length > 0) {
      this.#warn(
        `${
          changed.join(" and ")
        } of ${file} changed since it was trusted, so what was trusted stands; ${HOW}`,
      );
    }
    const layer = changed.length > 0 ? withSettings(user, before.settings) : user;
    const scripts = this.#changedScripts();
    return { layer: withoutScripts(layer, scripts), pins: before, changed: scripts };
  }

  /** What isn't held back is told, once. */
  #tell(): void {
    const { settings } = this.#before;
    const names = [...new Set([...Object.keys(settings), ...Object.keys(this.#now)])]
      .filter((name) => !PINNED.includes(name) && settings[name] !== this.#now[name]);
    if (names.length === 0) return;
    this.#warn(`${printable(dirs().settingsFile)} has changed since the last start: ${names.join(", ")}`);
    save(this.#config, (before) => {
      const known = before ?? this.#before;
      return { ...known, settings: unpinned(this.#now, known) };
    }, this.#warn);
  }

  #changedScripts(): ReadonlySet<string> {
    const { scripts, scriptsMs } = this.#before;
    const started = Date.now();
    let hashed = false;
    const fresh: Record<string, FileRecord> = {};
    const changed = new Set(
      Object.keys(scripts).filter((path) => {
        if (path === claudeFile()) return false;
        const then = scripts[path]!;
        const now = recordOf(path, then, scriptsMs);
        hashed ||= now !== then;
        fresh[path] = now;
        return now.is !== then.is;
      }),
    );
    if (changed.size === 0) {
      const refreshed = { scripts: { ...scripts, ...fresh }, scriptsMs: started };
      if (hashed) save(this.#config, (known = this.#before) => ({ ...known, ...refreshed }), () => {});
      return changed;
    }
    this.#warn(
      `${
        [...changed].map(printable).join(", ")
      } changed since it was trusted, so hooks that run it are off; ${HOW}`,
    );
    return changed;
  }
}

function withoutScripts(layer: Layer | undefined, changed: ReadonlySet<string>): Layer | undefined {
  const hooks = layer?.values.get("hooks");
  if (!layer || !isRecord(hooks) || changed.size === 0) return layer;
  return { ...layer, values: new Map([...layer.values, ["hooks", withoutChanged(hooks, changed)]]) };
}

/** Settings that are held back when they change; the other watched ones are told of. */
export const PINNED: readonly string[] = ["hooks", "trust.pinUser"] satisfies SettingName[];

/** What is now, for the store; plugins come when they are looked at. */
export async function pinsOf(now: Watched): Promise<UserPins> {
  const hooks: unknown = now.hooks === undefined ? undefined : JSON.parse(now.hooks);
  const scriptsMs = Date.now();
  const claude = importsFrom(hooks, "claude") ? await readClaude() : undefined;
  const scripts: Record<string, FileRecord> = {};
  for (const path of [...scriptsOf(hooks), ...scriptsOf(claude?.hooks)]) put(scripts, path, recordOf(path));
  if (claude) scripts[claudeFile()] = { is: claude.is };
  return { at: new Date().toISOString(), settings: now, scripts, scriptsMs };
}

/** Scripts that hooks name, in the config folder or elsewhere at home. */
export function scriptsOf(hooks: unknown): string[] {
  const own = [realPath(dirs().config), dirs().config, host.home()];
  const isOwn = (path: string) => own.some((folder) => inside(folder, path));
  return [...new Set(hooksIn(hooks).flatMap(({ hook }) => namedBy(hook, undefined)).filter(isOwn))];
}

function recordOf(path: string, then?: FileRecord, checkedMs = 0): FileRecord {
  try {
    const info = infoOf(path);
    // What isn't a file of a script's size can't be told to have changed.
    if (!info) return then?.is === "absent" ? then : { is: "absent" };
    if (info.kind !== "file" || info.size > MOST_BYTES) {
      return then?.is === info.kind ? then : { is: info.kind };
    }
    const mark = markOf(info);
    if (then?.size !== undefined && isUnchanged(mark, then as FileMark, checkedMs)) return then;
    return { is: hashOf(path), ...mark };
  } catch (error) {
    return { is: messageOf(error) };
  }
}

/** The layer with what `settings` says of the pinned ones. */
function withSettings(layer: Layer | undefined, settings: Watched): Layer | undefined {
  const values = new Map(layer?.values);
  for (const name of PINNED as SettingName[]) {
    if (Object.hasOwn(settings, name)) values.set(name, JSON.parse(settings[name]!));
    else values.delete(name);
  }
  if (!layer && values.size === 0) return undefined;
  return { origin: layer?.origin ?? dirs().settingsFile, values };
}

/** What is now, but for what is held back. */
function unpinned(now: Watched, { settings }: UserPins): Watched {
  const isPinned = ([name]: [string, string]) => PINNED.includes(name);
  return Object.fromEntries([
    ...Object.entries(now).filter((one) => !isPinned(one)),
    ...Object.entries(settings).filter(isPinned),
  ]);
}

/** Where it can't be kept, the next start has nothing to hold against; it must go on all the same. */
function save(
  config: string,
  change: (before: UserPins | undefined) => UserPins,
  warn: (text: string) => void,
  texts?: Texts,
): void {
  try {
    pinUser(config, change, texts);
  } catch (error) {
    warn(`your own plugins and hooks can't be watched: ${messageOf(error)}`);
  }
}

/** After a change of the settings file that a person made through us: it needs no telling. */
export async function rememberSettings(): Promise<void> {
  const config = configFolder();
  const known = entryOf(readTrust().users, config);
  if (!known) return;
  const now = watchedIn(await fileLayer(dirs().settingsFile, () => {}));
  save(config, (before = known) => ({ ...before, settings: unpinned(now, before) }), () => {});
}

/** All files that count, with what they are. */
export function filesOf({ scripts, plugins = {} }: UserPins): (readonly [path: string, is: string])[] {
  const all = new Map(Object.entries(scripts).map(([path, { is }]) => [path, is]));
  for (const inputs of Object.values(plugins)) {
    for (const [path, sha256] of Object.entries(inputs)) all.set(path, sha256);
  }
  return [...all].sort(([a], [b]) => a < b ? -1 : 1);
}

const MOST_SHOWN = 64 * 1024;
const MOST_SHOWN_IN_ALL = 1024 * 1024;

/** Texts of these files, as far as there is room, and the hooks of the settings as a text of their own. */
export function textsOfUser(pins: UserPins): Texts {
  const texts: Record<string, string> = {};
  const { hooks } = pins.settings;
  if (hooks !== undefined) {
    texts[`${dirs().settingsFile} (hooks)`] = JSON.stringify(JSON.parse(hooks), null, 2);
  }
  let left = MOST_SHOWN_IN_ALL;
  for (const [path] of filesOf(pins)) {
    const text = path.includes("/node_modules/") ? undefined : textOf(path, Math.min(left, MOST_SHOWN));
    if (text === undefined) continue;
    left -= text.length;
    texts[path] = text;
  }
  return texts;
}

function textOf(path: string, most: number): string | undefined {
  try {
    const info = infoOf(path);
    const text = info?.kind === "file" && info.size <= most ? host.decode(readFile(path)) : undefined;
    return text?.includes("\0") ? undefined : text;
  } catch {
    // It is hashed; that it can't be shown is said where it matters.
    return undefined;
  }
}
