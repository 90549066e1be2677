/** Writing whole files: what is kept, what is refused, what the result says. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { test } from "node:test";
import { Scratch, textOf } from "../support.ts";

const sha = (text: string) => createHash("sha256").update(text).digest("hex");
const LEAN = ["--mode", "acceptEdits", "--toolset", "lean"];

test("each family's writing creates folders and files, replaces them, and names both hashes", async () => {
  using scratch = new Scratch();
  scratch.file("old", "old\n");
  const { results: [, ...results] } = await scratch.batch([
    { name: "Read", args: { file_path: "old" } },
    { name: "Write", args: { file_path: "a/b/new", content: "one\ntwo\n" } },
    { name: "write_file", args: { file_path: "old", content: "" } },
    { name: "WriteFileGemini", args: { file_path: "g", content: "no end" } },
  ], ["--mode", "acceptEdits"]);
  assert.deepEqual(results.map(textOf), [
    `Created "a/b/new" (2 lines, sha256 ${sha("one\ntwo\n").slice(0, 12)})`,
    `Replaced "old" (0 lines, sha256 ${sha("old\n").slice(0, 12)} → ${sha("").slice(0, 12)})`,
    `Created "g" (1 line, sha256 ${sha("no end").slice(0, 12)})`,
  ]);
  assert.deepEqual(results[1]!.structured, { created: false, oldSha256: sha("old\n"), newSha256: sha("") });
  assert.deepEqual(["a/b/new", "old", "g"].map((name) => scratch.read(name)), ["one\ntwo\n", "", "no end"]);
});

test("expected_sha256 and create_only let a write through or refuse it whole", async () => {
  using scratch = new Scratch();
  scratch.file("a", "old");
  const write = (args: object) => ({ name: "write_file", args: { path: "a", ...args } });
  const { results } = await scratch.batch([
    write({ content: "1", expected_sha256: sha("other") }),
    write({ content: "2", create_only: true }),
    write({ path: "fresh", content: "3", create_only: true }),
    write({ path: "gone", content: "4", expected_sha256: sha("old") }),
    write({ content: "5", expected_sha256: "old" }),
  ], LEAN);
  const texts = results.map(textOf);
  assert.match(
    texts[0]!,
    /^Cannot write "a": its content has the sha256 [0-9a-f]{12}, not [0-9a-f]{12}\n\nhint: read it again/,
  );
  assert.match(texts[1]!, /^Cannot create ".*a": it already exists/);
  assert.match(texts[2]!, /^Created "fresh"/);
  assert.match(texts[3]!, /^Cannot write ".*gone"/);
  assert.equal(results[4]!.outcome, "invalid");
  assert.deepEqual([scratch.read("a"), scratch.exists("gone")], ["old", false]);
  const { results: [prefix] } = await scratch.batch([
    write({ content: "new", expected_sha256: sha("old").slice(0, 8) }),
  ], LEAN);
  assert.equal(prefix!.outcome, "success");
  assert.equal(scratch.read("a"), "new");
});

test("text that can't be stored as it is, is not stored", async () => {
  using scratch = new Scratch();
  scratch.file("a", "old");
  const { results } = await scratch.batch([
    String.raw`{"name": "Write", "args": {"file_path": "a", "content": "x\ud800y"}}`,
    { name: "Write", args: { file_path: "a", content: "KEY=<redacted:MY_KEY>\n" } },
    { name: "Edit", args: { file_path: "a", old_string: "old", new_string: "<redacted:MY_KEY>" } },
    String.raw`{"name": "Edit", "args": {"file_path": "a", "old_string": "old", "new_string": "\udfff"}}`,
  ], ["--mode", "acceptEdits"]);
  assert.deepEqual(results.map(({ outcome }) => outcome), ["error", "error", "error", "error"]);
  assert.match(textOf(results[0]!), /lone surrogate/);
  assert.match(textOf(results[1]!), /redacted secret\n\nhint: /);
  assert.equal(scratch.read("a"), "old");
});

test("a replaced file keeps its mode, its mark and its line ends", async () => {
  using scratch = new Scratch();
  const script = scratch.file("s.sh", "\uFEFFa\r\nb\r\n");
  chmodSync(script, 0o750);
  scratch.file("secret", "x", 0o600);
  scratch.file("lf", "a\nb\n");
  const { results: [, , ...results] } = await scratch.batch([
    { name: "Read", args: { file_path: "s.sh" } },
    { name: "Read", args: { file_path: "lf" } },
    { name: "Write", args: { file_path: "s.sh", content: "c\nd\n" } },
    { name: "Edit", args: { file_path: "secret", old_string: "x", new_string: "y" } },
    { name: "Write", args: { file_path: "lf", content: "c\r\nd\n" } },
  ], ["--mode", "acceptEdits"]);
  assert.equal(readFileSync(script, "utf8"), "\uFEFFc\r\nd\r\n");
  assert.match(textOf(results[0]!), /CRLF line ends were kept/);
  assert.equal(statSync(script).mode & 0o7777, 0o750);
  assert.equal(statSync(`${scratch.work}/secret`).mode & 0o7777, 0o600);
  assert.equal(scratch.read("lf"), "c\r\nd\n");
  assert.deepEqual(readdirSync(scratch.work).sort(), ["lf", "s.sh", "secret"], "no temporary file is left");
});

test("content is stored literally, backslashes and all", async () => {
  using scratch = new Scratch();
  const content = "puts 'a\\n$&$1' \\title '\\0' \\\nnext\n";
  await scratch.batch([{ name: "Write", args: { file_path: "a", content } }], ["--mode", "acceptEdits"]);
  assert.equal(scratch.read("a"), content);
});

test("a leading tilde writes to the home folder", async () => {
  using scratch = new Scratch();
  await scratch.batch([
    { name: "Write", args: { file_path: "~/a/b.txt", content: "x" } },
    { name: "Write", args: { file_path: "./~y", content: "y" } },
  ], ["--mode", "bypassPermissions"]);
  assert.equal(scratch.read(`${scratch.home}/a/b.txt`), "x");
  assert.deepEqual(readdirSync(scratch.work), ["~y"]);
});

test("a folder in the way and a file as a parent are one clear error each", async () => {
  using scratch = new Scratch();
  scratch.folder("work/d");
  scratch.file("f", "kept");
  const { results } = await scratch.batch([
    { name: "Write", args: { file_path: "d", content: "x" } },
    { name: "Write", args: { file_path: "f/x", content: "x" } },
  ], ["--mode", "acceptEdits"]);
  assert.match(textOf(results[0]!), /^Cannot write ".*d": it is a folder/);
  assert.match(textOf(results[1]!), /^Cannot write "f\/x": a part of the path is not a folder/);
  assert.equal(scratch.read("f"), "kept");
});
