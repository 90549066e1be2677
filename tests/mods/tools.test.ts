/** Tools that plugins bring. */
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { PNG } from "../samples.ts";
import { Scratch, textOf } from "../support.ts";

const FREE = ["--mode", "bypassPermissions"];

/** Runs calls of the plugins in `p`, all in one process. */
async function calls(scratch: Scratch, list: readonly unknown[], flags: readonly string[] = FREE, env = {}) {
  const { results, stderr } = await scratch.batch(list, ["--plugins", "p", ...flags], { env });
  return { results, stderr, texts: results.map(textOf), outcomes: results.map(({ outcome }) => outcome) };
}

test("arguments are checked by zod and by JSON Schema, and put right where only their form is wrong", async () => {
  using scratch = new Scratch();
  const run = "description: '', run: (args) => args";
  scratch.file(
    "p/a.ts",
    `import { z } from "zod";\n` + `
    const input = z.object({
      n: z.number().int(), on: z.boolean().optional(), list: z.array(z.string()).default(["d"]),
      day: z.string().transform((text) => text + "!").optional(),
    });
    export default { name: "a", setup(agent) {
      agent.tool({ name: "zod", input, ${run} });
      agent.tool({ name: "slow", input: input.refine(async ({ n }) => n < 50, "too much"), ${run} });
      agent.tool({ name: "json", ${run}, input: {
        type: "object", required: ["n"], additionalProperties: false,
        properties: { n: { type: "integer" }, on: { type: "boolean" }, list: { type: "array", default: ["d"] } },
      } });
      agent.tool({ name: "one", ${run}, input: {
        type: "object", properties: { v: { oneOf: [{ type: "string", maxLength: 2 }, { type: "integer" }] } },
      } });
      agent.tool({ name: "none", ${run} });
    } };`,
  );
  const { texts, outcomes } = await calls(scratch, [
    { name: "zod", args: { n: "10", on: "true", list: '["x"]', day: "Mon" } },
    { name: "zod", args: { n: 10, on: null } },
    { name: "zod", args: { n: "ten" } },
    { name: "zod", args: {} },
    { name: "slow", args: { n: "10" } },
    { name: "slow", args: { n: 70 } },
    { name: "json", args: { n: "10", on: "true", list: '["x"]' } },
    { name: "json", args: { n: 1.5 } },
    { name: "json", args: { n: 1, other: 2 } },
    { name: "one", args: { v: 5 } },
    { name: "one", args: { v: "long" } },
    { name: "none", args: {} },
    { name: "none", args: { x: 1 } },
  ]);
  const parsed = texts.map((text, at) => outcomes[at] === "success" ? JSON.parse(text) : text.split("\n")[0]);
  assert.deepEqual(parsed.map((value) => typeof value === "string" ? "invalid" : value), [
    { n: 10, on: true, list: ["x"], day: "Mon!" },
    { n: 10, list: ["d"] },
    "invalid",
    "invalid",
    { n: 10, list: ["d"] },
    "invalid",
    { n: 10, on: true, list: ["x"] },
    "invalid",
    "invalid",
    { v: 5 },
    "invalid",
    {},
    "invalid",
  ]);
  assert.match(texts[2]!, /^Cannot call zod: "n" must be an integer, got "ten"/);
  assert.match(texts[2]!, /hint: parameters: n\*, on, list, day/);
  assert.match(texts[5]!, /^Cannot call slow: too much/);
  assert.match(texts[7]!, /^Cannot call json: "n" must be an integer, got 1.5/);
  assert.match(texts[12]!, /hint: this tool takes no arguments/);
});

test("what a zod schema makes of arguments is made once, and handlers see what the model may write", async () => {
  using scratch = new Scratch();
  scratch.file(
    "p/a.ts",
    `import { z } from "zod";\n` + `
    export default { name: "a", setup(agent) {
      agent.tool({
        name: "when", description: "",
        input: z.object({ day: z.string().transform((text) => new Date(text)), size: z.string().transform((s) => s.length) }),
        traits: ({ day }) => ({ effect: "read", keys: [String(day.getFullYear())] }),
        run: ({ day, size }) => ["run", day.getUTCFullYear(), size],
      });
      agent.on("tool_start", (call) => ({ args: { ...call.args, day: call.args.day.replace("2020", "2021") } }));
      agent.on("tool_end", (call, result) => ({ result: result.text + JSON.stringify([call.args, call.traits]) }));
    } };`,
  );
  const { texts } = await calls(scratch, [{ name: "when", args: { day: "2020-06-01", size: "four" } }]);
  assert.deepEqual(JSON.parse(texts[0]!.replace(/\s/g, "").replace("][", ",")), [
    ...["run", 2021, 4],
    { day: "2021-06-01", size: "four" },
    { effect: "read", keys: ["2021"] },
  ]);
});

