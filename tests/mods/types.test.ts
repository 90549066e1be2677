/**
 * The types of plugins: what is marked must not compile, which `tsc` says when the tests are checked; the rest must.
 * Nothing of it is run but the last line.
 */
import { definePlugin } from "agent";
import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";

const plugin = definePlugin<{ level: number }>({
  name: "types",
  uses: ["exec", "call", "permission", "surface", "secrets:KEY"],
  options: z.object({ level: z.number() }),
  setup(agent, options) {
    const level: number = options.level;
    // @ts-expect-error: there is no such option
    void options.other;

    // tool_start: { args }, { result }, { deny } or nothing
    agent.on("tool_start", () => undefined);
    agent.on("tool_start", (call) => ({ args: { ...call.args, level } }));
    agent.on("tool_start", () => ({ result: "text" }));
    agent.on("tool_start", () => ({ result: [{ type: "text", text: "block" }] }));
    agent.on("tool_start", () => ({ result: { content: "text", status: "error" } }));
    agent.on("tool_start", () => Promise.resolve({ deny: "no" }));
    // @ts-expect-error: a refusal is an object with a reason
    agent.on("tool_start", () => "no");
    // @ts-expect-error: the reason is a string
    agent.on("tool_start", () => ({ deny: true }));
    // @ts-expect-error: arguments are an object
    agent.on("tool_start", () => ({ args: "text" }));
    // @ts-expect-error: a result is text, blocks or an object with content
    agent.on("tool_start", () => ({ result: 5 }));
    // @ts-expect-error: a block has a known type
    agent.on("tool_start", () => ({ result: [{ type: "sound", data: "" }] }));
    // @ts-expect-error: arguments can't be changed in place
    agent.on("tool_start", (call) => void (call.args.path = "x"));
    // @ts-expect-error: traits are absent for unknown calls
    agent.on("tool_start", (call) => void call.traits.effect);

    // tool_end: { result } or nothing
    agent.on("tool_end", (_call, result) => ({ result: `${result.outcome} ${result.text.length}` }));
    // @ts-expect-error: too late to refuse
    agent.on("tool_end", () => ({ deny: "no" }));
    // @ts-expect-error: too late to change arguments
    agent.on("tool_end", () => ({ args: {} }));
    // @ts-expect-error: there is no such outcome
    agent.on("tool_end", (_call, result) => void (result.outcome === "crashed"));
    // @ts-expect-error: results can't be changed in place
    agent.on("tool_end", (_call, result) => void (result.status = "error"));

    // permission: { deny } or nothing
    agent.on("permission", (call) => call.touches("/etc/**") ? { deny: "no" } : undefined);
    // @ts-expect-error: a mod can only refuse
    agent.on("permission", () => ({ allow: true }));

    // surface: { hide } and { describe }
    agent.on("surface", (tools) => ({ hide: tools.map(({ name }) => name), describe: { Read: "reads" } }));
    // @ts-expect-error: names are a list
    agent.on("surface", () => ({ hide: "Bash" }));
    // @ts-expect-error: descriptions are text
    agent.on("surface", () => ({ describe: { Read: 1 } }));

    // notifications have no answer
    agent.on("tool_output", (call, { stream, text }) => void [call.id, stream, text]);
    agent.on("session_start", ({ id, cwd, source }) => void [id, cwd, source]);
    agent.on("session_end", ({ id, reason }) => void [id, reason]);
    agent.on("turn_start", ({ id, family, toolset }) => void [id, family, toolset]);
    agent.on("turn_end", ({ id }) => void id);
    agent.on("notice", ({ source, text }) => void [source, text]);
    // @ts-expect-error: a notification is not answered
    agent.on("tool_output", () => ({ result: "text" }));
    // @ts-expect-error: a notification is not answered
    agent.on("session_start", () => ({ deny: "no" }));

    // @ts-expect-error: there is no such event
    agent.on("tool_begin", () => {});
    // @ts-expect-error: there is no such order
    agent.on("tool_end", () => {}, { order: "first" });
    // @ts-expect-error: there is no such effect
    agent.on("tool_end", () => {}, { effect: "delete" });
    agent.on("tool_end", () => {}, { tools: ["Bash"], effect: "run", order: "late" });

    agent.tool({
      name: "typed",
      description: "",
      input: z.object({ count: z.number(), day: z.string().transform((text) => new Date(text)) }),
      traits: ({ count }, place) => ({ effect: "read", keys: [`path:${place.identify(String(count))}`] }),
      async run({ count, day }, context) {
        const year: number = day.getFullYear() + count;
        // @ts-expect-error: the schema has no such field
        void [year].at(context.other);
        const { exitCode } = await context.exec("true");
        const { outcome } = await context.call("Read", { file_path: "x" });
        return [exitCode, outcome, context.secret("KEY")?.length];
      },
    });
    agent.tool({
      name: "plain",
      description: "",
      input: { type: "object", properties: { text: { type: "string" } } },
      // @ts-expect-error: effects are read, write and run
      effect: "look",
      run: (args) => String(args.text),
    });
    // @ts-expect-error: a tool has something to run
    agent.tool({ name: "idle", description: "" });
    return () => {};
  },
});

// @ts-expect-error: a plugin has a setup
definePlugin({ name: "empty" });

test("definePlugin hands back what it was given", () => {
  assert.equal(plugin.name, "types");
});
