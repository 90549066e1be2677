/** Processes that left their group (`setsid`) and outlive their command: they are told, listed, and can be ended. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import process from "node:process";
import { test } from "node:test";
import { processesWith, Scratch, textOf } from "../support.ts";

const SKIP = { skip: process.platform !== "linux" };
const LEAVES = "setsid sleep 300 >/dev/null 2>&1 & echo left";

async function nothingRuns(marker: string): Promise<void> {
  while ((await processesWith(marker)).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
}

test("one that left its command's group is a session like any that is left behind", SKIP, async () => {
  using scratch = new Scratch();
  const MARKER = randomUUID();
  const { results } = await scratch.batch(
    [
      { name: "Bash", args: { command: LEAVES } },
      { name: "Bash", args: { command: `trap 'echo got it; exit' INT; exec 3>&1; ${told}` } },
      { name: "shell_session", args: { action: "list" } },
      { name: "shell_session", args: { action: "poll", session_id: 2, keys: ["ctrl-c"] } },
      { name: "shell_session", args: { action: "wait", session_id: 2, timeout_s: 60 } },
      { name: "shell_session", args: { action: "kill", session_id: 1 } },
      { name: "shell_session", args: { action: "list" } },
      { name: "Bash", args: { command: "(setsid true >/dev/null 2>&1 &); echo gone" } },
    ],
    ["--mode", "bypassPermissions"],
    { env: { MARKER } },
  );
  const [first, second, list, , waited, killed, last, none] = results.map(textOf);
  assert.equal(first, "left\n[processes that it started still run, as session 1; they end with the runtime]");
  assert.match(second!, /still run, as session 2/);
  assert.match(list!, /^1 {2}exited with code 0; processes that it started still run {2}.*\n2 {2}exited/);
  assert.match(waited!, /\[session 2 exited with code 0\]/);
  assert.match(killed!, /\[session 1 killed\]/);
  assert.equal(last, "No session is running");
  assert.match(none!, /^gone/);
  await nothingRuns(MARKER);
});

/** Leaves its group and waits for Ctrl-C, which a shell's background process would ignore. */
const told = `python3 -c 'import os,signal
if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGINT, lambda *_: os._exit(0))
    for fd in range(3): os.close(fd)
    while True: signal.pause()
'`;

test("a single call names what it ended, and a detached one keeps it", SKIP, async () => {
  using scratch = new Scratch();
  const env = { MARKER: randomUUID() };
  const alone = await scratch.agent(["exec", "Bash", `command=${LEAVES}`], { env });
  assert.match(
    alone.stdout,
    /^left\n\[processes that it started still run, as session 1; they end with this run\]/,
  );
  assert.match(alone.stderr, /session 1/);
  await nothingRuns(env.MARKER);
  const kept = await scratch.agent(["exec", "--detach", "Bash", `command=${LEAVES}`], { env });
  try {
    assert.match(kept.stdout, /^left\n\[processes that it started still run, as session 1/);
    const list = await scratch.agent(["sessions", "list"], { env });
    assert.match(list.stdout, /^1 {2}exited with code 0; processes that it started still run/);
    const killed = await scratch.agent(["sessions", "kill", "1"], { env });
    assert.equal(killed.code, 0, killed.stderr);
  } finally {
    await scratch.agent(["sessions", "stop"], { env });
  }
  await nothingRuns(env.MARKER);
});

test("all sessions are listed as the calls before left them", SKIP, async () => {
  using scratch = new Scratch();
  const list = { name: "shell_session", args: { action: "list" } };
  const { results } = await scratch.batch(
    [
      { name: "Bash", args: { command: "sleep 300", run_in_background: true } },
      { name: "Bash", args: { command: "trap '' TERM; while :; do sleep 1; done", run_in_background: true } },
      list,
      { name: "shell_session", args: { action: "kill", session_id: 2 } },
      list,
      { name: "KillBash", args: { shell_id: "1" } },
      list,
      { name: "Bash", args: { command: "sleep 300", run_in_background: true } },
      list,
    ],
    ["--mode", "bypassPermissions"],
  );
  const running = [2, 4, 6, 8].map((at) =>
    results[at]!.structured?.sessions?.filter(({ state }: { state: string }) => state === "running")
      .map(({ id }: { id: number }) => id) ?? []
  );
  assert.deepEqual(running, [[1, 2], [1], [], [3]]);
});
