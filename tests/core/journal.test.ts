/** The undo journal: what it keeps, for how long, who may read it, and what a damaged one does. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import { LocalFiles } from "../../src/core/local_files.ts";
import type { Journal } from "../../src/core/journal.ts";
import type { JournalEntry, JournalFile } from "../../src/core/journal_entry.ts";
import { findEntry, undo } from "../../src/core/undo.ts";
import {
  assertJournalClean,
  hashOf,
  journalFolder,
  journalOf,
  journalTree,
  tree,
} from "../faults/support.ts";
import { Scratch, textOf } from "../support.ts";

const HOUR = 60 * 60 * 1000, DAY = 24 * HOUR;
const text = (value: string) => new TextEncoder().encode(value);

/** Writes through a journal, under the call's name. */
function write(scratch: Scratch, journal: Journal, call: string, name: string, content: string) {
  const files = new LocalFiles(journal, { id: call, session: "s", project: scratch.work });
  return files.write(path.join(scratch.work, name), text(content));
}

function blobs(scratch: Scratch): string[] {
  return Object.keys(journalTree(scratch)).filter((name) => /^blobs\/..\/./.test(name)).map((name) =>
    path.basename(name)
  );
}

/** Blobs are left alone while they are young, so they are made old. */
function later(scratch: Scratch, journal: Journal, ms: number): void {
  fs.rmSync(path.join(journalFolder(scratch), ".cleaned"), { force: true });
  journal.clean(Date.now() + ms);
}

test("each call has an entry, and only the user may read any of it", () => {
  using scratch = new Scratch();
  const journal = journalOf(scratch);
  scratch.file("a", "one", 0o644);
  const big = "x".repeat(1024 * 1024);
  scratch.file("big", big, 0o666);
  write(scratch, journal, "c1", "a", "two");
  write(scratch, journal, "c2", "b", "new");
  write(scratch, journal, "c3", "big", "small");
  assert.deepEqual(journal.list().map(({ call }) => call), ["c3", "c2", "c1"]);
  const [, , first] = journal.list();
  assert.deepEqual(first!.files, [{
    path: path.join(fs.realpathSync(scratch.work), "a"),
    before: { sha256: hashOf(scratch.file("../one", "one")), mode: 0o644, size: 3 },
    after: { sha256: hashOf(path.join(scratch.work, "a")), mode: 0o644, size: 3 },
  }]);
  assert.equal(blobs(scratch).length, 2, "the old content of both, and none of the new file");
  assertJournalClean(scratch);
});

test("a content that is larger than the journal may be is not kept, and the result says so", async () => {
  using scratch = new Scratch();
  scratch.settings({ journal: { totalCapBytes: 100 } });
  scratch.file("a", "x".repeat(101));
  const { result } = await scratch.exec(["Write", "file_path=a", "content=new"]);
  assert.match(
    textOf(result),
    /; agent undo can't take this back: the old content is larger than the journal \(100 bytes\)/,
  );
  assert.equal(scratch.read("a"), "new");
  const undone = await scratch.agent(["undo"]);
  assert.equal(undone.code, 1);
  assert.match(undone.stderr, /Cannot restore ".*a": the old content is larger/);
  assert.equal(scratch.read("a"), "new");
});

test("the oldest calls go where the old contents grow too large, at work and not only when it ends", () => {
  using scratch = new Scratch();
  const journal = journalOf(scratch, { totalCap: 250 });
  for (let at = 0; at < 8; at++) write(scratch, journal, `c${at}`, "a", String(at).repeat(100));
  assert.deepEqual(journal.list().map(({ call }) => call), ["c7", "c6"]);
  later(scratch, journal, 2 * HOUR);
  assert.deepEqual(journal.list().map(({ call }) => call), ["c7", "c6"]);
  assert.equal(blobs(scratch).length, 2);
  assertJournalClean(scratch);
});

test("nothing that is older than a call for which there is no room is kept, though it would fit", () => {
  using scratch = new Scratch();
  const journal = journalOf(scratch);
  write(scratch, journal, "c0", "made", "takes no room");
  for (let at = 1; at < 4; at++) write(scratch, journal, `c${at}`, "a", String(at).repeat(100));
  const smaller = journalOf(scratch, { totalCap: 150 });
  later(scratch, smaller, 2 * HOUR);
  assert.deepEqual(journal.list().map(({ call }) => call), ["c3"]);
});

