/** Unified diffs: what `patch` makes of them is the new text. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { diffLines } from "../../src/core/text_diff.ts";
import { Scratch } from "../support.ts";

test("a diff has the changed lines with three around them, and nothing where nothing changed", () => {
  const before = Array.from({ length: 20 }, (_, i) => `line ${i + 1}\n`).join("");
  assert.deepEqual(diffLines(before, before), []);
  assert.deepEqual(diffLines(before, before.replace("line 10", "ten").replace("line 2\n", "")), [
    ...["@@ -1,5 +1,4 @@", " line 1", "-line 2", " line 3", " line 4", " line 5"],
    ...[
      "@@ -7,7 +6,7 @@",
      " line 7",
      " line 8",
      " line 9",
      "-line 10",
      "+ten",
      " line 11",
      " line 12",
      " line 13",
    ],
  ]);
  assert.deepEqual(diffLines("", "a\nb\n"), ["@@ -1,0 +1,2 @@", "+a", "+b"]);
  assert.deepEqual(diffLines("a", "b"), ["@@ -1,1 +1,1 @@", "-a", "+b"]);
});

/** The same numbers on each run. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => (state = (state * 1103515245 + 12345) % 2147483648) % sides;
}

const hasPatch = spawnSync("patch", ["--version"], { stdio: "ignore" }).status === 0;
test("patch makes the new text of the old one and the diff", { skip: !hasPatch && "no patch" }, () => {
  using scratch = new Scratch();
  const roll = dice(7);
  for (let round = 0; round < 60; round++) {
    const before = Array.from({ length: 1 + roll(40) }, () => `${roll(5)}\n`);
    const after = before.flatMap((line) => [[line], [line], [line], [], [line, `${roll(5)}\n`]][roll(5)]!);
    if (after.length === 0) after.push("x\n");
    const lines = diffLines(before.join(""), after.join(""));
    if (lines.length === 0) continue;
    const file = scratch.file("f", before.join(""));
    const input = ["--- f", "+++ f", ...lines, ""].join("\n");
    const { stdout, status } = spawnSync("patch", ["-s", "-F0", file], { input, cwd: path.dirname(file) });
    assert.equal(status, 0, `${stdout}\n${input}`);
    assert.equal(readFileSync(file, "utf8"), after.join(""), input);
  }
});

test("texts that have little in common are not compared without end", () => {
  const lines = (word: string) => Array.from({ length: 20_000 }, (_, i) => `${word}${i}\n`).join("");
  assert.equal(diffLines(lines("a"), lines("b")).length, 40_001);
});
