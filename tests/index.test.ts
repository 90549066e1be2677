/** The library, as a host uses it: in a process of its own, from the built package or from source. */
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { AGENT, type Json, ON_DENO, ROOT, run, Scratch } from "./support.ts";

/** Runs `body` in a process that has the library; what it hands to `tell` comes back. */
async function host(scratch: Scratch, body: string): Promise<Json> {
  const library = path.join(ROOT, ON_DENO ? "src/index.ts" : "dist/index.cjs");
  const script = scratch.file(
    "host.mjs",
    `import { AgentError, createRuntime, textOf, UsageError } from ${JSON.stringify(library)};\n` +
      `const tell = (value) => console.log(JSON.stringify(value));\n${body}`,
  );
  const argv = ON_DENO
    ? [AGENT[0]!, "run", "-A", "--no-check", "--config", path.join(ROOT, "deno.json"), script]
    : [AGENT[0]!, script];
  const ran = await run(argv, { cwd: scratch.work, env: scratch.env() });
  assert.equal(ran.code, 0, ran.stderr);
  // One line and nothing else: the library never writes to standard output.
  assert.equal(ran.stdout.trimEnd().split("\n").length, 1, ran.stdout);
  return { ...JSON.parse(ran.stdout), stderr: ran.stderr };
}

test("a prepared turn lists its tools and runs calls; events go to the host, nothing to standard output", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const told = await host(
    scratch,
    `const events = [];
    const runtime = await createRuntime({ onEvent: (event) => events.push(event.type) });
    const turn = await runtime.prepareTurn({ toolset: "gemini_snake" });
    const calls = [
      runtime.call(turn, { id: "1", name: "read_file", args: { file_path: "a.txt" } }),
      runtime.call(turn.contextId, { id: "2", name: "read_file", args: { file_path: "gone" } }),
    ];
    const results = await Promise.all(calls);
    const lost = await runtime.call("turn_gone", { name: "read_file", args: {} }).catch((error) => error);
    await runtime.close();
    tell({ events, names: turn.clientTools().map(({ name }) => name), id: turn.id,
      results: results.map(({ id, outcome, content }) => [id, outcome, textOf(content)]),
      lost: [lost instanceof AgentError, lost.message] });`,
  );
  assert.deepEqual(told.results[0], ["1", "success", "1\tone"]);
  assert.deepEqual(told.results[1].slice(0, 2), ["2", "error"]);
  assert.deepEqual(told.events, [
    ...["session_start", "tool_start", "tool_start", "tool_end", "tool_end", "session_end"],
  ]);
  assert.ok(told.names.includes("run_shell_command"));
  assert.match(told.id, /^turn_/);
  assert.deepEqual(told.lost, [true, 'Cannot run a call in turn "turn_gone": no such turn']);
  assert.equal(told.stderr, "");
});

test("two turns at once, with different folders and modes, never see each other's", async () => {
  using scratch = new Scratch();
  for (const name of ["a", "b"]) scratch.file(`${name}/own.txt`, `${name}\n`);
  const told = await host(
    scratch,
    `const runtime = await createRuntime();
    const plan = await runtime.prepareTurn({ cwd: "a", mode: "plan" });
    const edit = await runtime.prepareTurn({ cwd: "b", mode: "acceptEdits" });
    const seen = new Set();
    const round = (turn, label, index) => [
      runtime.call(turn, { name: "Read", args: { file_path: "own.txt" } })
        .then(({ content }) => seen.add(label + " reads " + textOf(content))),
      runtime.call(turn, { name: "Write", args: { file_path: "new_" + index, content: label } })
        .then(({ outcome }) => seen.add(label + " writes: " + outcome)),
      runtime.call(turn, { name: "Read", args: { file_path: "../" + (label === "plan" ? "b" : "a") + "/own.txt" } })
        .then(({ outcome }) => seen.add(label + " reads the other's: " + outcome)),
    ];
    const rounds = Array.from({ length: 20 }, (_, index) =>
      [...round(plan, "plan", index), ...round(edit, "edit", index)]);
    await Promise.all(rounds.flat());
    await runtime.close();
    tell({ seen: [...seen].sort() });`,
  );
  assert.deepEqual(told.seen, [
    "edit reads 1\tb",
    "edit reads the other's: denied",
    "edit writes: success",
    "plan reads 1\ta",
    "plan reads the other's: denied",
    "plan writes: denied",
  ]);
  assert.equal(scratch.exists("a/new_0"), false);
  assert.equal(scratch.read("b/new_19"), "edit");
});

