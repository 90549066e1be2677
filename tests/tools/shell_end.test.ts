/** How commands end: in time, with all they started. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import { AGENT, ON_DENO, processesWith, Scratch, textOf } from "../support.ts";

/** Waits until no process has the marker; what is left then is the answer. */
async function leftOf(marker: string): Promise<string[]> {
  const deadline = Date.now() + 30_000;
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
  // On a busy machine it may not have printed yet.
  assert.match(
    textOf(result),
    /^(?:p\n)?\[timed out after 1000 ms; the command and all it started were ended\]$/,
  );
  assert.ok(result.durationMs >= 1000, `${result.durationMs} ms`);
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
    { name: "Bash", args: { command: "sleep 300" } },
    { name: "Bash", args: { command: "sleep 300", timeout: 400 } },
    { name: "Bash", args: { command: "echo c", timeout: 600_001 } },
  ], ["--mode", "bypassPermissions"]);
  assert.match(textOf(results[0]!), /^\[timed out after 300 ms/);
  assert.match(textOf(results[1]!), /^\[timed out after 400 ms/);
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
  assert.deepEqual(results.map(({ exitCode }) => exitCode), [0, 0, 0, 0]);
  for (const [index, result] of results.slice(0, 3).entries()) {
    assert.match(textOf(result), /done/);
    const note = `[processes that it started still run, as session ${index + 1}; they end with the runtime]`;
    assert.ok(textOf(result).endsWith(note), textOf(result));
  }
  assert.equal(textOf(results[3]!), "done");
  assert.deepEqual(await leftOf(MARKER), []);
});

