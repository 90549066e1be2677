/** `agent replay`: logged calls once more, with today's plugins, hooks and rules. */
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { type Json, Scratch } from "../support.ts";

const RUNS = ["--mode", "bypassPermissions"];
const ASKS = ["--mode", "default"];

/** In the mode that the calls were made in, unless `args` say another. */
async function replay(scratch: Scratch, ...args: string[]) {
  const mode = args.includes("--mode") ? [] : RUNS;
  const ran = await scratch.agent(["replay", "--json", ...mode, ...args]);
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
  const same = await scratch.agent(["replay", ...RUNS, "--plugins", "p"]);
  assert.deepEqual([same.code, same.stdout, same.stderr], [0, "7 calls, 0 different\n", ""]);
  assert.equal(scratch.read("made"), "once\n");
  const { code, told } = await replay(scratch);
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
  const shown = await scratch.agent(["replay", ...RUNS, ...flags]);
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
  assert.equal((await replay(scratch, ...ASKS)).code, 0);
  scratch.file(
    "yes.json",
    JSON.stringify({
      hooks: { PermissionRequest: [{ hooks: [{ type: "command", command: `echo '${ALLOWS}'` }] }] },
    }),
  );
  await scratch.batch([call], ["--allow", "Bash(echo *)"]);
  assert.equal((await replay(scratch, ...ASKS, "--allow", "Bash(echo *)")).code, 0);
  assert.equal((await replay(scratch, ...ASKS, "--hooks", "yes.json")).code, 0);
  assert.equal((await replay(scratch, ...ASKS, "--deny", "Bash")).code, 1);
});

const ALLOWS = JSON.stringify({
  hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } },
});

test("a call that nobody was asked about differs where somebody would be now, and --run doesn't run it", async () => {
  using scratch = new Scratch();
  const call = { name: "Bash", args: { command: "touch made" } };
  await scratch.batch([call, { name: "Bash", args: { command: "true" } }], RUNS);
  assert.equal((await replay(scratch)).code, 0);
  scratch.settings({ permissions: { ask: ["Bash(touch *)"] } });
  const { code, told } = await replay(scratch);
  assert.deepEqual([code, told.different.length], [1, 1]);
  const [{ differs, asks }] = told.different;
  assert.deepEqual(differs, ["asks"]);
  assert.match(asks, /the ask rule "Bash\(touch \*\)"/);
  const shown = await scratch.agent(["replay", ...RUNS]);
  assert.match(shown.stdout, /Bash +asks +success +success\n {4}somebody would be asked: the ask rule/);
  assert.deepEqual((await replay(scratch, ...ASKS)).told.different.map((row: Json) => row.differs), [
    ["asks"],
    [
      "asks",
    ],
  ]);
  const ran = await replay(scratch, "--run");
  assert.deepEqual(ran.told.different.map((row: Json) => [row.differs, row.now.outcome]), [[
    ["outcome", "asks"],
    "denied",
  ]]);
});

test("calls that a plugin's tool made ask again only where the trail says that nobody had to", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "outer",
    `agent.tool({
       name: "outer", description: "", effect: "read", input: { type: "object" },
       run: async (_, context) => (await context.call("Bash", { command: "echo in" })).text,
     });`,
    `uses: ["call"],`,
  );
  const flags = ["--plugins", "p"];
  await scratch.batch([{ name: "outer", args: {} }], [...RUNS, ...flags]);
  assert.equal((await replay(scratch, ...flags)).code, 0);
  const { told } = await replay(scratch, ...ASKS, ...flags);
  assert.deepEqual(told.different.map((row: Json) => [row.name, row.differs]), [["Bash", ["asks"]]]);
});

test("--run leaves out calls that were made outside the folder that it copies", async () => {
  using scratch = new Scratch();
  const sub = scratch.folder("work/sub");
  const calls = ["pwd; echo a >> made", "cd ..", "echo b >> made"].map((command) => ({
    name: "Bash",
    args: { command },
  }));
  await scratch.batch(calls, [...RUNS, "--concurrency", "1"], { cwd: sub });
  const outside = scratch.exists("made") ? scratch.read("made") : undefined;
  const { told } = await replay(scratch, "--run");
  assert.equal(scratch.exists("made") ? scratch.read("made") : undefined, outside);
  assert.equal(scratch.read("sub/made").split("\n").filter((line) => line === "a").length, 1);
  const elsewhere = JSON.stringify({ name: "Bash", args: { command: "echo c >> made" }, cwd: scratch.work });
  const here = JSON.stringify({ name: "Bash", args: { command: "true" }, cwd: sub });
  scratch.file("calls.jsonl", `${here}\n${elsewhere}\n`);
  const { stderr } = await scratch.agent(["replay", ...RUNS, "--run", "calls.jsonl"]);
  assert.match(stderr, /made in .*work, which is outside the folder that is copied/);
  assert.ok(told.different !== undefined);
});

test("an event that isn't what our log writes is wrong usage, with its line", async () => {
  using scratch = new Scratch();
  const start = { type: "tool_start", id: "1", name: "Read", args: {} };
  const end = { type: "tool_end", id: "1", name: "Read", outcome: "success", status: "success" };
  for (
    const [lines, told] of [
      [[{ type: "tool_start" }], /tool_start in line 1 of .*: its "id" is missing/],
      [[start, end], /tool_end in line 2 of .*: its "content" is missing/],
      [[start, { ...end, content: "str" }], /its "content" is of another kind/],
      [[start, { ...end, content: [1, null] }], /its "content" is of another kind/],
    ] as [Json[], RegExp][]
  ) {
    scratch.file("log.jsonl", lines.map((line) => JSON.stringify(line)).join("\n") + "\n");
    const { code, stderr } = await scratch.agent(["replay", "log.jsonl"]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, told);
  }
});
