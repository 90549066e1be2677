/** The walk behind reading many files: which folders a glob leads into, and where a walk ends. */
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { test } from "node:test";
import { leading, matcher } from "../../src/tools/read_many/glob.ts";
import { walk } from "../../src/tools/read_many/walk.ts";
import { Scratch, textOf } from "../support.ts";

const FILES = ["x.ts", "a/x.ts", "a/b/x.ts", "a/b/c/x.ts", "a/.h/x.ts", ".h/x.ts", ".h/.i/x.ts", "lib/x.js"];
const GLOBS = [
  ...["*", "**", "*/*", "**/x.ts", "a/*/x.ts", "a/**/x.ts", "**/b/*", "**/b/**/x.ts", "a**/x.ts"],
  ...[".h/*", "**/.h/*", "*/.h/**", "{.h,a}/*", "**/{.h,b}/*", "[.]h/*", "**/.*/x.ts", "?/x.ts"],
  ...["{a/b,lib}/*", "{a,a/b/c}/x.{js,ts}", "{**/c,lib}/*", "[a-b]/**", "[!a]*/*", "[", "a/[", "a/[/]b/*"],
];

function tree(): Scratch {
  const scratch = new Scratch();
  for (const name of FILES) scratch.file(name, "");
  return scratch;
}

const never = new AbortController().signal;

test("a walk finds the files that fit, all of them, however their glob is written", async () => {
  using scratch = tree();
  for (const glob of GLOBS) {
    const { paths, unreadable } = await walk(scratch.work, glob, () => false, never);
    const expected = FILES.filter((name) => matcher(glob)(name));
    assert.deepEqual(paths.map((path) => path.slice(scratch.work.length + 1)).sort(), expected.sort(), glob);
    assert.deepEqual(unreadable, []);
  }
});

test("a walk enters no folder that can't hold what fits, and follows no link", async () => {
  using scratch = tree();
  symlinkSync("..", `${scratch.work}/a/loop`);
  const entered = async (glob: string) => {
    const names: string[] = [];
    await walk(scratch.work, glob, (_, path) => !names.push(path.slice(scratch.work.length + 1)), never);
    return names.sort();
  };
  assert.deepEqual(await entered("*"), []);
  assert.deepEqual(await entered("*/*"), ["a", "lib"]);
  assert.deepEqual(await entered("a/*/x.ts"), ["a", "a/b"]);
  assert.deepEqual(await entered("lib/**"), ["lib"]);
  assert.deepEqual(await entered("**/*.js"), ["a", "a/b", "a/b/c", "lib"]);
  assert.deepEqual(await entered("{a/b,lib}/*"), ["a", "a/b", "lib"]);
  assert.equal(leading("{a/b,lib}/*")("a/b/c"), false);
});

test("a walk ends at an abort, and at a number of names", async () => {
  using scratch = tree();
  const controller = new AbortController();
  const abort = () => {
    controller.abort(new Error("stopped"));
    return false;
  };
  await assert.rejects(walk(scratch.work, "**", abort, controller.signal), { message: "stopped" });
  await assert.rejects(walk(scratch.work, "**", () => false, never, 7), {
    message: `Cannot search "${scratch.work}": it holds more than 7 names`,
    hint: "let the pattern begin with a folder further down",
  });
  // Names that no glob leads to are none of its business.
  assert.equal((await walk(scratch.work, "*", () => false, never, 7)).paths.length, 1);
});

test("a pattern with too many wildcards is told the rule, and one within it is taken", async () => {
  using scratch = tree();
  const call = (pattern: string) => ({ name: "ReadManyFiles", args: { include: [pattern] } });
  const patterns = ["*a*/*b*/*c*/*d*", "*a*/*b*/*c*", "**/**/**/**/**", "**/**/**/**"];
  const { results } = await scratch.batch(patterns.map(call));
  const rule =
    'each part between slashes may have one "*"; beyond that, 3 more are allowed in all, and 4 "**"';
  for (const [index, result] of results.entries()) {
    assert.equal(textOf(result).includes(rule), index % 2 === 0, textOf(result));
    assert.equal(result.outcome, index % 2 === 0 ? "invalid" : "success");
  }
});
