/** Command hooks that fail: loudly, and by the failure mode that they were given. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, Scratch, textOf } from "../support.ts";
import { hook, onAll, pre, says } from "./hook_scripts.ts";

/** One Read of a file with a single PreToolUse hook. */
async function readWith(scratch: Scratch, ...hooks: Json[]) {
  scratch.file("a.txt", "one\n");
  return await scratch.exec(["Read", "file_path=a.txt", ...onAll(scratch, "PreToolUse", ...hooks)]);
}

const failing: [name: string, hook: Json, notice: RegExp][] = [
  ["exits with 1", hook("echo broken >&2; exit 1"), /exit code 1: broken/],
  [
    "ends with a stack trace",
    hook("printf 'Traceback:\\n  at x\\nKeyError: tool.\\n\\n' >&2; exit 1"),
    /exit code 1: KeyError: tool(;|$)/m,
  ],
  ["exits with 127", hook("/nowhere/guard"), /exit code 127/],
  ["is ended by a signal", hook("kill -9 $$"), /SIGKILL/],
  ["runs out of time", hook("sleep 60", { timeout: 0.2 }), /out of time/],
  ["names a program that isn't there", hook("/nowhere/guard", { args: ["x"] }), /\/nowhere\/guard/],
  ["prints malformed JSON", says('{"decision": "block"'), /JSON is malformed/],
  ["prints JSON after noise", says('welcome!\n{"decision":"block"}'), /JSON after noise/],
  ["prints JSON after noise on its line", says('welcome! {"decision":"block"}'), /JSON after noise/],
  [
    "gives a decision that is none",
    says(pre({ permissionDecision: "Deny" })),
    /"Deny", not allow, deny or ask/,
  ],
  ["gives an input that is none", says(pre({ updatedInput: ["a.txt"] })), /updatedInput is not an object/],
];
for (const [name, broken, notice] of failing) {
  test(`a hook that ${name} fails loudly, and blocks only where it is told to`, async () => {
    using scratch = new Scratch();
    const open = await readWith(scratch, broken);
    assert.equal(textOf(open.result), "1\tone");
    assert.match(open.stderr, notice);
    assert.match(open.stderr, /hooks\.json/);
    const closed = await readWith(scratch, { ...broken, onFailure: "block" });
    assert.equal(closed.result.outcome, "denied");
    assert.match(textOf(closed.result), notice);
    assert.match(closed.stderr, /the call is blocked/);
  });
}

test("a hook that is not executable fails loudly", async () => {
  using scratch = new Scratch();
  const script = scratch.file("guard", "#!/bin/sh\nexit 2\n", 0o644);
  const { result, stderr } = await readWith(scratch, hook(script, { args: [] }));
  assert.equal(textOf(result), "1\tone");
  assert.match(stderr, /permission denied/i);
});

test("hooks.failClosed in the user's settings makes every failing hook block", async () => {
  using scratch = new Scratch();
  scratch.settings({ hooks: { failClosed: true } });
  const { result, code } = await readWith(scratch, hook("exit 1"));
  assert.equal(result.outcome, "denied");
  assert.equal(code, 3);
});

test("what a hook says on standard error reaches people redacted", async () => {
  using scratch = new Scratch();
  scratch.settings({ secrets: ["MY_TOKEN"] });
  scratch.file("a.txt", "one\n");
  const hooks = onAll(scratch, "PreToolUse", hook('echo "bad $MY_TOKEN" >&2; exit 1'));
  const { stderr } = await scratch.exec(["Read", "file_path=a.txt", ...hooks], {
    env: { MY_TOKEN: "tok-123456789" },
  });
  assert.match(stderr, /exit code 1: bad <redacted:MY_TOKEN>/);
  assert.doesNotMatch(stderr, /tok-123456789/);
});
