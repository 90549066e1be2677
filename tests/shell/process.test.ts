/** One process group: started, fed, drained, ended. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { chmodSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { ProcessGroups } from "../../src/shell/groups.ts";
import { type Ended, run } from "../../src/shell/process.ts";
import { taskkillArgs } from "../../src/shell/processes.ts";
import { processesWith, Scratch } from "../support.ts";

interface Options {
  cwd?: string;
  input?: string;
  timeoutMs?: number;
  signal?: AbortSignal;
  groups?: ProcessGroups;
  marker?: string;
}

/** Runs a program and collects what it prints. */
async function start(argv: string[], options: Options = {}): Promise<Ended & { printed: string }> {
  const { cwd = "/", input, timeoutMs = 60_000, signal, groups = new ProcessGroups(), marker = "" } = options;
  let printed = "";
  const ended = await run({
    argv,
    cwd,
    env: { PATH: process.env.PATH!, MARKER: marker },
    timeoutMs,
    signal,
    ...(input !== undefined && { input }),
    onOutput: (chunk) => printed += new TextDecoder().decode(chunk),
  }, groups);
  return { ...ended, printed };
}

test("a process's end says how it came to it", async () => {
  const ended = { signal: undefined, why: "exit", survivors: false, printed: "" };
  assert.deepEqual(await start(["true"]), { ...ended, exitCode: 0 });
  assert.deepEqual(await start(["sh", "-c", "exit 7"]), { ...ended, exitCode: 7 });
  assert.deepEqual(await start(["sh", "-c", "kill -HUP $$"]), {
    ...ended,
    exitCode: 129,
    signal: "SIGHUP",
  });
});

test("input that is never read changes nothing, input that is read arrives whole", async () => {
  const input = "x".repeat(1_000_000);
  assert.equal((await start(["sleep", "0"], { input })).exitCode, 0);
  assert.equal((await start(["wc", "-c"], { input })).printed.trim(), "1000000");
});

test("a process that an abort or the time limit ends takes its whole group along", async () => {
  const argv = ["sh", "-c", "sleep 60 & sleep 60"];
  const marker = randomUUID();
  const stop = new AbortController();
  const aborted = start(argv, { signal: stop.signal, marker });
  stop.abort();
  assert.equal((await aborted).why, "interrupted");
  const late = await start(argv, { timeoutMs: 300, marker });
  assert.deepEqual([late.why, late.exitCode, late.survivors], ["timeout", undefined, false]);
  const early = new AbortController();
  early.abort();
  assert.equal((await start(argv, { signal: early.signal, marker })).why, "interrupted");
  assert.deepEqual(await processesWith(marker), []);
});

test("what outlives a process is known by its group until the session ends it", async () => {
  const groups = new ProcessGroups();
  const marker = randomUUID();
  const ended = await start(["sh", "-c", "sleep 60 & exit 0"], { groups, marker });
  assert.equal(ended.survivors, true);
  assert.equal((await processesWith(marker)).length, 1);
  await groups.endAll();
  assert.deepEqual(await processesWith(marker), []);
  await groups.endAll();
});

test("what left its group ends with the session too, and a time limit may be longer than a timer's", async () => {
  if (process.platform !== "linux") return;
  using scratch = new Scratch();
  for (const ending of ["endAll", "killAll"] as const) {
    const groups = new ProcessGroups();
    const marker = randomUUID();
    const timeoutMs = 2 ** 40;
    // The pipe's end says that the other is in a session of its own.
    const script = "mkfifo left; setsid sh -c 'echo > left; exec sleep 60' & read x < left; rm left";
    const ended = await start(["sh", "-c", script], { cwd: scratch.work, groups, marker, timeoutMs });
    assert.deepEqual([ended.why, ended.survivors], ["exit", true]);
    assert.equal((await processesWith(marker)).length, 1);
    await groups[ending]();
    const deadline = Date.now() + 30_000;
    while ((await processesWith(marker)).length > 0 && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.deepEqual(await processesWith(marker), []);
  }
});

test("what can't be started rejects once, with the reason", async () => {
  using scratch = new Scratch();
  scratch.file("plain", "x");
  const reason = (argv: string[], cwd = scratch.work) =>
    start(argv, { cwd }).then(() => "it ran", (error) => error.message);
  assert.equal(await reason(["nope"]), 'Cannot start "nope": no such program');
  assert.equal(await reason(["./plain"]), 'Cannot start "./plain": permission denied');
  assert.equal(await reason(["true"], "/none"), 'Cannot run a command in "/none": no such folder');
  assert.equal(
    await reason(["true", "x".repeat(2_000_000)]),
    'Cannot start "true": its arguments are too long for the system',
  );
});

test("a folder that may not be entered is said to be closed", async (context) => {
  if (process.getuid?.() === 0) return context.skip("root may enter any folder");
  using scratch = new Scratch();
  const closed = scratch.folder("closed");
  chmodSync(closed, 0o600);
  await assert.rejects(
    start(["true"], { cwd: closed }),
    /^AgentError: Cannot run a command in .*permission denied/,
  );
});

test("on Windows a tree is ended by its root", () => {
  assert.deepEqual(taskkillArgs(42), ["/pid", "42", "/T", "/F"]);
});
