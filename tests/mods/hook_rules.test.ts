/** Permission rules that limit hooks. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { HookCall } from "../../src/core/hooks.ts";
import type { Matchers } from "../../src/core/permission.ts";
import { HookRules } from "../../src/mods/hook_rules.ts";

test("a call's command is taken apart once, however many hooks ask, and anew for the next call", async () => {
  let read = 0;
  const matchers: Matchers = {
    path: () => false,
    command: (pattern, command) => command.startsWith(pattern.replace(" *", "")),
    commandParts: (command) => {
      read++;
      return Promise.resolve(command.split("; ").map((value) => ({ kind: "command", value, access: "run" })));
    },
  };
  const rules = new HookRules(matchers, new Map());
  const call = () =>
    ({
      asked: {
        entry: { name: "Bash", names: new Set(["Bash"]) },
        traits: { effect: "run", subjects: [{ kind: "command", value: "ls; git status", access: "run" }] },
        cwd: "/",
      },
      session: { project: "/" },
    }) as unknown as HookCall;
  const one = call();
  const asked = await Promise.all(
    ["Bash(git *)", "Bash(ls *)", "Bash(rm *)"].map((rule) => rules.fits(rule, one)),
  );
  assert.deepEqual(asked, [true, true, false]);
  assert.equal(read, 1);
  await rules.fits("Bash(git *)", call());
  assert.equal(read, 2);
});
