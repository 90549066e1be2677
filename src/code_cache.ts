/**
 * Loads a file of the build through V8's code cache, which saves a third of a cold start on Node. Part of the built
 * `main.cjs` only. The cache is named by the build's content hash, since V8 itself compares no more than lengths;
 * a cache that is missing, stale or unwritable costs time and nothing else.
 */
import { dirs } from "./core/dirs.ts";
import { dirname, join, makeFolder } from "./core/paths.ts";
import { host } from "./core/runtime.ts";

interface LoadedModule {
  exports: unknown;
  filename: string;
  loaded: boolean;
  paths: string[];
  require(id: string): unknown;
}

/** The exports of `file`, which stands beside the running script. `build` is the file's content hash. */
export function loadCached(file: string, build: string, parent: NodeModule): unknown {
  const { Script } = host.builtin<typeof import("node:vm")>("node:vm");
  const Module = host.builtin<
    { new (id: string, parent: unknown): LoadedModule; _cache: Record<string, unknown> }
  >(
    "node:module",
  );
  const { v8 } = globalThis.process.versions;
  const cacheFile = join(dirs().cache, "code", `${build}-${v8}-${globalThis.process.arch}.bin`);
  const source = new TextDecoder().decode(host.files.read(file));
  const cachedData = readCache(cacheFile);
  const script = new Script(`(function(exports,require,module,__filename,__dirname){${source}\n})`, {
    filename: file,
    cachedData: cachedData as Buffer,
  });
  const module = new Module(file, parent);
  module.filename = file;
  module.paths = parent.paths;
  // Other files of the build ask for this one by `require`.
  Module._cache[file] = module;
  const run = script.runInThisContext();
  run(module.exports, (id: string) => module.require(id), module, file, dirname(file));
  module.loaded = true;
  if (!cachedData || script.cachedDataRejected) {
    // At the end, so that what this run compiled is in it.
    globalThis.process.once("exit", () => writeCache(cacheFile, () => script.createCachedData()));
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

function writeCache(path: string, data: () => Uint8Array): void {
  const folder = dirname(path);
  try {
    makeFolder(folder, 0o700);
    for (const old of host.files.readDir(folder)) host.files.remove(join(folder, old));
    const temporary = `${path}.${host.pid}.tmp`;
    const file = host.files.open(temporary, "w", 0o600);
    file.write(data());
    file.close();
    host.files.rename(temporary, path);
  } catch {
    // The next start compiles again.
  }
}
