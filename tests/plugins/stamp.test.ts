/** The plugin that ships as `plugins/stamp.ts`. */
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { type Json, ROOT, Scratch } from "../support.ts";

const FLAGS = ["--plugins", path.join(ROOT, "plugins/stamp.ts"), "--mode", "bypassPermissions"];

function audit(file: string): Json[] {
  return readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line));
}

test("stamp writes a line per call, whatever became of it", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const { results, stderr } = await scratch.batch([
    { id: "read", name: "Read", args: { file_path: "a.txt" } },
    { id: "run", name: "Bash", args: { command: "exit 3" } },
    { id: "deny", name: "Bash", args: { command: "rm a.txt" } },
    { id: "bad", name: "Read", args: {} },
    { id: "what", name: "Nothing", args: {} },
  ], [...FLAGS, "--deny", "Bash(rm *)", "--concurrency", "1"]);
  assert.equal(stderr, "");
  const file = path.join(scratch.state, "storage/stamp/audit.jsonl");
  const lines = audit(file);
  assert.deepEqual(lines.map(({ id, name, tool, effect, outcome }) => [id, name, tool, effect, outcome]), [
    ["read", "Read", "read_file", "read", "success"],
    ["run", "Bash", "shell", "run", "error"],
    ["deny", "Bash", "shell", "run", "denied"],
    ["bad", "Read", "read_file", undefined, "invalid"],
    ["what", "Nothing", "", undefined, "unknown"],
  ]);
  assert.deepEqual(lines[0]!.subjects, [path.join(scratch.work, "a.txt")]);
  assert.deepEqual(lines[1]!.subjects, ["exit 3"]);
  assert.deepEqual(lines.map(({ at }) => at.slice(0, 10)), results.map(({ at }) => at.slice(0, 10)));
  assert.ok(lines.every(({ durationMs }) => durationMs >= 0));
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test("stamp appends to the file of the settings, and one that can't be written stops no call", async () => {
  using scratch = new Scratch();
  const file = path.join(scratch.work, "audit.jsonl");
  scratch.settings({ plugins: { stamp: { file } } });
  for (const name of ["one", "two"]) await scratch.agent(["exec", "Bash", `command=echo ${name}`, ...FLAGS]);
  assert.deepEqual(audit(file).map(({ subjects }) => subjects), [["echo one"], ["echo two"]]);
  scratch.settings({ plugins: { stamp: { file: path.join(scratch.work, "no/folder/audit.jsonl") } } });
  const ran = await scratch.agent(["exec", "Bash", "command=echo three", ...FLAGS]);
  assert.deepEqual([ran.stdout, ran.code], ["three\n", 0]);
  assert.match(ran.stderr, /^warning: Plugin "stamp" failed in tool_end: .*no such file/);
});

test("stamp's line tells what other plugins made of the call", async () => {
  using scratch = new Scratch();
  scratch.plugin("answer", `agent.on("tool_start", () => ({ result: "from a plugin" }));`);
  await scratch.exec(["Bash", "command=touch ran", ...FLAGS, "--plugins", "p"]);
  const [line] = audit(path.join(scratch.state, "storage/stamp/audit.jsonl"));
  assert.deepEqual([line!.outcome, scratch.exists("ran")], ["answered", false]);
});
