/** Commands of plugins, questions to people, timing, and what stands before what. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime } from "agent-runtime";
import path from "node:path";
import { type Json, ON_DENO, Scratch, textOf } from "../support.ts";

const P = ["--plugins", "p"];

for (const apart of ["", `isolation: "process",`]) {
  test(`agent x lists and runs commands, with words as typed and exit codes${apart && ", from a process of its own"}`, async () => {
    using scratch = new Scratch();
    scratch.plugin(
      "a",
      `agent.command({ name: "hello", description: "greets", run: (args, { print }) => { print("hi " + JSON.stringify(args)); return 5; } });
       agent.command({ name: "text", description: "", run: async (_, { call }) => (await call("Bash", { command: "echo nested" })).content[0].text });
       agent.command({ name: "fail", description: "", run: () => { throw new Error("my words"); } });
       agent.command({ name: "secret", description: "", run: (_, { secret }) => secret("KEY") });`,
      // Without net:* Node says that it can't keep it from the network.
      `uses: ["call", "net:*"], ${apart}`,
    );
    const x = async (...words: string[]) => {
      const { stdout, stderr, code } = await scratch.agent([
        "x",
        ...P,
        "--mode",
        "bypassPermissions",
        ...words,
      ]);
      return { stdout, stderr, code };
    };
    assert.match((await x()).stdout, /^hello {2}greets \(a\)\ntext {2}/);
    assert.deepEqual(await x("hello", "--plugins", "-x", "--", "a b"), {
      stdout: `hi ["--plugins","-x","--","a b"]\n`,
      stderr: "",
      code: 5,
    });
    assert.deepEqual(await x("text"), { stdout: "nested\n", stderr: "", code: 0 });
    assert.deepEqual(await x("fail"), { stdout: "", stderr: `error: Plugin "a": my words\n`, code: 1 });
    const unknown = await x("helo");
    assert.deepEqual([unknown.code, unknown.stderr.includes("did you mean hello?")], [2, true]);
    const secret = await x("secret");
    assert.equal(secret.code, 1);
    assert.match(secret.stderr, /ay not use secrets:KEY: it is not declared/);
  });
}

test("of two commands with one name the first runs, and that is told once", async () => {
  using scratch = new Scratch();
  for (const name of ["a", "b"]) {
    scratch.plugin(name, `agent.command({ name: "go", description: "", run: () => "${name}" });`);
  }
  const told = `warning: plugin "b": the command "go" is plugin "a"'s already\n`;
  const x = ["x", ...P];
  for (const words of [x, [...x, "go"], [...x, "goes"], ["mods", "list", ...P]]) {
    const { stdout, stderr } = await scratch.agent(words);
    assert.equal(stderr.split(told).length - 1, 1, `${words}: ${stderr}`);
    if (words.includes("go")) assert.equal(stdout, "a\n");
  }
});

test("a command's nested calls are a script's: what needs a yes isn't granted by typing agent x", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "a",
    `agent.command({ name: "go", description: "", run: async (_, { call }) => (await call("Bash", { command: "touch made" })).outcome });`,
    `uses: ["call"],`,
  );
  assert.equal((await scratch.agent(["x", ...P, "go"])).stdout, "denied\n");
  assert.equal(scratch.exists("made"), false);
});

for (const apart of ["", `isolation: "process",`]) {
  test(`context.ask goes to whoever can answer; headless it is refused${apart && ", from a process of its own"}`, async () => {
    using scratch = new Scratch();
    scratch.plugin(
      "asks",
      `agent.tool({ name: "choose", description: "", run: (_, { ask }) => ask("Which?", ["one", "two"]) });`,
      apart,
    );
    const { result } = await scratch.exec(["choose", ...P, "--mode", "bypassPermissions"]);
    assert.equal(
      textOf(result),
      `Cannot ask "Which?": nobody can answer here\n\nhint: run it on a terminal, without --no-input`,
    );
    // In the build the program of a plugin's own process stands beside the library; in a test's bundle it doesn't.
    if (apart && !ON_DENO) return;
    process.env.XDG_CONFIG_HOME = path.join(scratch.root, "config");
    process.env.XDG_STATE_HOME = path.join(scratch.root, "state");
    process.env.XDG_CACHE_HOME = path.join(scratch.root, "cache");
    const answers = ["two", "three", undefined];
    const asked: Json[] = [];
    const runtime = await createRuntime({
      cwd: scratch.work,
      plugins: [path.join(scratch.work, "p")],
      mode: "bypassPermissions",
      askPerson(question) {
        asked.push(question);
        return Promise.resolve(answers.shift());
      },
    });
    const turn = await runtime.prepareTurn({ open: true });
    const texts: string[] = [];
    for (let i = 0; i < 3; i++) texts.push(textOf(await runtime.call(turn, { name: "choose", args: {} })));
    await runtime.close();
    assert.deepEqual(asked[0], { plugin: "asks", question: "Which?", choices: ["one", "two"] });
    assert.deepEqual(texts, [
      "two",
      `Cannot ask "Which?": "three" is none of "one", "two"`,
      `Cannot ask "Which?": nobody answered`,
    ]);
  });
}

test("each handler's time is on the call's event, and mods list --timing sums it up", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "a",
    `agent.on("tool_start", () => {}); agent.on("tool_end", async () => {}); agent.on("tool_end", () => { throw new Error("x"); });`,
  );
  const { stdout } = await scratch.agent(["exec", "Bash", "command=true", "--jsonl", ...P]);
  const end: Json = stdout.trim().split("\n").map((line) => JSON.parse(line)).find(({ type }) =>
    type === "tool_end"
  );
  assert.deepEqual(Object.keys(end.mods.a), ["tool_start", "tool_end"]);
  assert.ok(Object.values(end.mods.a).every((ms) => typeof ms === "number" && ms >= 0));
  const list = await scratch.agent(["mods", "list", "--timing", ...P]);
  assert.match(list.stdout, /\n {2}tool_start: [\d.]+ ms in 1 call, [\d.]+ ms at most\n {2}tool_end: /);
  const [mod] = JSON.parse((await scratch.agent(["mods", "list", "--timing", "--json", ...P])).stdout);
  assert.deepEqual(mod.timing.map(({ event, calls }: Json) => [event, calls]), [["tool_start", 1], [
    "tool_end",
    1,
  ]]);
});

test("mods list says which tool stands before which", async () => {
  using scratch = new Scratch();
  const tool = `agent.tool({ name: "Bash", description: "", run: () => agent.name });`;
  const file = scratch.plugin("a", tool);
  scratch.plugin("b", tool);
  const { stdout } = await scratch.agent(["mods", "list", ...P]);
  assert.match(
    stdout,
    /a {2}ready\n.*\n {2}tools: Bash\n(?: {2}Bash stands before .*\n)* {2}Bash stands before the built-in tool\n/,
  );
  assert.ok(stdout.includes(`  Bash stands behind that of ${file}, and isn't used\n`), stdout);
});
