/** `agent mods test`: calls through a plugin, while no tool is run. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Scratch } from "../support.ts";

const GATE = `
  agent.on("tool_start", (call) => {
    if (String(call.args.command).includes("rm")) return { deny: "no rm here" };
    if (call.args.command === "date") return { result: "noon" };
    if (call.args.path === "b.txt") return { args: { ...call.args, path: "a.txt" } };
  });
  agent.on("tool_end", (_, result) => result.text === "shout" ? { result: "SHOUT" } : undefined);`;

function lines(...calls: unknown[]): string {
  return calls.map((call) => JSON.stringify(call) + "\n").join("");
}

test("each call is shown with what the plugin makes of it, and no tool is run", async () => {
  using scratch = new Scratch();
  const plugin = scratch.plugin("gate", GATE);
  scratch.file(
    "calls.jsonl",
    lines(
      { name: "Bash", args: { command: "rm x > made" }, expect: { deny: "/NO rm/i" } },
      { name: "Read", args: { file_path: "b.txt" }, expect: { args: { path: "a.txt" } } },
      { name: "Bash", args: { command: "date" }, expect: { answer: "noon" } },
      { name: "Bash", args: { command: "echo" }, result: "shout", expect: { result: "SHOUT", deny: false } },
      { name: "Bash", args: { command: "touch made" }, expect: { unchanged: true } },
      { name: "server__thing", args: { command: "rm" }, expect: { deny: true } },
    ),
  );
  const ran = await scratch.agent(["mods", "test", plugin, "calls.jsonl"]);
  assert.deepEqual([ran.code, ran.stderr], [0, ""]);
  assert.match(ran.stdout, /^line 1 {2}Bash {2}denied\n {4}Cannot run Bash: no rm here$/m);
  assert.match(
    ran.stdout,
    /rewritten {2}\(plugin "gate"\)\n(?: {4}.*\n)* {4}- {2}"path": "b.txt"\n {4}\+ {2}"path": "a.txt"/,
  );
  assert.match(ran.stdout, /^ {4}-shout\n {4}\+SHOUT$/m);
  assert.match(ran.stdout, /6 of 6 expectations met\n$/);
  assert.equal(scratch.exists("made"), false);
  assert.equal(scratch.exists(`${scratch.state}/log`), false);
  const json = await scratch.agent(["mods", "test", plugin, "calls.jsonl", "--json"]);
  const told = JSON.parse(json.stdout);
  assert.deepEqual(
    told.calls.map(({ did }: { did: string }) => did),
    ["denied", "rewritten", "answered", "changed", "unchanged", "denied"],
  );
  assert.equal(told.met, true);
});

test("an expectation that isn't met is told, and is the exit code", async () => {
  using scratch = new Scratch();
  const plugin = scratch.plugin("gate", GATE);
  const wrong = [
    [{ command: "ls" }, { deny: true }, "expected that it is denied, but it is unchanged"],
    [{ command: "rm" }, { deny: "why" }, 'with "why", but it says'],
    [{ command: "rm" }, { deny: false }, "expected that it is not denied, but it is"],
    [{ command: "ls" }, { args: { command: "pwd" } }, 'expected the argument command "pwd", but it is "ls"'],
    [{ command: "ls" }, { result: "/./" }, "expected the result"],
    [{ command: "date" }, { unchanged: true }, "expected that it is unchanged, but it is answered"],
  ] as const;
  const input = lines(...wrong.map(([args, expect]) => ({ name: "Bash", args, expect })));
  const ran = await scratch.agent(["mods", "test", plugin, "-"], { input });
  assert.equal(ran.code, 1);
  for (const [, , sentence] of wrong) assert.ok(ran.stdout.includes(sentence), sentence);
  assert.match(ran.stdout, /0 of 6 expectations met/);
});

test("only the plugin that is named takes part: no other, no hook, no rule, no mode", async () => {
  using scratch = new Scratch();
  const plugin = scratch.plugin("gate", GATE);
  scratch.file(
    `${scratch.config}/plugins/other.ts`,
    `export default { name: "other", setup(agent) { agent.on("tool_start", () => ({ deny: "other" })); } };`,
  );
  const hook = { type: "command", command: "exit 2" };
  scratch.settings({
    hooks: { PreToolUse: [{ hooks: [hook] }] },
    permissions: { deny: ["Bash"], defaultMode: "plan" },
    mods: { required: ["other"] },
  });
  const input = lines({ name: "Bash", args: { command: "ls" }, expect: { unchanged: true } });
  const ran = await scratch.agent(["mods", "test", plugin, "-"], { input });
  assert.deepEqual([ran.code, ran.stdout], [
    0,
    "line 1  Bash  unchanged\n1 call: 1 unchanged; 1 of 1 expectation met\n",
  ]);
  const other = await scratch.agent(["mods", "test", "other", "-"], { input });
  assert.equal(other.code, 1);
});

test("a plugin that isn't there, fails, or breaks in a handler is an error", async () => {
  using scratch = new Scratch();
  const broken = scratch.plugin("broken", `throw new Error("not today");`);
  const faulty = scratch.plugin("faulty", `agent.on("tool_end", () => { throw new Error("oh"); });`);
  const input = lines({ name: "Bash", args: { command: "ls" } });
  const run = (name: string) => scratch.agent(["mods", "test", name, "-"], { input });
  assert.match((await run("none")).stderr, /Cannot test the plugin "none": no such file/);
  const failed = await run(broken);
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /Cannot test the plugin "broken": .*not today/);
  const fault = await run(faulty);
  assert.equal(fault.code, 1);
  assert.match(fault.stderr, /Plugin "faulty" failed in tool_end: oh/);
});

test("a file of calls that can't be read is told by line", async () => {
  using scratch = new Scratch();
  const plugin = scratch.plugin("gate", GATE);
  const run = async (line: string) =>
    (await scratch.agent(["mods", "test", plugin, "-"], { input: `\n${line}\n` })).stderr;
  assert.match(await run("{"), /Cannot read line 2 of "-"/);
  assert.match(await run(`{"args": {}}`), /Cannot read the call in line 2 of "-": it has no name/);
  assert.match(await run(`{"name": "Bash", "expects": {}}`), /Cannot use "expects" in line 2/);
  assert.match(await run(`{"name": "Bash", "expect": {"denied": true}}`), /Cannot expect "denied" in line 2/);
  assert.match(await run(`{"name": "Bash", "expect": {"deny": "/(/"}}`), /Cannot use the pattern/);
});

test("without a file, the calls beside the plugin count, else the newest session", async () => {
  using scratch = new Scratch();
  const plugin = scratch.plugin("gate", GATE);
  await scratch.batch([{ name: "Bash", args: { command: "rm none" } }], ["--mode", "bypassPermissions"]);
  const logged = await scratch.agent(["mods", "test", plugin]);
  assert.match(logged.stderr, /with the calls of session/);
  assert.match(logged.stdout, /1 call: 1 denied/);
  scratch.file("p/gate.calls.jsonl", lines({ name: "Bash", args: { command: "date" } }));
  const beside = await scratch.agent(["mods", "test", plugin]);
  assert.match(beside.stdout, /1 call: 1 answered/);
});
