/** `agent undo`: what a call did to files is taken back, or it is said why not. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { assertJournalClean, tree } from "../faults/support.ts";
import { type Json, Scratch } from "../support.ts";

/** Calls in one batch, all of which succeed; their ids. */
async function done(scratch: Scratch, ...calls: readonly [string, Json][]): Promise<string[]> {
  const { results } = await scratch.batch(calls.map(([name, args]) => ({ name, args })), [
    "--mode",
    "acceptEdits",
  ]);
  assert.deepEqual(results.map(({ status }) => status), calls.map(() => "success"), JSON.stringify(results));
  return results.map(({ id }) => id);
}

const write = (file_path: string, content: string): [string, Json] => ["Write", { file_path, content }];
const edit = (file_path: string, old_string: string, new_string: string): [string, Json] => [
  "Edit",
  { file_path, old_string, new_string },
];
const patch = (...lines: string[]): [string, Json] => [
  "apply_patch",
  { input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") },
];

/** `agent undo …`, which succeeds; its lines. */
async function undone(scratch: Scratch, ...args: string[]): Promise<string[]> {
  const ran = await scratch.agent(["undo", ...args]);
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(ran.stderr, /^(\S+ of \S+ is taken back; agent undo undo_[0-9a-f]{8} brings it again\n)?$/);
  return ran.stdout.split("\n").filter((line) => line !== "");
}

async function refused(scratch: Scratch, ...args: string[]): Promise<string> {
  const ran = await scratch.agent(["undo", ...args]);
  assert.deepEqual([ran.code, ran.stdout], [1, ""]);
  return ran.stderr;
}

test("every kind of change is taken back whole: contents, modes, links and folders", async () => {
  using scratch = new Scratch();
  scratch.file("updated", "old\n", 0o750);
  scratch.file("from", "old\n", 0o640);
  scratch.file("gone", "gone\n", 0o750);
  scratch.file("replaced", "old\n", 0o600);
  fs.symlinkSync("updated", path.join(scratch.work, "link"));
  fs.symlinkSync("nowhere", path.join(scratch.work, "dangling"));
  const before = tree(scratch.work);
  await done(
    scratch,
    patch(
      "*** Add File: made/deep/a",
      "+a",
      "*** Add File: replaced",
      "+new",
      "*** Update File: updated",
      "@@",
      "-old",
      "+new",
      "*** Update File: from",
      "*** Move to: moved/to",
      "@@",
      "-old",
      "+new",
      "*** Delete File: gone",
      "*** Delete File: link",
      "*** Delete File: dangling",
    ),
  );
  const after = tree(scratch.work);
  assert.equal(after["moved/to"]!.split(" ")[1], "640");
  const lines = await undone(scratch);
  assert.deepEqual(lines.sort(), [
    "removed made/deep/a",
    "removed moved/to",
    "restored dangling",
    "restored from",
    "restored gone",
    "restored link",
    "restored replaced",
    "restored updated",
  ]);
  assert.deepEqual(tree(scratch.work), before);
  const [, again] = await undone(scratch, "--list");
  await undone(scratch, /undo_[0-9a-f]+/.exec(again!)![0]);
  assert.deepEqual(tree(scratch.work), after, "an undo is taken back like any other call");
  assertJournalClean(scratch);
});

test("folders that a call made stay where somebody has put something there", async () => {
  using scratch = new Scratch();
  await done(scratch, write("new/deep/a", "a"));
  scratch.file("new/theirs", "");
  await undone(scratch);
  assert.deepEqual(Object.keys(tree(scratch.work)), ["new", "new/theirs"]);
});

test("call by call is taken back, the newest first; a call by its id or the start of one", async () => {
  using scratch = new Scratch();
  const [, second] = await done(
    scratch,
    write("a", "1"),
    edit("a", "1", "2"),
    edit("a", "2", "3"),
    write("b", "b"),
  );
  assert.deepEqual(await undone(scratch), ["removed b"]);
  assert.deepEqual(await undone(scratch), ["restored a"]);
  assert.equal(scratch.read("a"), "2");
  assert.deepEqual(await undone(scratch, second!), ["restored a"]);
  assert.equal(scratch.read("a"), "1");
  assert.match(
    await refused(scratch, second!),
    /^error: Cannot undo ".*": it is taken back already\n+hint: agent undo undo_[0-9a-f]+ does it again/,
  );
  assert.deepEqual(await undone(scratch), ["removed a"]);
  assert.match(
    await refused(scratch),
    /^error: Cannot undo: no call changed a file in ".*", or all are taken back\n+hint: agent undo --list --all/,
  );
  assert.match(
    await refused(scratch, "nosuch"),
    /^error: Cannot undo "nosuch": the journal has no such call/,
  );
  assert.match(await refused(scratch, second!.slice(0, 2)), /: \d calls are called so\n+hint: one of /);
  const [again] = await done(scratch, write("c", "c"));
  for (let length = 3; length <= again!.length; length++) {
    const ran = await scratch.agent(["undo", again!.slice(0, length)]);
    if (ran.code !== 0) continue;
    assert.equal(ran.stdout, "removed c\n");
    break;
  }
  assert.ok(!scratch.exists("c"));
});

test("an undo that is taken back lets its call be taken back again", async () => {
  using scratch = new Scratch();
  scratch.file("a", "old");
  const [call] = await done(scratch, edit("a", "old", "new"));
  await undone(scratch);
  const list = await undone(scratch, "--list");
  const takesBack = list.find((line) => line.includes("takes back"))!;
  await undone(scratch, /undo_[0-9a-f]+/.exec(takesBack)![0]);
  assert.equal(scratch.read("a"), "new");
  assert.deepEqual(await undone(scratch, call!), ["restored a"]);
  assert.equal(scratch.read("a"), "old");
});

test("a file that changed since is left alone, all the others with it, unless --force", async () => {
  using scratch = new Scratch();
  const start = { a: "old\n", b: "old\n" };
  for (const [name, content] of Object.entries(start)) scratch.file(name, content);
  await done(
    scratch,
    patch(
      "*** Update File: a",
      "@@",
      "-old",
      "+new",
      "*** Update File: b",
      "@@",
      "-old",
      "+new",
      "*** Add File: c",
      "+c",
    ),
  );
  scratch.file("b", "theirs\n");
  scratch.file("c", "theirs\n");
  const before = tree(scratch.work);
  const message = await refused(scratch);
  assert.match(message, /: changed since: ".*\/b", ".*\/c"\n+hint: --force/);
  assert.deepEqual(tree(scratch.work), before);
  assert.deepEqual(await undone(scratch, "--force"), ["restored a", "restored b", "removed c"]);
  assert.deepEqual([scratch.read("a"), scratch.read("b"), scratch.exists("c")], ["old\n", "old\n", false]);
  const [, last] = await undone(scratch, "--list");
  await undone(scratch, /undo_[0-9a-f]+/.exec(last!)![0]);
  assert.deepEqual(tree(scratch.work), before, "what --force has overwritten can be had back");
});

test("a folder that stands where the file was is refused in any case", async () => {
  using scratch = new Scratch();
  await done(scratch, write("a", "new"));
  fs.rmSync(path.join(scratch.work, "a"));
  fs.mkdirSync(path.join(scratch.work, "a/kept"), { recursive: true });
  assert.match(await refused(scratch), /changed since/);
  assert.match(await refused(scratch, "--force"), /^error: Cannot remove ".*": it is a folder/);
  assert.ok(scratch.exists("a/kept"));
});

test("what is back already is said to be unchanged, and doesn't stand in the way of earlier calls", async () => {
  using scratch = new Scratch();
  await done(scratch, write("a", "1"), edit("a", "1", "2"));
  scratch.file("a", "1");
  assert.deepEqual(await undone(scratch), ["a is as before already"]);
  assert.deepEqual(await undone(scratch), ["removed a"]);
});

test("calls are listed by folder, newest last, with what they did and what became of them", async () => {
  using scratch = new Scratch();
  scratch.file("a", "old");
  const [first, second, third] = await done(
    scratch,
    edit("a", "old", "new"),
    write("b", "b"),
    patch("*** Delete File: a"),
  );
  await undone(scratch, third!);
  const elsewhere = scratch.folder("elsewhere");
  const other = await scratch.exec(["Write", "file_path=x", "content=x"], { cwd: elsewhere });
  const list = await undone(scratch, "--list");
  const shape = list.map((line) => line.replace(/^\S+ {2}/, "").replace(/undo_[0-9a-f]+/, "UNDO"));
  assert.deepEqual(shape, [
    `${first}  M a`,
    `${second}  A b`,
    `${third}  D a  (undone by UNDO)`,
    `UNDO  A a  (takes back ${third})`,
  ]);
  for (const line of list) assert.match(line, /^\d{4}-\d\d-\d\dT[\d:.]+\S* {2}/);
  assert.equal((await undone(scratch, "--list", "--limit", "2")).length, 2);
  const all = await undone(scratch, "--list", "--all");
  assert.equal(all.length, 5);
  assert.ok(all[4]!.includes(`${other.result.id}  A ${fs.realpathSync(elsewhere)}/x`), all[4]);
  const json = (await undone(scratch, "--list", "--json")).map((line) => JSON.parse(line) as Json);
  assert.deepEqual(json.map(({ call }) => call).slice(0, 3), [first, second, third]);
  assert.equal(json[0]!.files[0].before.size, 3);
  assert.equal(json[2]!.undoneBy, json[3]!.call);
  const [result] = (await undone(scratch, "--json", second!)).map((line) => JSON.parse(line) as Json);
  assert.match(result!.undo, /^undo_[0-9a-f]{8}$/);
  assert.deepEqual(result, {
    call: second,
    undo: result!.undo,
    files: [{ path: path.join(fs.realpathSync(scratch.work), "b"), did: "removed" }],
  });
});

test("a call that changed nothing can't be in the way: it has no entry", async () => {
  using scratch = new Scratch();
  scratch.file("a", "old");
  await done(scratch, edit("a", "old", "new"));
  await scratch.exec(["Edit", "file_path=a", "old_string=none", "new_string=x"]);
  await scratch.exec(["Write", "file_path=a/b", "content=x"]);
  assert.equal((await undone(scratch, "--list")).length, 1);
});

test("a file with a second name and a large one are taken back as they were", async () => {
  using scratch = new Scratch();
  const big = "line\n".repeat(300_000);
  const a = scratch.file("a", `${big}old\n`, 0o644);
  const shared = scratch.file("shared", `${big}old\n`);
  fs.linkSync(shared, path.join(scratch.work, "second"));
  const before = tree(scratch.work);
  await done(scratch, edit("a", "old", "new"), edit("shared", "old", "new"));
  assertJournalClean(scratch);
  assert.equal(fs.statSync(shared).nlink, 2);
  assert.equal(fs.statSync(a).nlink, 1);
  await undone(scratch);
  await undone(scratch);
  assert.deepEqual(tree(scratch.work), before);
  assert.equal(fs.statSync(shared).nlink, 2);
  assertJournalClean(scratch);
});

test("names that could steer a terminal or pass for another line are shown in quotes", async () => {
  using scratch = new Scratch();
  const odd = "a\n2026-01-01  call_x  A b\x1b[31m";
  await done(scratch, write(odd, "1"), write("plain name", "2"));
  const list = await undone(scratch, "--list");
  assert.deepEqual(list.map((line) => line.replace(/^\S+ {2}\S+ {2}/, "")), [
    `A ${JSON.stringify(odd)}`,
    "A plain name",
  ]);
  await undone(scratch);
  assert.deepEqual(await undone(scratch), [`removed ${JSON.stringify(odd)}`]);
  assert.deepEqual(Object.keys(tree(scratch.work)), []);
});

test("while the journal is off nothing is taken back, since that would stand nowhere", async () => {
  using scratch = new Scratch();
  await done(scratch, write("a", "1"));
  const off = await scratch.agent(["undo"], { env: { AGENT_JOURNAL: "off" } });
  assert.equal(off.code, 1);
  assert.match(off.stderr, /^error: Cannot undo ".*": the undo journal is off.*\n+hint: .*AGENT_JOURNAL=on/);
  assert.equal(scratch.read("a"), "1");
  const list = await undone(scratch, "--list");
  assert.doesNotMatch(list[0]!, /undone by/);
  const on = await scratch.agent(["undo"], { env: { AGENT_JOURNAL: "on" } });
  assert.deepEqual([on.code, on.stdout], [0, "removed a\n"], on.stderr);
});
