/** Many calls at once, through the real program: order where it matters, and every call its own result. */
import assert from "node:assert/strict";
import { linkSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { type Json, Scratch, textOf } from "../support.ts";

const WRITES = ["--mode", "bypassPermissions"];
const numbers = Array.from({ length: 100 }, (_, i) => `line ${i + 1}`).join("\n") + "\n";

test("ten edits to different lines of one file, sent at once, all stand, twenty rounds", async () => {
  using scratch = new Scratch();
  const rounds = Array.from({ length: 20 }, (_, round) => `f${round}.txt`);
  for (const name of rounds) scratch.file(name, numbers);
  const lines = Array.from({ length: 10 }, (_, i) => i * 10 + 1);
  const calls = rounds.flatMap((file_path) =>
    lines.map((line) => ({
      name: "Edit",
      args: { file_path, old_string: `line ${line}\n`, new_string: `changed ${line}\n` },
    }))
  );
  const { code, results } = await scratch.batch(calls, WRITES);
  assert.equal(code, 0);
  assert.equal(results.length, 200);
  const expected = lines.reduce((text, line) => text.replace(`line ${line}\n`, `changed ${line}\n`), numbers);
  for (const name of rounds) assert.equal(scratch.read(name), expected, name);
});

test("edits of one file by two of its names all stand", async () => {
  using scratch = new Scratch();
  linkSync(scratch.file("a.txt", numbers), path.join(scratch.work, "b.txt"));
  const lines = Array.from({ length: 20 }, (_, i) => i * 4 + 1);
  const calls = lines.map((line, index) => ({
    name: "Edit",
    args: {
      file_path: index % 2 === 0 ? "a.txt" : "b.txt",
      old_string: `line ${line}\n`,
      new_string: `changed ${line}\n`,
    },
  }));
  const { code } = await scratch.batch(calls, WRITES);
  assert.equal(code, 0);
  const expected = lines.reduce((text, line) => text.replace(`line ${line}\n`, `changed ${line}\n`), numbers);
  assert.deepEqual([scratch.read("a.txt"), scratch.read("b.txt")], [expected, expected]);
});

test("a reading of many files is over before a later write to one of them begins", async () => {
  using scratch = new Scratch();
  for (let i = 0; i < 30; i++) scratch.file(`d/f${String(i).padStart(2, "0")}`, `old ${i}\n`);
  const { results } = await scratch.batch([
    { name: "ReadManyFiles", args: { include: ["d/*"] } },
    { name: "Edit", args: { file_path: "d/f29", old_string: "old", new_string: "new" } },
  ], WRITES);
  assert.match(textOf(results[0]!), /old 29/);
  assert.equal(scratch.read("d/f29"), "new 29\n");
});

test("calls at one file happen in the order in which they were sent", async () => {
  using scratch = new Scratch();
  const calls: Json[] = [];
  for (let round = 0; round < 10; round++) {
    const file_path = `f${round}`;
    calls.push(
      { name: "Write", args: { file_path, content: `written ${round}\n` } },
      { name: "Read", args: { file_path } },
      { name: "Bash", args: { command: `echo x${round} > ${file_path}` } },
      { name: "Edit", args: { file_path, old_string: `x${round}`, new_string: "edited" } },
      { name: "Read", args: { file_path } },
    );
  }
  const { code, results } = await scratch.batch(calls, WRITES);
  assert.equal(code, 0, JSON.stringify(results.find(({ status }) => status === "error")));
  for (let round = 0; round < 10; round++) {
    assert.equal(textOf(results[round * 5 + 1]!), `1\twritten ${round}`);
    assert.equal(textOf(results[round * 5 + 4]!), "1\tedited");
  }
});

test("a slow hook of an earlier call doesn't let a later one overtake it at the same file", async () => {
  using scratch = new Scratch();
  // The hook lets the first call wait until the second one's hook is through.
  const hook = scratch.file(
    "hook.sh",
    `case "$(cat)" in *first*) for i in $(seq 500); do [ -e second ] && exit 0; sleep 0.02; done;; *) touch second;; esac\n`,
  );
  scratch.settings({
    hooks: { PreToolUse: [{ matcher: "Write", hooks: [{ type: "command", command: `sh ${hook}` }] }] },
  });
  const { code, results } = await scratch.batch([
    { id: "1", name: "Write", args: { file_path: "f", content: "first" } },
    { id: "2", name: "Write", args: { file_path: "f", content: "later" } },
  ], WRITES);
  assert.equal(code, 0);
  assert.equal(scratch.read("f"), "later");
  assert.match(textOf(results[0]!), /^Created/);
  assert.match(textOf(results[1]!), /^Replaced/);
});

test("one failing call leaves the others alone, and each has its own result in order", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const { code, results } = await scratch.batch([
    { id: "1", name: "Read", args: { file_path: "a.txt" } },
    { id: "2", name: "Bash", args: { command: "exit 1" } },
    "{not json",
    { id: "4", name: "Raed", args: {} },
    { id: "5", name: "Read", args: { file_path: "missing" } },
    { id: "6", name: "Read", args: { file_path: "a.txt", limit: "few" } },
    { id: "7", name: "Bash", args: { command: "echo ok" } },
  ], WRITES);
  assert.equal(code, 1);
  assert.deepEqual(results.map(({ id }) => id), ["1", "2", "line_3", "4", "5", "6", "7"]);
  assert.deepEqual(results.map(({ outcome }) => outcome), [
    "success",
    "error",
    "invalid",
    "unknown",
    "error",
    "invalid",
    "success",
  ]);
  assert.match(textOf(results[1]!), /\[Exit code: 1\]/);
  assert.match(textOf(results[3]!), /^Cannot call "Raed": no such tool\n\nhint: did you mean Read/);
  assert.equal(textOf(results[6]!), "ok");
});

test("readers of one file run together, and so do writers of two", async () => {
  using scratch = new Scratch();
  // Each call's hook waits for the other's, which only ends if both are on their way at once; then both files are written.
  const hook = scratch.file(
    "meet.sh",
    `me=$(mktemp meet.XXXXXX); for i in $(seq 500); do [ $(ls meet.?????? | wc -l) -ge 2 ] && exit 0; sleep 0.02; done; exit 2\n`,
  );
  scratch.settings({
    hooks: { PostToolUse: [{ matcher: "Read|Write", hooks: [{ type: "command", command: `sh ${hook}` }] }] },
  });
  scratch.file("a.txt", "one\n");
  for (
    const calls of [
      [{ name: "Read", args: { file_path: "a.txt" } }, { name: "Read", args: { file_path: "a.txt" } }],
      [{ name: "Write", args: { file_path: "x", content: "1" } }, {
        name: "Write",
        args: { file_path: "y", content: "2" },
      }],
    ]
  ) {
    const { code, results } = await scratch.batch(calls, WRITES);
    assert.equal(code, 0);
    for (const result of results) assert.equal(result.content.length, 1, "no hook had to give up");
    await scratch.agent(["exec", "Bash", "command=rm meet.??????"]);
  }
});
