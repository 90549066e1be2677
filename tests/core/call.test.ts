/** The life of a call, in process: one result whatever happens, aborts, nested calls, time limits. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ExternalTool, type StreamEvent, textOf } from "../../src/index.ts";
import { Scratch } from "../support.ts";
import { external, gate, runtimeIn } from "./in_process.ts";

test("whatever a tool does, its call has one result, one start and one end", async () => {
  using scratch = new Scratch();
  const events: StreamEvent[] = [];
  const runtime = await runtimeIn(scratch, { onEvent: (event) => void events.push(event) });
  const hostile: Record<string, ExternalTool["execute"]> = {
    throws: () => {
      throw new Error("broken\ud800");
    },
    rejects: () => Promise.reject(undefined),
    circular: () => {
      const value: Record<string, unknown> = {};
      value.self = value;
      return value;
    },
    mutates: (args) => {
      (args as Record<string, unknown>).x = 1;
      return "no";
    },
    lone: () => [{ type: "text", text: "a\udfffb" }],
    many: () => Array.from({ length: 40_000 }, () => ({ type: "text", text: "x" })),
  };
  for (const [name, execute] of Object.entries(hostile)) runtime.addExternal(external(name, execute));
  const turn = await runtime.prepareTurn();
  const names = [...Object.keys(hostile), "unknown", "constructor", "__proto__"];
  const results = await Promise.all(names.map((name) => runtime.call(turn, { id: name, name, args: {} })));
  assert.deepEqual(results.map(({ outcome }) => outcome), [
    "error",
    "error",
    "error",
    "error",
    "success",
    "success",
    "unknown",
    "unknown",
    "unknown",
  ]);
  for (const { content } of results) {
    const texts = content.map((block) => block.type === "text" ? block.text : "");
    assert.ok(texts.every((text) => text.isWellFormed()) && texts.join("").length <= 32_000);
  }
  for (const id of names) {
    const own = events.filter((event) => "id" in event && event.id === id).map(({ type }) => type);
    assert.deepEqual(own, ["tool_start", "tool_end"], id);
  }
  await runtime.close();
});

test("an event's taker that throws is said once and breaks no call", async () => {
  using scratch = new Scratch();
  const warnings: string[] = [];
  const runtime = await runtimeIn(scratch, {
    warn: (text) => warnings.push(text),
    onEvent: () => {
      throw new Error("taker broke");
    },
  });
  const turn = await runtime.prepareTurn();
  assert.equal((await runtime.call(turn, { name: "Bash", args: { command: "echo hi" } })).outcome, "success");
  await runtime.close();
  assert.deepEqual(warnings, ["Cannot pass on an event: taker broke"]);
});

test("an abort reaches a queued call, a running one and one that hasn't begun, and frees what they claimed", async () => {
  using scratch = new Scratch();
  const runtime = await runtimeIn(scratch);
  const { open, opened } = gate();
  let ran = 0;
  runtime.addExternal(external("holds", () => opened));
  runtime.addExternal(external("counts", () => void ran++));
  runtime.addExternal(
    external(
      "heeds",
      (_, { signal }) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
    ),
  );
  const turn = await runtime.prepareTurn();
  const holding = runtime.call(turn, { name: "holds", args: {} });
  const controller = new AbortController();
  const queued = runtime.call(turn, { name: "counts", args: {} }, { signal: controller.signal });
  controller.abort();
  const late = runtime.call(turn, { name: "counts", args: {} }, { signal: controller.signal });
  for (const result of [await queued, await late]) {
    assert.equal(result.outcome, "interrupted");
    assert.equal(textOf(result.content), "User interrupted tool execution");
  }
  open();
  await holding;
  const second = new AbortController();
  const running = runtime.call(turn, { name: "heeds", args: {} }, { signal: second.signal });
  const behind = runtime.call(turn, { name: "counts", args: {} });
  second.abort();
  assert.equal((await running).outcome, "interrupted");
  assert.equal((await behind).outcome, "success");
  assert.equal(ran, 1);
  await runtime.close();
});

test("a yes that comes after the abort runs nothing, and the call's claims are free", async () => {
  using scratch = new Scratch();
  const runtime = await runtimeIn(scratch, { mode: "default" });
  const turn = await runtime.prepareTurn();
  const { open, opened } = gate();
  const controller = new AbortController();
  const asked = gate();
  const ask = () => {
    asked.open();
    return opened.then(() => true);
  };
  const write = (content: string) => ({ name: "Write", args: { file_path: "f", content } });
  const call = runtime.call(turn, write("late"), { ask, signal: controller.signal });
  await asked.opened;
  controller.abort();
  assert.equal((await call).outcome, "interrupted");
  open();
  const next = await runtime.call(turn, write("next"), { ask });
  assert.equal(next.outcome, "success");
  assert.equal(scratch.read("f"), "next");
  await runtime.close();
});

test("a nested call runs inside its parent's claims, under its parent's id, and never as a person's", async () => {
  using scratch = new Scratch();
  const events: StreamEvent[] = [];
  const runtime = await runtimeIn(scratch, { mode: "default", onEvent: (event) => void events.push(event) });
  runtime.addExternal(external("outer", async (_, context) => {
    const both = await Promise.all(
      ["a", "b"].map((content) => context.call("Write", { file_path: "f", content })),
    );
    return both.map(({ outcome }) => outcome).join();
  }));
  const turn = await runtime.prepareTurn({ open: true });
  const asPerson = await runtime.call(turn, { id: "p", name: "outer", args: {} }, { origin: "person" });
  assert.equal(textOf(asPerson.content), "denied,denied");
  const asked = await runtime.call(turn, { id: "q", name: "outer", args: {} }, {
    ask: () => Promise.resolve(true),
  });
  assert.equal(textOf(asked.content), "success,success");
  assert.equal(scratch.read("f"), "b", "in the order in which they were called");
  const starts = events.filter((event) => event.type === "tool_start" && event.name === "Write");
  assert.deepEqual(starts.map((event) => "parent" in event && event.parent), ["p", "p", "q", "q"]);
  await runtime.close();
});

test("a time limit ends a call that never would, and says so", async () => {
  using scratch = new Scratch();
  const runtime = await runtimeIn(scratch);
  runtime.addExternal(
    external(
      "heeds",
      (_, { signal }) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
    ),
  );
  const turn = await runtime.prepareTurn();
  const result = await runtime.call(turn, { name: "heeds", args: {} }, { timeoutMs: 20 });
  assert.equal(result.outcome, "timeout");
  assert.equal(textOf(result.content), "Cannot finish heeds: no result within 20 ms");
  await runtime.close();
});
