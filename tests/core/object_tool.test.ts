/** An object's tool: flat for models, strict for each action. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import type * as zod from "zod";
import { action, defineObjectTool } from "../../src/core/object_tool.ts";
import { Registry } from "../../src/core/registry.ts";
import type { JsonSchema } from "../../src/core/schema.ts";
import type { Context, Place, Zod } from "../../src/core/tool.ts";

const lamp = defineObjectTool({
  name: "lamp",
  actions: {
    turn: action<{ to: "on" | "off"; after_s?: number }, string>({
      about: "turns it on or off",
      input: (z) => ({
        to: z.enum(["on", "off"]).describe("which"),
        after_s: z.int().optional().describe("when"),
      }),
      traits: () => ({ effect: "run" }),
      run: ({ to }) => `it is ${to}`,
    }),
    look: action<{ after_s?: number }, string>({
      about: "tells how it is",
      input: (z) => ({ after_s: z.int().optional().describe("when") }),
      traits: () => ({ effect: "read", keys: [] }),
      run: () => "it is off",
      present: (data) => ({ content: `look: ${data}` }),
    }),
  },
});

const json = (type: z.ZodType) => z.toJSONSchema(type, { io: "input" }) as JsonSchema;

function entry() {
  const registry = new Registry();
  const variants = Object.fromEntries(
    Object.entries(lamp.variants!(z)).map(([name, type]) => [name, json(type)]),
  );
  registry.addBuiltins([lamp], [], () => ({ description: "", schema: json(lamp.input(z)), variants }));
  return registry.entries()[0]!;
}

test("models see one flat object, whose fields say whose they are", () => {
  const { properties, required } = json(lamp.input(z));
  assert.deepEqual(required, ["action"]);
  assert.deepEqual(Object.keys(properties!), ["action", "to", "after_s"]);
  assert.equal(properties!.action!.description, "turn: turns it on or off; look: tells how it is");
  assert.equal(properties!.to!.description, "turn: which");
  assert.equal(properties!.after_s!.description, "turn, look: when");
});

test("each action takes its own fields alone, and faults name it", async () => {
  const one = entry();
  const faults = async (args: unknown) => {
    const checked = await one.checkCanonical(args);
    return checked.ok ? [] : checked.issues.map(({ message }) => message);
  };
  assert.deepEqual(await faults({ action: "turn", to: "on" }), []);
  assert.deepEqual(await faults({ action: "look", after_s: "3" }), []);
  assert.match((await faults({ action: "look", to: "on" }))[0]!, /^action=look: "to" is not a parameter/);
  assert.match((await faults({ action: "turn" }))[0]!, /^action=turn: "to" is missing/);
  assert.match((await faults({ to: "on" }))[0]!, /is missing/);
  assert.match((await faults({ action: "smash" }))[0]!, /must be one of/);
});

test("two actions can't mean different things by one field", () => {
  const of = (type: (z: Zod) => zod.ZodType) =>
    action<Record<string, unknown>, string>({
      about: "a",
      input: (z) => ({ at: type(z) }),
      traits: () => ({ effect: "read" }),
      run: () => "",
    });
  const tool = (one: (z: Zod) => zod.ZodType, other: (z: Zod) => zod.ZodType) =>
    defineObjectTool({ name: "t", actions: { one: of(one), other: of(other) } }).input(z);
  const number = (z: Zod) => z.int().min(1).describe("where");
  tool(number, (z) => z.int().min(1).describe("where"));
  for (
    const other of [
      (z: Zod) => z.string().describe("where"),
      (z: Zod) => z.int().describe("where"),
      (z: Zod) => z.int().min(1).describe("when"),
    ]
  ) {
    assert.throws(
      () => tool(number, other),
      /^Error: Cannot define the tool "t": its actions "one" and "other" differ in the field "at"$/,
    );
  }
});

test("traits, work and voice are the action's", async () => {
  assert.deepEqual(lamp.traits({ action: "look" }, {} as Place), { effect: "read", keys: [] });
  assert.deepEqual(lamp.traits({ action: "turn", to: "on" }, {} as Place), { effect: "run" });
  const done = async (args: Record<string, unknown>) =>
    lamp.present!(await lamp.run(args, {} as Context), args);
  assert.deepEqual(await done({ action: "turn", to: "on" }), "it is on");
  assert.deepEqual(await done({ action: "look" }), { content: "look: it is off" });
});
