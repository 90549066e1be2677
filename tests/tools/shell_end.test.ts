/** How commands end: in time, with all they started. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { test } from "node:test";
import { AGENT, processesWith, Scratch, textOf } from "../support.ts";

/** Waits until no process has the marker; what is left then is the answer. */
async function leftOf(marker: string): Promise<string[]> {
  const deadline = Date.now() + 5000;
  for (;;) {
    const left = await processesWith(marker);
    if (left.length === 0 || Date.now() > deadline) return left;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test("a grandchild that ignores TERM and holds the output ends with its command, in time", async () => {
  using scratch = new Scratch();
  const MARKER = randomUUID();
  const command = `echo p; bash -c 'trap "" TERM; (sleep 300) & sleep 300' | cat`;
  const { result, code } = await scratch.exec(["Bash", `command=${command}`, "timeout=1000"], {
    env: { MARKER },
  });
  assert.equal(result.outcome, "timeout");
  assert.equal(code, 124);
  assert.deepEqual(result.stdout, ["p\n"]);
  assert.equal(textOf(result), "p\n[timed out after 1000 ms; the command and all it started were ended]");
  assert.ok(result.durationMs >= 1000 && result.durationMs < 4000, `${result.durationMs} ms`);
  assert.deepEqual(await leftOf(MARKER), []);
});

test("a command that prints without end is over at its time-out", async () => {
  using scratch = new Scratch();
  const { results } = await scratch.batch([
    { name: "Bash", args: { command: "yes", timeout: 1000 } },
    { name: "shell_command", args: { command: "yes >&2", timeout_ms: 1000 } },
  ], ["--mode", "bypassPermissions"]);
  for (const result of results) {
    assert.equal(result.outcome, "timeout");
    assert.match(textOf(result), /^y\ny\n[^]*characters omitted[^]*y\n\[timed out after 1000 ms/);
    assert.ok(textOf(result).length <= 30_000);
  }
});

test("the usual time-out is a setting, and a call may not ask for more than the most", async () => {
  using scratch = new Scratch();
  scratch.settings({ shell: { timeoutMs: 300 } });
  const { results } = await scratch.batch([
    { name: "Bash", args: { command: "echo a; sleep 30" } },
    { name: "Bash", args: { command: "sleep .6; echo b", timeout: 60_000 } },
    { name: "Bash", args: { command: "echo c", timeout: 600_001 } },
  ], ["--mode", "bypassPermissions"]);
  assert.match(textOf(results[0]!), /^a\n\[timed out after 300 ms/);
  assert.equal(textOf(results[1]!), "b");
  assert.equal(results[2]!.outcome, "invalid");
});

test("what a command leaves running is said, and ends with the agent", async () => {
  using scratch = new Scratch();
  const MARKER = randomUUID();
  const { results } = await scratch.batch(
    [
      { name: "Bash", args: { command: "sleep 60 & echo done" } },
      { name: "Bash", args: { command: "(while :; do echo x; sleep .05; done) & echo done" } },
      { name: "Bash", args: { command: "bash -c 'trap \"\" TERM; while :; do sleep 1; done' & echo done" } },
      { name: "Bash", args: { command: "sleep .1 & echo done; wait" } },
    ],
    ["--mode", "bypassPermissions"],
    { env: { MARKER } },
  );
  const note = "[processes that it started still run; they end with this session]";
  assert.deepEqual(results.map(({ exitCode }) => exitCode), [0, 0, 0, 0]);
  for (const result of results.slice(0, 3)) {
    assert.match(textOf(result), /done/);
    assert.ok(textOf(result).endsWith(note));
    assert.ok(result.durationMs < 10_000);
  }
  assert.equal(textOf(results[3]!), "done");
  assert.deepEqual(await leftOf(MARKER), []);
});

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`${signal} to the agent ends the running command and what earlier ones left`, async () => {
    using scratch = new Scratch();
    const MARKER = randomUUID();
    const [program, ...args] = AGENT as [string, ...string[]];
    const child = spawn(program, [...args, "exec", "-", "--mode", "bypassPermissions", "--jsonl"], {
      cwd: scratch.work,
      env: scratch.env({ MARKER }),
      stdio: ["pipe", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    child.stdin!.write(`${JSON.stringify({ name: "Bash", args: { command: "sleep 60 & echo left" } })}\n`);
    child.stdin!.write(`${JSON.stringify({ name: "Bash", args: { command: "echo started; sleep 60" } })}\n`);
    let seen = "";
    for await (const chunk of child.stdout!) {
      seen += chunk;
      if (/"tool_output".*started/.test(seen)) break;
    }
    assert.ok((await processesWith(MARKER)).length >= 3, "agent and both commands run");
    child.kill(signal);
    child.stdin!.end();
    await ended;
    assert.deepEqual(await leftOf(MARKER), []);
  });
}
