/** The plugin that ships as `plugins/budget.ts`. */
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { PNG } from "../samples.ts";
import { ROOT, Scratch, textOf } from "../support.ts";

const FLAGS = ["--plugins", path.join(ROOT, "plugins/budget.ts"), "--mode", "bypassPermissions"];
const IN_TURN = [...FLAGS, "--concurrency", "1"];
const bash = (command: string) => ({ name: "Bash", args: { command } });

function budget(scratch: Scratch, options: Record<string, unknown>): void {
  scratch.settings({ plugins: { budget: options } });
}

test("budget counts calls, says what is left from the half on, and refuses what is beyond", async () => {
  using scratch = new Scratch();
  budget(scratch, { calls: 3 });
  const calls = ["echo 1", "echo 2", "exit 1", "touch ran"].map(bash);
  const { results, stderr } = await scratch.batch(calls, IN_TURN);
  assert.equal(stderr, "");
  assert.deepEqual(results.map(textOf), [
    "1",
    "2\n[budget: 1 of 3 calls left]",
    "[Exit code: 1]\n[budget: 0 of 3 calls left]",
    "Cannot run Bash: budget: this session's 3 calls are spent; finish with what you have, or ask the user to " +
    "raise plugins.budget.calls in the settings",
  ]);
  assert.deepEqual(results.map(({ outcome }) => outcome), ["success", "success", "error", "denied"]);
  assert.equal(scratch.exists("ran"), false);
});

test("calls that run at the same time share what is left", async () => {
  using scratch = new Scratch();
  budget(scratch, { calls: 3 });
  const calls = Array.from({ length: 10 }, (_, id) => bash(`touch ran${id}`));
  const { results } = await scratch.batch(calls, FLAGS);
  assert.equal(results.filter(({ outcome }) => outcome === "success").length, 3);
  assert.equal(calls.filter((_, id) => scratch.exists(`ran${id}`)).length, 3);
});

test("calls that run at the same time share the characters that are left", async () => {
  using scratch = new Scratch();
  budget(scratch, { chars: 10 });
  // The first goes on when the second runs or is refused: they overlap however fast they start.
  scratch.plugin(
    "both",
    `let go, runs = 0;
    const second = new Promise((resolve) => go = resolve);
    const run = () => ++runs === 2 ? go() ?? "123" : second.then(() => "123");
    agent.tool({ name: "slow", description: "", effect: "read", run });
    agent.on("tool_end", (call, { outcome }) => { if (outcome === "denied") go(); });`,
  );
  const calls = ["slow", "slow"].map((name) => ({ name, args: {} }));
  const { results } = await scratch.batch(calls, [...FLAGS, "--plugins", "p"]);
  assert.deepEqual(results.map(({ outcome }) => outcome).sort(), ["denied", "success"]);
  assert.match(
    textOf(results.find(({ outcome }) => outcome === "denied")!),
    /^Cannot run slow: budget: the calls at work may use what is left of 10 characters of output; when they have/,
  );
});

test("budget counts characters of results; the call that crosses the line gives its result whole", async () => {
  using scratch = new Scratch();
  budget(scratch, { chars: 10, tellFrom: 0 });
  const { results } = await scratch.batch(["echo 123456", "echo 1234567", "echo 1"].map(bash), IN_TURN);
  assert.deepEqual(results.slice(0, 2).map(textOf), [
    "123456\n[budget: 4 of 10 characters of output left]",
    "1234567\n[budget: 0 of 10 characters of output left]",
  ]);
  assert.match(
    textOf(results[2]!),
    /this session's 10 characters of output are spent.*plugins\.budget\.chars/,
  );
});

test("what did nothing isn't counted, nor what a tool calls for itself; images stay", async () => {
  using scratch = new Scratch();
  budget(scratch, { calls: 2, tellFrom: 0 });
  scratch.plugin(
    "tools",
    `agent.tool({ name: "many", description: "", run: async (_, { call }) => {
      for (let i = 0; i < 5; i++) await call("Bash", { command: "true" });
      return [{ type: "image", mediaType: "image/png", data: "${PNG}" }];
    } });
    agent.on("tool_start", (call) => call.args.command === "no" ? { deny: "no" } : undefined);`,
    `uses: ["call"],`,
  );
  const { results } = await scratch.batch(
    [bash("rm x"), { name: "Read", args: {} }, { name: "Nothing", args: {} }, bash("no"), {
      name: "many",
      args: {},
    }, bash("echo hi")],
    [...IN_TURN, "--plugins", "p", "--deny", "Bash(rm *)"],
  );
  assert.deepEqual(results.map(({ outcome }) => outcome), [
    ...["denied", "invalid", "unknown", "denied", "success", "success"],
  ]);
  assert.deepEqual(results[4]!.content, [
    { type: "image", mediaType: "image/png", data: PNG },
    { type: "text", text: "[budget: 1 of 2 calls left]" },
  ]);
  assert.equal(textOf(results[5]!), "hi\n[budget: 0 of 2 calls left]");
});

test("budget without options limits nothing; an option that is no number turns it off aloud", async () => {
  using scratch = new Scratch();
  const ran = await scratch.agent(["exec", "Bash", "command=echo hi", ...FLAGS]);
  assert.deepEqual([ran.stdout, ran.stderr], ["hi\n", ""]);
  budget(scratch, { calls: "ten" });
  const { stderr } = await scratch.agent(["exec", "Bash", "command=echo hi", ...FLAGS]);
  assert.match(stderr, /^warning: plugin "budget" is off: [^\n]*its options are wrong: calls /);
});
