/**
 * Where plugins are looked for: `--plugins` folders in the order given, then the user's, then the project's once it is
 * trusted. What is found is sorted by name, so that order never depends on a file system. Small, because every start runs
 * it.
 */
import { errorCode, fileError, messageOf, UsageError } from "../core/errors.ts";
import { basename, join } from "../core/paths.ts";
import { PROJECT_FOLDER } from "../core/project.ts";
import { type FileKind, host } from "../core/runtime.ts";
import type { Content } from "../core/trust_content.ts";

/** A plugin that was found, not yet loaded. */
export interface Found {
  /** The file's name without its ending, or the folder's. */
  name: string;
  /** The file to load. */
  entry: string;
  /** Where it was found, for people. */
  place: string;
  /** Whose place that is. */
  from: "named" | "user" | "project";
  /** `package.json` of a folder, which is an input of the bundle. */
  manifest?: string;
}

/** The name of a file that is a plugin where it stands in a place; its group is the plugin's. */
export const FILE = /^(?!.*\.(?:test|d)\.)(.+)\.(?:ts|mts|js|mjs)$/;

/** What a place looks like: the disk, or the files of a project as they were trusted. */
interface View {
  readDir(path: string): string[];
  kind(path: string): FileKind;
  readText(path: string): string;
  /** The path that a link in a place stands for. */
  real(path: string): string;
}

const ON_DISK: View = {
  readDir: (path) => host.files.readDir(path),
  kind: (path) => host.files.stat(path).kind,
  readText: (path) => host.files.readText(path),
  real: (path) => path,
};

/** All plugins of all places. A place that was named and can't be read is an error; the user's may be missing. */
export function findPlugins(named: readonly string[], user?: string, project?: Content): Found[] {
  return [
    ...named.flatMap((folder) => inPlace(folder, "named", ON_DISK)),
    ...user === undefined ? [] : inPlace(user, "user", ON_DISK),
    ...project ? inPlace(pluginsOf(project), "project", viewOf(project)) : [],
  ];
}

function pluginsOf(content: Content): string {
  return content.pathOf(content.follow(join(PROJECT_FOLDER, "plugins")));
}

/** Nothing is asked of the disk: what stands there may have changed since the files were held against their hashes. */
function viewOf(content: Content): View {
  const name = (path: string) => content.nameOf(path) ?? "";
  return {
    readDir: (path) => content.namesIn(name(path)),
    kind: (path) => content.files.has(name(path)) ? "file" : "directory",
    readText: (path) => content.textOf(name(path)),
    real: (path) => content.pathOf(content.follow(name(path))),
  };
}

function inPlace(place: string, from: Found["from"], view: View): Found[] {
  const needed = from === "named";
  let names: string[];
  try {
    const itself = needed ? folderPlugin(place, place, from, view) : undefined;
    if (itself) return [itself];
    names = view.readDir(place).sort((a, b) => a < b ? -1 : a > b ? 1 : 0);
    // One of Claude Code's: of it only its hooks are used, and its scripts are no plugins.
    if (needed && names.some((name) => name === ".claude-plugin" || name === "hooks" && hasHooks(place))) {
      return [];
    }
  } catch (error) {
    if (!needed && errorCode(error) === "ENOENT") return [];
    if (needed && errorCode(error) === "ENOTDIR") return [asFile(place)];
    throw new UsageError(messageOf(fileError("load plugins from", place, error)));
  }
  return names.flatMap((name) => {
    if (name.startsWith(".") || name === "node_modules") return [];
    const path = view.real(join(place, name));
    const file = FILE.exec(name);
    const found = file ? [{ name: file[1]!, entry: path, place, from }] : [];
    try {
      const kind = view.kind(path);
      if (kind === "directory") return folderPlugin(path, place, from, view) ?? [];
      // Not a pipe, which would be waited for without end.
      return kind === "file" ? found : [];
    } catch {
      // A link to nowhere: building it says so by name.
      return found;
    }
  });
}

function hasHooks(place: string): boolean {
  return host.files.exists(join(place, "hooks/hooks.json"));
}

function asFile(path: string): Found {
  const file = FILE.exec(basename(path));
  if (!file) throw new UsageError(`Cannot load plugins from "${path}": neither a folder nor a script`);
  return { name: file[1]!, entry: path, place: path, from: "named" };
}

/** A folder is a plugin when its `package.json` says so, or when it has an index file. */
function folderPlugin(folder: string, place: string, from: Found["from"], view: View): Found | undefined {
  const manifest = join(folder, "package.json");
  const name = basename(folder);
  let broken = false;
  try {
    const parsed = JSON.parse(view.readText(manifest)) as {
      agent?: { plugin?: unknown };
    };
    const plugin = parsed.agent?.plugin;
    if (typeof plugin === "string") return { name, entry: join(folder, plugin), place, from, manifest };
  } catch (error) {
    broken = error instanceof SyntaxError;
  }
  for (const index of ["index.ts", "index.js"]) {
    const entry = join(folder, index);
    try {
      if (view.kind(entry) === "file") return { name, entry, place, from };
    } catch {
      // Not this one.
    }
  }
  // A manifest that can't be read may have named a plugin: building it says what is wrong with it.
  return broken ? { name, entry: manifest, place, from } : undefined;
}
