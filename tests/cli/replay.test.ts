/** `agent replay`: logged calls once more, with today's plugins, hooks and rules. */
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { type Json, Scratch } from "../support.ts";

const RUNS = ["--mode", "bypassPermissions"];

async function replay(scratch: Scratch, ...args: string[]) {
  const ran = await scratch.agent(["replay", "--json", ...args]);
  return { ...ran, told: JSON.parse(ran.stdout) as Json };
}

test("nothing differs where nothing changed, whatever became of the calls, and no tool is run", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "mixed",
    `
    agent.on("tool_start", (call) =>
      call.args.command === "a" ? { deny: "no" } : call.args.command === "b" ? { result: "yes" }
      : call.args.command === "c" ? { args: { ...call.args, command: "echo c" } } : undefined);`,
  );
  const calls = ["a", "b", "c", "echo once >> made; echo ok", "exit 3"].map((command) => ({
    name: "Bash",
    args: { command },
  }));
  await scratch.batch([...calls, { name: "Nope", args: {} }, { name: "Read", args: {} }], [
    ...RUNS,
    "--plugins",
    "p",
  ]);
  const same = await scratch.agent(["replay", "--plugins", "p"]);
  assert.deepEqual([same.code, same.stdout, same.stderr], [0, "7 calls, 0 different\n", ""]);
  assert.equal(scratch.read("made"), "once\n");
  const { code, told } = await replay(scratch, ...RUNS);
  assert.equal(code, 1);
  assert.deepEqual(
    told.different.map((row: Json) => [row.before.outcome, row.now.outcome, row.differs]),
    [
      ["denied", "success", ["outcome"]],
      ["answered", "success", ["outcome"]],
      ["success", "success", ["args"]],
    ],
  );
});

test("what plugins, hooks and rules of today deny, rewrite and change is a table, and exit code 1", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  scratch.file("b.txt", "two\n");
  await scratch.batch([
    { name: "Read", args: { file_path: "a.txt" } },
    { name: "Bash", args: { command: "echo shout" } },
    { name: "Bash", args: { command: "echo hooked" } },
    { name: "Bash", args: { command: "echo ruled" } },
  ], RUNS);
  scratch.plugin(
    "new",
    `
    agent.on("tool_start", (call) => call.tool === "read_file" ? { args: { ...call.args, path: "b.txt" } } : undefined);
    agent.on("tool_end", (_, result) => result.text === "shout" ? { result: "SHOUT" } : undefined);`,
  );
  const command = `grep -q '"command":"echo hooked"' && { echo 'not so' >&2; exit 2; }; exit 0`;
  scratch.file(
    "hooks.json",
    JSON.stringify({
      hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command }] }] },
    }),
  );
  const flags = ["--plugins", "p", "--hooks", "hooks.json", "--deny", "Bash(echo ruled)"];
  const { code, told } = await replay(scratch, ...flags);
  assert.equal(code, 1);
  assert.deepEqual(told.different.map((row: Json) => row.differs), [["args"], ["result"], ["outcome"], [
    "outcome",
  ]]);
  assert.deepEqual(told.different[0].now.args.path, "b.txt");
  assert.equal(told.different[1].now.text, "SHOUT");
  assert.match(told.different[2].now.text, /not so/);
  assert.match(told.different[3].now.text, /the deny rule/);
  const shown = await scratch.agent(["replay", ...flags]);
  assert.match(
    shown.stdout,
    /^CALL +TOOL +DIFFERS +BEFORE +NOW\ncall_\w+ +Read +args +success +success\n {4}by plugin "new"\n/,
  );
  assert.match(shown.stdout, /4 calls, 4 different\n$/);
});

test("hooks after a call hear what was logged; what they add is not added twice", async () => {
  using scratch = new Scratch();
  const said = { hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "a note" } };
  const command = `cat >> heard; echo >> heard; echo '${JSON.stringify(said)}'`;
  scratch.file(
    "hooks.json",
    JSON.stringify({ hooks: { PostToolUse: [{ hooks: [{ type: "command", command }] }] } }),
  );
  await scratch.batch([{ name: "Bash", args: { command: "echo out; echo err >&2" } }], [
    ...RUNS,
    "--hooks",
    "hooks.json",
  ]);
  const same = await replay(scratch, "--hooks", "hooks.json");
  assert.deepEqual([same.code, same.told.different, same.told.resultsNotCompared], [0, [], 0]);
  const [then, now] = scratch.read("heard").trim().split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line).tool_response);
  assert.deepEqual(now, then);
  assert.equal((await replay(scratch)).code, 1);
});