test("two runtimes in one process keep rules, external tools and sessions apart", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const told = await host(
    scratch,
    `const one = await createRuntime({ session: "one", deny: ["Read"] });
    const two = await createRuntime({ session: "two" });
    one.addExternal({ name: "mine", description: "", inputSchema: { type: "object" }, execute: () => "mine" });
    const outcomes = {};
    for (const [label, runtime] of [["one", one], ["two", two]]) {
      const turn = await runtime.prepareTurn({ mode: "bypassPermissions" });
      for (const name of ["Read", "mine"]) {
        const { outcome } = await runtime.call(turn, { name, args: name === "Read" ? { file_path: "a.txt" } : {} });
        outcomes[label + " " + name] = outcome;
      }
    }
    await one.close();
    await two.close();
    tell({ outcomes });`,
  );
  assert.deepEqual(told.outcomes, {
    "one Read": "denied",
    "one mine": "success",
    "two Read": "success",
    "two mine": "unknown",
  });
  for (const name of ["one", "two"]) assert.ok(scratch.exists(path.join(scratch.state, `log/${name}.jsonl`)));
});

test("a mod's tool comes before an external one, that before the built-in, each in the built-in's place", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  scratch.plugin(
    "mine",
    `const input = { type: "object", properties: { file_path: { type: "string" } } };
    const traits = () => ({ effect: "read", keys: [] });
    agent.tool({ name: "Read", description: "", input, traits, run: () => "mod" });`,
  );
  const told = await host(
    scratch,
    `const look = async (plugins) => {
      const runtime = await createRuntime({ plugins });
      const looks = [];
      const see = async () => {
        const turn = await runtime.prepareTurn();
        const { content } = await runtime.call(turn, { name: "Read", args: { file_path: "a.txt" } });
        looks.push([turn.clientTools().findIndex(({ name }) => name === "Read"), textOf(content)]);
      };
      await see();
      const remove = runtime.addExternal({ name: "Read", description: "external",
        inputSchema: { type: "object", properties: { file_path: { type: "string" } } },
        traits: { effect: "read", keys: [] }, execute: () => "external" });
      await see();
      remove();
      await see();
      await runtime.close();
      return looks;
    };
    tell({ bare: await look([]), modded: await look(["p"]) });`,
  );
  assert.deepEqual(told.bare, [[5, "1\tone"], [5, "external"], [5, "1\tone"]]);
  assert.deepEqual(told.modded, [[5, "mod"], [5, "mod"], [5, "mod"]]);
});

test("an external tool is checked, permitted by its traits, and hidden where its scope isn't chosen", async () => {
  using scratch = new Scratch();
  const told = await host(
    scratch,
    `const runtime = await createRuntime();
    const inputSchema = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] };
    const execute = ({ count }, context) => "got " + typeof count + " in " + context.id;
    runtime.addExternal({ name: "reader", description: "", inputSchema, traits: { effect: "read", keys: [] }, execute });
    runtime.addExternal({ name: "runner", description: "", inputSchema, execute });
    runtime.addExternal({ name: "hidden", description: "", inputSchema, scope: "room",
      traits: { effect: "read", keys: [] }, execute });
    runtime.addExternal({ name: "thrower", description: "", inputSchema, traits: { effect: "read", keys: [] },
      execute: async () => { throw new Error("no luck"); } });
    const shown = async (options) => (await runtime.prepareTurn(options)).clientTools().map(({ name }) => name);
    const call = async (turn, name, args) => {
      const { outcome, content } = await runtime.call(turn, { id: "x", name, args });
      return [outcome, textOf(content)];
    };
    const turn = await runtime.prepareTurn();
    const room = await runtime.prepareTurn({ scopes: ["room"] });
    const asked = [];
    const yes = await runtime.call(turn, { name: "runner", args: { count: 1 } },
      { ask: (question) => (asked.push(question.name), Promise.resolve(true)) });
    tell({
      plain: await shown({}), scoped: await shown({ scopes: ["room"] }),
      reader: await call(turn, "reader", { count: "3" }), bad: await call(turn, "reader", { count: "x" }),
      missing: await call(turn, "reader", {}), runner: await call(turn, "runner", { count: 1 }),
      thrower: await call(turn, "thrower", { count: 1 }), hidden: await call(turn, "hidden", { count: 1 }),
      chosen: await call(room, "hidden", { count: 1 }), asked: [asked, yes.outcome],
    });
    await runtime.close();`,
  );
  assert.deepEqual(told.plain.slice(7), ["reader", "runner", "thrower"]);
  assert.deepEqual(told.scoped.slice(7), ["hidden", "reader", "runner", "thrower"]);
  assert.deepEqual(told.reader, ["success", "got number in x"]);
  assert.equal(told.bad[0], "invalid");
  assert.match(told.missing[1], /"count" is missing/);
  assert.equal(told.runner[0], "denied");
  assert.deepEqual(told.asked, [["runner"], "success"]);
  assert.deepEqual(told.thrower, ["error", "no luck"]);
  assert.equal(told.hidden[0], "unknown");
  assert.equal(told.chosen[0], "success");
});

