/**
 * All checks: types, format, lint, layers, generated files, then the same tests on Node and on Deno. The last line
 * is `N passed, N failed`. Words after `--` choose test files by a part of their path; `--node` or `--deno` choose
 * a runtime; with either, the static checks are left out.
 */
import { $ } from "dax";
import { build } from "esbuild";
import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { checkLayers } from "./layers.ts";

const root = path.resolve(import.meta.dirname!, "..");
const deno = process.execPath;
const words = process.argv.slice(2).filter((word) => word !== "--");
const only = { node: words.includes("--node"), deno: words.includes("--deno") };
const chosen = words.filter((word) => !word.startsWith("--"));
const everything = words.length === 0;
const totals = { passed: 0, failed: 0 };

// A CA bundle from the environment slows each start of Node.
delete process.env.NODE_EXTRA_CA_CERTS;
// Nothing of the user's own may change what the tests see.
for (const name of Object.keys(process.env)) if (name.startsWith("AGENT_")) delete process.env[name];
process.chdir(root);

const files = readdirSync("tests", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => path.posix.join("tests", file.replaceAll("\\", "/")))
  .filter((file) => chosen.length === 0 || chosen.some((word) => file.includes(word)))
  .sort();

await step("build", () => run(["node", "scripts/build.mjs"]));
if (everything) {
  await step("generated files are committed as built", generatedIsCommitted);
  await step("types", () => run(["node", "node_modules/typescript/bin/tsc", "-p", "."]));
  await step("format", () => run([deno, "fmt", "--check", "--quiet"]));
  await step("lint", () => run([deno, "lint", "--quiet"]));
  await step("layers", () => Promise.resolve(checkLayers(root).join("\n")));
}
if (!only.deno) await onNode();
if (!only.node) await onDeno();

console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed > 0 ? 1 : 0;

/** A check that passes when it has nothing to say. */
async function step(name: string, check: () => Promise<string>): Promise<void> {
  const started = performance.now();
  const complaint = await check();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (complaint === "") totals.passed++;
  else totals.failed++;
  console.log(
    `${complaint === "" ? "ok" : "FAILED"}: ${name} (${seconds} s)${
      complaint === "" ? "" : `\n${complaint}`
    }`,
  );
}

async function run(argv: string[]): Promise<string> {
  const result = await $`${argv}`.stdout("piped").stderr("piped").noThrow();
  return result.code === 0 ? "" : `${result.stdout}${result.stderr}`.trim() || `exit code ${result.code}`;
}

/** Outside a git checkout there is nothing to compare with. */
async function generatedIsCommitted(): Promise<string> {
  const status = await $`git status --porcelain -- src/generated docs/cli.md docs/settings.md docs/events.md`
    .stdout("piped")
    .stderr("piped")
    .noThrow();
  const changed = status.code === 0 ? status.stdout.trim() : "";
  return changed === "" ? "" : `the build changed them; commit:\n${changed}`;
}

/** Node 20 runs no TypeScript, so the tests are bundled file by file; packages stay outside. */
async function onNode(): Promise<void> {
  const outdir = path.join(root, "node_modules", ".cache", `agent-tests-${process.pid}`);
  rmSync(outdir, { recursive: true, force: true });
  await build({
    entryPoints: files,
    outbase: ".",
    outdir,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    outExtension: { ".js": ".mjs" },
    alias: { "agent-runtime": "./src/index.ts" },
    sourcemap: "inline",
    logLevel: "warning",
  });
  const bundles = files.map((file) => path.join(outdir, file.replace(/\.ts$/, ".mjs")));
  const result =
    await $`node --test --test-reporter=spec --enable-source-maps --test-concurrency=2 ${bundles}`
      .env({ AGENT_TEST_ROOT: root }).stdout("inheritPiped").stderr("inherit").noThrow();
  count(
    "node",
    result.code,
    /^. pass (\d+)/m.exec(result.stdout)?.[1],
    /^. fail (\d+)/m.exec(result.stdout)?.[1],
  );
}

async function onDeno(): Promise<void> {
  const result = await $`${deno} test -A --no-check --parallel --reporter=dot ${files}`
    .env({ AGENT_TEST_ROOT: root, DENO_JOBS: "2" }).stdout("inheritPiped").stderr("inherit").noThrow();
  const plain = result.stdout.replace(/\u001b\[[0-9;]*m/g, "");
  const summary = /(\d+) passed(?: \((\d+) steps?\))? \| (\d+) failed(?: \((\d+) steps?\))?/.exec(plain);
  count("deno", result.code, summary?.[1], summary?.[3]);
}

/** A run that fails without a failing test (a crash, say) counts as one failure. */
function count(runtime: string, code: number, passed = "0", failed = "0"): void {
  totals.passed += Number(passed);
  totals.failed += code !== 0 && Number(failed) === 0 ? 1 : Number(failed);
  console.log(`${runtime}: ${passed} tests passed, ${failed} failed`);
}
