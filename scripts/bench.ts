/**
 * What `agent` costs, as ratios to `node -e 0` on the same machine. Commands run in turn, so that a machine that
 * gets slower meanwhile slows all of them; medians are compared. Not a test: nothing fails here.
 *
 *     npm run bench            all of it
 *     npm run bench -- 41      41 rounds instead of 31
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { kills } from "./bench/kills.ts";

const root = path.resolve(import.meta.dirname!, "..");
const rounds = Number(process.argv.slice(2).find((word) => /^\d+$/.test(word)) ?? 31);
const scratch = mkdtempSync(path.join(tmpdir(), "agent-bench-"));
const env: Record<string, string> = {
  PATH: process.env.PATH!,
  HOME: scratch,
  LANG: "C.UTF-8",
  DENO_DIR: process.env.DENO_DIR ?? path.join(process.env.HOME ?? scratch, ".cache/deno"),
  XDG_CONFIG_HOME: path.join(scratch, "config"),
  XDG_STATE_HOME: path.join(scratch, "state"),
  XDG_CACHE_HOME: path.join(scratch, "cache"),
};
const file = path.join(scratch, "lines.txt");
writeFileSync(file, textOf(200));

const agent = ["node", path.join(root, "dist/main.cjs")];
const source = [process.execPath, "run", "-A", path.join(root, "src/main.ts")];
const read = ["exec", "Read", `file_path=${file}`];
const shipped = ["guard", "rewrite", "stamp"].flatMap((
  name,
) => ["--plugins", path.join(root, `plugins/${name}.ts`)]);
const three = ["exec", ...shipped, "Read", `file_path=${file}`];
const zod = [
  "exec",
  ...shipped,
  "--plugins",
  path.join(root, "scripts/bench/plugins_zod"),
  "Read",
  `file_path=${file}`,
];

try {
  await starts();
  await throughput();
  await pathCost();
  await filesCost();
  await kills(agent, env, scratch);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function starts(): Promise<void> {
  const cases: [string, string[], string][] = [
    ["node -e 0", ["node", "-e", "0"], ""],
    ["agent --version", [...agent, "--version"], "≤ 1.15"],
    ["agent -h", [...agent, "-h"], "≤ 1.15"],
    ["agent exec Read", [...agent, ...read], "≤ 1.5"],
    ["… with three plugins", [...agent, ...three], "≤ 1.7"],
    ["… and one that uses zod", [...agent, ...zod], "≤ 2.2"],
    ["Deno, from source: --version", [...source, "--version"], "≤ 1.0"],
    ["Deno, from source: exec Read", [...source, ...read], "≤ 2.3"],
    ["Deno, from source: three plugins", [...source, ...three], ""],
  ];
  const times = cases.map((): number[] => []);
  for (let round = -3; round < rounds; round++) {
    for (const [index, [, argv]] of cases.entries()) {
      const ms = await timed(argv);
      if (round >= 0) times[index]!.push(ms);
    }
  }
  const base = median(times[0]!);
  console.log("| start | median ms | × node -e 0 | aim |\n|---|---|---|---|");
  for (const [index, [name, , aim]] of cases.entries()) {
    const ms = median(times[index]!);
    console.log(`| ${name} | ${ms.toFixed(1)} | ${(ms / base).toFixed(2)} | ${aim} |`);
  }
}

async function throughput(): Promise<void> {
  const calls = 2000;
  const input = path.join(scratch, "calls.jsonl");
  const output = path.join(scratch, "results.jsonl");
  console.log("\n| 2,000 Reads on stdin, start included | lines a file | ms | a second |\n|---|---|---|---|");
  for (const lines of [10, 200]) {
    const file = path.join(scratch, `${lines}.txt`);
    writeFileSync(file, textOf(lines));
    writeFileSync(input, `${JSON.stringify({ name: "Read", args: { file_path: file } })}\n`.repeat(calls));
    for (const [name, program] of [["Node", agent], ["Deno", source]] as const) {
      const runs: number[] = [];
      for (let i = 0; i < 5; i++) {
        const command = `exec "$@" exec - < ${input} > ${output}`;
        runs.push(await timed(["sh", "-c", command, "sh", ...program]));
        const answers = readFileSync(output, "utf8").trimEnd().split("\n").length;
        if (answers !== calls) throw new Error(`${answers} answers to ${calls} calls`);
      }
      const ms = median(runs);
      console.log(`| ${name} | ${lines} | ${ms.toFixed(0)} | ${(calls / ms * 1000).toFixed(0)} |`);
    }
  }
}

/** Each number of handlers in a process of its own, as a host would have them. */
async function pathCost(): Promise<void> {
  const cost = async (handlers: number, mods = 0) => {
    const argv = ["scripts/bench/path.mjs", "scripts/bench/plugins_path"].map((name) =>
      path.join(root, name)
    );
    const runs: number[] = [];
    for (let i = 0; i < 3; i++) {
      runs.push(Number((await finished(["node", ...argv, String(handlers), String(mods)])).stdout));
    }
    return median(runs).toFixed(1);
  };
  console.log(
    `\nThe path of a call: ${await cost(0)} µs without handlers (aim ≤ 12), ${await cost(
      10,
    )} µs with ten (aim ≤ 30), ${await cost(0, 10)} µs with ten of ten plugins (aim ≤ 30)`,
  );
}

/** What file tools cost, each in a process of its own; the library is the built one. */
async function filesCost(): Promise<void> {
  const script = path.join(root, "scripts/bench/files.mjs");
  const cases: [string, string, string][] = [
    ["reads", "Reads of a 200-line file, a second", "≥ 10,000"],
    ["edits", "10,000 edits of 100,000 lines as one MultiEdit, ms", "≤ 120"],
    ["patch", "the same as one patch, ms", "≤ 120"],
    ["large", "one Edit in 100 MB", "≤ 5 × a copy"],
    ["paging", "line 1,000,000 of a 2 GB file", ""],
  ];
  console.log("\n| files, through the whole path | | aim |\n|---|---|---|");
  for (const [what, name, aim] of cases) {
    const { stdout } = await finished(["node", script, path.join(root, "dist/index.cjs"), scratch, what]);
    console.log(`| ${name} | ${stdout.trim().split("\t")[1]} | ${aim} |`);
  }
}

async function timed(argv: string[]): Promise<number> {
  return (await finished(argv)).ms;
}

/** Runs a program to its exit; a failure ends the bench. */
function finished(argv: string[]): Promise<{ ms: number; stdout: string }> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(argv[0]!, argv.slice(1), { env, cwd: scratch, stdio: ["ignore", "pipe", "pipe"] });
    const text = { out: "", err: "" };
    child.stdout.on("data", (chunk) => text.out += chunk);
    child.stderr.on("data", (chunk) => text.err += chunk);
    let ms = 0;
    child.once("exit", () => ms = performance.now() - started);
    child.once("close", (code) => {
      if (code === 0) resolve({ ms, stdout: text.out });
      else reject(new Error(`${argv.join(" ")} ended with ${code}: ${text.err}`));
    });
  });
}

function textOf(lines: number): string {
  return Array.from({ length: lines }, (_, i) => `line ${i + 1} of a file as they are\n`).join("");
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
