/** What a test of a plugin must not take for success, and what `--plugins` must not take for a plugin. */
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { Scratch } from "../support.ts";

test("a call of a tool that isn't there is nearly always a slip", async () => {
  using scratch = new Scratch();
  scratch.plugin("p", "");
  const call = (name: string) => JSON.stringify({ name, args: {}, expect: { unchanged: true } });
  scratch.file("slip.jsonl", call("Wriet"));
  const slip = await scratch.agent(["mods", "test", "p", "slip.jsonl"]);
  assert.equal(slip.code, 2);
  assert.match(
    slip.stderr,
    /Cannot test the call in line 1: no tool is called "Wriet"[^]*did you mean Write\?/,
  );
  scratch.file("other.jsonl", call("mcp__server__entirely_else"));
  const other = await scratch.agent(["mods", "test", "p", "other.jsonl"]);
  assert.equal(other.code, 0, other.stderr);
});

test("a file without calls is no test that passed, and no log that can be replayed", async () => {
  using scratch = new Scratch();
  scratch.plugin("p", "");
  scratch.file("empty.jsonl", "\n");
  for (const words of [["mods", "test", "p", "empty.jsonl"], ["replay", "empty.jsonl"]]) {
    const { code, stderr } = await scratch.agent(words);
    assert.equal(code, 2);
    assert.match(stderr, /Cannot use ".*empty\.jsonl": there is no call in it/);
  }
});

test("a folder of Claude Code's plugin gives its hooks, and its scripts are no plugins", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  scratch.file("fmt/.claude-plugin/plugin.json", '{"name":"fmt"}');
  scratch.file(
    "fmt/s.js",
    `require("node:fs").writeFileSync(${JSON.stringify(path.join(scratch.root, "ran"))}, "x");`,
  );
  const hook = { type: "command", command: "echo no >&2; exit 2" };
  scratch.file("fmt/hooks/hooks.json", JSON.stringify({ hooks: { PreToolUse: [{ hooks: [hook] }] } }));
  for (const place of ["fmt", "."]) {
    const { result, stderr } = await scratch.exec(["--plugins", place, "Read", "file_path=a.txt"]);
    assert.equal(result.outcome, "denied", place);
    assert.doesNotMatch(stderr, /is off/);
  }
  assert.ok(!scratch.exists("../ran"));
});
