/** A call that is stopped while it waits says what it was, and gives what came so far. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { leftWith, Scratch, textOf } from "../support.ts";
import { Talk } from "./talk.ts";

test("exec_command that runs out of time gives its output so far and names itself", async () => {
  using scratch = new Scratch();
  const mark = `STOPPED_${Date.now()}`;
  const { result, code } = await scratch.exec([
    "--timeout",
    "1",
    "exec_command",
    "cmd=echo begun; sleep 300",
    "yield_time_ms:=30000",
  ], { env: { MARK: mark } });
  assert.deepEqual([result.outcome, result.status, code], ["timeout", "error", 124]);
  assert.match(
    textOf(result),
    /^\[exec_command ran out of time; the command and all it started were ended\]\n[^]*\nProcess killed\n[^]*Output:\nbegun/,
  );
  assert.deepEqual(await leftWith(mark), []);
});

test("an interrupted exec_command gives its output so far", async () => {
  using scratch = new Scratch();
  const talk = new Talk(scratch);
  const call = talk.call("exec_command", { cmd: "echo begun; sleep 300", yield_time_ms: 30_000 });
  await talk.event(({ type, text }) => type === "tool_output" && /begun/.test(text));
  talk.interrupt();
  const result = await call;
  assert.equal(result.outcome, "interrupted");
  assert.match(
    textOf(result),
    /^\[exec_command was interrupted; the command and all it started were ended\]\n/,
  );
  assert.match(textOf(result), /Output:\nbegun/);
  await talk.ended;
});

test("a wait that is stopped names tool and action, and what it shows stays new", async () => {
  using scratch = new Scratch();
  const talk = new Talk(scratch);
  await talk.call("Bash", { command: "echo begun; touch printed; exec sleep 300", run_in_background: true });
  await talk.call("shell_session", { action: "poll", session_id: 1, peek: true, yield_time_ms: 300_000 });
  const waiting = talk.call("shell_session", { action: "wait", session_id: 1, timeout_s: 600 });
  await talk.event(({ type, name, args }) =>
    type === "tool_start" && name === "shell_session" && args.action === "wait"
  );
  talk.interrupt();
  const result = await waiting;
  assert.equal(result.outcome, "interrupted");
  assert.equal(
    textOf(result),
    "begun\n[session 1 running]\n[shell_session wait was interrupted; the session goes on, and what is shown stays new]",
  );
  await talk.ended;
});

test("a poll and a write_stdin that run out of time say so, and the session goes on", async () => {
  using scratch = new Scratch();
  const start = { name: "exec_command", args: { cmd: "cat; exec sleep 300", yield_time_ms: 250 } };
  const { results } = await scratch.batch([
    start,
    { name: "shell_session", args: { action: "poll", session_id: 1, yield_time_ms: 300_000 } },
    { name: "write_stdin", args: { session_id: 1, yield_time_ms: 300_000 } },
  ], ["--mode", "bypassPermissions", "--concurrency", "1", "--timeout", "1"]);
  assert.deepEqual(results.map(({ outcome }) => outcome), ["success", "timeout", "timeout"]);
  assert.match(textOf(results[1]!), /\[shell_session poll ran out of time; the session goes on, /);
  assert.match(
    textOf(results[2]!),
    /^\[write_stdin ran out of time; the session goes on, .*\n[^]*Process running/,
  );
});
