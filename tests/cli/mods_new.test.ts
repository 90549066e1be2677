/** `agent mods new` and `agent mods check`: a plugin to start from, and what can be said of one without a call. */
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import { AGENT, type Json, ON_DENO, ROOT, run, Scratch } from "../support.ts";

test("a new plugin runs at once, passes its own test, its types and its check", async () => {
  using scratch = new Scratch();
  const made = await scratch.agent(["mods", "new", "my-one", "--dir", "mine"]);
  const folder = path.join(scratch.work, "mine/my-one");
  assert.deepEqual([made.code, made.stdout], [0, folder + "\n"]);
  const args = ["--plugins", folder, "Write", "file_path=generated/x", "content=y"];
  const { result } = await scratch.exec(args);
  assert.equal(result.outcome, "denied");
  assert.match(result.content[0].text, /made by the build/);
  const env = scratch.env({ AGENT: AGENT.join(" ") });
  const node = ON_DENO ? "node" : process.execPath;
  const tested = await run([node, "--test"], { cwd: folder, env });
  assert.equal(tested.code, 0, tested.stdout + tested.stderr);
  const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc");
  const typed = await run([node, tsc, "-p", folder], { cwd: folder, env });
  assert.deepEqual([typed.code, typed.stdout], [0, ""]);
  const checked = await scratch.agent(["mods", "check", folder]);
  assert.deepEqual([checked.code, checked.stdout], [0, `my-one  fine\n  ${folder}/index.ts\n`]);
  const again = await scratch.agent(["mods", "new", "my-one", "--dir", "mine"]);
  assert.equal(again.code, 2);
  assert.match(again.stderr, /Cannot make the plugin "my-one": .* is there already/);
});

test("the test of a new plugin fails when the plugin no longer does what it says", async () => {
  using scratch = new Scratch();
  await scratch.agent(["mods", "new", "one", "--dir", "."]);
  const entry = path.join(scratch.work, "one/index.ts");
  scratch.file(entry, scratch.read(entry).replace("generated/**", "other/**"));
  const env = scratch.env({ AGENT: AGENT.join(" ") });
  const tested = await run([ON_DENO ? "node" : process.execPath, "--test"], {
    cwd: path.join(scratch.work, "one"),
    env,
  });
  assert.equal(tested.code, 1);
  assert.match(tested.stdout, /expected that it is denied, but it is unchanged/);
});

test("a new plugin's test says when agent can't be run", async () => {
  using scratch = new Scratch();
  await scratch.agent(["mods", "new", "one", "--dir", "."]);
  const { code, stdout } = await run([ON_DENO ? "node" : process.execPath, "--test"], {
    cwd: path.join(scratch.work, "one"),
    env: scratch.env({ AGENT: "/nonexistent/agent" }),
  });
  assert.equal(code, 1);
  assert.match(stdout, /Cannot run "\/nonexistent\/agent": AGENT says how it is started/);
});

test("a new plugin is refused where it couldn't be loaded or made", async () => {
  using scratch = new Scratch();
  const named = await scratch.agent(["mods", "new", "node_modules", "--dir", "p"]);
  assert.equal(named.code, 2);
  assert.match(
    named.stderr,
    /Cannot make the plugin "node_modules": nothing is loaded from a folder of that name/,
  );
  assert.equal(scratch.exists("p"), false);
  scratch.file("file", "");
  symlinkSync("nowhere/x", path.join(scratch.work, "dangling"));
  for (const place of ["file", "dangling"]) {
    const made = await scratch.agent(["mods", "new", "one", "--dir", place]);
    assert.equal(made.code, 1);
    assert.match(made.stderr, new RegExp(`Cannot make the folder ".*/${place}/one": (a part of|no such)`));
  }
});

