/** The build, in a copy of the project: what fails leaves what was there. */
import assert from "node:assert/strict";
import { appendFileSync, cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { AGENTS, ROOT, run, Scratch } from "../support.ts";

const PARTS = ["src", "scripts", "package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"];

test("a fault in types is said and the JavaScript put in place; one in the code leaves the old build alone", async () => {
  using scratch = new Scratch();
  const copy = scratch.work;
  for (const part of PARTS) cpSync(path.join(ROOT, part), path.join(copy, part), { recursive: true });
  symlinkSync(path.join(ROOT, "node_modules"), path.join(copy, "node_modules"));
  const build = () => run([AGENTS.node[0]!, "scripts/build.mjs"], { cwd: copy, env: scratch.env() });
  const main = path.join(copy, "dist/main.cjs");
  const builds = () => readdirSync(copy).filter((name) => name.startsWith("dist"));

  appendFileSync(path.join(copy, "src/version.ts"), '\nexport const wrong: number = "text";\n');
  const typed = await build();
  assert.equal(typed.code, 0, typed.stderr);
  assert.match(typed.stderr, /version\.ts.*TS2322[^]*declarations in dist\/types have faults/);
  assert.equal(typed.stdout, "");
  const { stdout } = await run([AGENTS.node[0]!, main, "--version"], { env: scratch.env() });
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/);

  const before = readFileSync(main, "utf8");
  writeFileSync(path.join(copy, "src/cli/ask.ts"), "export const = ;\n");
  const broken = await build();
  assert.notEqual(broken.code, 0);
  assert.match(broken.stderr, /ask\.ts/);
  assert.deepEqual(builds(), ["dist"]);
  assert.equal(readFileSync(main, "utf8"), before);
});

test("an uncaught error's stack names a line, not the whole file", async () => {
  using scratch = new Scratch();
  const hot = readFileSync(path.join(ROOT, "dist/hot.cjs"), "utf8");
  assert.ok(hot.split("\n").every((line) => line.length < 4000), "the lines are broken");
  const args = ["--debug", "exec", "--session", "a b", "Read", "file_path=x"];
  const { stderr } = await scratch.agent(args, { on: "node" });
  assert.match(stderr, /hot\.cjs:\d{2,}:/);
});
