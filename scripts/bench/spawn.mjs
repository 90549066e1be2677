// What a shell call costs over a bare spawn of the same shell, at first and with 400 MB more in memory.
// Prints medians in milliseconds; not a test. `node scripts/bench/spawn.mjs`, or with Deno from dist.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { createRuntime } from "../../dist/index.cjs";

const ROUNDS = 200;
const scratch = mkdtempSync(path.join(tmpdir(), "agent-bench-"));
process.env.XDG_STATE_HOME = process.env.XDG_CONFIG_HOME = scratch;
const runtime = await createRuntime({ mode: "bypassPermissions" });
const turn = await runtime.prepareTurn({});

/** With pipes, drained; in a group of its own, as every such call needs. */
function bare() {
  return new Promise((resolve) => {
    const child = spawn("bash", ["-c", "--", "echo hi"], {
      stdio: ["ignore", "pipe", "pipe"],
      detached: !("Deno" in globalThis),
    });
    child.stdout.resume();
    child.stderr.resume();
    child.once("close", resolve);
  });
}

const call = () => runtime.call(turn, { name: "Bash", args: { command: "echo hi" } });

async function timed(run) {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];

/** Ten of each in turn: a machine that gets slower slows both, and a copy of this process is over before the next. */
async function measure(name) {
  const times = { bare: [], call: [] };
  for (let round = -10; round < ROUNDS; round++) {
    const [key, one] = Math.floor((round + 10) / 10) % 2 ? ["call", call] : ["bare", bare];
    const ms = await timed(one);
    if (round % 10 !== 0) times[key].push(ms);
  }
  const [spawned, called] = [median(times.bare), median(times.call)];
  const over = (called - spawned).toFixed(2);
  console.log(`| ${name} | ${spawned.toFixed(2)} | ${called.toFixed(2)} | ${over} |`);
}

console.log("| bash -c 'echo hi' | bare | call | over |\n|---|---|---|---|");
await measure("at first");
const grown = Array.from({ length: 400 }, () => Buffer.alloc(1024 * 1024, 1));
// The helper is started by a call and ready a little later.
for (let round = 0; round < 30; round++) await call();
await measure("+400 MB");
if (grown.length === 0) throw new Error("the memory is gone");
await runtime.close();
rmSync(scratch, { recursive: true });
