/** A session's output by its place: given again, page by page, whatever was new. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type Json, Scratch, textOf } from "../support.ts";
import { Talk } from "./talk.ts";

const poll = (more: Json) => ({ name: "shell_session", args: { action: "poll", session_id: 1, ...more } });
const wait = { name: "shell_session", args: { action: "wait", session_id: 1, timeout_s: 60 } };
const start = (command: string) => ({ name: "Bash", args: { command, run_in_background: true } });
const FLAGS = ["--mode", "bypassPermissions", "--concurrency", "1"];

test("all that a session printed is given again from any place on, in pages", async () => {
  using scratch = new Scratch();
  const lines = Array.from({ length: 8_900 }, (_, at) => `line ${at}\n`).join("");
  const { results: [, , ...polled] } = await scratch.batch(
    [
      start("for ((i = 0; i < 8900; i++)); do echo line $i; done"),
      wait,
      ...[0, 29_600, 59_200].map((offset) => poll({ offset })),
    ],
    FLAGS,
  );
  let text = "";
  for (const [at, result] of polled.entries()) {
    const { next, total } = result.structured;
    assert.equal(total, lines.length);
    const [, page, goesOn] =
      /^([^]*?)\n?\[session 1 exited with code 0; \d+ characters so far, offset=(\d+) goes on\]$/
        .exec(textOf(result))!;
    assert.equal(Number(goesOn), next);
    assert.ok(page === lines.slice(at * 29_600, next).replace(/\n+$/, ""), page!.slice(0, 100));
    text = lines.slice(0, next);
    if (at < 2) assert.equal(next, (at + 1) * 29_600);
  }
  assert.ok(text === lines);
});

test("what is new stays new while pages are read, and isn't once the end was", async () => {
  using scratch = new Scratch();
  const talk = new Talk(scratch);
  const call = (args: Json) => talk.call("shell_session", { session_id: 1, ...args });
  await talk.call("Bash", { command: "printf 'first\\nsecond\\n'; exec sleep 300", run_in_background: true });
  await call({ action: "wait", until_output: "second", timeout_s: 60 });
  // Taken already, and there again.
  assert.match(
    textOf(await call({ action: "poll", offset: 6 })),
    /^second\n\[session 1 running; 13 characters/,
  );
  assert.match(
    textOf(await call({ action: "poll", offset: 0, peek: true })),
    /^first\nsecond\n\[session 1 running; 13 characters so far, offset=13 goes on\]$/,
  );
  assert.match(
    textOf(await call({ action: "poll", offset: 13, yield_time_ms: 0 })),
    /^\[session 1 running; nothing new; 13 characters so far, offset=13 goes on\. It goes on while/,
  );
  assert.match(textOf(await call({ action: "poll", offset: 1000, yield_time_ms: 0 })), /offset=13 goes on/);
  assert.match(textOf(await call({ action: "poll", offset: 0, filter: "^sec" })), /^second\n\[/);
  await talk.call("ShellSession", { action: "kill", session_id: 1 });
  await talk.end();
});

test("where the middle is kept no more, its file is named and reading goes on behind it", async () => {
  using scratch = new Scratch();
  const { results } = await scratch.batch(
    [start("seq 1 100000"), wait, poll({ offset: 0 }), poll({ offset: 200_000 })],
    FLAGS,
  );
  assert.match(textOf(results[2]!), /^1\n2\n3\n/);
  const lost = results[3]!;
  const [, count, file] =
    /^\n?\.\.\. \[.*?(\d+) characters omitted; all of it: (\S+)\] \.\.\.\n\[session 1 exited/
      .exec(textOf(lost))!;
  assert.equal(lost.structured.next, 200_000 + Number(count));
  const whole = readFileSync(file!, "utf8");
  assert.equal(whole.length, lost.structured.total);
  const { results: [, , rest] } = await scratch.batch(
    [start("seq 1 100000"), wait, poll({ offset: lost.structured.next })],
    FLAGS,
  );
  const { next } = rest!.structured;
  assert.ok(textOf(rest!).startsWith(whole.slice(lost.structured.next, next).trimEnd()));
});

test("a page never parts a character", async () => {
  using scratch = new Scratch();
  const { results } = await scratch.batch(
    [start("printf 'a😀b'"), wait, ...[0, 1, 2, 3].map((offset) => poll({ offset }))],
    FLAGS,
  );
  assert.deepEqual(results.slice(2).map((result) => textOf(result).split("\n")[0]), [
    "a😀b",
    "😀b",
    "b",
    "b",
  ]);
});