test("a tool's result may be text, blocks, an object that says so, or any value", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "a",
    `
    const values = {
      text: "text", nothing: undefined, number: 5, list: [1, { a: 2 }], error: { content: "bad", status: "error" },
      image: [{ type: "text", text: "see" }, { type: "image", mediaType: "image/png", data: "${PNG}" }],
      thrown: () => { throw new Error("went wrong"); },
      circular: () => { const a = {}; a.a = a; return a; },
      getter: () => ({ get content() { throw new Error("no"); } }),
      big: () => 10n,
      later: async () => "later",
    };
    for (const [name, value] of Object.entries(values)) {
      agent.tool({ name, description: "", run: () => typeof value === "function" ? value() : value });
    }`,
  );
  const names = "text nothing number list error image thrown circular getter big later".split(" ");
  const { results, texts, outcomes } = await calls(scratch, names.map((name) => ({ name, args: {} })));
  assert.deepEqual(outcomes, [
    ...[
      "success",
      "success",
      "success",
      "success",
      "error",
      "success",
      "error",
      "error",
      "error",
      "error",
      "success",
    ],
  ]);
  assert.deepEqual([texts[0], texts[1], texts[2], texts[4], texts[6], texts[10]], [
    ...["text", "", "5", "bad", "went wrong", "later"],
  ]);
  assert.deepEqual(JSON.parse(texts[3]!), [1, { a: 2 }]);
  assert.deepEqual(results[5]!.content[1], { type: "image", mediaType: "image/png", data: PNG });
  for (const at of [7, 8, 9]) assert.match(texts[at]!, /not JSON/);
});

test("a tool of a built-in's name stands before it, and agent tools says so", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "a",
    `agent.tool({ name: "Read", description: "Mine.", effect: "read", run: () => "mine" });`,
  );
  scratch.plugin(
    "b",
    `agent.tool({ name: "Read", description: "Other.", run: () => "other" });
    agent.tool({ name: "Extra", description: "New.", run: () => "extra" });`,
  );
  const { texts } = await calls(scratch, [{ name: "Read", args: {} }, {
    name: "read_file",
    args: { file_path: "x" },
  }]);
  assert.equal(texts[0], "mine");
  assert.match(texts[1]!, /no such file/);
  const shown = await scratch.agent(["tools", "--plugins", "p"]);
  const lines = shown.stdout.trim().split("\n");
  const place = (name: string) => path.join(scratch.work, `p/${name}.ts`);
  const read = lines.filter((line) => line.startsWith("Read "));
  assert.equal(read.length, 1);
  assert.match(read[0]!, /Mine\./);
  assert.ok(read[0]!.includes(`[mod: ${place("a")}, before: built in, ${place("b")}]`), read[0]);
  assert.ok(lines.find((line) => line.startsWith("Extra "))!.endsWith(`[mod: ${place("b")}]`));
  const plain = await scratch.agent(["tools"]);
  const order = (text: string) => text.trim().split("\n").map((line) => line.split(" ")[0]);
  assert.deepEqual(order(shown.stdout).filter((name) => name !== "Extra"), order(plain.stdout));
});

test("a result over the tool's limit is cut, and the whole is in the overflow file", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "a",
    `agent.tool({
    name: "long", description: "", limit: 500, run: () => "start" + "x".repeat(5000) + "end" });`,
  );
  const { results, texts } = await calls(scratch, [{ name: "long", args: {} }]);
  assert.ok(texts[0]!.length <= 500);
  assert.match(texts[0]!, /^start[^]*characters omitted[^]*end$/);
  assert.equal(scratch.read(results[0]!.overflow), "start" + "x".repeat(5000) + "end");
});