test("what many commands add within an hour is bounded too", async () => {
  using scratch = new Scratch();
  const cap = 8 * 1024 * 1024, size = 1.5 * 1024 * 1024;
  scratch.settings({ journal: { totalCapBytes: cap } });
  for (let at = 0; at < 10; at++) {
    const call = { name: "Write", args: { file_path: "a", content: String(at).repeat(size) } };
    const { results, stderr } = await scratch.batch([call], [
      "--mode",
      "bypassPermissions",
      "--session",
      "s",
    ]);
    assert.equal(results[0]?.status, "success", stderr);
  }
  const kept = journalOf(scratch).list().flatMap(({ files }) => files).reduce(
    (sum, { before }) => sum + (before?.size ?? 0),
    0,
  );
  assert.ok(kept > cap / 2 && kept <= cap * 1.25, String(kept));
  assertJournalClean(scratch);
});

test("calls are kept for some days, and a content as long as a call needs it", () => {
  using scratch = new Scratch();
  const journal = journalOf(scratch, { keepDays: 3 });
  scratch.file("a", "old");
  write(scratch, journal, "c1", "a", "new");
  later(scratch, journal, 2 * DAY);
  assert.deepEqual([journal.list().length, blobs(scratch).length], [1, 1]);
  later(scratch, journal, 4 * DAY);
  assert.deepEqual([journal.list().length, blobs(scratch).length], [0, 0]);
});

test("contents that are young, or that a call at work needs, are left where they are", () => {
  using scratch = new Scratch();
  const journal = journalOf(scratch);
  scratch.file("a", "old");
  write(scratch, journal, "c1", "a", "new");
  const calls = path.join(journalFolder(scratch), "calls");
  const [file] = fs.readdirSync(calls);
  const atWork = path.join(journalFolder(scratch), "open", file!);
  fs.renameSync(path.join(calls, file!), atWork);
  later(scratch, journal, 2 * HOUR);
  assert.equal(blobs(scratch).length, 1, "a call at work needs it");
  fs.rmSync(atWork);
  later(scratch, journal, 10_000);
  assert.equal(blobs(scratch).length, 1, "it is young");
  later(scratch, journal, 2 * HOUR);
  assert.equal(blobs(scratch).length, 0);
});

test("a content that is needed again is young again, and is never another file's", () => {
  using scratch = new Scratch();
  const journal = journalOf(scratch);
  scratch.file("a", "old");
  write(scratch, journal, "c1", "a", "new");
  const blobOf = (sha: string) => path.join(journalFolder(scratch), "blobs", sha.slice(0, 2), sha);
  const blob = blobOf(blobs(scratch)[0]!);
  // A change of the mode sets the time that can't be set.
  fs.chmodSync(blob, 0o400);
  scratch.file("b", "old");
  write(scratch, journal, "c2", "b", "new");
  assert.equal((fs.statSync(blob).mode & 0o777).toString(8), "600");

  // The second name that another call at work has made for its file, which it may take away again.
  const theirs = scratch.file("theirs", "x".repeat(1024 * 1024), 0o644);
  const second = blobOf(hashOf(theirs));
  fs.mkdirSync(path.dirname(second), { recursive: true, mode: 0o700 });
  fs.linkSync(theirs, second);
  scratch.file("mine", "x".repeat(1024 * 1024));
  write(scratch, journal, "c3", "mine", "new");
  assert.equal((fs.statSync(theirs).mode & 0o777).toString(8), "644");
  assert.notEqual(fs.statSync(second).ino, fs.statSync(theirs).ino);
  assertJournalClean(scratch);
});

test("a large file that goes leaves its other name alone", () => {
  using scratch = new Scratch();
  const files = new LocalFiles(journalOf(scratch), { id: "c", session: "s", project: scratch.work });
  const place = scratch.file("a", "x".repeat(1024 * 1024), 0o644);
  fs.linkSync(place, path.join(scratch.work, "b"));
  files.remove(place);
  assert.equal((fs.statSync(path.join(scratch.work, "b")).mode & 0o777).toString(8), "644");
  assertJournalClean(scratch);
});

