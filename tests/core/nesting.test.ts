/** Calls inside calls. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Scratch, textOf } from "../support.ts";

test("a tool that calls itself ends with an error, not never", async () => {
  using scratch = new Scratch();
  scratch.file(
    "plugins/again.ts",
    `import { definePlugin } from "agent";
     export default definePlugin({ name: "again", uses: ["call"], setup(agent) {
       agent.tool({ name: "again", description: "", effect: "read", async run(_, context) {
         const { content } = await context.call("again", {});
         return content;
       } });
     } });`,
  );
  const { result, code } = await scratch.exec(["--plugins", "plugins", "again"]);
  assert.equal(code, 0);
  assert.match(textOf(result), /calls are nested 16 deep already/);
});

test("calls without end that a tool makes one after another are stopped by the time limit", async () => {
  using scratch = new Scratch();
  scratch.file(
    "plugins/on.ts",
    `import { definePlugin } from "agent";
     export default definePlugin({ name: "on", uses: ["call"], setup(agent) {
       agent.tool({ name: "nop", description: "", traits: () => ({ effect: "read", keys: [] }), run: () => "" });
       agent.tool({ name: "on", description: "", effect: "read", async run(_, context) {
         for (;;) await context.call("nop", {});
       } });
     } });`,
  );
  const ran = await scratch.agent(["exec", "--plugins", "plugins", "--timeout", "0.5", "on"]);
  assert.equal(ran.code, 124, ran.stderr);
});
