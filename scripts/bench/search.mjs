// What searching costs over ripgrep alone: the same words, its output read and thrown away. Arguments: a folder (one of
// 50,000 files is made where there is none), rounds. Run it on Node or on Deno; medians, in turn.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";

const { createRuntime } = globalThis.Deno
  ? await import("../../src/index.ts")
  : await import("../../dist/index.cjs");
const folder = process.argv[2] ?? path.join(tmpdir(), "agent-bench-search");
const rounds = Number(process.argv[3] ?? 9);
if (!existsSync(folder)) makeTree(folder, 50_000);
process.env.XDG_STATE_HOME = mkdtempSync(path.join(tmpdir(), "agent-bench-"));
process.chdir(folder);

const rg = createRequire(import.meta.url).resolve(
  `@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`,
);
const VCS = [".git", ".hg", ".svn", ".jj"].map((name) => `--glob=!${name}`);
const COMMON = ["--no-config", "--hidden", "--null", "--color=never", ...VCS];

/** What it prints. */
function bare(words) {
  return new Promise((resolve) => {
    const child = spawn(rg, words, { stdio: ["ignore", "pipe", "inherit"] });
    const chunks = [];
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.once("close", () => resolve(Buffer.concat(chunks)));
  });
}

async function bareNewest(words) {
  const names = (await bare(words)).toString().split("\0").slice(0, -1);
  return names.map((name) => [statSync(name).mtimeMs, name]).sort((a, b) => b[0] - a[0]);
}

const runtime = await createRuntime({ mode: "bypassPermissions" });
const turn = await runtime.prepareTurn({ tools: ["Grep", "Glob"] });
const call = async (name, args) => {
  const result = await runtime.call(turn, { name, args });
  if (result.status !== "success") throw new Error(result.content[0].text);
};
const here = process.cwd();
const PAIRS = {
  "Grep, few hits": [
    () => bare([...COMMON, "-l", "--regexp=needle", "--", here]),
    () => call("Grep", { pattern: "needle" }),
  ],
  "Grep, a hit in each file": [
    () => bare([...COMMON, "-l", "--regexp=ab", "--", here]),
    () => call("Grep", { pattern: "ab" }),
  ],
  "Grep, lines": [
    () => bare([...COMMON, "-n", "--column", "--no-heading", "--regexp=needle", "--", here]),
    () => call("Grep", { pattern: "needle", output_mode: "content" }),
  ],
  "Grep, a million lines": [
    () => bare([...COMMON, "-n", "--column", "--no-heading", "--regexp=ab", "--", here]),
    () => call("Grep", { pattern: "ab", output_mode: "content" }),
  ],
  "Glob, newest first": [
    () => bareNewest([...COMMON, "--files", "--", here]),
    () => call("Glob", { pattern: "**/*" }),
  ],
  "Grep, one folder of a hundred files": [
    () => bare([...COMMON, "-l", "--regexp=needle", "--", path.join(here, "d0/e0")]),
    () => call("Grep", { pattern: "needle", path: "d0/e0" }),
  ],
};
for (const [name, [base, ours]] of Object.entries(PAIRS)) {
  const times = [[], []];
  for (let round = -1; round < rounds; round++) {
    for (const [index, run] of [base, ours].entries()) {
      const started = performance.now();
      await run();
      if (round >= 0) times[index].push(performance.now() - started);
    }
  }
  const [bareMs, oursMs] = times.map((list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)]);
  const ratio = (oursMs / bareMs).toFixed(2);
  console.log(
    `${name}: ${bareMs.toFixed(1)} ms bare, ${oursMs.toFixed(1)} ms here, ${ratio} ×, + ${
      (oursMs - bareMs).toFixed(1)
    } ms`,
  );
}
console.log(`memory: ${Math.round(process.memoryUsage().rss / 1e6)} MB`);
await runtime.close();
rmSync(process.env.XDG_STATE_HOME, { recursive: true, force: true });

function makeTree(root, count) {
  const word = (n) => ((n * 2654435761) % 4294967296).toString(36);
  for (let i = 0; i < count; i++) {
    const dir = path.join(root, `d${Math.floor(i / 2500)}`, `e${Math.floor(i / 100) % 25}`);
    mkdirSync(dir, { recursive: true });
    const lines = Array.from(
      { length: 20 + i % 100 },
      (_, line) => Array.from({ length: 9 }, (_, w) => word(i + line * 31 + w)).join(" "),
    );
    if (i % 50 === 0) lines.push("needle here");
    writeFileSync(path.join(dir, `f${i % 100}.${i % 2 ? "ts" : "js"}`), lines.join("\n") + "\n");
  }
}
