/** Reload: new plugins at once, old ones for as long as a turn has them. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import path from "node:path";
import { test } from "node:test";
import { createRuntime, type Runtime } from "agent-runtime";
import { AGENT, Scratch, textOf } from "../support.ts";

/** The library with plugins of `p`, and what it says. */
async function open(scratch: Scratch, settings = {}): Promise<{ runtime: Runtime; said: string[] }> {
  process.env.XDG_CONFIG_HOME = path.join(scratch.root, "config");
  process.env.XDG_STATE_HOME = path.join(scratch.root, "state");
  process.env.XDG_CACHE_HOME = path.join(scratch.root, "cache");
  const said: string[] = [];
  const runtime = await createRuntime({
    cwd: scratch.work,
    plugins: [path.join(scratch.work, "p")],
    mode: "bypassPermissions",
    settings,
    warn: (text) => said.push(text),
  });
  return { runtime, said };
}

const SAYS = (word: string, more = "") =>
  `agent.tool({ name: "say", description: "${word}", run: () => "${word}" });
   agent.on("tool_end", (_, result) => ({ result: result.text + " by ${word}" }));
   ${more}
   return () => agent.log("disposed ${word}");`;

test("turns in use keep what they have; the next has the new; the old is disposed when its last turn ends", async () => {
  using scratch = new Scratch();
  scratch.plugin("a", SAYS("one"));
  scratch.plugin("b", `return () => agent.log("disposed b");`);
  const { runtime, said } = await open(scratch);
  const old = await runtime.prepareTurn({ open: true });
  const say = async (turn: typeof old) => textOf(await runtime.call(turn, { name: "say", args: {} }));
  scratch.plugin("a", SAYS("two"));
  await runtime.reloadMods();
  const now = await runtime.prepareTurn({ open: true });
  assert.deepEqual([await say(old), await say(now)], ["one by one", "two by two"]);
  assert.deepEqual(said, []);
  await runtime.releaseTurn(old.id);
  assert.deepEqual(said, ["b: disposed b", "a: disposed one"]);
  await runtime.close();
  assert.deepEqual(said.slice(2), ["b: disposed b", "a: disposed two"]);
});

test("a call in flight keeps its plugin though its turn was released, and handles are stale afterwards", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "a",
    `const started = new Promise((resolve) => globalThis.began = resolve);
     globalThis.started = started;
     agent.tool({ name: "wait", description: "", run: async () => {
       globalThis.began(); await new Promise((resolve) => globalThis.go = resolve);
       agent.log("still there"); return "waited"; } });
     globalThis.use = () => agent.log("too late");
     return () => agent.log("disposed");`,
  );
  const { runtime, said } = await open(scratch);
  const shared = globalThis as unknown as { started: Promise<void>; go(): void; use(): void };
  const turn = await runtime.prepareTurn({ open: true });
  const call = runtime.call(turn, { name: "wait", args: {} });
  await shared.started;
  const { use } = shared;
  scratch.plugin("a", "");
  await runtime.reloadMods();
  await runtime.releaseTurn(turn.id);
  assert.deepEqual(said, []);
  shared.go();
  assert.equal(textOf(await call), "waited");
  assert.deepEqual(said, ["a: still there", "a: disposed"]);
  assert.throws(use, /the handle of plugin "a" is stale/);
  await runtime.close();
});

test("a plugin whose new version fails stays as it was, and that is told; the others are new", async () => {
  using scratch = new Scratch();
  scratch.plugin("a", SAYS("one"));
  scratch.plugin("b", "");
  const { runtime, said } = await open(scratch);
  scratch.plugin("a", `${SAYS("two")} throw new Error("broken now");`.replace("return () =>", "void"));
  scratch.plugin("c", `agent.tool({ name: "new_one", description: "", run: () => "new" });`);
  const { rmSync } = await import("node:fs");
  rmSync(path.join(scratch.work, "p/b.ts"));
  const mods = await runtime.reloadMods();
  assert.deepEqual(mods.map(({ name, state }) => `${name} ${state}`), ["a ready", "c ready"]);
  assert.equal(mods[0]!.kept, "broken now");
  assert.match(
    said.find((line) => line.includes("stays"))!,
    /plugin "a" stays as it was; its new version is off: setup failed: broken now/,
  );
  const turn = await runtime.prepareTurn({ open: true });
  assert.equal(textOf(await runtime.call(turn, { name: "say", args: {} })), "one by one");
  assert.equal(textOf(await runtime.call(turn, { name: "new_one", args: {} })), "new by one");
  await runtime.close();
});

test("a required plugin that is gone stays, and plugins that come to none are loaded", async () => {
  using scratch = new Scratch();
  scratch.folder("work/p");
  const none = await open(scratch);
  scratch.plugin("a", SAYS("one"));
  assert.deepEqual((await none.runtime.reloadMods()).map(({ name }) => name), ["a"]);
  await none.runtime.close();
  const { runtime, said } = await open(scratch, { "mods.required": ["a"] });
  const { rmSync } = await import("node:fs");
  rmSync(path.join(scratch.work, "p/a.ts"));
  assert.deepEqual((await runtime.reloadMods()).map(({ name, state }) => `${name} ${state}`), ["a ready"]);
  assert.match(said.join("\n"), /plugin "a" stays as it was: it is required/);
  await runtime.close();
});

test("mods list --watch shows plugins again when a file changes, and ends by a signal", async () => {
  using scratch = new Scratch();
  scratch.plugin("a", `agent.tool({ name: "first", description: "", run() {} });`);
  const [program, ...args] = AGENT;
  const child = spawn(program!, [...args, "mods", "list", "--watch", "--plugins", "p"], {
    cwd: scratch.work,
    env: scratch.env(),
  });
  let out = "";
  const seen = (words: string) =>
    new Promise<void>((resolve) => {
      const look = () => out.includes(words) && resolve();
      child.stdout.on("data", look);
      look();
    });
  child.stdout.setEncoding("utf8").on("data", (text: string) => out += text);
  const ended = new Promise((resolve) => child.once("close", resolve));
  await seen("tools: first");
  scratch.plugin("a", `agent.tool({ name: "second_one", description: "", run() {} });`);
  await seen("tools: second_one");
  // Deno tells of no exit code after its own `child.kill`.
  process.kill(child.pid!, "SIGINT");
  assert.equal(await ended, 0);
});