test("a tool that can't be one is refused when it is added", async () => {
  using scratch = new Scratch();
  const bad: Record<string, string> = {
    name: `{ name: "a b", description: "", run() {} }`,
    run: `{ name: "x", description: "" }`,
    input: `{ name: "x", description: "", input: "text", run() {} }`,
    root: `{ name: "x", description: "", input: { type: "string" }, run() {} }`,
    effect: `{ name: "x", description: "", effect: "delete", run() {} }`,
  };
  for (const [name, tool] of Object.entries(bad)) scratch.plugin(name, `agent.tool(${tool});`);
  const { stderr } = await scratch.agent(["mods", "list", "--plugins", "p"]);
  assert.match(stderr, /plugin "name" is off: setup failed: Cannot add the tool "a b": not a name/);
  assert.match(stderr, /plugin "run" is off: setup failed: .*it has no run/);
  assert.match(stderr, /plugin "input" is off: setup failed: .*not a schema of an object/);
  assert.match(stderr, /plugin "root" is off: setup failed: .*not a schema of an object/);
  assert.match(stderr, /plugin "effect" is off: setup failed: .*effect is not read, write or run/);
});

test("names and arguments of the prototype's are plain names and arguments", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "a",
    `
    for (const name of ["constructor", "toString"]) agent.tool({ name, description: "", run: () => name, limit: 100 });
    agent.tool({ name: "echo", description: "", input: { type: "object" },
      run: (args) => [Object.keys(args), args.polluted ?? null, ({}).polluted ?? null] });
    agent.on("tool_start", (call) => ({ args: call.args }), { tools: ["echo"] });`,
  );
  scratch.settings({ plugins: { a: { constructor: 1 } } });
  const { texts } = await calls(scratch, [
    { name: "constructor", args: {} },
    { name: "toString", args: {} },
    `{"name": "echo", "args": {"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}}`,
    { name: "valueOf", args: {} },
    { name: "__proto__", args: {} },
  ]);
  assert.deepEqual(texts.slice(0, 2), ["constructor", "toString"]);
  assert.deepEqual(JSON.parse(texts[2]!), [["__proto__", "constructor"], null, null]);
  assert.match(texts[3]!, /^Cannot call (the tool )?"?valueOf/);
  assert.match(texts[4]!, /__proto__/);
});

test("faults of a zod schema read like those of any tool; only a strict one knows unknown arguments", async () => {
  using scratch = new Scratch();
  scratch.file(
    "p/a.ts",
    `import { z } from "zod";
    const shape = { path: z.string(), list: z.array(z.object({ n: z.number() })).optional(),
      name: z.string().regex(/^\\_a/).optional(), even: z.number().refine((n) => n % 2 === 0, "must be even").optional(),
      pair: z.tuple([z.string(), z.number()]).optional(), by: z.record(z.string(), z.number()).optional() };
    export default { name: "a", setup(agent) {
      agent.tool({ name: "open", description: "", input: z.object(shape), run: (args) => args });
      agent.tool({ name: "shut", description: "", input: z.strictObject(shape), run: (args) => args });
    } };`,
  );
  const { texts } = await calls(scratch, [
    { name: "open", args: {} },
    { name: "open", args: { path: 5 } },
    { name: "open", args: { path: "x", list: [{ n: 1 }, { n: "y" }], by: { a: "z" } } },
    { name: "open", args: { path: "x", even: 3 } },
    { name: "open", args: { path: "x", name: "b" } },
    { name: "open", args: { path: "x", other: 1 } },
    { name: "shut", args: { path: "x", other: 1 } },
  ]);
  const [missing, type, nested, own, pattern, , strict] = texts.map((text) => text.split("\n")[0]);
  assert.equal(missing, `Cannot call open: "path" is missing`);
  assert.equal(type, `Cannot call open: "path" must be a string, got 5`);
  assert.equal(
    nested,
    `Cannot call open: "list[1].n" must be a number, got "y"; "by.a" must be a number, got "z"`,
  );
  assert.equal(own, `Cannot call open: "even" must be even`);
  assert.equal(pattern, `Cannot call open: "name" must match /^\\_a/, got "b"`);
  assert.deepEqual(JSON.parse(texts[5]!), { path: "x" });
  assert.equal(strict, `Cannot call shut: "other" is not a parameter of this tool`);
});
