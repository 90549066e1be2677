/** Where plugins are found, and in which order. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { type Json, Scratch } from "../support.ts";

const source = (name: string) => `export default { name: "${name}", setup() {} };\n`;

async function list(scratch: Scratch, ...flags: string[]): Promise<Json[]> {
  const ran = await scratch.agent(["mods", "list", "--json", ...flags]);
  assert.equal(ran.code, 0, ran.stderr);
  return JSON.parse(ran.stdout);
}

test("a plugin is a script, or a folder with package.json or an index", async () => {
  using scratch = new Scratch();
  scratch.file("p/a.ts", source("a"));
  scratch.file("p/b.mts", source("b"));
  scratch.file("p/c.js", source("c"));
  scratch.file("p/d.mjs", source("d"));
  scratch.file("p/e/package.json", JSON.stringify({ agent: { plugin: "./src/main.ts" } }));
  scratch.file("p/e/src/main.ts", source("e"));
  scratch.file("p/f/index.ts", source("f"));
  scratch.file("p/g/index.js", source("g"));
  scratch.file("p/h/package.json", JSON.stringify({ name: "h", main: "other.js" }));
  scratch.file("p/h/index.ts", source("h"));
  const mods = await list(scratch, "--plugins", "p");
  assert.deepEqual(mods.map(({ name, state }) => `${name} ${state}`), [
    "a ready",
    "b ready",
    "c ready",
    "d ready",
    "e ready",
    "f ready",
    "g ready",
    "h ready",
  ]);
  assert.equal(mods[4]!.path, path.join(scratch.work, "p/e/src/main.ts"));
  assert.equal(mods[4]!.place, path.join(scratch.work, "p"));
});

test("tests, declarations, hidden files, installed packages and other files are no plugins", async () => {
  using scratch = new Scratch();
  scratch.file("p/good.ts", source("good"));
  const broken = "this is not a script (";
  for (const name of ["good.test.ts", "good.d.ts", ".hidden.ts", "node_modules/x.ts", "x.cjs", "notes.md"]) {
    scratch.file(`p/${name}`, broken);
  }
  scratch.file("p/data/rows.csv", "1,2");
  execFileSync("mkfifo", [path.join(scratch.work, "p/pipe.ts")]);
  const mods = await list(scratch, "--plugins", "p");
  assert.deepEqual(mods.map(({ name }) => name), ["good"]);
});

test("plugins load by place and then by name, whatever order the disk has", async () => {
  using scratch = new Scratch();
  const user = path.join(scratch.config, "plugins");
  mkdirSync(user);
  for (const name of ["b", "Z", "a10", "a9", "ä"]) {
    writeFileSync(path.join(user, `${name}.ts`), source(`user-${Buffer.from(name).toString("hex")}`));
  }
  for (const name of ["y", "x"]) scratch.file(`second/${name}.ts`, source(name));
  for (const name of ["w", "v"]) scratch.file(`first/${name}.ts`, source(name));
  const mods = await list(scratch, "--plugins", "second", "--plugins", "first");
  assert.deepEqual(mods.map((mod) => path.basename(mod.path)), [
    ...["x.ts", "y.ts", "v.ts", "w.ts"],
    ...["Z.ts", "a10.ts", "a9.ts", "b.ts", "ä.ts"],
  ]);
});

test("--plugins takes a folder that is itself a plugin, and a single script", async () => {
  using scratch = new Scratch();
  scratch.file("one/package.json", JSON.stringify({ agent: { plugin: "lib/start.js" } }));
  scratch.file("one/lib/start.js", source("one"));
  scratch.file("one/other.ts", source("other"));
  scratch.file("two/index.ts", source("two"));
  scratch.file("three.ts", source("three"));
  const mods = await list(scratch, "--plugins", "one", "--plugins", "two/", "--plugins", "three.ts");
  assert.deepEqual(mods.map(({ name }) => name), ["one", "two", "three"]);
});

test("the project's own plugins are not loaded until it is trusted", async () => {
  using scratch = new Scratch();
  scratch.file(".agent/plugins/mine.ts", `throw new Error("it was loaded");`);
  scratch.file("a.txt", "one\n");
  const ran = await scratch.agent(["exec", "Read", "file_path=a.txt"]);
  assert.deepEqual([ran.stdout, ran.code], ["1\tone\n", 0]);
  assert.match(ran.stderr, /^warning: [^\n]* is not trusted, so its plugins are left out; [^\n]*\n$/);
  assert.deepEqual(await list(scratch), []);
});

test("a plugin with a bad name, a name taken or no plugin in it is off by itself, and named", async () => {
  using scratch = new Scratch();
  scratch.file("p/a.ts", source("same"));
  scratch.file("p/b.ts", source("same"));
  scratch.file("p/c.ts", source("two words"));
  scratch.file("p/d.ts", "export const plugin = 1;\n");
  scratch.file("p/e.ts", `export default { name: "e" };\n`);
  scratch.file("p/f/package.json", `{"agent": {"plugin": "index.ts" }`);
  scratch.file("p/g.ts", source("g"));
  symlinkSync("nowhere.ts", path.join(scratch.work, "p/link.ts"));
  const ran = await scratch.agent(["mods", "list", "--json", "--plugins", "p"]);
  const mods: Json[] = JSON.parse(ran.stdout);
  const reasons = Object.fromEntries(mods.map((mod) => [path.relative(scratch.work, mod.path), mod.reason]));
  assert.equal(ran.code, 0);
  assert.equal(reasons["p/a.ts"], undefined);
  assert.equal(reasons["p/g.ts"], undefined);
  assert.match(reasons["p/b.ts"], /loaded already, from .*p\/a\.ts/);
  assert.match(reasons["p/c.ts"], /"two words" is not letters/);
  assert.match(reasons["p/d.ts"], /no default export/);
  assert.match(reasons["p/e.ts"], /no setup/);
  assert.match(reasons["p/f/package.json"], /package\.json:1/);
  assert.match(reasons["p/link.ts"], /link\.ts/);
  assert.equal(ran.stderr.trim().split("\n").length, 6, ran.stderr);
  for (const name of ["same", "c", "d", "e", "f", "link"]) {
    assert.ok(ran.stderr.includes(`plugin "${name}" is off`));
  }
});

test("a place that was named and isn't there is an error, the user's folder may be missing", async () => {
  using scratch = new Scratch();
  const missing = await scratch.agent(["exec", "Read", "file_path=x", "--plugins", "nowhere"]);
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /^error: Cannot load plugins from ".*nowhere": no such file\n$/);
  const text = await scratch.agent(["mods", "list", "--plugins", scratch.file("notes.md", "x")]);
  assert.equal(text.code, 2);
  assert.match(text.stderr, /notes\.md": neither a folder nor a script/);
  writeFileSync(path.join(scratch.config, "plugins"), "a file");
  const user = await scratch.agent(["mods", "list"]);
  assert.equal(user.code, 2);
  assert.match(user.stderr, /^error: Cannot load plugins from ".*plugins": .*not a folder/);
});

test("--no-mods and AGENT_NO_MODS=1 start without any", async () => {
  using scratch = new Scratch();
  mkdirSync(path.join(scratch.config, "plugins"));
  writeFileSync(path.join(scratch.config, "plugins", "a.ts"), `throw new Error("it was loaded");`);
  scratch.file("p/b.ts", `throw new Error("it was loaded");`);
  const flag = await scratch.agent(["exec", "Bash", "command=echo hi", "--plugins", "p", "--no-mods"]);
  assert.deepEqual([flag.stdout, flag.stderr, flag.code], ["hi\n", "", 0]);
  const env = await scratch.agent(["mods", "list", "--json"], { env: { AGENT_NO_MODS: "1" } });
  assert.deepEqual([env.stdout, env.stderr, env.code], ["[]\n", "", 0]);
});