test("without --dir it is one of the user's plugins, trusted as it was made", async () => {
  using scratch = new Scratch();
  const env = { AGENT_TRUST_PIN_USER: undefined };
  await scratch.agent(["exec", "Bash", "command=true"], { env });
  const made = await scratch.agent(["mods", "new", "mine"], { env });
  assert.deepEqual([made.code, made.stdout], [0, path.join(scratch.config, "plugins/mine") + "\n"]);
  const { result, stderr } = await scratch.exec(["Write", "file_path=generated/x", "content=y"], { env });
  assert.deepEqual([result.outcome, stderr], ["denied", ""]);
  const named = await scratch.agent(["mods", "test", "mine"], { env });
  assert.match(named.stdout, /3 of 3 expectations met/);
  for (const name of ["a/b", "../x", "1", "-x"]) {
    const bad = await scratch.agent(["mods", "new", "--dir", ".", "--", name], { env });
    assert.equal(bad.code, 2, name);
  }
});

test("a check names what is wrong with types, names, uses and filters", async () => {
  using scratch = new Scratch();
  const check = async (plugin: string) => {
    const ran = await scratch.agent(["mods", "check", plugin, "--json"]);
    const told = JSON.parse(ran.stdout) as Json;
    return { code: ran.code, ...told.plugins[0] as { problems: string[]; notes: string[] } };
  };
  const has = (list: readonly string[], pattern: RegExp) =>
    assert.ok(list.some((text) => pattern.test(text)), `${pattern} in ${JSON.stringify(list)}`);

  const typed = await check(scratch.plugin("typed", `agent.on("tool_start", () => ({ deny: 5 }));`));
  assert.equal(typed.code, 1);
  has(typed.problems, /error TS2/);

  const tool = (run: string) =>
    `agent.tool({ name: "Read", description: "", input: { type: "object" }, ${run} });`;
  const uses = await check(scratch.plugin(
    "using",
    tool(`run: async (_, context) => { await context.exec("ls"); return context.secret("KEY"); }`),
    `uses: ["call", "exce", "secrets:KEY"],`,
  ));
  assert.equal(uses.code, 1);
  has(uses.problems, /it seems to use exec, which it doesn't declare/);
  has(uses.problems, /uses has "exce", which means nothing; did you mean exec\?/);
  has(uses.notes, /it declares "call", and its code never names it/);
  has(uses.notes, /its tool Read stands before that of/);
  assert.equal(uses.problems.some((text) => /secrets/.test(text)), false);

  const filter = await check(
    scratch.plugin("filter", `agent.on("tool_start", () => {}, { tools: ["Baash"] });`),
  );
  has(filter.problems, /the filter "Baash" fits no known tool; did you mean Bash\?/);

  const fails = await check(scratch.plugin("fails", `agent.on("permission", () => undefined);`));
  has(fails.problems, /listens to permission without declaring it/);

  scratch.file(`${scratch.config}/plugins/other.ts`, `export default { name: "twin", setup() {} };`);
  const twin = await check(scratch.plugin("twin", `agent.on("tool_end", () => {});`));
  has(twin.problems, /another plugin of yours has its name: .*other\.ts/);

  const fine = await check(scratch.plugin("fine", `agent.on("tool_end", () => {});`));
  assert.deepEqual([fine.code, fine.problems, fine.notes], [0, [], []]);
});

test("a check runs no tsc of the plugin's own folder", async () => {
  using scratch = new Scratch();
  await scratch.agent(["mods", "new", "theirs", "--dir", "."]);
  scratch.file("theirs/node_modules/.bin/tsc", `#!/bin/sh\ntouch "${scratch.work}/ran"\n`, 0o755);
  const entry = path.join(scratch.work, "theirs/index.ts");
  scratch.file(entry, `${scratch.read(entry)}\nexport const wrong: number = "text";\n`);
  const ran = await scratch.agent(["mods", "check", "theirs"]);
  assert.deepEqual([ran.code, scratch.exists("ran")], [1, false]);
  assert.match(ran.stdout, /problem: .*error TS2322/);
});

test("the plugins that ship pass the check", async () => {
  using scratch = new Scratch();
  for (const name of ["guard", "cache-reads", "format-on-write", "protect-main"]) {
    const ran = await scratch.agent(["mods", "check", path.join(ROOT, `plugins/${name}.ts`)]);
    assert.equal(ran.code, 0, ran.stdout);
  }
});
