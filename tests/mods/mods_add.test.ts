/** `agent mods add` and `remove`: from a folder, a file and a packed tarball, without a network. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import { run, Scratch } from "../support.ts";

const SOURCE = `export default { name: "demo", uses: ["exec"], setup(agent) {
  agent.tool({ name: "demo_tool", description: "", run: () => "from demo" });
} };\n`;

/** A package that would leave a mark if its scripts were run. */
function makePackage(scratch: Scratch): string {
  const scripts = { postinstall: `touch ${scratch.root}/ran`, preinstall: `touch ${scratch.root}/ran` };
  scratch.file(
    "pkg/package.json",
    JSON.stringify({ name: "agent-demo", version: "1.2.3", agent: { plugin: "./src/demo.ts" }, scripts }),
  );
  scratch.file("pkg/src/demo.ts", SOURCE);
  return path.join(scratch.work, "pkg");
}

const tool = async (scratch: Scratch) =>
  (await scratch.agent(["exec", "demo_tool", "--mode", "bypassPermissions"])).stdout;

for (const kind of ["folder", "tarball"]) {
  test(`a ${kind} with a manifest is installed by npm, without scripts, after a yes, and can be removed`, async () => {
    using scratch = new Scratch();
    const folder = makePackage(scratch);
    // A repository's own .npmrc has no say.
    scratch.file(".npmrc", "ignore-scripts=false\nprefix=/nonexistent\n");
    if (kind === "tarball") await run(["npm", "pack", folder], { cwd: scratch.work, env: scratch.env() });
    const source = kind === "folder" ? "./pkg" : "agent-demo-1.2.3.tgz";
    const asked = await scratch.agent(["mods", "add", source]);
    assert.equal(asked.code, 1);
    assert.match(asked.stdout, /^agent-demo {2}from .*\n {2}uses: exec\n {2}packages: agent-demo@1\.2\.3\n$/);
    assert.match(asked.stderr, /nothing was added; agent mods add --yes/);
    assert.deepEqual(readdirSync(path.join(scratch.config, "plugins")), []);
    const added = await scratch.agent(["mods", "add", source, "--yes"]);
    assert.equal(added.code, 0, added.stderr);
    assert.ok(statSync(path.join(scratch.config, "plugins/agent-demo/package-lock.json")).isFile());
    assert.equal(scratch.exists("../ran"), false);
    assert.equal(await tool(scratch), "from demo\n");
    assert.equal((await scratch.agent(["mods", "add", source, "--yes"])).code, 2);
    assert.equal((await scratch.agent(["mods", "remove", "agent-demo"])).code, 0);
    assert.deepEqual(readdirSync(path.join(scratch.config, "plugins")), []);
    const list = await scratch.agent(["mods", "list"]);
    assert.equal(list.stderr, "no plugins\n");
  });
}

test("a file and a bare folder are copied; what the person added is trusted as it is, and nothing else", async () => {
  using scratch = new Scratch();
  // The tests' user is not watched but here.
  const watched = { env: { AGENT_TRUST_PIN_USER: undefined } };
  // The user's plugins have been looked at before.
  await scratch.agent(["mods", "list"], watched);
  scratch.file("one.ts", SOURCE);
  scratch.file(
    "two/index.ts",
    `import { word } from "./word.ts"; export default { name: word, setup() {} };`,
  );
  scratch.file("two/word.ts", `export const word = "two";`);
  for (const source of ["./one.ts", "./two"]) {
    const added = await scratch.agent(["mods", "add", source, "--yes"], watched);
    assert.equal(added.code, 0, added.stderr);
  }
  const list = await scratch.agent(["mods", "list"], watched);
  assert.match(list.stdout, /^demo {2}ready\n[^]*two {2}ready\n/);
  assert.equal(list.stderr, "");
  scratch.file(path.join(scratch.config, "plugins/two/word.ts"), `export const word = "changed";`);
  const after = await scratch.agent(["mods", "list"], watched);
  assert.match(after.stderr, /word\.ts changed since it was trusted/);
});

