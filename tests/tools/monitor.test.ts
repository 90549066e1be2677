/** Commands whose lines are told unasked. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { LineBatch } from "../../src/shell/batch.ts";
import { Lines } from "../../src/shell/lines.ts";
import { Notices } from "../../src/shell/notices.ts";
import { type Json, Scratch, textOf } from "../support.ts";
import { Talk } from "./talk.ts";

test("lines come as events and with the next result, the last one without an end too", async () => {
  using scratch = new Scratch();
  const talk = new Talk(scratch);
  const started = await talk.call("Monitor", {
    command: "echo one; until [ -e go ]; do sleep 0.02; done; printf '\\033[31mtwo\\033[m\\nlast'",
    description: "build",
  });
  assert.match(textOf(started), /^Session 1 watches: build \(watcher 1\)/);
  const first = await talk.event(({ type }) => type === "notice");
  assert.deepEqual([first.source, first.text], ["session 1", "[build] one"]);
  const next = await talk.call("Bash", { command: "echo hi" });
  assert.deepEqual(next.content.map((block: Json) => block.text), ["hi", "[build] one"]);
  scratch.file("go", "");
  await talk.event(({ type, text }) => type === "notice" && /exited with code 0/.test(text));
  const later = await talk.call("Bash", { command: "echo hi" });
  const notes: string[] = later.content.map((block: Json) => block.text);
  assert.equal(notes.length, 2);
  assert.match(
    notes[1]!.replaceAll("[build] ", ""),
    /^two\nlast\n\[session 1 \(echo one.*\) exited with code 0 after/,
  );
  // What was told can still be asked for.
  assert.match(
    textOf(await talk.call("BashOutput", { shell_id: "1" })),
    /^one\ntwo\nlast\n\[session 1 exited/,
  );
  await talk.end();
});

test("a watcher can be dropped, and its time is a limit that is told", async () => {
  using scratch = new Scratch();
  const talk = new Talk(scratch);
  await talk.call("Monitor", {
    command: "until [ -e go ]; do sleep 0.02; done; echo secretly; touch said; sleep 300",
    description: "d",
    persistent: true,
  });
  const dropped = await talk.call("ShellSession", { action: "unwatch", session_id: 1, watcher_id: 1 });
  assert.equal(textOf(dropped), "Session 1 is watched by nobody");
  const again = await talk.call("ShellSession", { action: "unwatch", session_id: 1, watcher_id: 1 });
  assert.equal(textOf(again), "Cannot drop watcher 1 of session 1: there is no such one");
  scratch.file("go", "");
  await talk.call("ShellSession", { action: "wait", session_id: 1, until_output: "secretly", timeout_s: 60 });
  await talk.call("Monitor", { command: "sleep 300", description: "short", timeout_ms: 100 });
  const { text } = await talk.event(({ type }) => type === "notice");
  assert.equal(text, "[session 2 (sleep 300) ended, as its time of 0.1 s is over]");
  await talk.end();
  assert.ok(!talk.notices().some((notice) => notice.startsWith("[d]")));
});

test("a program that prints without end is told of in bounded pieces", async () => {
  using scratch = new Scratch();
  const talk = new Talk(scratch);
  await talk.call("Monitor", { command: "seq 1 100000", description: "flood" });
  await talk.event(({ type, text }) => type === "notice" && /exited with code 0/.test(text));
  for (const notice of talk.notices()) assert.ok(notice.length < 5_000, String(notice.length));
  const told = talk.notices().join("\n");
  assert.match(told, /\[flood\] 1\n2\n/);
  assert.match(told, /\[\d+ more lines, which didn't fit; poll the session\]/);
  const { content } = await talk.call("Bash", { command: "echo hi" });
  assert.equal(content[0].text, "hi");
  assert.ok(content[1].text.length <= 10_100, String(content[1].text.length));
  await talk.end();
});

test("hooks and rules take what is watched for a command", async () => {
  using scratch = new Scratch();
  const { results } = await scratch.batch(
    [{ name: "Monitor", args: { command: "rm x", description: "d" } }],
    ["--deny", "Bash(rm *)", "--mode", "bypassPermissions"],
  );
  assert.equal(results[0]!.outcome, "denied");
});

test("lines are whole, and bounded while they have no end", () => {
  const told: string[] = [];
  const lines = new Lines((line) => told.push(line));
  lines.push("a\r\nb 1\rb 2\n\nc");
  lines.push("d");
  assert.deepEqual([told, lines.rest], [["a", "b 2", ""], "cd"]);
  lines.push("y".repeat(200_000));
  assert.ok(lines.rest.length <= 65_536);
  lines.end();
  lines.end();
  assert.equal(told.length, 4);
});

test("a batch counts what it leaves out, and starts anew", () => {
  const told: string[] = [];
  const batch = new LineBatch((text) => told.push(text));
  for (let i = 0; i < 1000; i++) batch.push("x".repeat(99));
  batch.flush();
  batch.flush();
  batch.push("");
  batch.push("y".repeat(9_000));
  batch.flush();
  assert.equal(told.length, 2);
  assert.match(told[0]!, /\n\[960 more lines, which didn't fit; poll the session\]$/);
  assert.equal(told[1], "y".repeat(4_000) + "…");
});

test("notices that wait are bounded, and say what they left out", () => {
  const heard: string[] = [];
  const notices = new Notices((source, text) => heard.push(`${source}: ${text}`));
  assert.equal(notices.take(), undefined);
  for (let i = 0; i < 20; i++) notices.push("s", "x".repeat(1_000));
  assert.equal(heard.length, 20);
  const taken = notices.take()!;
  assert.ok(taken.length <= 10_100);
  assert.match(taken, /\[10 more notices, which didn't fit; poll the session\]$/);
  assert.equal(notices.take(), undefined);
});
