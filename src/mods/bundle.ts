/**
 * Plugins as one script each, built by esbuild and kept in the cache under the script's hash. A plugin that is there
 * costs a few `stat`s and a hash at start, and no esbuild.
 *
 * Trust judges a plugin's sources, so the script must be what these became: which script that is stands beside what is
 * trusted, and not in the cache, and the bytes that are run are the bytes that were hashed. Anything else is built anew.
 *
 * The bundle is CommonJS run with a `require` of ours, which answers `agent` and `zod` with the host's own: the
 * same bytes on both runtimes, one instance. A plugin with top-level await becomes a module instead.
 */
import { dirs } from "../core/dirs.ts";
import { fileError, messageOf, notAFile } from "../core/errors.ts";
import { type FileMark, isUnchanged, markOf } from "../core/file_mark.ts";
import { sha256 } from "../core/hash.ts";
import { put } from "../core/json.ts";
import { basename, dirname, fileUrl, join, makeFolder } from "../core/paths.ts";
import { host } from "../core/runtime.ts";
import { writeWhole } from "../core/write_whole.ts";
import { declaredIn, type DeclaredPlugin } from "./declared_uses.ts";
import type { Found } from "./places.ts";
import { HOST_SYMBOL } from "./run_bundle.ts";

/** Changes whenever bundles of an older build must not be used. */
const FORMAT = 4;

/** An input with what `stat` said of it when its content was last looked at. */
export interface Input extends FileMark {
  path: string;
  /** Of the bytes that were bundled. */
  sha256: string;
}

export interface Bundle {
  format: "cjs" | "esm";
  /** The script itself. */
  code: string;
  /** Modules of the host's that must be loaded before it runs. */
  needs: readonly string[];
  /** Every file that is in it. */
  inputs: readonly Input[];
  /** Modules of the runtime that it asks for. */
  builtins: readonly string[];
  /** What its source says of itself, read without running it. */
  declared: DeclaredPlugin;
}

interface CacheEntry extends Omit<Bundle, "code"> {
  /** The script in the cache, and the SHA-256 that it must have. */
  file: string;
  sha256: string;
  /** When the inputs were last hashed. */
  checkedMs: number;
}

/** Of one file that is bundled. */
const MOST_BYTES = 32 * 1024 * 1024;

const DAY_MS = 24 * 60 * 60 * 1000;

export class BundleCache {
  readonly #folder: string;
  readonly #indexFile: string;
  readonly #warn: (text: string) => void;
  #entries: Record<string, CacheEntry> | undefined;
  #changed = false;
  #unwritable = false;

  constructor(cache: string, warn: (text: string) => void) {
    this.#folder = join(cache, "plugins");
    this.#indexFile = join(dirname(dirs().trust), "trust", `bundles-${FORMAT}.json`);
    this.#warn = warn;
  }