test("a file that changes while an undo is at work is not overwritten", () => {
  using scratch = new Scratch();
  const journal = journalOf(scratch);
  const places = ["a", "b"].map((name) => scratch.file(name, `old ${name}`));
  const files = new LocalFiles(journal, { id: "c", session: "s", project: scratch.work });
  const after = [text("new")];
  files.commit(places.map((place) => ({ path: place, before: files.snapshot(place), after })));
  // Between the judgement and the work.
  const content = journal.content.bind(journal);
  Object.defineProperty(journal, "content", {
    value: (...args: Parameters<typeof content>) => {
      scratch.file("b", "theirs");
      return content(...args);
    },
  });
  assert.throws(
    () => undo(journal, findEntry(journal, scratch.work), "s"),
    /b": it changed since it was read/,
  );
  assert.deepEqual([scratch.read("a"), scratch.read("b")], ["new", "theirs"]);
});

test("a journal that is off keeps nothing, and each result says that it can't be taken back", async () => {
  using scratch = new Scratch();
  scratch.file("a", "old");
  const { results, stderr } = await scratch.batch(
    [
      { name: "Edit", args: { file_path: "a", old_string: "old", new_string: "new" } },
      { name: "Write", args: { file_path: "b", content: "new" } },
      { name: "apply_patch", args: { input: "*** Begin Patch\n*** Delete File: a\n*** End Patch" } },
    ],
    ["--mode", "acceptEdits"],
    { env: { AGENT_JOURNAL: "off" } },
  );
  assert.equal(stderr, "");
  for (const result of results) {
    assert.equal(result.status, "success");
    assert.match(textOf(result), /agent undo can't take this back: the undo journal is off/);
  }
  assert.deepEqual(Object.keys(journalTree(scratch)).filter((name) => !/^(open|\.cleaned)$/.test(name)), []);
  assert.deepEqual(fs.readdirSync(scratch.work), ["b"]);
});

test("a state folder that can't be written stops no write, and is said once", async () => {
  using scratch = new Scratch();
  const state = scratch.file("../file", "not a folder");
  const a = scratch.file("a", "old");
  fs.linkSync(scratch.file("shared", "old"), path.join(scratch.work, "second"));
  const edit = (file_path: string) => ({
    name: "Edit",
    args: { file_path, old_string: "old", new_string: "new" },
  });
  const { results, stderr } = await scratch.batch(
    [edit("a"), edit("shared"), { name: "Write", args: { file_path: "b", content: "new" } }],
    ["--mode", "acceptEdits"],
    { env: { XDG_STATE_HOME: state, AGENT_LOG: "off" } },
  );
  for (const result of results) {
    assert.equal(result.status, "success", textOf(result));
    assert.match(
      textOf(result),
      /agent undo can't take this back: the undo journal can't be written \(ENOTDIR\)/,
    );
  }
  assert.equal(stderr.match(/Cannot keep old contents/g)?.length, 1, stderr);
  assert.deepEqual(["a", "shared", "second", "b"].map((name) => scratch.read(name)), [
    "new",
    "new",
    "new",
    "new",
  ]);
  assert.deepEqual(fs.readdirSync(path.dirname(a)).sort(), ["a", "b", "second", "shared"]);
});

test("a content that was changed in the journal, or is gone, is not put back", () => {
  using scratch = new Scratch();
  const journal = journalOf(scratch);
  scratch.file("a", "old");
  write(scratch, journal, "c1", "a", "new");
  const blob = path.join(
    journalFolder(scratch),
    Object.keys(journalTree(scratch)).find((name) => /^blobs\/..\/./.test(name))!,
  );
  fs.writeFileSync(blob, "odd");
  const takeBack = () => undo(journal, findEntry(journal, scratch.work), "s");
  assert.throws(takeBack, /^AgentError: Cannot restore ".*a": its old content was changed in the journal$/);
  fs.rmSync(blob);
  assert.throws(takeBack, /^AgentError: Cannot restore ".*a": the journal no longer has its old content$/);
  assert.equal(scratch.read("a"), "new");
  assert.equal(journal.list().length, 1);
});

test("a content of which a part is left is kept anew", () => {
  using scratch = new Scratch();
  const journal = journalOf(scratch);
  scratch.file("a", "old");
  write(scratch, journal, "c1", "a", "new");
  const blob = path.join(
    journalFolder(scratch),
    "blobs",
    ...[blobs(scratch)[0]!].flatMap((sha) => [sha.slice(0, 2), sha]),
  );
  fs.truncateSync(blob, 1);
  scratch.file("a", "old");
  write(scratch, journal, "c2", "a", "newer");
  assertJournalClean(scratch);
});

test("entries that can't be read are passed over, in every command", async () => {
  using scratch = new Scratch();
  const journal = journalOf(scratch);
  scratch.file("a", "old");
  write(scratch, journal, "c1", "a", "new");
  const { name } = journal.list()[0]!;
  const calls = path.join(journalFolder(scratch), "calls");
  const odd = ["", "{", "null", "[]", "{}", '{"files":[null]}', '{"name":"x","files":[]}'];
  for (const [at, content] of odd.entries()) {
    fs.writeFileSync(path.join(calls, `179000000000${at}-1-1.json`), content);
    fs.mkdirSync(path.join(journalFolder(scratch), "open"), { recursive: true });
    fs.writeFileSync(path.join(journalFolder(scratch), "open", `100000000000${at}-1-1.json`), content);
  }
  fs.writeFileSync(path.join(calls, "notes.txt"), "");
  assert.deepEqual(journal.list().map((entry) => entry.name), [name]);
  later(scratch, journal, 2 * HOUR);
  const ran = await scratch.agent(["exec", "Read", "file_path=a"]);
  assert.deepEqual([ran.code, ran.stderr], [0, ""]);
  const list = await scratch.agent(["undo", "--list", "--all"]);
  assert.deepEqual([list.code, list.stdout.trim().split("\n").length], [0, 1]);
  assert.deepEqual(fs.readdirSync(path.join(journalFolder(scratch), "open")), []);
});

/** An entry of a process that was killed, which says what another has done. */
function killed(scratch: Scratch, entry: JournalEntry, more: Partial<JournalFile>): void {
  const name = "1000000000000-1-1";
  const files = entry.files.map((file) => ({ ...file, ...more }));
  fs.writeFileSync(
    path.join(journalFolder(scratch), "open", `${name}.json`),
    JSON.stringify({ ...entry, name, files }),
  );
}

test("what a killed call left in place of a file is finished, and never over somebody else's work", () => {
  const old = "1\nold\n3\n", mine = "1\nnew text\n3\n", part = "1\nnew\n3\n";
  const cases: [now: string, left: string, expected: string][] = [
    [part, "begun", mine],
    ["1\nnew tex", "begun", mine],
    ["1\ntheirs\n3\n", "begun", "1\ntheirs\n3\n"],
    // Whatever it looks like: nothing had been written.
    [part, "staged", part],
    [part, "temporary", part],
    // Nothing is there to tell by.
    [part, "begun, without the old content", part],
  ];
  for (const [now, left, expected] of cases) {
    using scratch = new Scratch();
    const journal = journalOf(scratch);
    const place = scratch.file("a", old);
    fs.linkSync(place, path.join(scratch.work, "b"));
    write(scratch, journal, "c", "a", mine);
    const open = path.join(journalFolder(scratch), "open");
    const staged = path.join(open, "1000000000000-1-1.0.new");
    const temporary = path.join(scratch.work, ".a.12345678.agent-tmp");
    fs.writeFileSync(left === "temporary" ? temporary : left === "staged" ? staged : `${staged}.begun`, mine);
    killed(scratch, journal.list()[0]!, { staged, temporary: [temporary] });
    if (left.includes("without")) fs.rmSync(path.join(journalFolder(scratch), "blobs"), { recursive: true });
    fs.writeFileSync(place, now);
    journal.recover();
    assert.equal(fs.readFileSync(place, "utf8"), expected, left);
    assert.deepEqual(fs.readdirSync(open), [], left);
    assert.deepEqual(fs.readdirSync(scratch.work), ["a", "b"], left);
  }
});

test("a call that is at work in another process is left alone", () => {
  using scratch = new Scratch();
  const journal = journalOf(scratch);
  write(scratch, journal, "c", "a", "new");
  const open = path.join(journalFolder(scratch), "open");
  const name = `${Date.now()}-${process.ppid}-1`;
  const temporary = scratch.file(".a.12345678.agent-tmp", "half");
  const entry = {
    ...journal.list()[0]!,
    name,
    files: [{ path: path.join(scratch.work, "c"), temporary: [temporary] }],
  };
  fs.writeFileSync(path.join(open, `${name}.json`), JSON.stringify(entry));
  fs.writeFileSync(path.join(open, `${name}.0.new`), "");
  const before = [tree(scratch.work), fs.readdirSync(open)];
  journal.recover();
  assert.deepEqual([tree(scratch.work), fs.readdirSync(open)], before);
  journal.recover(Date.now() + 2 * HOUR);
  assert.deepEqual([Object.keys(tree(scratch.work)), fs.readdirSync(open)], [["a"], []]);
});
