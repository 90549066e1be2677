/** One call from the command line. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Scratch, textOf } from "../support.ts";

test("exec runs one call and prints its text", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\ntwo\n");
  const ran = await scratch.agent(["exec", "Read", "file_path=a.txt"]);
  assert.equal(ran.stderr, "");
  assert.equal(ran.stdout, "1\tone\n2\ttwo\n");
  assert.equal(ran.code, 0);
});

test("exec --json prints one result", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const { result, code } = await scratch.exec(["Read", "file_path=a.txt"]);
  assert.equal(code, 0);
  assert.equal(result.outcome, "success");
  assert.equal(result.tool, "read_file");
  assert.equal(textOf(result), "1\tone");
  assert.match(result.at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
});
