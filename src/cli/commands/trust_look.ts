/** What a project, or the user's own folder, brings: for `agent trust` to show, and to keep once it is trusted. */
import { dirs } from "../../core/dirs.ts";
import { isRecord } from "../../core/json.ts";
import { infoOf } from "../../core/local_read.ts";
import { inside, join, realPath } from "../../core/paths.ts";
import { host } from "../../core/runtime.ts";
import { fileLayer, type Layer, type SettingName, SETTINGS } from "../../core/settings.ts";
import { configFolder, watchedIn } from "../../core/trust.ts";
import { type Content, readContent } from "../../core/trust_content.ts";
import { commandOf, hooksIn, namedBy } from "../../core/trust_hooks.ts";
import { projectLayers } from "../../core/trust_project.ts";
import { entryOf, readTrust, type UserPins } from "../../core/trust_store.ts";
import { filesOf, pinsOf, textsOfUser } from "../../core/trust_user.ts";
import { knownOf, pinUser, type Texts, textsOf, trustProject } from "../../core/trust_write.ts";
import { type Bundle, BundleCache } from "../../mods/bundle.ts";
import { findClaudePlugins } from "../../mods/claude_plugins.ts";
import { type Declared, declaredUses } from "../../mods/declared_uses.ts";
import { findPlugins, type Found } from "../../mods/places.ts";
import { hashesIn } from "../../mods/trusted_plugins.ts";
import { briefly } from "../../mods/load.ts";

/** All that is shown. */
export interface Look {
  /** The folder it is about. */
  path: string;
  state: "new" | "changed" | "trusted";
  /** By name: a SHA-256, `-> TARGET` or `absent`. */
  files: readonly (readonly [name: string, is: string])[];
  hooks: readonly { event: string; runs: string; source: string }[];
  plugins: readonly ShownPlugin[];
  /** Other settings that have a say in what runs, as they stand in their files. */
  settings: readonly { name: string; value: unknown; source: string }[];
  servers: readonly string[];
  /** What it says and isn't heard in. */
  notes: readonly string[];
  texts: Texts;
  /** Those of the last time. */
  before: Texts;
  /** What its files were. */
  were: Readonly<Record<string, string>>;
  /** Trusts just this. */
  keep(): void;
}

export interface ShownPlugin {
  name: string;
  entry: string;
  uses: Declared;
  /** Modules of the runtime that it asks for. */
  imports: readonly string[];
  /** Why it wouldn't load. */
  fault?: string;
}

/** What the project in `root` brings. */
export async function lookAtProject(root: string): Promise<Look> {
  const first = readContent(root, { forPeople: true });
  const extras = new Set<string>();
  for (const { values } of await projectLayers(first, undefined, () => {})) {
    for (const { hook } of hooksIn(values.get("hooks"))) {
      for (const path of namedBy(hook, root)) if (isExtra(first, path)) extras.add(inside(root, path)!);
    }
  }
  const built = await buildAll(findPlugins([], noPlace(), first).filter(({ from }) => from === "project"));
  for (const { bundle } of built) {
    for (const { path } of bundle?.inputs ?? []) if (isExtra(first, path)) extras.add(inside(root, path)!);
  }
  const content = readContent(root, { forPeople: true, extras: [...extras].sort() });
  const notes: string[] = [];
  const user = await fileLayer(dirs().settingsFile, () => {});
  const layers = await projectLayers(content, user, (text) => notes.push(text));
  const trusted = entryOf(readTrust().projects, root);
  const texts = Object.fromEntries(content.shown);
  return {
    path: root,
    state: !trusted ? "new" : trusted.hash === content.hash ? "trusted" : "changed",
    files: [...content.files].map(([name, { is }]) => [name, is]),
    hooks: hooksOf(layers),
    plugins: await Promise.all(built.map((one) => shown(one, (path) => content.sha256Of(path)))),
    settings: layers.flatMap(othersOf),
    servers: serversOf(content.shown.get(".mcp.json")),
    notes,
    texts,
    before: trusted ? textsOf(root) : {},
    were: trusted ? filesBefore(root) : {},
    keep: () => trustProject(root, content.known(), [...extras].sort(), texts),
  };
}

function filesBefore(root: string): Record<string, string> {
  return Object.fromEntries(Object.entries(knownOf(root)?.files ?? {}).map(([name, { is }]) => [name, is]));
}