test("what is no plugin, and what wasn't added, is said", async () => {
  using scratch = new Scratch();
  scratch.file("pkg/package.json", JSON.stringify({ name: "not-one", version: "1.0.0" }));
  const added = await scratch.agent(["mods", "add", "./pkg", "--yes"]);
  assert.deepEqual([added.code, added.stdout], [1, ""]);
  assert.match(added.stderr, /Cannot add ".\/pkg": it is no plugin/);
  scratch.file(path.join(scratch.config, "plugins/mine.ts"), SOURCE);
  const removed = await scratch.agent(["mods", "remove", "mine"]);
  assert.equal(removed.code, 2);
  assert.match(removed.stderr, /agent mods add didn't install it/);
  // A command of a session's isn't a person.
  const within = await scratch.agent(["mods", "add", "./pkg", "--yes"], { env: { AGENT_CHILD_OF: "x" } });
  assert.match(within.stderr, /from a command of a session/);
});

test("a package's plugin that lies outside it is refused, before npm and after", async () => {
  using scratch = new Scratch();
  scratch.file("evil.ts", SOURCE);
  const entries = { "up": "../evil.ts", "far": "../../../../../../../evil.ts", "link": "./link.ts" };
  for (const [name, plugin] of Object.entries(entries)) {
    scratch.file(`${name}/package.json`, JSON.stringify({ name, version: "1.0.0", agent: { plugin } }));
    if (name === "link") symlinkSync("../evil.ts", path.join(scratch.work, "link/link.ts"));
    const added = await scratch.agent(["mods", "add", `./${name}`, "--yes"]);
    assert.deepEqual([added.code, added.stdout], [1, ""], name);
    assert.match(added.stderr, /: its plugin ".*" lies outside\n\nhint: .*names a file of its own/, name);
  }
  await run(["npm", "pack", path.join(scratch.work, "up")], { cwd: scratch.work, env: scratch.env() });
  const packed = await scratch.agent(["mods", "add", "up-1.0.0.tgz", "--yes"]);
  assert.deepEqual([packed.code, packed.stdout], [1, ""]);
  assert.match(packed.stderr, /: its plugin "..\/evil.ts" lies outside/);
  assert.deepEqual(readdirSync(path.join(scratch.config, "plugins")), []);
});

test("only what can be a plugin is added: no other file, no folder without one, and neither is looked through", async () => {
  using scratch = new Scratch();
  scratch.file("README.md", "# x\n");
  scratch.file("a.test.ts", SOURCE);
  scratch.file("bare/other.ts", SOURCE);
  scratch.file(
    "odd/package.json",
    JSON.stringify({ name: "odd", version: "1.0.0", agent: { plugin: "./x.md" } }),
  );
  scratch.file("odd/x.md", "# x\n");
  mkdirSync(path.join(scratch.work, "index/index.ts"), { recursive: true });
  for (
    const source of [
      "./README.md",
      "/etc/passwd",
      "/dev/null",
      "./a.test.ts",
      "./bare",
      "/",
      "./odd",
      "./index",
    ]
  ) {
    const added = await scratch.agent(["mods", "add", source, "--yes"]);
    assert.deepEqual([added.code, added.stdout], [1, ""], source);
    assert.match(added.stderr, /Cannot add ".*": it is no plugin\n\nhint: a plugin is a \.ts/, source);
  }
  scratch.file("broken/package.json", "{");
  const broken = await scratch.agent(["mods", "add", "./broken", "--yes"]);
  assert.match(broken.stderr, /Cannot read ".*\/broken\/package\.json": it isn't JSON/);
  scratch.file(".hidden.ts", SOURCE);
  const hidden = await scratch.agent(["mods", "add", "./.hidden.ts", "--yes"]);
  assert.match(hidden.stderr, /no plugin can be named ".hidden"/);
  assert.deepEqual(readdirSync(path.join(scratch.config, "plugins")), []);
});

test("what an interrupted add left is taken away by the next one, and what is at work is not", async () => {
  using scratch = new Scratch();
  const plugins = path.join(scratch.config, "plugins");
  const live = `.adding-${process.pid}-0123456789abcdef`;
  // No process has this number: it is beyond what a system gives.
  const left = [".adding-459c9f30", ".adding-99999999-0123456789abcdef"];
  for (const name of [live, ...left]) scratch.file(path.join(plugins, name, "node_modules/x/index.js"), "");
  scratch.file("one.ts", SOURCE);
  assert.equal((await scratch.agent(["mods", "add", "./one.ts", "--yes"])).code, 0);
  assert.deepEqual(readdirSync(plugins).sort(), [live, "one"]);
});

test("with a plugin goes the pin of a file outside, which an older mods add took", async () => {
  using scratch = new Scratch();
  const env = { AGENT_TRUST_PIN_USER: undefined };
  const evil = scratch.file("evil.ts", SOURCE);
  const mine = scratch.file(path.join(scratch.config, "plugins/mine.ts"), SOURCE.replaceAll("demo", "mine"));
  const plugin = path.relative(path.join(scratch.config, "plugins/old"), evil);
  const manifest = path.join(scratch.config, "plugins/old/package.json");
  scratch.file(manifest, JSON.stringify({ agent: { plugin, added: "./old" } }));
  // The first start pins what is there.
  assert.match((await scratch.agent(["mods", "list"], { env })).stdout, /evil\.ts/);
  const trust = () => readFileSync(path.join(scratch.state, "trust.json"), "utf8");
  assert.ok(trust().includes(evil));
  const removed = await scratch.agent(["mods", "remove", "old"], { env });
  assert.equal(removed.code, 0, removed.stderr);
  assert.ok(!trust().includes(evil));
  assert.ok(trust().includes(mine));
  assert.equal((await scratch.agent(["mods", "list"], { env })).stderr, "");
});
