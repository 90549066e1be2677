/**
 * Where plugins are looked for: `--plugins` folders in the order given, then the user's. What is found is sorted
 * by name, so that order never depends on a file system. Small, because every start runs it.
 */
import { errorCode, fileError, messageOf, UsageError } from "../core/errors.ts";
import { basename, join } from "../core/paths.ts";
import { host } from "../core/runtime.ts";

/** A plugin that was found, not yet loaded. */
export interface Found {
  /** The file's name without its ending, or the folder's. */
  name: string;
  /** The file to load. */
  entry: string;
  /** Where it was found, for people. */
  place: string;
  /** `package.json` of a folder, which is an input of the bundle. */
  manifest?: string;
}

const FILE = /^(?!.*\.(?:test|d)\.)(.+)\.(?:ts|mts|js|mjs)$/;

/** All plugins of all places. A place that was named and can't be read is an error; the user's may be missing. */
export function findPlugins(named: readonly string[], user: string): Found[] {
  return [...named.flatMap((folder) => inPlace(folder, true)), ...inPlace(user, false)];
}

function inPlace(place: string, needed: boolean): Found[] {
  let names: string[];
  try {
    const itself = needed ? folderPlugin(place, place) : undefined;
    if (itself) return [itself];
    names = host.files.readDir(place).sort((a, b) => a < b ? -1 : a > b ? 1 : 0);
  } catch (error) {
    if (!needed && errorCode(error) === "ENOENT") return [];
    if (needed && errorCode(error) === "ENOTDIR") return [asFile(place)];
    throw new UsageError(messageOf(fileError("load plugins from", place, error)));
  }
  return names.flatMap((name) => {
    if (name.startsWith(".") || name === "node_modules") return [];
    const path = join(place, name);
    const file = FILE.exec(name);
    const found = file ? [{ name: file[1]!, entry: path, place }] : [];
    try {
      const { kind } = host.files.stat(path);
      if (kind === "directory") return folderPlugin(path, place) ?? [];
      // Not a pipe, which would be waited for without end.
      return kind === "file" ? found : [];
    } catch {
      // A link to nowhere: building it says so by name.
      return found;
    }
  });
}

function asFile(path: string): Found {
  const file = FILE.exec(basename(path));
  if (!file) throw new UsageError(`Cannot load plugins from "${path}": neither a folder nor a script`);
  return { name: file[1]!, entry: path, place: path };
}

/** A folder is a plugin when its `package.json` says so, or when it has an index file. */
function folderPlugin(folder: string, place: string): Found | undefined {
  const manifest = join(folder, "package.json");
  const name = basename(folder);
  let broken = false;
  try {
    const parsed = JSON.parse(host.files.readText(manifest)) as {
      agent?: { plugin?: unknown };
    };
    const plugin = parsed.agent?.plugin;
    if (typeof plugin === "string") return { name, entry: join(folder, plugin), place, manifest };
  } catch (error) {
    broken = error instanceof SyntaxError;
  }
  for (const index of ["index.ts", "index.js"]) {
    const entry = join(folder, index);
    try {
      if (host.files.stat(entry).kind === "file") return { name, entry, place };
    } catch {
      // Not this one.
    }
  }
  // A manifest that can't be read may have named a plugin: building it says what is wrong with it.
  return broken ? { name, entry: manifest, place } : undefined;
}
