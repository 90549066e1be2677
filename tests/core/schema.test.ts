/** Arguments in: the interpreter of published schemas against zod, coercion, and names that mean something to JavaScript. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import * as z from "zod";
import { publishSchema } from "../../src/core/publish_schema.ts";
import {
  argumentError,
  type Checked,
  checkSchema,
  checkWithLibrary,
  type JsonSchema,
  needsLibrary,
} from "../../src/core/schema.ts";
import { assetKey } from "../../src/core/registry.ts";
import { ASSETS } from "../../src/generated/tools.ts";
import { Environment } from "../../src/shell/environment.ts";
import { Notices } from "../../src/shell/notices.ts";
import { ShellSessions } from "../../src/shell/sessions.ts";
import { ProcessGroups } from "../../src/shell/groups.ts";
import { builtins } from "../../src/tools/builtins.ts";
import { type Json, Scratch, textOf } from "../support.ts";

/** Every built-in tool and face, with the published schema and the zod schema it was made from. */
function surfaces() {
  const { tools, faces } = builtins({
    environment: new Environment({ keep: [], drop: [], secrets: [] }),
    groups: new ProcessGroups(),
    sessions: new ShellSessions(new Notices(() => {})),
    timeoutMs: 0,
  });
  return [...tools.map((tool) => ({ family: "canonical" as const, ...tool })), ...faces].map((one) => {
    const key = assetKey(one.family, one.name);
    return { key, schema: JSON.parse(ASSETS[key]!).schema as JsonSchema, zod: one.input(z) };
  });
}

/** Mostly what the schema wants, else anything; strings that look like other types among them. */
function valueFor(schema: JsonSchema): fc.Arbitrary<unknown> {
  const lookalike = fc.constantFrom("10", "3.7", "true", "null", "[]", "{}", "1e3", " 7 ", "-0", "0x10", "");
  return fc.oneof(
    { weight: 20, arbitrary: rightFor(schema) },
    { weight: 1, arbitrary: lookalike },
    { weight: 1, arbitrary: fc.jsonValue() },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(null, 0, -1, 1.5, 2 ** 53, 600_001, NaN, Infinity) },
  );
}

function rightFor(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valueFor));
  if (schema.pattern !== undefined) return fc.stringMatching(/^[0-9a-f]{7,9}$/);
  switch (schema.type) {
    case "string":
      return fc.string({ maxLength: 5 });
    case "integer":
      return fc.integer({ min: schema.minimum ?? -5, max: Math.min(schema.maximum ?? 100, 100) });
    case "boolean":
      return fc.boolean();
    case "array":
      return fc.array(valueFor(schema.items as JsonSchema), { maxLength: 3 });
    case "object":
      return objectFor(schema);
    default:
      return fc.jsonValue();
  }
}

function objectFor(schema: JsonSchema): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(schema.properties ?? {});
  const record = fc.record(Object.fromEntries(fields.map(([name, part]) => [name, valueFor(part)])), {
    requiredKeys: fc.sample(fc.constant(schema.required ?? []), 1)[0] as never,
  });
  const odd = fc.constantFrom("constructor", "toString", "__proto__", "x", "File_path");
  return fc.tuple(record, fc.option(odd, { freq: 8 }), fc.nat({ max: 29 })).map(([given, extra, drop]) => {
    const args = { ...given } as Record<string, unknown>;
    if (extra !== null) {
      Object.defineProperty(args, extra, { value: 1, enumerable: true, configurable: true });
    }
    if (drop < fields.length) delete args[fields[drop]![0]];
    return args;
  });
}

test("published schemas accept and refuse what their zod sources do, but for the documented conversions", () => {
  const seen = { accepted: 0, refused: 0 };
  for (const { key, schema, zod } of surfaces()) {
    assert.equal(needsLibrary(schema), false, key);
    fc.assert(
      fc.property(objectFor(schema), (args) => {
        const before = structuredClone(args);
        const ours = checkSchema(schema, args);
        const theirs = zod.safeParse(args);
        assert.deepEqual(args, before, "the given value is never touched");
        if (theirs.success) {
          seen.accepted++;
          assert.ok(ours.ok, `zod takes it, we don't: ${JSON.stringify(ours)}`);
          assert.deepEqual(ours.value, args, "what is right already is not converted");
        } else if (ours.ok) {
          // Only a conversion can make the difference, and what comes of it must be right.
          assert.notDeepEqual(ours.value, args);
          assert.ok(
            zod.safeParse(ours.value).success,
            `converted to something wrong: ${JSON.stringify(ours.value)}`,
          );
        } else seen.refused++;
      }),
      { numRuns: 150 },
    );
  }
  assert.ok(seen.accepted > 100 && seen.refused > 100, JSON.stringify(seen));
});

