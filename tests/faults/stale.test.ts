/** Files that change behind a session's back: content decides, not time, and nothing is overwritten unseen. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { cleanRecords, ReadRecords } from "../../src/core/reads.ts";
import { type Json, Scratch, textOf } from "../support.ts";

const FLAGS = ["--mode", "acceptEdits"];
const read = (file_path = "a") => ({ name: "Read", args: { file_path } });
const write = (content: string, file_path = "a") => ({ name: "Write", args: { file_path, content } });
const edit = (old_string: string, new_string: string, file_path = "a") => ({
  name: "Edit",
  args: { file_path, old_string, new_string },
});
/** A foreign hand: runs between the calls before and after it. */
const shell = (command: string) => ({ name: "Bash", args: { command } });

/** The results of a session that may do all of this. */
async function session(
  scratch: Scratch,
  calls: readonly unknown[],
  flags: readonly string[] = FLAGS,
): Promise<Json[]> {
  const { results, stderr } = await scratch.batch(calls, [...flags, "--allow", "Bash"]);
  assert.equal(results.length, calls.length, stderr);
  return results;
}

const said = (results: readonly Json[]) =>
  results.map((result) => result.status === "success" ? "ok" : textOf(result).split("\n")[0]);

const UNREAD = 'Cannot write "a": it exists, and was not read in this session';
const CHANGED = 'Cannot write "a": it changed since it was read';

test("a touch between reading and writing is no change", async () => {
  using scratch = new Scratch();
  scratch.file("a", "old\n");
  const results = await session(scratch, [
    read(),
    shell("touch -d 2001-01-01 a"),
    edit("old", "new"),
    shell("touch a"),
    write("newer\n"),
  ]);
  assert.deepEqual(said(results), ["ok", "ok", "ok", "ok", "ok"], JSON.stringify(results));
  assert.doesNotMatch(textOf(results[2]!), /changed since/);
});

test("other text of the same size and time is a change", async () => {
  using scratch = new Scratch();
  scratch.file("a", "old\n");
  const change = "touch -r a ref && printf 'odd\\n' > a && touch -r ref a";
  const results = await session(scratch, [read(), shell(change), write("new\n"), read(), write("new\n")]);
  assert.deepEqual(said(results), ["ok", "ok", CHANGED, "ok", "ok"]);
  assert.match(textOf(results[2]!), /\n\nhint: read it again/);
  assert.equal(scratch.read("a"), "new\n");
});

test("a change during a slow hook of the write itself is noticed", async () => {
  using scratch = new Scratch();
  scratch.file("a", "old\n");
  const command = "printf 'theirs\\n' > a";
  scratch.settings({
    hooks: { PreToolUse: [{ matcher: "Write", hooks: [{ type: "command", command }] }] },
  });
  const results = await session(scratch, [read(), write("new\n")]);
  assert.deepEqual(said(results), ["ok", CHANGED]);
  assert.equal(scratch.read("a"), "theirs\n");
});

test("a session's own writes are seen, whichever tool made them", async () => {
  using scratch = new Scratch();
  scratch.file("a", "old\n");
  const patch = "*** Begin Patch\n*** Update File: a\n@@\n-4\n+5\n*** End Patch";
  const results = await session(scratch, [
    read(),
    write("1\n"),
    write("2\n"),
    edit("2", "3"),
    { name: "MultiEdit", args: { file_path: "a", edits: [{ old_string: "3", new_string: "4" }] } },
    { name: "apply_patch", args: { input: patch } },
    write("6\n"),
    write("made\n", "b"),
    write("again\n", "b"),
  ]);
  assert.deepEqual(said(results), results.map(() => "ok"));
  assert.deepEqual([scratch.read("a"), scratch.read("b")], ["6\n", "again\n"]);
});

test("a file that was not read is not written over in a batch; a person's single call means it", async () => {
  using scratch = new Scratch();
  scratch.file("a", "old\n");
  assert.deepEqual(said(await session(scratch, [write("new\n")])), [UNREAD]);
  assert.equal(scratch.read("a"), "old\n");
  const { result } = await scratch.exec(["Write", "file_path=a", "content=new"]);
  assert.equal(result.status, "success");
  assert.equal(scratch.read("a"), "new");
});

test("overwrite and expected_sha256 let an unread file be written over, a wrong hash doesn't", async () => {
  using scratch = new Scratch();
  scratch.file("a", "old\n");
  const sha = createHash("sha256").update("old\n").digest("hex");
  const whole = (args: Json) => ({ name: "write_file", args: { path: "a", ...args } });
  const results = await session(scratch, [
    whole({ content: "1\n" }),
    whole({ content: "1\n", expected_sha256: sha.replace(/^./, (digit) => digit === "0" ? "1" : "0") }),
    whole({ content: "1\n", expected_sha256: sha.slice(0, 12) }),
    shell("printf 'theirs\\n' > a"),
    whole({ content: "2\n" }),
    whole({ content: "3\n", overwrite: true }),
    {
      name: "edit_file",
      args: { path: "a", edits: [{ old_string: "3", new_string: "4" }], expected_sha256: sha },
    },
  ], [...FLAGS, "--toolset", "lean"]);
  const [unread, wrong, right, , changed, over, stale] = said(results);
  assert.deepEqual([unread, right, changed, over], [UNREAD, "ok", CHANGED, "ok"]);
  assert.match(wrong!, /^Cannot write "a": its content has the sha256 /);
  assert.match(stale!, /^Cannot edit "a": its content has the sha256 /);
  assert.equal(scratch.read("a"), "3\n");
});

