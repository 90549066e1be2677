/**
 * Loads a file of the build through V8's code cache, which saves a third of a cold start on Node. Part of the built
 * `main.cjs` only. The cache is named by the build's content hash, since V8 itself compares no more than lengths;
 * a cache that is missing, stale or unwritable costs time and nothing else.
 */
import { dirs } from "./core/dirs.ts";
import { dirname, join, makeFolder } from "./core/paths.ts";
import { host } from "./core/runtime.ts";
import { writeWhole } from "./core/write_whole.ts";

interface ModuleConstructor {
  new (id: string): LoadedModule;
  createRequire(file: string): (id: string) => unknown;
  _cache: Record<string, LoadedModule>;
}

interface LoadedModule {
  exports: unknown;
  filename: string;
  loaded: boolean;
}

/** How the files of a build are loaded: where they stand, and the content hash that names their caches. */
export interface Build {
  folder: string;
  id: string;
  /** Node's own, which the first file has from its `require`: asking for `node:module` costs half a millisecond. */
  Module: ModuleConstructor;
  /** Caches to be written at the end. */
  unsaved?: (() => void)[];
}

/**
 * The exports of a file of the build. Files that it requires are loaded the same way. What one command compiles is
 * of little use to another, so the usual one has caches of its own.
 */
export function loadCached(name: string, build: Build): unknown {
  const file = join(build.folder, name);
  const { Script } = host.builtin<typeof import("node:vm")>("node:vm");
  const { Module } = build;
  const loaded = Module._cache[file];
  if (loaded) return loaded.exports;
  const process = globalThis.process;
  const use = host.args()[0] === "exec" ? "exec" : "other";
  const v8 = `${process.versions.v8}-${process.arch}`;
  const cacheFile = join(dirs().cache, "code", `${build.id}-${v8}-${use}-${name}.bin`);
  const source = host.files.readText(file);
  const cachedData = readCache(cacheFile);
  // Its value is a function like those that Node puts around modules (scripts/build.mjs).
  const script = new Script(source, { filename: file, cachedData: cachedData as Buffer });
  const module = new Module(file);
  module.filename = file;
  Module._cache[file] = module;
  const require = (id: string) =>
    id.startsWith("./") ? loadCached(id.slice(2), build) : Module.createRequire(file)(id);
  // A script from the code cache can't `import`, so it gets this file's.
  const importModule = (url: string) => import(url);
  script.runInThisContext()(module.exports, require, module, file, build.folder, importModule);
  module.loaded = true;
  if (!cachedData || script.cachedDataRejected) {
    // At the end, so that what this run compiled is in it; by one listener, since Node warns of more than ten.
    if (!build.unsaved) {
      const unsaved: (() => void)[] = build.unsaved = [];
      process.once("exit", () => unsaved.forEach((save) => save()));
    }
    build.unsaved.push(() => writeCache(cacheFile, build.id, () => script.createCachedData()));
  }
  return module.exports;
}

function readCache(path: string): Uint8Array | undefined {
  try {
    return host.files.read(path);
  } catch {
    return undefined;
  }
}

/**
 * Caches of other builds are of no use any more, and go; those of another Node stay. What an interrupted write left
 * behind is named for no build, and goes as well.
 */
function writeCache(path: string, build: string, data: () => Uint8Array): void {
  const folder = dirname(path);
  try {
    makeFolder(folder, 0o700);
    for (const name of host.files.readDir(folder)) {
      if (!name.startsWith(build)) host.files.remove(join(folder, name));
    }
    writeWhole(path, data(), { mode: 0o600 });
  } catch {
    // The next start compiles again.
  }
}
