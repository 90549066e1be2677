/** A program that is talked to by lines. */
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { ProcessGroups } from "../../src/shell/groups.ts";
import { type LineFault, LineProcess } from "../../src/shell/line_process.ts";
import { Scratch } from "../support.ts";

const MB = 1024 * 1024;

/** A shell that runs `script`, what it says, and its end. */
function start(scratch: Scratch, script: string, mostLine = 16 * MB) {
  const groups = new ProcessGroups({ live: path.join(scratch.root, "live") });
  const lines: string[] = [];
  let tell = (_: void) => {};
  const told = new Promise<void>((resolve) => tell = resolve);
  let fail = (_: LineFault) => {};
  const failed = new Promise<LineFault>((resolve) => fail = resolve);
  const child = new LineProcess({
    groups,
    start: () => ({ argv: ["/bin/sh", "-c", script], cwd: scratch.work, env: scratch.env() }),
    mostLine,
    take: (line) => tell(void lines.push(line)),
    failed: fail,
  });
  return { child, lines, told, failed, groups };
}

test("a line in many pieces is looked at once, not with every piece anew", async () => {
  using scratch = new Scratch();
  const { child, lines, told, groups } = start(
    scratch,
    `read -r _; for i in 1 2 3 4 5 6 7 8; do head -c ${MB} /dev/zero | tr '\\0' x; done; echo; read -r _`,
  );
  const { split } = String.prototype;
  let looked = 0;
  String.prototype.split = function (this: string, ...given: unknown[]) {
    looked += this.length;
    return Reflect.apply(split, this, given) as string[];
  } as typeof split;
  try {
    child.send("go");
    await told;
  } finally {
    String.prototype.split = split;
  }
  assert.deepEqual(lines.map(({ length }) => length), [8 * MB]);
  assert.ok(looked < 10 * MB, `${looked} characters were looked at`);
  await child.close(0);
  await groups.endAll();
});

test("what is sent before it is there reaches it, and its end says how and what it said last", async () => {
  using scratch = new Scratch();
  const { child, lines, failed, groups } = start(
    scratch,
    `while read -r line; do [ "$line" = end ] && { echo last words >&2; exit 3; }; echo "$line"; done`,
  );
  for (const line of ["a", "b", "end"]) child.send(line);
  assert.deepEqual(await failed, { kind: "ended", how: "with exit code 3" });
  assert.deepEqual(lines, ["a", "b"]);
  assert.equal(child.stderr, "last words\n");
  await groups.endAll();
});

test("a line that is too long ends it, and so does a start that fails", async () => {
  using scratch = new Scratch();
  const long = start(scratch, "while :; do echo -n xxxxxxxx; done", 1000);
  assert.deepEqual(await long.failed, { kind: "too long" });
  assert.equal(long.child.isOver, true);
  await long.groups.endAll();
  const none = start(scratch, "");
  const failing = new Promise<LineFault>((resolve) => {
    new LineProcess({
      groups: none.groups,
      start: () => {
        throw new Error("no folder");
      },
      mostLine: 1,
      take: () => {},
      failed: resolve,
    });
  });
  assert.deepEqual(await failing, { kind: "not started", why: "no folder" });
  await none.groups.endAll();
});
