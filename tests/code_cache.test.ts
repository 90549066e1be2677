/** The compiled code that a start on Node leaves for the next. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import { AGENTS, run, Scratch } from "./support.ts";

test("caches of other builds go, those of another Node with the same build stay", async () => {
  using scratch = new Scratch();
  const folder = path.join(scratch.root, "cache/agent/code");
  const start = (...args: string[]) => scratch.agent(args, { on: "node" });
  await start("config", "path");
  const [own] = readdirSync(folder);
  assert.ok(own !== undefined);
  const build = own.slice(0, own.indexOf("-"));
  const others = [`${build}-0.0-other-exec-hot.cjs.bin`, "0123-0.0-other-exec-hot.cjs.bin"];
  for (const name of others) scratch.file(path.join(folder, name), "");
  await start("exec", "Bash", "command=true");
  const left = readdirSync(folder);
  assert.deepEqual(others.map((name) => left.includes(name)), [true, false]);
  assert.ok(left.includes(own));
});

test("a cache that can't be written whole leaves nothing behind, and what an ended write left goes", {
  skip: process.platform === "win32" && "no limits on Windows",
}, async () => {
  using scratch = new Scratch();
  const folder = path.join(scratch.root, "cache/agent/code");
  // As on a full disk, a write stores some of its bytes and then fails.
  const limited = ["sh", "-c", 'ulimit -f 4 && exec "$@"', "sh", ...AGENTS.node, "config", "path"];
  const ran = await run(limited, { cwd: scratch.work, env: scratch.env() });
  assert.equal(ran.code, 0, ran.stderr);
  assert.deepEqual(readdirSync(folder), []);
  await scratch.agent(["config", "path"], { on: "node" });
  const [own] = readdirSync(folder);
  const stale = `.${own!.slice(0, 40)}.01234567.agent-tmp`;
  scratch.file(path.join(folder, stale), "");
  await scratch.agent(["exec", "Bash", "command=true"], { on: "node" });
  assert.ok(!readdirSync(folder).includes(stale));
});

test("a call loads what it uses: a Read the hot file alone, others what they need beside it", async () => {
  const loaded = async (...args: string[]) => {
    using scratch = new Scratch();
    scratch.file("a.txt", "one\n");
    const { code, stderr } = await scratch.agent(["exec", ...args], { on: "node" });
    assert.equal(code, 0, stderr);
    const names = readdirSync(path.join(scratch.root, "cache/agent/code"));
    return names.map((name) => /-exec-(.*)\.cjs\.bin$/.exec(name)?.[1]).sort();
  };
  assert.deepEqual(await loaded("Read", "file_path=a.txt"), ["hot"]);
  assert.deepEqual(await loaded("Bash", "command=true"), ["commands", "hot"]);
  const edit = ["Edit", "file_path=a.txt", "old_string=one", "new_string=two"];
  assert.deepEqual(await loaded(...edit, "--mode", "acceptEdits"), ["hot", "text", "writing"]);
});