  /** The plugin's bundle, built if need be. Throws esbuild's message where it can't be built. */
  async bundle(found: Found): Promise<Bundle> {
    const entries = this.#load();
    const cached = Object.hasOwn(entries, found.entry) ? entries[found.entry] : undefined;
    const kept = cached && this.#isFresh(cached) ? await scriptOf(cached) : undefined;
    if (kept !== undefined) return { ...cached!, code: kept };
    const { code, ...built } = await build(found, this.#folder);
    try {
      save(built.file, code);
    } catch (error) {
      this.#sayUnwritable(error);
      return { ...built, code };
    }
    put(entries, found.entry, built);
    this.#changed = true;
    return { ...built, code };
  }

  #sayUnwritable(error: unknown): void {
    if (this.#unwritable) return;
    this.#unwritable = true;
    const why = messageOf(fileError("write", this.#folder, error));
    this.#warn(`plugins are built anew at each start: ${why}`);
  }

  /** Writes the index if something changed. A cache that can't be written costs time, nothing else. */
  save(): void {
    if (!this.#changed) return;
    this.#changed = false;
    try {
      this.#forgetGone();
      save(this.#indexFile, JSON.stringify(this.#entries));
    } catch {
      // The next start builds again.
    }
  }

  /** Plugins that are gone leave the index, and bundles that nothing names any more the folder, a day later. */
  #forgetGone(): void {
    const entries = this.#load();
    for (const path of Object.keys(entries)) if (!isThere(path)) delete entries[path];
    const named = new Set(Object.values(entries).map(({ file }) => file));
    for (const name of host.files.readDir(this.#folder)) {
      const path = join(this.#folder, name);
      if (named.has(path) || !/^[0-9a-f]{32}\.[cm]js$/.test(name)) continue;
      // Another start may just have written it, and not its index yet.
      if (Date.now() - host.files.stat(path).mtimeMs > DAY_MS) host.files.remove(path);
    }
  }

  #load(): Record<string, CacheEntry> {
    if (this.#entries) return this.#entries;
    try {
      this.#entries = checkIndex(JSON.parse(host.files.readText(this.#indexFile)));
    } catch {
      // None yet, or one that is broken.
    }
    return this.#entries ??= {};
  }

  /** Do all inputs stand as they were? Contents are hashed only where `stat` leaves a doubt. */
  #isFresh(entry: CacheEntry): boolean {
    let hashed = false;
    for (const input of entry.inputs) {
      let now;
      try {
        now = host.files.stat(input.path);
      } catch {
        return false;
      }
      if (isUnchanged(now, input, entry.checkedMs)) continue;
      if (sha256(host.files.read(input.path)) !== input.sha256) return false;
      Object.assign(input, markOf(now));
      hashed = true;
    }
    if (hashed) {
      entry.checkedMs = Date.now();
      this.#changed = true;
    }
    return true;
  }
}

/** Nothing of an index is taken where any of it is not what `save` writes. */
function checkIndex(index: Record<string, CacheEntry>): Record<string, CacheEntry> {
  for (const { inputs, needs, file, sha256, builtins } of Object.values(index)) {
    const isSound = Array.isArray(inputs) && Array.isArray(needs) && Array.isArray(builtins) &&
      typeof file === "string" && typeof sha256 === "string";
    if (!isSound) throw new TypeError();
  }
  return { ...index };
}

/** The script that was built of the inputs; `undefined` where the cache holds another, or none. */
async function scriptOf({ file, sha256 }: CacheEntry): Promise<string | undefined> {
  let bytes;
  try {
    bytes = host.files.read(file);
  } catch {
    return undefined;
  }
  return await host.sha256(bytes) === sha256 ? host.decode(bytes) : undefined;
}

function isThere(path: string): boolean {
  try {
    return host.files.stat(path).kind === "file";
  } catch {
    return false;
  }
}

async function build(found: Found, folder: string): Promise<CacheEntry & { code: string }> {
  const checkedMs = Date.now();
  let format: Bundle["format"] = "cjs";
  let result;
  try {
    result = await runEsbuild(found.entry, format);
  } catch (error) {
    if (!messageOf(error).includes("Top-level await")) throw error;
    format = "esm";
    result = await runEsbuild(found.entry, format);
  }
  const { code, inputs, needs, builtins, source } = result;
  if (found.manifest) inputs.push(inputOf(found.manifest).input);
  const declared = await declaredIn(found.entry, source);
  const hash = sha256(code);
  const file = join(folder, `${hash.slice(0, 32)}.${format === "cjs" ? "cjs" : "mjs"}`);
  return { format, file, sha256: hash, needs, inputs, builtins, declared, checkedMs, code };
}

/** What `stat` says comes before the bytes: a change in between shows at the next start. */
function inputOf(path: string): { input: Input; bytes: Uint8Array } {
  const info = host.files.stat(path);
  if (info.kind !== "file") throw notAFile("bundle", path, info);
  if (info.size > MOST_BYTES) throw new Error(`${path} is larger than ${MOST_BYTES / 1024 / 1024} MB`);
  const mark = markOf(info);
  const bytes = host.files.read(path);
  return { input: { path, ...mark, sha256: sha256(bytes) }, bytes };
}

async function runEsbuild(entry: string, format: Bundle["format"]) {
  const esbuild = await import("esbuild");
  const needs = new Set<string>();
  const inputs = new Map<string, Input>();
  let source: string | undefined;
  const result = await esbuild.build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    target: "node20",
    format,
    // A script has no importer: what it imports when used is required then.
    ...(format === "cjs" && { supported: { "dynamic-import": false } }),
    logLevel: "silent",
    // Files above a plugin have no say in what it becomes: not in how it is read, nor in what of it may be left out.
    tsconfigRaw: {},
    ignoreAnnotations: true,
    absWorkingDir: dirname(entry),
    loader: { ".txt": "text", ".md": "text" },
    define: {
      // A plugin must not end the host or write among its results, so it gets its own of these.
      process: "__agentProcess",
      "globalThis.process": "__agentProcess",
      console: "__agentConsole",
      "globalThis.console": "__agentConsole",
      "Deno.exit": "__agentProcess.exit",
      // A bundle is run from the cache, or from memory; what it asks for is where its source is.
      "import.meta.url": JSON.stringify(fileUrl(entry)),
      "import.meta.filename": JSON.stringify(entry),
      "import.meta.dirname": JSON.stringify(dirname(entry)),
      __filename: JSON.stringify(entry),
      __dirname: JSON.stringify(dirname(entry)),
    },
    ...(format === "esm" && { banner: { js: moduleBanner(entry) } }),
    plugins: [{
      name: "host-modules",
      setup(build) {
        const fromHost = (path: string) =>
          format === "cjs" ? { path, external: true } : { path, namespace: "host" };
        build.onResolve({ filter: /^(agent|agent-runtime\/sdk|zod|zod\/v4)$/ }, ({ path }) => {
          const name = path.startsWith("agent") ? "agent" : "zod";
          needs.add(name);
          return fromHost(name);
        });
        build.onResolve(
          { filter: /^(node:)?(process|console)$/ },
          ({ path }) => fromHost(`node:${path.replace("node:", "")}`),
        );
        // What is hashed is what is bundled: esbuild never opens the file itself.
        build.onLoad({ filter: /.*/, namespace: "file" }, ({ path }) => {
          let read;
          try {
            read = inputOf(path);
          } catch (error) {
            // Thrown, it would name a place in our own code.
            return { errors: [{ text: messageOf(error) }] };
          }
          const { input, bytes } = read;
          inputs.set(path, input);
          // The entry comes first, by the name that its links lead to.
          source ??= new TextDecoder().decode(bytes);
          return { contents: bytes, loader: "default" };
        });
        build.onLoad({ filter: /.*/, namespace: "host" }, ({ path }) => ({
          contents: `module.exports = __agentRequire(${JSON.stringify(path)});`,
        }));
      },
    }],
  });
  const folder = dirname(entry);
  const used = Object.keys(result.metafile.inputs).filter((path) => !path.startsWith("host:"))
    .map((path) => join(folder, path));
  const builtins = Object.values(result.metafile.inputs).flatMap(({ imports }) => imports)
    .filter(({ external, path }) => external && !needs.has(path)).map(({ path }) => path);
  const deciding = manifestsOf(result.metafile.inputs, folder).filter((path) => !used.includes(path));
  const bundled = [...used, ...deciding].map((path) => inputs.get(path) ?? inputOf(path).input);
  return {
    code: result.outputFiles[0]!.text,
    inputs: bundled,
    needs: [...needs],
    builtins: [...new Set(builtins)].sort(),
    source: source ?? "",
  };
}

type Imports = Readonly<
  Record<string, { imports: readonly { path: string; original?: string; external?: boolean }[] }>
>;

/** The manifests that decided which file an import means: a package's own, or that of who imports by `#name`. */
function manifestsOf(files: Imports, folder: string): string[] {
  const found = new Set<string>();
  const nearest = (from: string): void => {
    for (let at = dirname(from);; at = dirname(at)) {
      const manifest = join(at, "package.json");
      if (isThere(manifest)) return void found.add(manifest);
      if (dirname(at) === at) return;
    }
  };
  for (const [importer, { imports }] of Object.entries(files)) {
    for (const { path, original, external } of imports) {
      if (original === undefined || external || path.startsWith("host:")) continue;
      if (original.startsWith("#")) nearest(join(folder, importer));
      // A package's name, or a folder.
      else if (!/^[./]/.test(original) || !basename(path).startsWith(basename(original))) {
        nearest(join(folder, path));
      }
    }
  }
  return [...found].sort();
}

/** A script is handed these as parameters; a module has to fetch them. */
function moduleBanner(entry: string): string {
  return [
    `const __agentRequire = globalThis[Symbol.for("${HOST_SYMBOL}")].get(${JSON.stringify(entry)});`,
    `const require = __agentRequire, __agentProcess = __agentRequire("node:process");`,
    `const __agentConsole = __agentRequire("node:console");`,
  ].join("\n");
}

/** Two starts at once never read half a file. */
function save(path: string, text: string): void {
  makeFolder(dirname(path), 0o700);
  writeWhole(path, new TextEncoder().encode(text), { mode: 0o600 });
}