/** A process of its own that has printed `started` and still runs, beside what an earlier command left. */
async function atWork(scratch: Scratch, MARKER: string) {
  const [program, ...args] = AGENT as [string, ...string[]];
  const child = spawn(program, [...args, "exec", "-", "--mode", "bypassPermissions", "--jsonl"], {
    cwd: scratch.work,
    env: scratch.env({ MARKER, TMPDIR: scratch.folder("tmp") }),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const commands = ["setsid sleep 60 & sleep 60 & echo left", "echo started; trap '' TERM; sleep 60 | cat"];
  for (const command of commands) {
    child.stdin!.write(`${JSON.stringify({ name: "Bash", args: { command } })}\n`);
  }
  let seen = "";
  for await (const chunk of child.stdout!) {
    seen += chunk;
    if (/"tool_output".*started/.test(seen)) break;
  }
  assert.ok((await processesWith(MARKER)).length >= 4, "agent and both commands run");
  return { child, ended };
}

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  test(`${signal} to the agent ends the running command and what earlier ones left`, async () => {
    using scratch = new Scratch();
    const MARKER = randomUUID();
    const { child, ended } = await atWork(scratch, MARKER);
    child.kill(signal);
    child.stdin!.end();
    await ended;
    assert.deepEqual(await leftOf(MARKER), []);
    assert.deepEqual(liveRecords(scratch), []);
  });
}

/** Those that sessions have, with a dot in their names, and free ones. */
function pipesIn(scratch: Scratch): string[] {
  const folder = path.join(scratch.state, "sessions/live/pipes");
  return existsSync(folder) ? readdirSync(folder) : [];
}

test("pipes are used again by later sessions, by many at once too", async () => {
  if (ON_DENO) return;
  using scratch = new Scratch();
  const say = (word: string) => scratch.exec(["Bash", `command=echo ${word}; echo ${word} > /dev/stderr`]);
  await say("first");
  const pipes = pipesIn(scratch).sort();
  assert.equal(pipes.length, 16);
  await say("second");
  assert.deepEqual(pipesIn(scratch).sort(), pipes);
  const words = Array.from({ length: 12 }, (_, index) => `w${index}`);
  const all = await Promise.all(words.map(say));
  assert.deepEqual(
    all.map(({ result }) => [result.stdout, result.stderr]),
    words.map((word) => [[`${word}\n`], [`${word}\n`]]),
  );
  const left = pipesIn(scratch);
  assert.ok(left.length >= 16 && left.every((name) => !name.includes(".")), left.join());
});

function liveRecords(scratch: Scratch): string[] {
  const folder = path.join(scratch.state, "sessions/live");
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
}

test("what a killed agent left is ended by the next start, and nothing else is", async () => {
  if (process.platform !== "linux") return;
  using scratch = new Scratch();
  const [dead, alive] = [randomUUID(), randomUUID()];
  const other = await atWork(scratch, alive);
  const { child, ended } = await atWork(scratch, dead);
  const others = await processesWith(alive);
  child.kill("SIGKILL");
  await ended;
  assert.ok((await processesWith(dead)).length > 0, "they live on");
  assert.equal(liveRecords(scratch).length, 2);
  const next = await scratch.agent(["exec", "Bash", "command=true"]);
  assert.deepEqual([next.code, next.stderr], [0, ""]);
  assert.deepEqual(await leftOf(dead), []);
  assert.deepEqual(await processesWith(alive), others);
  assert.equal(liveRecords(scratch).length, 1);
  other.child.kill("SIGTERM");
  await other.ended;
  assert.deepEqual(await leftOf(alive), []);
  assert.deepEqual(readdirSync(path.join(scratch.root, "tmp")), []);
  assert.deepEqual(pipesIn(scratch).filter((name) => name.includes(".")), [], "no session has pipes");
});

test("output of what left its group doesn't hold its command, and it ends with the time-out", async () => {
  using scratch = new Scratch();
  const MARKER = randomUUID();
  const { results } = await scratch.batch(
    [
      { name: "Bash", args: { command: "setsid sleep 60 >/dev/null & echo done" } },
      { name: "Bash", args: { command: "setsid sleep 60 & echo p; sleep 60", timeout: 500 } },
    ],
    ["--mode", "bypassPermissions"],
    { env: { MARKER } },
  );
  assert.deepEqual([results[0]!.exitCode, results[0]!.stdout], [0, ["done\n"]]);
  assert.match(textOf(results[0]!), /still run/);
  assert.deepEqual([results[1]!.outcome, results[1]!.stdout], ["timeout", ["p\n"]]);
  assert.deepEqual(await leftOf(MARKER), []);
});

/** What waits for somebody at a keyboard elsewhere; where a program isn't installed, its line is no test. */
const ASKING: Readonly<Record<string, string>> = {
  "git log": "git log",
  "git commit": "echo b >> a; git commit -a",
  "git commit --amend": "git commit --amend --allow-empty",
  "git rebase -i": "git checkout -q a && git rebase -i HEAD~1",
  "git, whose helper asks": "printf 'protocol=https\nhost=h\n\n' | git credential fill",
  "git push": "git push http://127.0.0.1:9/x HEAD",
  "less": "less a",
  "man": "man ls",
  "python3": "python3",
  "python3 that asks": "python3 -c 'input()'",
  "read": "read x; read -p 'sure? ' y",
  "cat": "cat; cat -; cat /dev/stdin",
  "ssh": "ssh -p 9 nobody@127.0.0.1",
  "sudo": "sudo -k ls",
  "su": "su nobody -c true",
  "passwd": "passwd",
  "a terminal": "read x < /dev/tty",
  "rm -i": "rm -i a",
  "bc": "bc",
  "a wrapper": "env sh -c 'exec cat'",
};

test("programs that ask, page or edit end by themselves", async () => {
  using scratch = new Scratch();
  // As editors set one for their terminals.
  const asks = scratch.file("asks", "#!/bin/sh\nexec sleep 300\n", 0o755);
  scratch.file(
    `${scratch.home}/.gitconfig`,
    "[user]\nname = t\nemail = t@example.org\n[sequence]\neditor = cat /dev/tty\n[core]\npager = cat /dev/tty\naskPass = " +
      asks,
  );
  const setup =
    "git init -q && echo a > a && git add a && git commit -qm one && git commit -qm two --allow-empty";
  const { results } = await scratch.batch(
    [setup, ...Object.values(ASKING)].map((command) => ({
      name: "Bash",
      args: { command, timeout: 60_000 },
    })),
    ["--mode", "bypassPermissions"],
    { env: { GIT_ASKPASS: asks } },
  );
  assert.equal(results[0]!.exitCode, 0, textOf(results[0]!));
  const late = Object.keys(ASKING).filter((_, index) =>
    !["success", "error"].includes(results[index + 1]!.outcome)
  );
  assert.deepEqual(late, []);
  const of = (name: string) => results[1 + Object.keys(ASKING).indexOf(name)]!;
  for (const name of ["git log", "git commit --amend", "git rebase -i"]) {
    assert.equal(of(name).exitCode, 0, textOf(of(name)));
  }
  assert.match(of("git log").stdout[0], /two[^]*one/);
});