/** The user's own plugins and hooks. */
export async function lookAtUser(): Promise<Look> {
  const config = configFolder();
  const user = await fileLayer(dirs().settingsFile, () => {});
  const layers = user ? [user] : [];
  const built = await buildAll(findPlugins([], dirs().plugins));
  const pins: UserPins = { ...await pinsOf(watchedIn(user)), plugins: pluginsOf(built) };
  const before = entryOf(readTrust().users, config);
  const files = filesOf(pins);
  const texts = textsOfUser(pins);
  return {
    path: config,
    state: !before ? "new" : sameUser(before, pins) ? "trusted" : "changed",
    files,
    hooks: hooksOf(layers),
    plugins: await Promise.all(built.map((one) => shown(one))),
    settings: layers.flatMap(othersOf),
    servers: [],
    notes: [],
    texts,
    before: before ? textsOf(config) : {},
    were: before ? Object.fromEntries(filesOf(before)) : {},
    keep: () => pinUser(config, () => pins, texts),
  };
}

interface Built {
  found: Found;
  bundle?: Bundle;
  fault?: string;
}

/** Bundles tell which files a plugin is made of; nothing of it is run. */
async function buildAll(found: readonly Found[]): Promise<Built[]> {
  const cache = new BundleCache(dirs().cache, () => {});
  const built = await Promise.all(found.map(async (one): Promise<Built> => {
    try {
      return { found: one, bundle: await cache.bundle(one) };
    } catch (error) {
      return { found: one, fault: briefly(error) };
    }
  }));
  cache.save();
  return built;
}

async function shown(
  { found: { name, entry }, bundle, fault }: Built,
  trusted?: (path: string) => string | undefined,
): Promise<ShownPlugin> {
  const odd = trusted && bundle?.inputs.find(({ path, sha256 }) => trusted(path) !== sha256);
  const why = fault ?? (odd && `it uses ${odd.path}, which is outside of the project or just changed`);
  const uses = await declaredUses(entry, sourceOf(entry));
  return { name, entry, uses, imports: bundle?.builtins ?? [], ...(why !== undefined && { fault: why }) };
}

function sourceOf(path: string): string {
  try {
    return host.files.readText(path);
  } catch {
    return "";
  }
}

/** Files of the project that count though they stand outside of its own folder. */
function isExtra(content: Content, path: string): boolean {
  const name = inside(content.root, path);
  return name !== undefined && name !== "" && !name.startsWith(".git/") &&
    inside(content.folder, path) === undefined && infoOf(path)?.kind !== "directory" &&
    inside(content.root, realPath(path)) !== undefined;
}

/** The project's plugins alone are looked for. */
function noPlace(): string {
  return join(dirs().state, "trust", "none");
}

function hooksOf(layers: readonly Layer[]): Look["hooks"] {
  return layers.flatMap(({ origin, values }) =>
    hooksIn(values.get("hooks")).map(({ event, hook }) => ({ event, runs: commandOf(hook), source: origin }))
  );
}

function othersOf({ origin, values }: Layer): Look["settings"] {
  return ([...values] as [SettingName, unknown][])
    .filter(([name]) => name !== "hooks" && name in SETTINGS)
    .map(([name, value]) => ({ name, value, source: origin }));
}

function serversOf(text: string | undefined): string[] {
  try {
    const parsed: unknown = JSON.parse(text ?? "{}");
    const servers = isRecord(parsed) && isRecord(parsed.mcpServers) ? parsed.mcpServers : {};
    return Object.entries(servers).map(([name, server]) => {
      const { command, args, url } = isRecord(server) ? server : {};
      const runs = [command ?? url, ...Array.isArray(args) ? args : []].map(String).join(" ");
      return `${name}: ${runs}`;
    });
  } catch {
    return [];
  }
}

function pluginsOf(built: readonly Built[]): NonNullable<UserPins["plugins"]> {
  const ours = built.flatMap(({ found, bundle }) =>
    bundle
      ? [[found.entry, Object.fromEntries(bundle.inputs.map(({ path, sha256 }) => [path, sha256]))] as const]
      : []
  );
  const claude = findClaudePlugins([], dirs().plugins).map(({ root, file }) =>
    [file, hashesIn(root)] as const
  );
  return Object.fromEntries([...ours, ...claude]);
}

function sameUser(a: UserPins, b: UserPins): boolean {
  const parts = ({ settings, scripts, plugins = {} }: UserPins) => {
    const { hooks, "trust.pinUser": pinUser } = settings;
    return JSON.stringify([hooks, pinUser, filesOf({ ...a, scripts, plugins }), Object.keys(plugins).sort()]);
  };
  return parts(a) === parts(b);
}
