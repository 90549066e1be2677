/** What a plugin's tool may do while it runs, and what others see of it. */
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { type Json, Scratch, textOf } from "../support.ts";

const FREE = ["--mode", "bypassPermissions"];

/** Runs calls of the plugins in `p`, all in one process. */
async function calls(scratch: Scratch, list: readonly unknown[], flags: readonly string[] = FREE, env = {}) {
  const { results, stderr } = await scratch.batch(list, ["--plugins", "p", ...flags], { env });
  return { results, stderr, texts: results.map(textOf), outcomes: results.map(({ outcome }) => outcome) };
}

test("effect and traits decide what permission and the schedule see", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "a",
    `
    agent.tool({ name: "look", description: "", effect: "read", run: () => "looked" });
    agent.tool({ name: "change", description: "", effect: "write", run: () => "changed" });
    agent.tool({ name: "open", description: "", run: () => "opened",
      traits: ({ path }, place) => ({ effect: "read", keys: ["path:" + place.identify(path)],
        subjects: [{ kind: "path", value: place.identify(path), access: "read" }] }),
      input: { type: "object", properties: { path: { type: "string" } } } });
    agent.tool({ name: "odd", description: "", traits: () => ({ effect: "delete" }), run: () => "ran" });
    agent.tool({ name: "keys", description: "", traits: () => ({ effect: "read", keys: "abc" }), run: () => "ran" });
    agent.tool({ name: "bad", description: "", traits: () => { throw new Error("can't tell"); }, run: () => "ran" });`,
  );
  const list = ["look", "change", "odd", "keys", "bad"].map((name) => ({ name, args: {} }));
  const { texts, outcomes } = await calls(
    scratch,
    [...list, { name: "open", args: { path: "secret.txt" } }, { name: "open", args: { path: "a.txt" } }],
    ["--mode", "plan", "--deny", "open(secret.txt)"],
  );
  assert.deepEqual(outcomes, ["success", "denied", "invalid", "invalid", "invalid", "denied", "success"]);
  assert.match(texts[2]!, /no effect of read, write or run/);
  assert.match(texts[3]!, /keys of its traits are not a list/);
  assert.match(texts[4]!, /^Cannot call bad: can't tell/);
});

test("the context resolves paths, gives files, sends output and can be taken apart", async () => {
  using scratch = new Scratch();
  scratch.file("in.txt", "content\n");
  scratch.plugin(
    "a",
    `agent.tool({ name: "work", description: "", run(_, { files, resolve, identify, output, log, id, cwd, signal }) {
    const text = new TextDecoder().decode(files.read(resolve("in.txt")));
    files.write(resolve("out.txt"), new TextEncoder().encode(text.toUpperCase()));
    output("on the way"); log("a note");
    return [text, identify("in.txt"), resolve("~/x"), id, cwd, signal.aborted];
  } });`,
  );
  const ran = await scratch.agent(["exec", "work", "--jsonl", "--plugins", "p"]);
  const events: Json[] = ran.stdout.trim().split("\n").map((line) => JSON.parse(line));
  const end = events.find(({ type }) => type === "tool_end")!;
  assert.deepEqual(JSON.parse(textOf(end)), [
    ...[
      "content\n",
      path.join(scratch.work, "in.txt"),
      path.join(scratch.home, "x"),
      end.id,
      scratch.work,
      false,
    ],
  ]);
  assert.equal(scratch.read("out.txt"), "CONTENT\n");
  assert.equal(events.find(({ type }) => type === "tool_output")!.text, "on the way");
  assert.equal(events.find(({ type }) => type === "notice")!.text, "a note");
});

