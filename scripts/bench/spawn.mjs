// What a shell call costs over a bare spawn of the same shell, at first and with 400 MB more in memory, in turn and
// eight at once. Prints medians in milliseconds; not a test. `node scripts/bench/spawn.mjs`, or with Deno from dist.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { createRuntime } from "../../dist/index.cjs";

const ROUNDS = 60;
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

/** Both in turn, so that a machine that gets slower slows both. */
async function measure(name, atOnce = 1) {
  const times = { bare: [], call: [] };
  for (let round = -5; round < ROUNDS / atOnce; round++) {
    for (const [key, one] of Object.entries({ bare, call })) {
      const ms = await timed(() => Promise.all(Array.from({ length: atOnce }, one)));
      if (round >= 0) times[key].push(ms);
    }
  }
  const [spawned, called] = [median(times.bare), median(times.call)];
  const over = (called - spawned).toFixed(2);
  console.log(`| ${name} | ${spawned.toFixed(2)} | ${called.toFixed(2)} | ${over} |`);
}

console.log("| bash -c 'echo hi' | bare | call | over |\n|---|---|---|---|");
await measure("at first");
await measure("8 at once", 8);
const grown = Array.from({ length: 400 }, () => Buffer.alloc(1024 * 1024, 1));
// The helper is started by a call and ready a little later.
for (let round = 0; round < 30; round++) await call();
await measure("+400 MB");
await measure("+400 MB, 8 at once", 8);
if (grown.length === 0) throw new Error("the memory is gone");
await runtime.close();
rmSync(scratch, { recursive: true });
