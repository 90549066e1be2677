/** The plugin that ships as `plugins/rewrite.ts`, and all that ship together. */
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { PNG } from "../samples.ts";
import { type Json, ROOT, Scratch, textOf } from "../support.ts";

const FLAGS = ["--plugins", path.join(ROOT, "plugins/rewrite.ts"), "--mode", "bypassPermissions"];
const bash = (command: string) => ({ name: "Bash", args: { command } });

test("rewrite changes arguments, which are checked by permission again", async () => {
  using scratch = new Scratch();
  const change = { tools: ["Bash"], field: "command", find: "say ", replace: "echo '$&' " };
  scratch.settings({ plugins: { rewrite: { args: [change] } } });
  const { results } = await scratch.batch([bash("say one; say two"), bash("printf three")], FLAGS);
  assert.deepEqual(results.map(textOf), ["$& one\n$& two", "three"]);
  const denied = await scratch.batch([bash("say one")], [...FLAGS, "--deny", "Bash(echo *)"]);
  assert.equal(denied.results[0]!.outcome, "denied");
});

test("rewrite changes results, block by block", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "see",
    `agent.tool({ name: "see", description: "", run: () => [
    { type: "text", text: "/home/me/a" }, { type: "image", mediaType: "image/png", data: "${PNG}" },
    { type: "text", text: "b" } ] });`,
  );
  scratch.settings({ plugins: { rewrite: { results: [{ find: "/home/me", replace: "$HOME" }] } } });
  const { result } = await scratch.exec(["see", "--plugins", "p", ...FLAGS]);
  assert.deepEqual(result.content, [
    { type: "text", text: "$HOME/a" },
    { type: "image", mediaType: "image/png", data: PNG },
    { type: "text", text: "b" },
  ]);
});

test("rewrite answers a repeated call from its cache, the failed ones not, and changes that answer too", async () => {
  using scratch = new Scratch();
  const cached = (equals: string) => ({ tools: ["shell"], field: "command", equals });
  const count = "echo x >> runs; echo counted", fail = "echo x >> fails; exit 1";
  scratch.settings({
    plugins: {
      rewrite: { cache: [cached(count), cached(fail)], results: [{ find: "counted", replace: "done" }] },
    },
  });
  const calls = [bash(count), bash(count), bash(fail), bash(fail), bash(`${count} again`)];
  const { results } = await scratch.batch(calls, [...FLAGS, "--concurrency", "1"]);
  assert.deepEqual(results.map(({ outcome }) => outcome), [
    "success",
    "answered",
    "error",
    "error",
    "success",
  ]);
  assert.deepEqual(results.map(textOf).slice(0, 2), ["done", "done"]);
  assert.equal(textOf(results[4]!), "done again");
  assert.equal(scratch.read("runs"), "x\nx\n");
  assert.equal(scratch.read("fails"), "x\nx\n");
});

test("the plugins that ship load together from their folder and change nothing unasked", async () => {
  using scratch = new Scratch();
  const folder = path.join(ROOT, "plugins");
  const list = await scratch.agent(["mods", "list", "--json", "--plugins", folder]);
  assert.deepEqual(JSON.parse(list.stdout).map(({ name, state }: Json) => `${name} ${state}`), [
    ...["budget ready", "cache-reads ready", "format-on-write ready", "guard ready", "notify ready"],
    ...["protect-main ready", "rewrite ready", "stamp ready"],
  ]);
  const ran = await scratch.agent(["exec", "Bash", "command=echo hi", "--plugins", folder]);
  assert.deepEqual([ran.stdout, ran.stderr, ran.code], ["hi\n", "", 0]);
});
