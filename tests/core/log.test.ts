/** The call log and the small things: deadlines, errors in words, names of sessions. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import { errorCode, fileError, messageOf, nearest, quote } from "../../src/core/errors.ts";
import { CallLog, logFiles, readLog } from "../../src/core/log.ts";
import { isSessionName, newSessionId, Session } from "../../src/core/session.ts";
import type { StreamEvent } from "../../src/core/stream.ts";
import { Watchdog } from "../../src/core/watchdog.ts";
import { Scratch } from "../support.ts";

const event = (text: string): StreamEvent => ({ type: "notice", source: "test", text, at: "" });

test("events are appended a line each, and a line that a kill cut short swallows nothing", () => {
  using scratch = new Scratch();
  const folder = path.join(scratch.root, "new/log");
  const complaints: string[] = [];
  const first = new CallLog(folder, "s", (text) => complaints.push(text));
  first.write(event("one"));
  first.close();
  assert.equal(fs.statSync(first.path).mode & 0o777, 0o600);
  fs.appendFileSync(first.path, '{"type":"notice","sour');
  const second = new CallLog(folder, "s", (text) => complaints.push(text));
  second.write(event("two\nlines"));
  second.write(event("three"));
  second.close();
  assert.deepEqual(readLog(second.path), [event("one"), event("two\nlines"), event("three")]);
  assert.equal(fs.readFileSync(second.path, "utf8").split("\n").length, 5);
  assert.equal(fs.statSync(folder).mode & 0o777, 0o700);
  assert.deepEqual(logFiles(folder).map(({ session }) => session), ["s"]);
  assert.deepEqual(logFiles(path.join(folder, "none")), []);
  assert.deepEqual(complaints, []);
});

test("an event that can't be told as JSON costs the field that can't, and no other event", () => {
  using scratch = new Scratch();
  const complaints: string[] = [];
  const log = new CallLog(path.join(scratch.root, "log"), "s", (text) => complaints.push(text));
  const start = {
    type: "tool_start",
    id: "1",
    parent: undefined,
    name: "x",
    args: { big: 1n },
    at: "",
  } as const;
  log.write(start);
  log.write(event("after"));
  log.close();
  const { parent: _, ...told } = start;
  assert.deepEqual(readLog(log.path), [{ ...told, args: "[left out: it is not JSON]" }, event("after")]);
  assert.deepEqual(complaints, []);
});

test("a log that can't be written is said once", () => {
  using scratch = new Scratch();
  const complaints: string[] = [];
  const log = new CallLog(scratch.file("in-the-way", ""), "s", (text) => complaints.push(text));
  log.write(event("one"));
  log.write(event("two"));
  log.close();
  assert.equal(complaints.length, 1);
  assert.match(complaints[0]!, /^Cannot write the call log ".*s\.jsonl": /);
});

test("calls go on without a log, with one warning", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  scratch.file(path.join(scratch.state, "log"), "in the way");
  const call = { name: "Read", args: { file_path: "a.txt" } };
  const { code, results, stderr } = await scratch.batch([call, call, call]);
  assert.equal(code, 0);
  assert.deepEqual(results.map(({ status }) => status), ["success", "success", "success"]);
  assert.equal(stderr.match(/Cannot write the call log/g)!.length, 1);
});

test("the log holds what --jsonl prints, a named session's runs in one file", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const flags = ["exec", "--jsonl", "--session", "mine", "Read", "file_path=a.txt"];
  const first = await scratch.agent(flags), second = await scratch.agent(flags);
  const logged = fs.readFileSync(path.join(scratch.state, "log/mine.jsonl"), "utf8");
  const printed = (first.stdout + second.stdout).split("\n").filter((line) =>
    !line.startsWith('{"type":"result"')
  );
  assert.deepEqual(
    logged.split("\n").map((line) => line && JSON.parse(line).type).filter((type) => type !== "session_end"),
    printed.map((line) => line && JSON.parse(line).type).filter((type) => type !== "session_end"),
  );
});

test("a session's name can't lead out of the log's folder", () => {
  for (const name of ["a", "2026-x.y_z", newSessionId()]) assert.ok(isSessionName(name), name);
  for (const name of ["", "../a", "a/b", ".hidden", "a b", "a\n", "x".repeat(101)]) {
    assert.ok(!isSessionName(name), name);
    assert.throws(() => new Session({ id: name, cwd: "/", mode: "default" }), /Cannot use the session/);
  }
  assert.ok(newSessionId(new Date(1e12)) < newSessionId(new Date(2e12)), "ids sort by time");
});

test("deadlines pass in their order, one that was met never does, and one that is far off doesn't fire at once", async () => {
  const dog = new Watchdog();
  const passed: number[] = [];
  const warnings: Error[] = [];
  const warned = (warning: Error) => void warnings.push(warning);
  // Node says so when a timer can't wait as long as it is told, and lets it fire at once.
  process.on("warning", warned);
  await new Promise<void>((resolve) => {
    dog.watch(30, () => resolve());
    const never = [dog.watch(2 ** 40, () => passed.push(-1)), dog.watch(Infinity, () => passed.push(-2))];
    for (const ms of [20, 5, 10]) dog.watch(ms, () => passed.push(ms));
    dog.watch(7, () => passed.push(-3))();
    // A busy machine may see all of these at once; what one of them stops must not pass all the same.
    const stopped = dog.watch(21, () => passed.push(-4));
    dog.watch(20.5, () => stopped());
    dog.watch(29, () => never.forEach((stop) => stop()));
  });
  process.off("warning", warned);
  assert.deepEqual(warnings.map(({ name }) => name), []);
  assert.deepEqual(passed, [5, 10, 20]);
  assert.equal(await dog.limit(Promise.resolve(1), 1000, () => new Error("late")), 1);
  await assert.rejects(dog.limit(new Promise(() => {}), 5, () => new Error("late")), /late/);
  await assert.rejects(dog.limit(Promise.reject(new Error("own")), 1000, () => new Error("late")), /own/);
});

test("a quoted value is one line, whatever it holds", () => {
  const forged = quote('a"b\nerror: \u001b[31m\u0085\u009b\u2028\u2029\x7f\ud800');
  assert.match(forged, /^"[\x20-\x7e]+"$/);
  assert.equal(JSON.parse(quote("é😀")), "é😀");
  assert.equal(JSON.parse(quote("x".repeat(500))), "x".repeat(200) + "…");
});

test("any thrown value has a message, and a system error its sentence", () => {
  const hostile = {
    get message() {
      throw new Error("no");
    },
    toJSON() {
      throw new Error("no");
    },
  };
  const cases: [unknown, string][] = [
    [new Error("a"), "a"],
    [new TypeError(), "TypeError"],
    ["text", "text"],
    [undefined, "undefined"],
    [null, "null"],
    [hostile, "an unprintable value was thrown"],
    [Symbol("s"), "Symbol(s)"],
  ];
  for (const [thrown, message] of cases) assert.equal(messageOf(thrown), message);
  assert.equal(errorCode({ code: "ENOENT" }), "ENOENT");
  assert.equal(errorCode({ code: 5 }), undefined);
  const sentence = (code: string) => (fileError("read", "x", { code }) as Error).message;
  assert.equal(sentence("ENOENT"), 'Cannot read "x": no such file');
  assert.equal(sentence("ENOSPC"), 'Cannot read "x": no space left on the disk');
  assert.equal(sentence("EODD"), 'Cannot read "x": EODD');
  const own = new Error("mine");
  assert.equal(fileError("read", "x", own), own);
});

test("names like a misspelt one are found, nearest first", () => {
  const known = ["Read", "Write", "Edit", "Bash", "read_file", "write_file"];
  assert.equal(nearest("Raed", known)[0], "Read");
  assert.equal(nearest("readfile", known)[0], "read_file");
  assert.deepEqual(nearest("zzzzzzzzzz", known), []);
  assert.deepEqual(nearest("x".repeat(100_000), known), []);
});
