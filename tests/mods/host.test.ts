/** The life of a plugin: options, storage, what it must be there for, and its end. */
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { type Json, ROOT, Scratch, textOf } from "../support.ts";

test("options come from settings, through the plugin's own schema", async () => {
  using scratch = new Scratch();
  const say = `agent.tool({ name: agent.name, description: "", run: () => options });`;
  scratch.plugin("plain", say);
  scratch.plugin("none", say);
  scratch.file(
    "p/checked.ts",
    `import { z } from "zod";\n` + `
    export default { name: "checked", options: z.object({ level: z.coerce.number(), mode: z.string().default("soft") }),
      setup(agent, options) { ${say} } };`,
  );
  scratch.file(
    "p/wrong.ts",
    `import { z } from "zod";\n` + `
    export default { name: "wrong", options: z.object({ level: z.number() }), setup() {} };`,
  );
  scratch.plugin("list", say);
  scratch.settings({
    plugins: { plain: { a: 1, enabled: true }, checked: { level: "3" }, wrong: { level: "high" }, list: [1] },
  });
  const { results, stderr } = await scratch.batch(
    ["plain", "none", "checked"].map((name) => ({ name, args: {} })),
    ["--plugins", "p", "--mode", "bypassPermissions"],
  );
  assert.deepEqual(results.map((result) => JSON.parse(textOf(result))), [{ a: 1 }, {}, {
    level: 3,
    mode: "soft",
  }]);
  const said = stderr.trim().split("\n").sort();
  assert.equal(said.length, 2);
  assert.match(said[0]!, /plugin "list" is off: setup failed: its options are wrong: not an object/);
  assert.match(said[1]!, /plugin "wrong" is off: setup failed: its options are wrong: level .*number/);
});

test("enabled: false switches a plugin off by its name or its file's, a broken one too", async () => {
  using scratch = new Scratch();
  const mark = (name: string) => `export default { name: "${name}", setup(agent) { agent.log("set up"); } };`;
  scratch.file("p/file.ts", mark("named"));
  scratch.file("p/broken.ts", "not a script (");
  scratch.file("p/other.ts", mark("other"));
  scratch.settings({ plugins: { named: { enabled: false }, broken: { enabled: false } } });
  const ran = await scratch.agent(["mods", "list", "--json", "--plugins", "p"]);
  const mods: Json[] = JSON.parse(ran.stdout);
  assert.equal(ran.stderr, "other: set up\n");
  assert.deepEqual(mods.map(({ name, state }) => `${name} ${state}`), [
    ...["broken disabled", "named disabled", "other ready"],
  ]);
});

test("mods.required makes a run without a plugin an error, and mods list shows why", async () => {
  using scratch = new Scratch();
  scratch.plugin("broken", `throw new Error("a reason");`);
  scratch.plugin("off", "");
  scratch.plugin("fine", "");
  const required = async (name: string, ...flags: string[]) => {
    scratch.settings({ mods: { required: [name] }, plugins: { off: { enabled: false } } });
    return await scratch.agent(["exec", "Bash", "command=touch ran", "--plugins", "p", ...flags]);
  };
  for (
    const [name, why] of [["broken", "a reason"], ["off", "it is disabled"], [
      "missing",
      "no such plugin was found",
    ]]
  ) {
    const ran = await required(name!);
    assert.deepEqual([ran.code, ran.stdout, scratch.exists("ran")], [2, "", false]);
    assert.ok(
      ran.stderr.includes(`error: Cannot start without the required plugin "${name}": ${why}`),
      ran.stderr,
    );
  }
  const list = await scratch.agent(["mods", "list", "--json", "--plugins", "p"], {
    env: { AGENT_MODS_REQUIRED: "broken,fine" },
  });
  assert.equal(list.code, 2);
  assert.deepEqual(JSON.parse(list.stdout).map(({ name, state }: Json) => `${name} ${state}`), [
    ...["broken failed", "fine ready", "off disabled"],
  ]);
  assert.equal((await required("fine", "--no-mods")).code, 2, "without any, it is missing as well");
  assert.equal((await required("fine")).code, 0);
  assert.equal(scratch.exists("ran"), true);
});