test("a result that was changed then is compared only where the log kept what it was", async () => {
  using scratch = new Scratch();
  scratch.plugin("louder", `agent.on("tool_end", (_, result) => ({ result: result.text + "!" }));`);
  const call = { name: "Bash", args: { command: "echo hey" } };
  const once = [...RUNS, "--plugins", "p"];
  await scratch.batch([call], once);
  const blind = await replay(scratch, "--plugins", "p");
  assert.deepEqual([blind.code, blind.told.resultsNotCompared], [0, 1]);
  scratch.settings({ log: { originals: true } });
  await scratch.batch([call], once);
  const seeing = await replay(scratch, "--plugins", "p");
  assert.deepEqual([seeing.code, seeing.told.resultsNotCompared], [0, 0]);
  const without = await replay(scratch);
  assert.deepEqual(without.told.different.map((row: Json) => [row.before.text, row.now.text]), [[
    "hey!",
    "hey",
  ]]);
});

test("calls whose arguments held a secret are left out, and that is said", async () => {
  using scratch = new Scratch();
  scratch.settings({ secrets: ["DEPLOY"] });
  const env = { DEPLOY: "hunter2hunter2" };
  await scratch.batch([{ name: "Bash", args: { command: "echo hunter2hunter2" } }], RUNS, { env });
  const ran = await scratch.agent(["replay"], { env });
  assert.equal(ran.stdout, "0 calls, 0 different\n");
  assert.match(ran.stderr, /Bash {2}left out: its arguments held the secret "DEPLOY"/);
});

test("--run runs the tools in a copy of the folder, and nothing changes outside it", async () => {
  using scratch = new Scratch();
  const outside = path.join(scratch.root, "outside.txt");
  const made = path.join(scratch.work, "made.txt");
  await scratch.batch([
    { name: "Write", args: { file_path: made, content: "one\n" } },
    { name: "Bash", args: { command: "cat made.txt; pwd" } },
    { name: "Write", args: { file_path: outside, content: "out\n" } },
  ], [...RUNS, "--concurrency", "1"]);
  scratch.file("made.txt", "mine\n");
  scratch.file(outside, "mine\n");
  await scratch.agent(["exec", "Bash", "command=rm made.txt"]);
  const log = (await scratch.agent(["log", "list", "--json"])).stdout.split("\n")[0]!;
  const { code, told } = await replay(scratch, JSON.parse(log).session, "--run");
  assert.deepEqual([code, told.different], [0, []]);
  assert.match(told.leftOut[0].why, /it would change .*outside\.txt, which is outside the copy/);
  assert.equal(scratch.exists("made.txt"), false);
  assert.equal(scratch.read(outside), "mine\n");
  const undone = await scratch.agent(["undo", "--list", "--all"]);
  assert.equal(undone.stdout.includes("agent-replay"), false);
});

test("a plugin's storage isn't touched, and no log is written", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "count",
    `const { appendFileSync } = await import("node:fs");
     agent.on("tool_end", () => appendFileSync(agent.storage + "/calls", "x"));`,
  );
  await scratch.batch([{ name: "Bash", args: { command: "ls" } }], [...RUNS, "--plugins", "p"]);
  const stored = path.join(scratch.state, "storage/count/calls");
  assert.equal(scratch.read(stored), "x");
  const sessions = async () => (await scratch.agent(["log", "list", "--json"])).stdout;
  const before = await sessions();
  assert.equal((await replay(scratch, "--plugins", "p")).code, 0);
  assert.equal(scratch.read(stored), "x");
  assert.equal(await sessions(), before);
});

test("an exported log of a thousand calls, and one that was cut short, are read", async () => {
  using scratch = new Scratch();
  const calls = Array.from({ length: 1000 }, () => ({ name: "Nope", args: {} }));
  await scratch.batch(calls, RUNS);
  const { stdout } = await scratch.agent(["log", "export"]);
  scratch.file("calls.jsonl", stdout.trimEnd().slice(0, -30));
  const ran = await replay(scratch, "calls.jsonl");
  assert.deepEqual([ran.code, ran.told.calls], [0, 1000]);
});

test("who said no then says no now, and a yes stays one", async () => {
  using scratch = new Scratch();
  const call = { name: "Bash", args: { command: "echo hi" } };
  await scratch.batch([call], ["--no-input"]);
  assert.equal((await replay(scratch)).code, 0);
  await scratch.batch([call], ["--allow", "Bash(echo *)"]);
  assert.equal((await replay(scratch)).code, 0);
  assert.equal((await replay(scratch, "--deny", "Bash")).code, 1);
});