const EXAMPLE: JsonSchema = {
  type: "object",
  properties: {
    text: { type: "string" },
    limit: { type: "integer", minimum: 1 },
    share: { type: "number" },
    all: { type: "boolean" },
    edits: {
      type: "array",
      items: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
    },
    either: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
  },
  required: ["text"],
  additionalProperties: false,
};

function value(args: Record<string, unknown>): unknown {
  const checked = checkSchema(EXAMPLE, { text: "", ...args });
  if (!checked.ok) return checked.issues.map(({ path, message }) => `${path} ${message}`).join("; ");
  const { text: _, ...rest } = checked.value;
  return rest;
}

test("strings become numbers, booleans, lists and objects only where the type is clear and nothing is lost", () => {
  assert.deepEqual(value({ limit: "10" }), { limit: 10 });
  assert.deepEqual(value({ share: "-2.5e1" }), { share: -25 });
  assert.deepEqual(value({ all: "true" }), { all: true });
  assert.deepEqual(value({ all: "false" }), { all: false });
  assert.deepEqual(value({ edits: '[{"n": "3"}]' }), { edits: [{ n: 3 }] });
  assert.deepEqual(value({ limit: null, all: null }), {});
  assert.match(String(value({ limit: "3.7" })), /^limit must be an integer, got "3\.7"$/);
  assert.match(String(value({ limit: "9007199254740993" })), /^limit must be an integer/);
  for (const bad of ["", "ten", "0x10", "1_000", "+1", "01", "Infinity", "NaN"]) {
    assert.match(String(value({ limit: bad })), /^limit must be an integer/, bad);
  }
  assert.match(String(value({ all: "yes" })), /^all must be a boolean/);
  assert.match(String(value({ all: 1 })), /^all must be a boolean/);
  assert.match(String(value({ edits: "[{]" })), /^edits must be an array/);
  assert.match(String(value({ edits: '{"n": 1}' })), /^edits must be an array/);
});

test("strings stay strings, whatever they look like", () => {
  for (const text of ['{"a":1}', "[1]", "123", "true", "null", " x ", "\ud800"]) {
    assert.deepEqual(checkSchema(EXAMPLE, { text }), { ok: true, value: { text } });
    assert.deepEqual(value({ either: text }), { either: text });
  }
  assert.match(String(value({ text: 5 })), /^text must be a string, got 5$/);
  assert.match(String(value({ text: null })), /^text must be a string, got null$/);
});

test("every fault is named with its place, and the parameters are the hint", () => {
  const checked = checkSchema(EXAMPLE, { limit: 0, edits: [{ n: 1 }, { n: "x" }, {}], tetx: "a" });
  assert.ok(!checked.ok);
  const { message, hint } = argumentError("Tool", checked.issues, EXAMPLE);
  assert.match(message, /^Cannot call Tool: /);
  assert.match(message, /"limit" must be at least 1, got 0/);
  assert.match(message, /"edits\[1\]\.n" must be an integer, got "x"/);
  assert.match(message, /"edits\[2\]\.n" is missing/);
  assert.match(message, /"tetx" is not a parameter of this tool/);
  assert.match(message, /"text" is missing/);
  assert.equal(hint, "parameters: text*, limit, share, all, edits, either (* required)");
});

test("names of Object.prototype are names like any other", () => {
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
    const args = JSON.parse(`{"text": "a", "${name}": {"polluted": true}}`) as Record<string, unknown>;
    const strict = checkSchema(EXAMPLE, args);
    assert.ok(!strict.ok && strict.issues[0]!.path === name, name);
    const open = checkSchema({ ...EXAMPLE, additionalProperties: true }, args) as Extract<
      Checked,
      { ok: true }
    >;
    assert.ok(Object.hasOwn(open.value, name), name);
    assert.equal(JSON.stringify(open.value), JSON.stringify(args));
    const needed = checkSchema({ type: "object", properties: {}, required: [name] }, {});
    assert.ok(!needed.ok && needed.issues[0]!.message === "is missing", name);
  }
  assert.equal(({} as Json).polluted, undefined);
  const inherited = Object.create({ text: "from the prototype" }) as object;
  assert.equal(checkSchema(EXAMPLE, inherited).ok, false);
});