test("a set-up that ends after its time doesn't come back", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "a",
    `await new Promise((resolve) => globalThis.go = resolve);
    try { agent.on("tool_end", () => ({ result: "late" })); } catch (error) { console.error(error.message); }
    return () => console.error("let go");`,
  );
  // Set up after the first has run out of its time.
  scratch.plugin("b", `globalThis.go(); await new Promise((resolve) => setTimeout(resolve, 10));`);
  scratch.settings({ mods: { required: ["a"] } });
  const ran = await scratch.agent(["exec", "Bash", "command=true", "--plugins", "p"], {
    env: { AGENT_MODS_LOAD_TIMEOUT_MS: "300" },
  });
  assert.equal(ran.code, 2);
  assert.match(
    ran.stderr,
    /the handle of plugin "a" is stale[^]*let go[^]*required plugin "a": it did not finish within 300 ms/,
  );
});

test("storage is a folder of the plugin's own, for nobody else to read", async () => {
  using scratch = new Scratch();
  for (const name of ["a", "b"]) {
    scratch.plugin(name, `agent.tool({ name: "${name}_place", description: "", run: () => agent.storage });`);
  }
  const { results } = await scratch.batch(
    ["a_place", "b_place"].map((name) => ({ name, args: {} })),
    ["--plugins", "p", "--mode", "bypassPermissions"],
  );
  assert.deepEqual(results.map(textOf), ["a", "b"].map((name) => path.join(scratch.state, "storage", name)));
  for (const result of results) assert.equal(statSync(textOf(result)).mode & 0o777, 0o700);
});

test("plugins are disposed in reverse, each in spite of the others, and their handles are stale afterwards", async () => {
  using scratch = new Scratch();
  const leave = (name: string, end: string) =>
    scratch.plugin(
      name,
      `const { appendFileSync } = await import("node:fs");
      const say = (text) => appendFileSync("trace.txt", text + "\\n");
      const uses = [() => agent.log("x"), () => agent.storage, () => agent.on("tool_end", () => {}),
        () => agent.tool({ name: "t", description: "", run() {} })];
      const used = () => uses.map((use) => {
        try { use(); return "fine"; } catch (error) { return error.message.includes("stale") ? "stale" : error.message; }
      }).join(" ");
      agent.on("session_end", () => say("end ${name}"));
      const before = globalThis.before ??= [];
      return async () => {
        for (const { name, used } of before) say("after " + name + " " + used());
        await Promise.resolve();
        say("dispose ${name} " + used());
        before.push({ name: "${name}", used });
        ${end}
      };`,
    );
  leave("a", "");
  leave("b", `throw new Error("at the end");`);
  leave("c", "");
  const ran = await scratch.agent(["exec", "Bash", "command=echo hi", "--plugins", "p"]);
  assert.deepEqual([ran.stdout, ran.code], ["hi\n", 0]);
  assert.match(
    ran.stderr,
    /^c: x\nb: x\nwarning: plugin "b": disposal failed: at the end \(.*b\.ts\)\na: x\n$/,
  );
  const fine = "fine fine fine fine", stale = "stale stale stale stale";
  assert.deepEqual(scratch.read("trace.txt").trim().split("\n"), [
    ...["end a", "end b", "end c"],
    ...[`dispose c ${fine}`, `after c ${stale}`, `dispose b ${fine}`],
    ...[`after c ${stale}`, `after b ${stale}`, `dispose a ${fine}`],
  ]);
});