test("a nested call goes the same path with the parent's id, inside the parent's claims", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  scratch.plugin(
    "a",
    `
    const outer = (name, traits) => agent.tool({ name, description: "", ...traits,
      async run(_, { call }) {
        const edit = await call("Edit", { file_path: "a.txt", old_string: "one", new_string: "two" });
        const refused = await call("Bash", { command: "rm a.txt" });
        const inner = name === "wide" ? await call("keyed", {}) : undefined;
        return [edit.outcome, refused.outcome, inner?.outcome];
      } });
    outer("wide", {});
    outer("keyed", { traits: (_, place) => ({ effect: "write", keys: ["path:" + place.identify("a.txt")] }) });
    agent.on("tool_start", (call) => { if (call.parent) agent.log(call.name + " in " + call.parent); });`,
    `uses: ["call"],`,
  );
  const flags = ["--plugins", "p", "--deny", "Bash(rm *)", ...FREE];
  const { results, stderr } = await scratch.batch([
    { id: "r", name: "Read", args: { file_path: "a.txt" } },
    { id: "w", name: "wide", args: {} },
  ], flags);
  assert.deepEqual(JSON.parse(textOf(results[1]!)), ["success", "denied", "success"], textOf(results[1]!));
  assert.equal(scratch.read("a.txt"), "two\n");
  assert.match(stderr, /a: Edit in w\n/);
  assert.match(stderr, /a: keyed in w\n/);
  assert.match(stderr, /a: Edit in call_/);
});

test("secrets, exec and call are handed over only where they are declared", async () => {
  using scratch = new Scratch();
  scratch.settings({ secrets: ["MY_TOKEN", "OTHER_TOKEN"] });
  const setup =
    `const tool = (name, run) => agent.tool({ name: agent.name + "_" + name, description: "", run });
    tool("mine", (_, c) => [...c.secret("MY_TOKEN")].reverse().join(""));
    tool("leak", (_, c) => c.secret("MY_TOKEN"));
    tool("other", (_, c) => c.secret("OTHER_TOKEN"));
    tool("exec", async (_, c) => { const { stdout, exitCode } = await c.exec("echo hi; exit 3"); return [stdout, exitCode]; });
    tool("call", async (_, c) => (await c.call("Bash", { command: "echo called" })).content);`;
  scratch.plugin("with", setup, `uses: ["secrets:MY_TOKEN", "exec", "call"],`);
  scratch.plugin("without", setup);
  const names = ["mine", "leak", "other", "exec", "call"];
  const { texts, outcomes } = await calls(
    scratch,
    ["with", "without"].flatMap((mod) => names.map((name) => ({ name: `${mod}_${name}`, args: {} }))),
    FREE,
    { MY_TOKEN: "tok-123456789", OTHER_TOKEN: "oth-123456789" },
  );
  assert.deepEqual(outcomes, [
    ...["success", "success", "error", "success", "success"],
    ...["error", "error", "error", "error", "error"],
  ]);
  assert.equal(texts[0], "987654321-kot");
  assert.equal(texts[1], "<redacted:MY_TOKEN>");
  assert.match(
    texts[2]!,
    /Plugin "with" may not use secrets:OTHER_TOKEN: it is not declared[^]*hint: add "secrets:OTHER/,
  );
  assert.deepEqual(JSON.parse(texts[3]!), ["hi\n", 3]);
  assert.match(texts[4]!, /called/);
  assert.match(texts[8]!, /may not use exec/);
  assert.match(texts[9]!, /may not use call/);
});

test("exec keeps whole characters and a megabyte of each stream, and says what it left out and when it ran out of time", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "a",
    `agent.tool({ name: "run", description: "", input: { type: "object", properties: { command: { type: "string" } } },
      async run({ command }, { exec }) {
        const { stdout, ...rest } = await exec(command);
        return { chars: stdout.length, end: stdout.slice(-2), ...rest };
      } });`,
    `uses: ["exec"],`,
  );
  const run = async (command: string, env = {}) => {
    const { texts } = await calls(scratch, [{ name: "run", args: { command } }], FREE, env);
    return JSON.parse(texts[0]!);
  };
  // Longer than a timer can count: not at once.
  const long = { AGENT_SHELL_TIMEOUT_MS: "9000000000" };
  const fine = { stderr: "", exitCode: 0, timedOut: false, cut: false };
  assert.deepEqual(await run("sleep 0.1; printf 'aé'", long), { chars: 2, end: "aé", ...fine });
  assert.deepEqual(await run("printf 'a\\303'"), { chars: 2, end: "a\ufffd", ...fine });
  const cut = await run("head -c 1048577 /dev/zero | tr '\\0' x");
  assert.deepEqual(cut, { chars: 1048576, end: "xx", ...fine, cut: true });
  const { timedOut, exitCode } = await run("sleep 60", { AGENT_SHELL_TIMEOUT_MS: "100" });
  assert.deepEqual([timedOut, exitCode], [true, undefined]);
});