test("a turn keeps the tools it was prepared with", async () => {
  using scratch = new Scratch();
  const told = await host(
    scratch,
    `const runtime = await createRuntime();
    const tool = { description: "", inputSchema: { type: "object" }, traits: { effect: "read", keys: [] } };
    const remove = runtime.addExternal({ ...tool, name: "old", execute: () => "old" });
    const turn = await runtime.prepareTurn();
    const before = [turn.surfaceHash(), JSON.stringify(turn.clientTools())];
    remove();
    runtime.addExternal({ ...tool, name: "new", execute: () => "new" });
    const next = await runtime.prepareTurn();
    const outcome = async (turn, name) => (await runtime.call(turn, { name, args: {} })).outcome;
    let frozen = false;
    try { turn.surface.push(turn.surface[0]); } catch { frozen = true; }
    try { turn.toolset = "none"; frozen = false; } catch { /* as it should be */ }
    tell({
      same: before[0] === turn.surfaceHash() && before[1] === JSON.stringify(turn.clientTools()), frozen,
      other: next.surfaceHash() !== turn.surfaceHash() && next.id !== turn.id,
      outcomes: [await outcome(turn, "old"), await outcome(turn, "new"), await outcome(next, "old"),
        await outcome(next, "new")],
    });
    await runtime.close();`,
  );
  assert.deepEqual([told.same, told.frozen, told.other], [true, true, true]);
  assert.deepEqual(told.outcomes, ["success", "unknown", "unknown", "success"]);
});

test("wrong options are usage errors that say which", async () => {
  using scratch = new Scratch();
  const told = await host(
    scratch,
    `const wrong = [{ mode: "yolo" }, { settings: { nope: 1 } }, { settings: { toolset: 5 } }, { deny: ["Read("] },
      { plugin: ["p"] }, { cwd: "gone" }, { cwd: "host.mjs" }, { session: "../x" }];
    const errors = [];
    for (const options of wrong) {
      const error = await createRuntime(options).then(() => undefined, (error) => error);
      errors.push([error instanceof UsageError, error?.message]);
    }
    tell({ errors });`,
  );
  assert.ok(told.errors.every(([usage]: [boolean]) => usage));
  assert.match(told.errors[0][1], /yolo/);
  assert.match(told.errors[1][1], /nope/);
  assert.match(told.errors[2][1], /toolset must be a string/);
  assert.match(told.errors[3][1], /Read\(/);
  assert.equal(told.errors[4][1], 'Cannot use the option "plugin": no such option');
  assert.equal(told.errors[5][1], 'Cannot start in "gone": no such folder');
  assert.equal(told.errors[6][1], 'Cannot start in "host.mjs": no such folder');
  assert.match(told.errors[7][1], /"\.\.\/x"/);
});

test("a runtime that can't start is closed again", async () => {
  using scratch = new Scratch();
  scratch.plugin("left", 'return () => console.error("disposed");');
  const told = await host(
    scratch,
    `const settings = { "mods.required": ["nope"] };
    const error = await createRuntime({ plugins: ["p"], settings }).catch((error) => error);
    tell({ message: error.message });`,
  );
  assert.match(told.message, /nope/);
  assert.equal(told.stderr, "disposed\n");
});

test("a runtime is started once, however often it is asked to, and reloads what is there then", async () => {
  using scratch = new Scratch();
  const plugin = (version: number) =>
    `export default { name: "p", setup(agent) { agent.log("v${version}"); agent.tool({ name: "version", ` +
    `description: "tells its version", run: () => "v${version}" }); } };`;
  const file = scratch.file("plugins/p.js", plugin(1));
  const told = await host(
    scratch,
    `import { writeFileSync } from "node:fs";
    const notes = [];
    const runtime = await createRuntime({ plugins: ["plugins"], note: (text) => notes.push(text), mode: "bypassPermissions" });
    await runtime.start();
    writeFileSync(${JSON.stringify(file)}, ${JSON.stringify(plugin(2))});
    await runtime.reloadMods();
    const turn = await runtime.prepareTurn({});
    const { content } = await runtime.call(turn, { name: "version", args: {} });
    await runtime.close();
    tell({ notes, said: content[0].text });`,
  );
  assert.deepEqual([told.notes, told.said], [["p: v1", "p: v2"], "v2"]);
});

test("the host in docs/examples runs as it stands", async () => {
  using scratch = new Scratch();
  const argv = ON_DENO ? [AGENT[0]!, "run", "-A", "--no-check"] : [AGENT[0]!];
  const env = scratch.env();
  const ran = await run([...argv, path.join(ROOT, "docs/examples/host.mjs")], { cwd: scratch.work, env });
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(
    ran.stdout,
    /^The model sees: Bash, BashOutput, Edit, KillBash, Monitor, Read, Write, ticket_title\n/,
  );
  assert.match(ran.stdout, /^1 success: Ticket 7: /m);
  assert.match(ran.stdout, /^2 success: from the shell$/m);
  assert.match(ran.stdout, /^3 denied: Cannot run Bash: /m);
  assert.match(ran.stdout, /^5 success: \[session 1 exited with code 0\]$/m);
});