test("a registration's remover takes it out again", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "a",
    `
    agent.tool({ name: "Bash", description: "", run: () => "shadowed" })();
    agent.on("tool_start", () => ({ deny: "no" }))();
    agent.on("tool_end", (_, result) => ({ result: result.text + " kept" }));`,
  );
  const { result } = await scratch.exec(["Bash", "command=echo hi", "--plugins", "p"]);
  assert.equal(textOf(result), "hi kept");
  const list = await scratch.agent(["mods", "list", "--json", "--plugins", "p"]);
  const [mod] = JSON.parse(list.stdout);
  assert.deepEqual([mod.tools, mod.handlers], [[], [{ event: "tool_end", order: "normal" }]]);
});

test("a handler that can't be one is refused when it is added", async () => {
  using scratch = new Scratch();
  const bad: Record<string, string> = {
    event: `"tool_begin", () => {}`,
    handler: `"tool_end", "text"`,
    order: `"tool_end", () => {}, { order: "first" }`,
    effect: `"tool_end", () => {}, { effect: "delete" }`,
    tools: `"tool_end", () => {}, { tools: "Bash" }`,
    nothing: `"turn_end", () => {}, { tools: ["Bash"] }`,
  };
  for (const [name, args] of Object.entries(bad)) scratch.plugin(name, `agent.on(${args});`);
  const { stderr } = await scratch.agent(["mods", "list", "--plugins", "p"]);
  assert.match(stderr, /"event" is off: setup failed: there is no event "tool_begin"/);
  assert.match(stderr, /"handler" is off: setup failed: the handler for tool_end is not a function/);
  assert.match(stderr, /"order" is off: setup failed: order of a handler for tool_end is not early or late/);
  assert.match(
    stderr,
    /"effect" is off: setup failed: effect of a handler for tool_end is not read, write or run/,
  );
  assert.match(
    stderr,
    /"tools" is off: setup failed: tools of a handler for tool_end is not a list of names/,
  );
  assert.match(stderr, /"nothing" is off: setup failed: a handler for turn_end can't be narrowed to tools/);
});

test("mods list tells state, tools, events, uses and times", async () => {
  using scratch = new Scratch();
  const file = scratch.plugin(
    "all",
    `agent.tool({ name: "t", description: "", run() {} }); agent.on("tool_end", () => {}); agent.on("tool_end", () => {});
    agent.on("tool_start", () => {}, { tools: ["Bash", "t"], effect: "run", order: "late" });`,
    `uses: ["exec"],`,
  );
  const ran = await scratch.agent(["mods", "list", "--timing", "--plugins", "p"]);
  assert.match(ran.stdout, /^all {2}ready, [\d.]+ ms\n/);
  assert.deepEqual(ran.stdout.split("\n").slice(1), [
    ...[`  ${file}`, "  tools: t", "  events: tool_end, tool_start (Bash, t; run; late)", "  uses: exec", ""],
  ]);
});

test("a filter that fits no tool is reported once, when all plugins are set up", async () => {
  using scratch = new Scratch();
  const file = scratch.plugin(
    "a",
    `agent.on("tool_start", () => {}, { tools: ["Bsh", "later", "mcp__x__y"] });
    agent.on("tool_end", () => {}, { tools: ["Bsh"] });`,
  );
  scratch.plugin("b", `agent.tool({ name: "later", description: "", run() {} });`);
  const ran = await scratch.agent(["mods", "list", "--plugins", "p"]);
  assert.equal(
    ran.stderr,
    `warning: plugin "a": the filter "Bsh" fits no known tool; did you mean Bash? (${file})\n`,
  );
  assert.match(ran.stdout, /events: tool_start \(Bsh, later, mcp__x__y\), tool_end \(Bsh\)\n/);
});

test("the first example of the documentation says good bye, and that is no warning", async () => {
  using scratch = new Scratch();
  const page = readFileSync(path.join(ROOT, "docs/plugins.md"), "utf8");
  scratch.file("p/shout.ts", /```ts\n([^]*?)```/.exec(page)![1]!);
  scratch.file("a.txt", "text\n");
  const ran = await scratch.agent(["exec", "Read", "file_path=a.txt", "--plugins", "p"]);
  assert.match(ran.stdout, /TEXT/);
  assert.equal(ran.stderr, "shout: good bye\n");
});
