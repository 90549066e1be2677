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
import picomatch from "picomatch";

const root = path.dirname(import.meta.dirname);
const final = path.join(root, "dist");
/** Built aside, and put into place when it is whole. */
const dist = path.join(root, `dist.new-${process.pid}`);
/** Packages that stay packages: programs, native code, and a module that must be one. */
const OUTSIDE = ["@lydell/node-pty", "esbuild", "ripgrep", "sharp", "unpdf"];
/**
 * What a Read doesn't use stands in files that are loaded when one of their exports is first used, so that a start
 * doesn't pay for them. The sources import them like any other module: tests/scripts/build.test.ts says which files a
 * command loads. A module whose code runs when it is imported (a tool's, a face's) is none for this list.
 */
const WHEN_USED = {
  deno: ["src/core/runtime_deno.ts"],
  usage: ["src/cli/commands.ts", "src/cli/declared/!(exec|flags).ts"],
  reading: [
    "src/core/{base64,image_check,look_alike}.ts",
    "src/tools/read/indentation.ts",
    "src/tools/read_many/*.ts",
  ],
  schemas: ["src/core/{publish_schema,stream}.ts"],
  text: ["src/core/{codec,detect_encoding,file_text,text_stream}.ts"],
  redaction: ["src/core/redact_!(json).ts"],
  commands: [
    "src/shell/{batch,child,collected_text,collector,command_line,endless_line,line_search,lines}.ts",
    "src/shell/{open_line,plain_text,process,session,spawn,spill,terminal_text,utf8}.ts",
    "src/tools/patch/heredoc.ts",
    "src/tools/shell/{folder,start,withheld}.ts",
  ],
  writing: [
    "src/core/{by_rename,change_plan,commit,in_place,open_entry,snapshot,undo,write_whole}.ts",
    "src/tools/edit/*.ts",
    "src/tools/{edit_miss,writing}.ts",
    "src/tools/patch/{apply,lines,parse,plan,seek}.ts",
  ],
};
/** What is started as a process of its own: whole files, which share nothing with the others. */
const PROGRAMS = [
  "src/tools/read/pdf_child.ts",
  "src/tools/search/portable_child.ts",
  "src/shell/spawn_helper.ts",
  "src/mods/isolation_child.ts",
];

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

/**
 * What a single call loads is one file, `hot.cjs`; beside it stand the groups of `WHEN_USED`, and a file for each
 * module that the sources import when it is used.
 */
async function bundle() {
  fs.mkdirSync(dist, { recursive: true });
  const entries = ["src/cli/run.ts", "src/cli/commands/exec.ts", "src/index.ts", "src/sdk.ts"];
  const parts = new Parts(await staticallyReachable(entries));
  const main = {
    entryPoints: ["src/main.ts"],
    banner: { js: "#!/usr/bin/env node" },
    // Its one `import` is what plugins that are modules are loaded with.
    supported: {},
    define: { AGENT_BUILD: JSON.stringify(stamp.slice(0, 24)) },
  };
  await bundleFile("main", main, parts);
  fs.chmodSync(path.join(dist, "main.cjs"), 0o755);
  // Bundled whole for what it imports when used.
  await bundleFile("hot", await together(parts.modulesOf("hot")), parts);
  for (const name of Object.keys(WHEN_USED)) {
    await bundleFile(name, await together(parts.modulesOf(name)), parts);
  }
  for (const [name, file] of parts.imported) await bundleFile(name, { entryPoints: [file] }, parts);
  for (const file of PROGRAMS) {
    await bundleFile(lazyName(file), { entryPoints: [path.join(root, file)] }, new Parts([]));
  }
  // Only what another file asks for has a name in the hot one: each name costs a start a little.
  for (const name of ["index", "sdk"]) parts.asked.add(`src/${name}.ts`);
  await bundleFile("hot", await together([...parts.asked].sort()), parts);
  for (const name of ["index", "sdk"]) await reexport(name);
}

/** An entry that has these modules, each under its own path, made when it is asked for. */
async function together(files) {
  const imports = [], modules = [];
  for (const [index, file] of files.entries()) {
    imports.push(`import * as m${index} from "./${file}";`);
    const names = await exportsOf(path.join(root, file));
    const getters = names.map((name) => `get ${name}() { return m${index}.${name}; },`);
    modules.push(`get ${JSON.stringify(file)}() { return { ${AS_MODULE}, ${getters.join(" ")} }; },`);
  }
  const contents = [...imports, `module.exports = { __proto__: null, ${modules.join("\n")} };`].join("\n");
  return { stdin: { contents, resolveDir: root, loader: "js" } };
}

/** What stands for a module of another file has no prototype, and is taken as it is: see `withOurHelpers`. */
const AS_MODULE = "__proto__: null, __esModule: true";

/** Which file of the build holds which module. */
class Parts {
  /** Modules that other files ask the hot one for. */
  asked = new Set();
  /** What is imported when used: the module's file by the name it has in the build. Grows while files are bundled. */
  imported = new Map();
  #files = new Map();

  constructor(reachable) {
    const groups = Object.entries(WHEN_USED).map(([name, patterns]) => [name, picomatch(patterns)]);
    for (const file of reachable) {
      const [name = "hot"] = groups.find(([, fits]) => fits(file)) ?? [];
      this.#files.set(file, name);
    }
  }

  /** `hot`, a group's name, or nothing: such a module stands in each file that imports it. */
  fileOf(module) {
    return this.#files.get(module);
  }

