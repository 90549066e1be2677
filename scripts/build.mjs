// Builds dist/: generated sources, then CommonJS files split so that a command loads only what it uses.
//
// esbuild splits ES modules only, and the ESM loader costs a quarter of a start, so each split file is turned into
// CommonJS afterwards.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build, transform } from "esbuild";

const root = path.dirname(import.meta.dirname);
const dist = path.join(root, "dist");

async function generate() {
  const script = path.join(root, "node_modules", ".cache", "agent-generate.mjs");
  await build({
    entryPoints: [path.join(root, "scripts/generate.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    outfile: script,
    logLevel: "warning",
  });
  const { generated } = await import(pathToFileURL(script).href);
  for (const [file, text] of Object.entries(generated(root))) {
    const target = path.join(root, file);
    if (fs.existsSync(target) && fs.readFileSync(target, "utf8") === text) continue;
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, text);
  }
}

async function bundle() {
  const { outputFiles } = await build({
    entryPoints: { main: "src/main.ts", index: "src/index.ts", sdk: "src/sdk.ts" },
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20",
    outdir: "dist",
    outExtension: { ".js": ".cjs" },
    chunkNames: "[name]-[hash]",
    external: ["esbuild"],
    mainFields: ["module", "main"],
    minifySyntax: true,
    minifyWhitespace: true,
    write: false,
    logLevel: "warning",
    plugins: [englishOnly],
  });
  fs.mkdirSync(dist, { recursive: true });
  for (const { path: file, text } of outputFiles) {
    const { code } = await transform(text, {
      format: "cjs",
      platform: "node",
      target: "node20",
      supported: { "dynamic-import": false },
      minifyWhitespace: true,
    });
    const main = path.basename(file) === "main.cjs";
    fs.writeFileSync(file, main ? `#!/usr/bin/env node\n${code}` : code, { mode: main ? 0o755 : 0o644 });
  }
}

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

function declarations() {
  const tsc = path.join(root, "node_modules", "typescript", "bin", "tsc");
  // A consumer that installs without development dependencies has the types of the package it got.
  if (!fs.existsSync(tsc)) return;
  const flags = ["-p", root, "--noEmit", "false", "--emitDeclarationOnly", "--declaration", "--rootDir", root];
  execFileSync(process.execPath, [tsc, ...flags, "--outDir", path.join(dist, "types")], { stdio: "inherit" });
}

await generate();
fs.rmSync(dist, { recursive: true, force: true });
await bundle();
declarations();