test("an edit after a foreign change goes through, says so, and doesn't make the rest of the file seen", async () => {
  using scratch = new Scratch();
  scratch.file("a", "old\n");
  scratch.file("b", "old\n");
  const results = await session(scratch, [
    read(),
    shell("printf 'theirs\\n' >> a"),
    edit("old", "new"),
    write("all\n"),
    edit("old", "new", "b"),
    write("all\n", "b"),
  ]);
  assert.deepEqual(said(results), ["ok", "ok", "ok", CHANGED, "ok", UNREAD.replace('"a"', '"b"')]);
  assert.match(textOf(results[2]!), /the file had changed since it was read/);
  assert.doesNotMatch(textOf(results[4]!), /changed since/);
  assert.deepEqual([scratch.read("a"), scratch.read("b")], ["new\ntheirs\n", "new\n"]);
});

test("a page of a file counts as a reading of it", async () => {
  using scratch = new Scratch();
  scratch.file("a", "1\n2\n3\n");
  const part = { name: "Read", args: { file_path: "a", offset: 1, limit: 1 } };
  const results = await session(scratch, [part, write("new\n")]);
  assert.deepEqual(said(results), ["ok", "ok"]);
});

test("a named session remembers between commands what it saw; others don't, and only the user may look", async () => {
  using scratch = new Scratch();
  scratch.file("a", "old\n");
  const named = (name: string) => [...FLAGS, "--session", name];
  assert.deepEqual(said(await session(scratch, [read()], named("s"))), ["ok"]);
  assert.deepEqual(said(await session(scratch, [write("1\n")], named("t"))), [UNREAD]);
  assert.deepEqual(said(await session(scratch, [write("1\n")], named("s"))), ["ok"]);
  assert.deepEqual(
    said(await session(scratch, [write("2\n")], named("s"))),
    ["ok"],
    "its own write is remembered",
  );
  scratch.file("a", "theirs\n");
  assert.deepEqual(said(await session(scratch, [write("3\n")], named("s"))), [CHANGED]);
  assert.equal(scratch.read("a"), "theirs\n");
  const folder = path.join(scratch.state, "sessions");
  assert.equal((fs.statSync(folder).mode & 0o777).toString(8), "700");
  for (const name of fs.readdirSync(folder)) {
    assert.equal((fs.statSync(path.join(folder, name)).mode & 0o777).toString(8), "600", name);
  }
  // A command that was killed at its last line takes no other line with it.
  fs.appendFileSync(path.join(folder, "s.jsonl"), '["/half');
  assert.deepEqual(said(await session(scratch, [read()], named("s"))), ["ok"]);
  assert.deepEqual(said(await session(scratch, [write("4\n")], named("s"))), ["ok"]);
});

test("a session's records stay small, and go when nobody joins it for long", () => {
  using scratch = new Scratch();
  const folder = path.join(scratch.root, "sessions");
  const file = path.join(folder, "s.jsonl");
  fs.mkdirSync(folder);
  const line = JSON.stringify(["/a", "0".repeat(64)]) + "\n";
  fs.writeFileSync(file, line.repeat(60_000));
  const records = new ReadRecords(file);
  records.saw("/b", new TextEncoder().encode("b"));
  records.save();
  assert.deepEqual(fs.readFileSync(file, "utf8").trim().split("\n").map((row) => JSON.parse(row)[0]), [
    "/a",
    "/b",
  ]);
  cleanRecords(folder, 30, Date.now() + 29 * 86_400_000);
  assert.ok(fs.existsSync(file));
  fs.rmSync(path.join(folder, ".cleaned"));
  cleanRecords(folder, 30, Date.now() + 31 * 86_400_000);
  assert.ok(!fs.existsSync(file));
});

test("a session that goes on for long writes down what it saw, before it ends", () => {
  using scratch = new Scratch();
  const file = path.join(scratch.root, "sessions/s.jsonl");
  const records = new ReadRecords(file);
  for (let at = 0; at < 150; at++) records.saw(`/${at}`, new TextEncoder().encode(String(at)));
  // Another one that joins it knows most of it already.
  const other = new ReadRecords(file);
  const sha = (text: string) => createHash("sha256").update(text).digest("hex");
  assert.equal(other.compare("/7", () => sha("7")), "same");
  assert.equal(other.compare("/7", () => sha("8")), "changed");
  assert.ok(fs.readFileSync(file, "utf8").trim().split("\n").length >= 100);
});

test("where too many files are remembered, those go that were seen longest ago", () => {
  using scratch = new Scratch();
  const file = scratch.file("../sessions/s.jsonl", "");
  const hash = (at: number) => String(at).padStart(64, "0");
  const line = (at: number) => JSON.stringify([`/${at}`, hash(at)]) + "\n";
  // The first file was seen again at the end.
  fs.writeFileSync(file, Array.from({ length: 10_000 }, (_, at) => line(at)).join("") + line(0));
  const records = new ReadRecords(file);
  records.saw("/own", { sha256: hash(1) });
  assert.equal(records.compare("/own", () => hash(1)), "same");
  records.saw("/more", { sha256: hash(2) });
  const seen = ["/own", "/more", "/0", "/9999", "/1", "/2", "/3"].map((name) =>
    records.compare(name, () => "") === "unseen"
  );
  assert.deepEqual(seen, [false, false, false, false, true, true, false]);
});
