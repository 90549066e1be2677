// Builds dist/: generated sources, then CommonJS files split so that a command loads only what it uses.
//
// esbuild splits ES modules only, and the ESM loader costs a quarter of a start, so the splitting is done here.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = path.dirname(import.meta.dirname);
const final = path.join(root, "dist");
/** Built aside, and put into place when it is whole. */
const dist = path.join(root, `dist.new-${process.pid}`);
/** Packages that stay packages: programs, native code, and a module that must be one. */
const OUTSIDE = ["@lydell/node-pty", "esbuild", "sharp", "unpdf"];
/** What is started as a process of its own: whole files, which share nothing with the others. */
const PROGRAMS = ["src/tools/read/pdf_child.ts", "src/shell/spawn_helper.ts"];

async function generate() {
  const script = path.join(root, "node_modules", ".cache", `agent-generate-${process.pid}.mjs`);
  await build({
    entryPoints: [path.join(root, "scripts/generate.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: OUTSIDE,
    outfile: script,
    logLevel: "warning",
  });
  const { generated } = await import(pathToFileURL(script).href);
  fs.rmSync(script);
  for (const [file, text] of Object.entries(generated(root))) {
    const target = path.join(root, file);
    if (fs.existsSync(target) && fs.readFileSync(target, "utf8") === text) continue;
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, text);
  }
}

/** What a single call loads is one file, `hot.cjs`; everything that is imported when used is a file of its own. */
async function bundle() {
  fs.mkdirSync(dist, { recursive: true });
  const entries = ["src/cli/run.ts", "src/cli/commands/exec.ts", "src/index.ts", "src/sdk.ts"];
  const hot = await staticallyReachable(entries);
  const lazy = new Map();

  const hotEntry = hot.map((file) => `export * as ${JSON.stringify(file)} from "./${file}";`).join("\n");
  await bundleFile(
    "hot",
    { stdin: { contents: hotEntry, resolveDir: root, loader: "ts" } },
    new Set(),
    hot,
    lazy,
  );
  const main = {
    entryPoints: ["src/main.ts"],
    banner: { js: "#!/usr/bin/env node" },
    // Its one `import` is what plugins that are modules are loaded with.
    supported: {},
    define: { AGENT_BUILD: JSON.stringify(stamp.slice(0, 24)) },
  };
  await bundleFile("main", main, new Set(), hot, lazy);
  fs.chmodSync(path.join(dist, "main.cjs"), 0o755);

  const done = new Set();
  for (let next; (next = [...lazy].find(([name]) => !done.has(name)));) {
    const [name, target] = next;
    done.add(name);
    await bundleFile(name, { entryPoints: [target] }, new Set(hot), hot, lazy);
  }
  for (const file of PROGRAMS) {
    await bundleFile(lazyName(file), { entryPoints: [path.join(root, file)] }, new Set(), hot, lazy);
  }
  for (const name of ["index", "sdk"]) await reexport(name);
}

/** Files of ours that a start of these entries loads whatever happens. */
async function staticallyReachable(entries) {
  const { metafile } = await build({
    ...common,
    entryPoints: entries,
    outdir: dist,
    write: false,
    metafile: true,
    plugins: [{
      name: "static-only",
      setup: (build) =>
        build.onResolve(
          { filter: /.*/ },
          ({ kind, path }) => kind === "dynamic-import" ? { path, external: true } : undefined,
        ),
    }],
  });
  return Object.keys(metafile.inputs).filter((file) => file.startsWith("src/")).sort();
}

/** One CommonJS file. Modules in `shared` come from `hot.cjs`; what is imported when used comes from `lazy` files. */
async function bundleFile(name, options, shared, hot, lazy) {
  const plugin = {
    name: "split",
    setup(build) {
      build.onResolve({ filter: /.*/ }, async ({ path: id, kind, importer, resolveDir, pluginData }) => {
        // Resolved here like all others: else esbuild takes a default export from it for the whole of a CommonJS file.
        if (kind === "entry-point" && path.isAbsolute(id)) return { path: id };
        if (pluginData === "resolved" || kind === "entry-point" || id.startsWith("node:")) return undefined;
        if (OUTSIDE.includes(id) || id.endsWith(".cjs")) return { path: id, external: true };
        const found = await build.resolve(id, { kind, importer, resolveDir, pluginData: "resolved" });
        const file = path.relative(root, found.path);
        const always = id === "zod" && name !== "zod";
        if (kind !== "dynamic-import" && !shared.has(file) && !always) return found;
        if (hot.includes(file)) return { path: file, namespace: "hot" };
        const target = lazyName(file);
        lazy.set(target, found.path);
        return { path: target, namespace: "lazy" };
      });
      build.onLoad({ filter: /.*/, namespace: "hot" }, ({ path }) => ({
        // The first file loads the hot one through the code cache; the others find it loaded.
        contents: name === "main"
          ? `const { loadCached } = require("./src/code_cache.ts");
             const build = { folder: __dirname, id: AGENT_BUILD };
             module.exports = loadCached("hot.cjs", build)[${JSON.stringify(path)}];`
          : `module.exports = require("./hot.cjs")[${JSON.stringify(path)}];`,
        resolveDir: root,
      }));
      build.onLoad({ filter: /.*/, namespace: "lazy" }, ({ path }) => ({
        contents: `module.exports = require("./${path}.cjs");`,
        resolveDir: root,
      }));
    },
  };
  await build({
    ...common,
    ...options,
    outfile: path.join(dist, `${name}.cjs`),
    plugins: [englishOnly, plugin],
  });
}

/** `src/cli/commands/log_list.ts` → `cli-commands-log_list`; a package's file → the package's name. */
function lazyName(file) {
  const inPackage = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file);
  const name = inPackage ? inPackage[1] : file.replace(/^src\//, "").replace(/\.ts$/, "");
  return name.replace(/[^\w.-]/g, "-");
}

/** Names are written out one by one: that is how Node finds them for `import`. */
async function reexport(name) {
  const key = `src/${name}.ts`;
  const hot = createRequire(import.meta.url)(path.join(dist, "hot.cjs"));
  const lines = Object.keys(hot[key]).map((one) => `exports.${one} = source.${one};`);
  const code = [`const source = require("./hot.cjs")[${JSON.stringify(key)}];`, ...lines, ""].join("\n");
  fs.writeFileSync(path.join(dist, `${name}.cjs`), code);
}

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  format: "cjs",
  // What is imported when used is required then: a script from the code cache has no importer of its own.
  supported: { "dynamic-import": false },
  define: { "import.meta.filename": "__filename" },
  target: "node20",
  mainFields: ["module", "main"],
  // Short names make the code cache smaller, which is most of a start. Lines are broken, so that the stack of an
  // uncaught error doesn't print the whole file.
  minify: true,
  lineLimit: 120,
  legalComments: "none",
  logLevel: "warning",
};

