/** `agent mods add` and `remove`: from a folder, a file and a packed tarball, without a network. */
import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
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
