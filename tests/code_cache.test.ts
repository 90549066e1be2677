/** The compiled code that a start on Node leaves for the next. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Scratch } from "./support.ts";

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
