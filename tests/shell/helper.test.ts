/** The process that starts commands for one that has grown; on Node. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { test } from "node:test";
import { AGENT, type Json, ON_DENO, processesWith, ROOT, run, Scratch } from "../support.ts";

/** The start of a host's program: a runtime that has grown, and a helper that works for it. */
const GROWN = `
import { createRuntime } from ${JSON.stringify(path.join(ROOT, "dist/index.cjs"))};
import { readFileSync, writeFileSync } from "node:fs";
let heard = () => {};
const onEvent = ({ type }) => type === "tool_output" && heard();
const memory = process.env.SMALL ? undefined : Buffer.alloc(150 * 1024 * 1024, 1);
const runtime = await createRuntime({ mode: "bypassPermissions", onEvent });
const turn = await runtime.prepareTurn({ open: true });
const call = (name, args) => runtime.call(turn, { name, args });
const bash = (command, more = {}) => call("Bash", { command, ...more });
const parent = async () => (await bash("tr '\\\\0' ' ' < /proc/$PPID/cmdline; echo; echo $PPID")).stdout.join("").split("\\n");
const isHelped = async () => (await parent())[0].includes("spawn_helper");
const helped = async () => { while (!await isHelped()); };
const tell = (value) => console.log(JSON.stringify(value));
`;

async function host(scratch: Scratch, body: string, env: Record<string, string> = {}): Promise<Json> {
  const ran = await run([AGENT[0]!, scratch.file("host.mjs", GROWN + body)], {
    cwd: scratch.work,
    env: scratch.env(env),
  });
  assert.equal(ran.code, 0, ran.stderr);
  return JSON.parse(ran.stdout);
}

test("a process that has grown has its commands started by a helper, and nobody can tell", async (context) => {
  if (ON_DENO) return context.skip("a start is as quick from a grown process there");
  using scratch = new Scratch();
  const MARKER = randomUUID();
  const told = await host(
    scratch,
    `await helped();
    const results = [
      await bash("echo out; echo err >&2; echo more > /dev/stderr; cat /dev/stdin; exit 3"),
      await call("shell", { command: ["no-such-program"] }),
      await call("shell", { command: ["printf", "%s|", "a b", "$HOME", "你😀\\n"] }),
      await call("shell_command", { command: "pwd; echo $A", workdir: "/" }),
      await bash("kill -HUP $$"),
      await bash("sleep 60 & sleep 60", { timeout: 300 }),
      await bash("sleep 60 & echo left"),
      await bash("head -c 300000 /dev/zero | tr '\\\\0' x | wc -c"),
      await bash(": " + "x".repeat(300000) + "; echo long"),
    ];
    const still = await isHelped();
    await runtime.close();
    tell({ still, results });`,
    { MARKER, A: "value" },
  );
  const seen = told.results.map((one: Json) => [one.outcome, one.exitCode, one.stdout?.join("")]);
  assert.equal(told.still, true);
  assert.deepEqual(seen, [
    ["error", 3, "out\n"],
    ["error", undefined, undefined],
    ["success", 0, "a b|$HOME|你😀\n|"],
    ["success", 0, "/\nvalue\n"],
    ["error", 129, ""],
    ["timeout", undefined, ""],
    ["success", 0, "left\n"],
    ["success", 0, "300000\n"],
    ["success", 0, "long\n"],
  ]);
  assert.deepEqual(told.results[0].stderr, ["err\nmore\n"]);
  assert.match(told.results[1].content[0].text, /^Cannot start "no-such-program": no such program/);
  assert.deepEqual(await processesWith(MARKER), []);
});

test("a small process has none, and one that dies is done without", async (context) => {
  if (ON_DENO) return context.skip("there is none");
  using scratch = new Scratch();
  const small = await host(
    scratch,
    `for (let i = 0; i < 10; i++) await bash("true");
    tell({ helped: await isHelped() });
    await runtime.close();`,
    { SMALL: "1" },
  );
  assert.equal(small.helped, false);
  const told = await host(
    scratch,
    `await helped();
    // Not before its start was told: what is heard of it comes after that.
    heard = () => writeFileSync("heard", "");
    const wait = "echo up; while [ ! -e heard ]; do sleep .1; done; kill -KILL $PPID; ";
    const running = bash(wait + "trap 'echo told' TERM; while :; do sleep .1; done");
    const lost = await running;
    const after = await bash("echo after");
    tell({ lost, after, helped: await isHelped() });
    await runtime.close();`,
  );
  assert.equal(told.after.stdout.join(""), "after\n");
  assert.equal(told.helped, false);
  assert.deepEqual([told.lost.outcome, told.lost.exitCode], ["error", 137]);
});

test("a kill of the process that it works for ends what the helper has started, and the helper", async (context) => {
  if (ON_DENO) return context.skip("there is none");
  using scratch = new Scratch();
  const MARKER = randomUUID();
  const script = scratch.file(
    "host.mjs",
    GROWN + `await helped();
    const [, pid] = await parent();
    await bash("sleep 300 & sleep 300 & echo left");
    tell({ pid });
    await bash("trap '' TERM; while :; do sleep 1; done");`,
  );
  const child = spawn(AGENT[0]!, [script], {
    cwd: scratch.work,
    env: scratch.env({ MARKER }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { pid } = await new Promise<Json>((resolve) => {
    child.stdout.once("data", (chunk: Uint8Array) => resolve(JSON.parse(String(chunk))));
  });
  assert.ok((await processesWith(MARKER)).length >= 3);
  child.kill("SIGKILL");
  const isThere = () => {
    try {
      return process.kill(Number(pid), 0);
    } catch {
      return false;
    }
  };
  const deadline = Date.now() + 10_000;
  while (((await processesWith(MARKER)).length > 0 || isThere()) && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.deepEqual(await processesWith(MARKER), []);
  assert.equal(isThere(), false);
});