/** zod brings the messages of forty languages; half of its loading time is theirs. */
const englishOnly = {
  name: "english-only",
  setup(build) {
    build.onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
      loader: "js",
    }));
  },
};

/** A fault in types is said and stops nothing: the JavaScript is whole without them. */
function declarations() {
  const tsc = path.join(root, "node_modules", "typescript", "bin", "tsc");
  // A consumer that installs without development dependencies has the types of the package it got.
  if (!fs.existsSync(tsc)) return;
  const flags = ["-p", path.join(root, "tsconfig.build.json"), "--outDir", path.join(dist, "types")];
  const { status } = spawnSync(process.execPath, [tsc, ...flags], { stdio: ["ignore", 2, 2] });
  if (status !== 0) console.error("warning: the declarations in dist/types have faults; see above");
}

/** What the build depends on; the stamp of the last one says whether there is anything to do. */
function inputsHash() {
  const hash = createHash("sha256");
  const files = [
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "tsconfig.build.json",
    "scripts/build.mjs",
    "scripts/generate.ts",
    "scripts/settings.md",
  ];
  for (const file of fs.readdirSync(path.join(root, "src"), { recursive: true }).sort()) {
    files.push(path.join("src", file));
  }
  for (const file of files) {
    const full = path.join(root, file);
    if (fs.statSync(full, { throwIfNoEntry: false })?.isFile()) {
      hash.update(`${file}\0`).update(fs.readFileSync(full)).update("\0");
    }
  }
  return hash.digest("hex");
}

await generate();
const stamp = inputsHash();
const stampFile = path.join(final, ".stamp");
if (!fs.existsSync(stampFile) || fs.readFileSync(stampFile, "utf8") !== stamp) {
  try {
    await bundle();
    declarations();
    fs.writeFileSync(path.join(dist, ".stamp"), stamp);
    putIntoPlace();
  } finally {
    fs.rmSync(dist, { recursive: true, force: true });
  }
}

/** At once: whoever runs the old build meanwhile keeps it whole. */
function putIntoPlace() {
  const old = `${final}.old-${process.pid}`;
  if (fs.existsSync(final)) fs.renameSync(final, old);
  fs.renameSync(dist, final);
  fs.rmSync(old, { recursive: true, force: true });
}