test("arguments that are no object are refused in words", () => {
  for (const bad of [null, 1, "a", [], true, undefined]) {
    const checked = checkSchema(EXAMPLE, bad);
    assert.ok(!checked.ok && /must be an object/.test(checked.issues[0]!.message), String(bad));
  }
});

test("a keyword that the interpreter doesn't know goes to the library, which takes it seriously", async () => {
  const base: JsonSchema = { type: "object", properties: { n: { type: "integer" } } };
  const schemas: JsonSchema[] = [
    { ...base, oneOf: [{ required: ["n"] }, { required: ["m"] }] },
    // Beside `anyOf` everything else counts as well.
    { ...base, anyOf: [{ required: ["n"] }], required: ["n"] },
    { ...base, properties: { n: { type: "integer", multipleOf: 2 } }, required: ["n"] },
    {
      ...base,
      properties: { n: { $ref: "#/$defs/even" } },
      $defs: { even: { multipleOf: 2 } },
      required: ["n"],
    },
    { ...base, if: { required: ["n"] }, then: { properties: { n: { minimum: 2 } } }, required: ["n"] },
  ];
  for (const schema of schemas) {
    assert.equal(needsLibrary(schema), true, JSON.stringify(schema));
    assert.deepEqual(await checkWithLibrary(schema, { n: 4 }), { ok: true, value: { n: 4 } });
    const empty = await checkWithLibrary(schema, {});
    assert.ok(!empty.ok && empty.issues.length > 0, JSON.stringify(schema));
  }
  assert.deepEqual(await checkWithLibrary(schemas[2]!, { n: "4" }), { ok: true, value: { n: 4 } });
  const odd = await checkWithLibrary(schemas[2]!, { n: 3 });
  assert.ok(!odd.ok && odd.issues.some(({ path }) => path === "n"));
  assert.equal((await checkWithLibrary(schemas[2]!, [])).ok, false);
  for (
    const plain of [base, EXAMPLE, {}, { type: "object", properties: { a: { anyOf: [{ type: "null" }] } } }]
  ) {
    assert.equal(needsLibrary(plain), false);
  }
});

test("a schema that is missing or not an object is published as an empty one", () => {
  const empty = { type: "object", properties: {} };
  for (const odd of [undefined, null, true, {}, { type: "string" }, "x"]) {
    assert.deepEqual(publishSchema(odd as JsonSchema), empty);
  }
  assert.deepEqual(publishSchema({ properties: { a: { type: "string" } } }), {
    type: "object",
    properties: { a: { type: "string" } },
  });
});

test("arguments nested a hundred thousand deep fail their own call and no other", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  const { results, code, stderr } = await scratch.batch([
    `{"id": "1", "name": "Read", "args": {"file_path": ${deep}}}`,
    `{"id": "2", "name": "Read", "args": {"file_path": "a.txt", "x": ${deep}}}`,
    { id: "3", name: "Read", args: { file_path: "a.txt" } },
  ]);
  assert.equal(code, 1);
  assert.deepEqual(results.map(({ outcome }) => outcome), ["invalid", "invalid", "success"]);
  assert.match(
    textOf(results[0]!),
    /^Cannot call Read: its arguments are not JSON: a value is nested more than 200 deep/,
  );
  assert.equal(stderr, "", "the log took it");
});

test("a value without an end, or that JSON has no word for, is one fault of its own call", async () => {
  const twice: Json = {};
  twice.a = twice.b = twice;
  let shared: unknown = [];
  for (let level = 0; level < 60; level++) shared = [shared, shared];
  const open = { type: "object", properties: { x: {} } };
  const library = { ...open, allOf: [{}] };
  for (const x of [twice, shared, 1n, () => {}, Symbol("s")]) {
    for (const checked of [checkSchema(open, { x }), await checkWithLibrary(library, { x })]) {
      assert.ok(!checked.ok && checked.issues.length === 1);
      assert.match(checked.issues[0]!.message, /^its arguments are not JSON: a value (is|has|holds) /);
    }
  }
});

test("the library path refuses an unknown argument instead of dropping it", async () => {
  const schema = { type: "object", properties: { a: {} }, additionalProperties: false, allOf: [{}] };
  assert.equal((await checkWithLibrary(schema, { a: 1 })).ok, true);
  assert.equal((await checkWithLibrary(schema, { a: 1, b: 2 })).ok, false);
});
