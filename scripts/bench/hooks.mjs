// What hooks cost a call: a persistent one over none, and three shell hooks in turn over three bare spawns, at first and
// with 400 MB more in memory. Prints medians; not a test. `node scripts/bench/hooks.mjs`, or with Deno from dist.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { createRuntime } from "../../dist/index.cjs";

const scratch = mkdtempSync(path.join(tmpdir(), "agent-bench-"));
process.env.XDG_STATE_HOME = process.env.XDG_CONFIG_HOME = scratch;
writeFileSync(path.join(scratch, "a.txt"), "one\n");

const NODE_HOOK =
  `let rest = ""; process.stdin.on("data", (text) => { const lines = (rest + text).split("\\n"); rest = lines.pop();
  for (const line of lines) { JSON.parse(line); process.stdout.write("{}\\n"); } });`;
const PERL_HOOK = `$| = 1; while (<STDIN>) { print "{}\\n" }`;
const PYTHON_HOOK =
  `import json, sys\nfor line in sys.stdin:\n    json.loads(line)\n    print("{}", flush=True)`;

const persistent = (command, ...args) => ({ type: "command", command, args, persistent: true });
const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];
const tenth = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 10)];

async function opened(groups, name) {
  const file = path.join(scratch, `${name}.json`);
  writeFileSync(file, JSON.stringify({ PreToolUse: groups }));
  const runtime = await createRuntime({
    cwd: scratch,
    hookFiles: groups.length > 0 ? [file] : [],
    settings: { "log.enabled": false },
  });
  const turn = await runtime.prepareTurn({});
  const call = () => runtime.call(turn, { name: "Read", args: { file_path: "a.txt" } });
  for (let i = 0; i < 3000; i++) await call();
  return { runtime, call };
}

/** Writes a line to the program and waits for one, with nothing else around it. */
function roundTrips({ command, args }) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const line = `${JSON.stringify({ like: "x".repeat(400) })}\n`;
  let heard;
  child.stdout.on("data", () => heard());
  const trip = () =>
    new Promise((resolve) => {
      heard = resolve;
      child.stdin.write(line);
    });
  return { trip, end: () => child.stdin.end() };
}

/** Rounds of both in turn, so that a machine that gets slower slows both. Microseconds a call. */
async function persistentCost() {
  const hooks = {
    node: persistent("node", "-e", NODE_HOOK),
    perl: persistent("perl", "-e", PERL_HOOK),
    python3: persistent("python3", "-c", PYTHON_HOOK),
  };
  const without = await opened([], "none");
  console.log(
    "| a persistent hook in | µs a call, without | with | over | in calm rounds | a bare round trip |\n|---|---|---|---|---|---|",
  );
  for (const [name, hook] of Object.entries(hooks)) {
    const withOne = await opened([{ hooks: [hook] }], name);
    const { trip, end } = roundTrips(hook);
    for (let i = 0; i < 3000; i++) await trip();
    const times = { without: [], with: [], bare: [] };
    for (let round = 0; round < 40; round++) {
      for (const [key, { call }] of [["without", without], ["with", withOne], ["bare", { call: trip }]]) {
        const started = performance.now();
        for (let i = 0; i < 100; i++) await call();
        times[key].push((performance.now() - started) * 10);
      }
    }
    const [bare, hooked] = [median(times.without), median(times.with)];
    // Others on the machine show in a round trip between processes more than anywhere.
    const calm = tenth(times.with) - tenth(times.without);
    const cells = [bare, hooked, hooked - bare, calm, median(times.bare)].map((us) => us.toFixed(0));
    console.log(`| ${name} | ${cells.join(" | ")} |`);
    end();
    await withOne.runtime.close();
  }
  await without.runtime.close();
}

function bare() {
  return new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", "exit 0"], {
      stdio: ["ignore", "pipe", "pipe"],
      detached: !("Deno" in globalThis),
    });
    child.stdout.resume();
    child.stderr.resume();
    child.once("close", resolve);
  });
}

/** Milliseconds, of three in turn. */
async function inTurn(name, call) {
  const times = { bare: [], hooks: [] };
  for (let round = 0; round < 60; round++) {
    let started = performance.now();
    for (let i = 0; i < 3; i++) await bare();
    times.bare.push(performance.now() - started);
    started = performance.now();
    await call();
    times.hooks.push(performance.now() - started);
  }
  const [spawned, hooked] = [median(times.bare), median(times.hooks)];
  console.log(
    `| ${name} | ${spawned.toFixed(1)} | ${hooked.toFixed(1)} | ${(hooked - spawned).toFixed(1)} |`,
  );
}

await persistentCost();
const three = ["exit 0", "exit 0;", "exit 0 ;"].map((command) => ({ type: "command", command }));
const { runtime, call } = await opened([{ sequential: true, hooks: three }], "three");
console.log("\n| three shell hooks in turn | 3 bare spawns, ms | a call | over |\n|---|---|---|---|");
await inTurn("at first", call);
const grown = Array.from({ length: 400 }, () => Buffer.alloc(1024 * 1024, 1));
for (let round = 0; round < 10; round++) await call();
await inTurn("+400 MB", call);
if (grown.length === 0) throw new Error("the memory is gone");
await runtime.close();
rmSync(scratch, { recursive: true });