  modulesOf(file) {
    return [...this.#files.keys()].filter((module) => this.#files.get(module) === file);
  }
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

/** One CommonJS file. What stands in another file is asked for there. */
async function bundleFile(name, options, parts) {
  const plugin = {
    name: "split",
    setup(build) {
      build.onResolve({ filter: /.*/ }, async ({ path: id, kind, importer, resolveDir, pluginData }) => {
        // Resolved here like all others: else esbuild takes a default export from it for the whole of a CommonJS file.
        if (kind === "entry-point" && path.isAbsolute(id)) return { path: id };
        if (pluginData === "resolved" || kind === "entry-point" || id.startsWith("node:")) return undefined;
        if (OUTSIDE.includes(id) || id.endsWith(".cjs")) return { path: id, external: true };
        const found = await build.resolve(id, { kind, importer, resolveDir, pluginData: "resolved" });
        const module = path.relative(root, found.path);
        const file = parts.fileOf(module);
        // The first file runs before there is a hot one. What a file imports from itself when it is used, it asks for
        // like any other: else esbuild wraps each module of it in a function.
        if (kind !== "dynamic-import" && (file === name || name === "main")) return found;
        if (file === "hot") {
          parts.asked.add(module);
          return { path: module, namespace: "hot" };
        }
        if (file !== undefined) {
          return { path: module, namespace: "when-used", pluginData: { file, source: found.path } };
        }
        const always = id === "zod" && name !== "zod";
        if (kind !== "dynamic-import" && !always) return found;
        const target = lazyName(module);
        parts.imported.set(target, found.path);
        return { path: target, namespace: "imported" };
      });
      build.onLoad({ filter: /.*/, namespace: "hot" }, ({ path }) => ({
        // The first file loads the hot one through the code cache; the others find it loaded.
        contents: name === "main"
          ? `const { loadCached } = require("./src/code_cache.ts");
             const Module = require.main?.constructor ?? require("node:module");
             const build = { folder: __dirname, id: AGENT_BUILD, Module };
             module.exports = loadCached("hot.cjs", build)[${JSON.stringify(path)}];`
          : `module.exports = require("./hot.cjs")[${JSON.stringify(path)}];`,
        resolveDir: root,
      }));
      build.onLoad({ filter: /.*/, namespace: "imported" }, ({ path }) => ({
        contents: `module.exports = require("./${path}.cjs");`,
        resolveDir: root,
      }));
      build.onLoad(
        { filter: /.*/, namespace: "when-used" },
        async ({ path, pluginData: { file, source } }) => {
          const getters = (await exportsOf(source)).map((one) => `get ${one}() { return whole().${one}; },`);
          return {
            contents: `let found;
            const whole = () => found ??= require("./${file}.cjs")[${JSON.stringify(path)}];
            module.exports = { ${AS_MODULE}, ${getters.join(" ")} };`,
            resolveDir: root,
          };
        },
      );
    },
  };
  const { outputFiles: [output] } = await build({
    ...common,
    ...options,
    write: false,
    outfile: path.join(dist, `${name}.cjs`),
    ...name === "main" || PROGRAMS.some((file) => lazyName(file) === name) ? {} : LOADED_BOTH_WAYS,
    plugins: [englishOnly, plugin],
  });
  fs.writeFileSync(output.path, withOurHelpers(output.text, name));
}

/**
 * A script whose value is the function of a module, and a module as well: so the code cache compiles the text as it
 * stands (src/code_cache.ts), where a function put around it would be a second copy of it in memory and, with it, the
 * one collection of garbage in a short start. Node's own loader runs it like any other.
 */
const LOADED_BOTH_WAYS = {
  banner: {
    js:
      "(a=>typeof module==='object'?a(exports,require,module,__filename,__dirname):a)(function(exports,require,module,__filename,__dirname,__import){",
  },
  footer: { js: "})" },
};

/** Names that a module of ours exports, its types left out. */
async function exportsOf(file) {
  const { metafile } = await build({
    ...common,
    entryPoints: [file],
    bundle: false,
    format: "esm",
    write: false,
    outfile: "x",
    metafile: true,
  });
  return Object.values(metafile.outputs)[0].exports;
}

/**
 * esbuild copies a required module with all its getters at each import of it, a tenth of what a start allocates; what
 * stands for a module of ours is taken as it is.
 *
 * A file that is loaded later may meet what a plugin added to `Object.prototype`; esbuild's helpers, at its start,
 * define properties by objects that would inherit it, and take the names of exports from a `for … in`.
 */
function withOurHelpers(code, name) {
  let helpers = code.slice(0, HELPERS_CHARS)
    .replace(
      /=\((\w+),(\w+),(\w+)\)=>(?=\(\3=\1!=null\?)/,
      "=($1,$2,$3)=>$1?.__esModule&&Object.getPrototypeOf($1)===null?$1:",
    );
  if (helpers.includes("!=null?") && !helpers.includes("===null?")) {
    throw new Error(`${name}: esbuild's helper is new`);
  }
  if (name !== "hot" && name !== "main") {
    helpers = helpers
      .replace(
        /=Object\.defineProperty;/,
        "=(object,key,how)=>Object.defineProperty(object,key,{__proto__:null,...how});",
      )
      .replace(/for\(var (\w+) in (\w+)\)/, "for(var $1 of Object.keys($2))");
  }
  return helpers + code.slice(HELPERS_CHARS);
}

const HELPERS_CHARS = 1200;

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
