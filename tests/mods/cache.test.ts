/** Bundles are built once, and again when an input changed. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import { AGENT, type Json, ON_DENO, ROOT, run, Scratch } from "../support.ts";

const folder = (scratch: Scratch) => path.join(scratch.root, "cache/agent/plugins");
const indexOf = (scratch: Scratch) =>
  path.join(trust(scratch), readdirSync(trust(scratch)).find((name) => /^bundles-\d+\.json$/.test(name))!);
const trust = (scratch: Scratch) => path.join(scratch.state, "trust");

/** A plugin that says `word`, which it imports from beside it. */
function speaker(scratch: Scratch, word: string, more = ""): string {
  scratch.file(
    "p/say.ts",
    `import { word } from "./words/word.ts";\n${more}
     export default { name: "say", setup(agent) {
       agent.tool({ name: "say", description: "", run: () => word });
     } };`,
  );
  return scratch.file("p/words/word.ts", `export const word = "${word}";\n`);
}

async function said(scratch: Scratch): Promise<string> {
  const ran = await scratch.agent(["exec", "say", "--plugins", "p"]);
  assert.equal(ran.stderr, "");
  return ran.stdout.trim();
}

/**
 * Puts `to` for `from` into each bundle of the cache, and says that it was built so: who runs the bundle shows it, who
 * builds doesn't.
 */
function mark(scratch: Scratch, from: string, to: string): void {
  alter(scratch, from, to);
  const index = JSON.parse(readFileSync(indexOf(scratch), "utf8"));
  for (const entry of Object.values<Json>(index)) {
    entry.sha256 = createHash("sha256").update(readFileSync(entry.file)).digest("hex");
  }
  writeFileSync(indexOf(scratch), JSON.stringify(index));
}

function alter(scratch: Scratch, from: string, to: string): void {
  const bundles = readdirSync(folder(scratch)).filter((name) => /^[0-9a-f]{32}\.[cm]js$/.test(name));
  assert.ok(bundles.length > 0);
  for (const name of bundles) {
    const file = path.join(folder(scratch), name);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(from, to));
  }
}

for (const [kind, more] of [["script", ""], ["module with top-level await", "await Promise.resolve();"]]) {
  test(`a second start runs the cached ${kind} and builds nothing`, async () => {
    using scratch = new Scratch();
    speaker(scratch, "built", more);
    assert.equal(await said(scratch), "built");
    mark(scratch, "built", "cached");
    assert.equal(await said(scratch), "cached");
  });

  test(`a cached ${kind} that isn't what was built is built anew, silently`, async () => {
    using scratch = new Scratch();
    speaker(scratch, "built", more);
    assert.equal(await said(scratch), "built");
    alter(scratch, "built", "evil!");
    assert.equal(await said(scratch), "built");
    assert.equal(await said(scratch), "built");
  });
}

test("a change of any input builds anew, also of the same size, with the same time, at once", async () => {
  using scratch = new Scratch();
  const word = speaker(scratch, "one");
  assert.equal(await said(scratch), "one");
  const { atime, mtime } = statSync(word);
  writeFileSync(word, `export const word = "two";\n`);
  utimesSync(word, atime, mtime);
  assert.equal(await said(scratch), "two");
  rmSync(word);
  scratch.file("p/words/word.ts", `export const word = "three";\n`);
  assert.equal(await said(scratch), "three");
});

test("a change of package.json that names another file is seen", async () => {
  using scratch = new Scratch();
  const say = (word: string) =>
    `export default { name: "say", setup(a) { a.tool({ name: "say", description: "", run: () => "${word}" }); } };`;
  scratch.file("p/say/old.ts", say("old"));
  scratch.file("p/say/new.ts", say("new"));
  scratch.file("p/say/package.json", `{"agent": {"plugin": "old.ts"}}`);
  assert.equal(await said(scratch), "old");
  scratch.file("p/say/package.json", `{"agent": {"plugin": "new.ts"}}`);
  assert.equal(await said(scratch), "new");
});

test("an input that is gone is told, not hidden by the cache", async () => {
  using scratch = new Scratch();
  const word = speaker(scratch, "one");
  assert.equal(await said(scratch), "one");
  rmSync(word);
  const ran = await scratch.agent(["exec", "say", "--plugins", "p"]);
  assert.match(ran.stderr, /plugin "say" is off: build failed: say\.ts:1: Could not resolve/);
  assert.equal(ran.code, 2);
});

test("Node and Deno use one cache", async () => {
  using scratch = new Scratch();
  speaker(scratch, "built");
  const deno = ON_DENO ? process.execPath : path.join(ROOT, "node_modules/.bin/deno");
  const others = ON_DENO
    ? ["node", path.join(ROOT, "dist/main.cjs")]
    : [deno, "run", "-A", "--no-check", path.join(ROOT, "src/main.ts")];
  assert.notDeepEqual(others, AGENT);
  const options = { cwd: scratch.work, env: scratch.env() };
  const other = async () => (await run([...others, "exec", "say", "--plugins", "p"], options)).stdout.trim();
  assert.equal(await said(scratch), "built");
  mark(scratch, "built", "cached");
  assert.equal(await other(), "cached");
  assert.equal(await said(scratch), "cached");
});

for (const broken of ["", "{", "null", "[]", `"text"`, `{"x": 1}`]) {
  test(`an index of ${JSON.stringify(broken)} is no index`, async () => {
    using scratch = new Scratch();
    speaker(scratch, "built");
    assert.equal(await said(scratch), "built");
    const good = readFileSync(indexOf(scratch), "utf8");
    const entry = Object.keys(JSON.parse(good))[0]!;
    const text = broken === `{"x": 1}` ? JSON.stringify({ [entry]: { format: "cjs" } }) : broken;
    writeFileSync(indexOf(scratch), text);
    assert.equal(await said(scratch), "built");
    assert.deepEqual(Object.keys(JSON.parse(readFileSync(indexOf(scratch), "utf8"))), [entry]);
  });
}

test("a bundle that was removed is built again", async () => {
  using scratch = new Scratch();
  speaker(scratch, "built");
  assert.equal(await said(scratch), "built");
  for (const name of readdirSync(folder(scratch))) rmSync(path.join(folder(scratch), name));
  assert.equal(await said(scratch), "built");
});

for (const [kind, more] of [["script", ""], ["module with top-level await", "await Promise.resolve();"]]) {
  test(`a cache that can't be written costs a warning and the time to build: ${kind}`, async () => {
    using scratch = new Scratch();
    speaker(scratch, "built", `import { sep } from "node:path"; if (sep !== "/") throw 1;\n${more}`);
    scratch.file("p/other.ts", `export default { name: "other", setup() {} };\n`);
    // A file where the folder should be: that stops root as well.
    writeFileSync(path.join(scratch.folder("cache/agent"), "plugins"), "in the way");
    const ran = await scratch.agent(["exec", "say", "--plugins", "p"]);
    assert.deepEqual([ran.stdout, ran.code], ["built\n", 0]);
    assert.match(
      ran.stderr,
      /^warning: plugins are built anew at each start: Cannot .* ".*plugins": .*\n$/,
    );
    assert.equal(readFileSync(folder(scratch), "utf8"), "in the way");
  });
}
