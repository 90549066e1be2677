/** Command hooks that fail: loudly, and by the failure mode that they were given. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { type Json, Scratch, textOf } from "../support.ts";
import { hook, hooksFlag, onAll, pre, says } from "./hook_scripts.ts";

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
  [
    "gives an input that is none",
    says(pre({ updatedInput: ["a.txt"] })),
    /updatedInput is .*, not an object/,
  ],
  [
    "prints more than is looked at",
    hook(`printf '{"decision":"block","reason":"'; head -c 17000000 /dev/zero | tr '\\0' x; printf '"}'`),
    /its answer is too long: more than 16 MB/,
  ],
  ["prints an empty object and exits with 1", hook("echo '{}'; exit 1"), /exit code 1/],
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

test("an answer that is only nearly right is a failure that says what is wrong", async () => {
  using scratch = new Scratch();
  const nearly: [answer: Json, notice: string][] = [
    [{ decision: "ask" }, `its decision is "ask", not approve or block`],
    [{ permissionDecision: "ask" }, "its permissionDecision belongs in hookSpecificOutput"],
    [{ updatedInput: {} }, "its updatedInput belongs in hookSpecificOutput"],
    [{ hookSpecificOutput: "deny" }, `its hookSpecificOutput is "deny", not an object`],
    [{ hookSpecificOutput: [] }, "its hookSpecificOutput is [], not an object"],
    [pre({ decision: "approve" }), "its decision doesn't belong in hookSpecificOutput"],
    [pre({ hookEventName: "Pre" }), `its hookEventName is "Pre", not PreToolUse`],
    [pre({ permissionDecision: true }), "its permissionDecision is true, not allow, deny or ask"],
    [
      { hookSpecificOutput: { deny: true } },
      `its hookSpecificOutput has no field that is known, only "deny"`,
    ],
    [{ continue: "false" }, `its continue is "false", not true or false`],
    [{ reason: 5 }, "its reason is 5, not a string"],
    [{ deny: true }, `its answer has no field that is known, only "deny"`],
  ];
  const failures = async (more: Json) => {
    const hooks = nearly.map(([answer], index) => says(answer, { statusMessage: `${index}`, ...more }));
    const ran = await readWith(scratch, ...hooks);
    for (const [answer, notice] of nearly) {
      assert.ok(ran.stderr.includes(`failed: ${notice};`), `${JSON.stringify(answer)}: ${ran.stderr}`);
    }
    assert.equal(ran.stderr.trim().split("\n").length, nearly.length, ran.stderr);
    return ran.result;
  };
  assert.equal(textOf(await failures({})), "1\tone");
  assert.equal((await failures({ onFailure: "block" })).outcome, "denied");
});

test("a no counts wherever it stands, and the notice says what is wrong and what comes of it", async () => {
  using scratch = new Scratch();
  for (
    const [answer, notice] of [
      [{ decision: "deny" }, `its decision is "deny", not approve or block`],
      [{ permissionDecision: "deny" }, "its permissionDecision belongs in hookSpecificOutput"],
      [pre({ decision: "block" }), "its decision doesn't belong in hookSpecificOutput"],
      [{ continue: false, stopReason: 5 }, "its stopReason is 5, not a string"],
    ] as [Json, string][]
  ) {
    const { result, stderr } = await readWith(scratch, says(answer));
    assert.equal(result.outcome, "denied", JSON.stringify(answer));
    assert.ok(stderr.includes(`failed: ${notice}; the call is blocked`), stderr);
  }
});

test("what may have been meant as an answer and is none is a failure", async () => {
  using scratch = new Scratch();
  for (
    const [command, notice] of [
      [`echo '[{"decision":"block"}]'`, "its JSON is a list, not an object"],
      [`echo 'hello {"decision":"block"} bye'`, "JSON after noise"],
      [`printf '{\\000"\\000d\\000'`, "its JSON is malformed"],
      [`printf '\\377\\376{\\000}\\000'`, "its output is not UTF-8"],
      [`echo '{"suppressOutput":true}'; kill -9 $$`, "it was ended by SIGKILL"],
      [`echo '{"systemMessage":"hm"}'; exit 3`, "it ended with exit code 3"],
    ]
  ) {
    const { result, stderr } = await readWith(scratch, { type: "command", command, onFailure: "block" });
    assert.equal(result.outcome, "denied", command);
    assert.ok(stderr.includes(`failed: ${notice}`), `${command}: ${stderr}`);
  }
});

test("one command under two matchers runs once, within the longer time", async () => {
  using scratch = new Scratch();
  const marks = path.join(scratch.root, "marks");
  const command = `echo x >> '${marks}'; sleep 0.5; exit 2`;
  const groups = [
    { matcher: "Read", hooks: [{ type: "command", command, timeout: 0.2 }] },
    { matcher: "*", hooks: [{ type: "command", command, timeout: 30 }] },
  ];
  scratch.file("a.txt", "one\n");
  const { result } = await scratch.exec([
    "Read",
    "file_path=a.txt",
    ...hooksFlag(scratch, { PreToolUse: groups }),
  ]);
  assert.equal(result.outcome, "denied");
  assert.equal(readFileSync(marks, "utf8"), "x\n");
});

test("a hook's if isn't held against a call that a hook before it made another", async () => {
  using scratch = new Scratch();
  const rewrite = says(pre({ updatedInput: { command: "echo push git; touch ran" } }));
  const guard = { type: "command", command: "exit 2", if: "Bash(touch *)" };
  const hooks = hooksFlag(scratch, { PreToolUse: [{ sequential: true, hooks: [rewrite, guard] }] });
  const { result } = await scratch.exec(["Bash", "command=ls", ...hooks]);
  assert.equal(result.outcome, "denied");
  assert.ok(!scratch.exists("ran"));
  const { result: other } = await scratch.exec([
    "Bash",
    "command=ls",
    ...hooksFlag(scratch, {
      PreToolUse: [{ sequential: true, hooks: [guard] }],
    }),
  ]);
  assert.equal(other.outcome, "success");
});

test("a failing answer still holds a call back, and neither allows nor rewrites", async () => {
  using scratch = new Scratch();
  const wrong = { reason: 5 };
  const denied = await readWith(scratch, says({ ...wrong, decision: "block" }));
  assert.equal(denied.result.outcome, "denied");
  const let1 = says({
    ...wrong,
    ...pre({ permissionDecision: "allow", updatedInput: { file_path: "b.txt" } }),
  });
  assert.equal(textOf((await readWith(scratch, let1)).result), "1\tone");
  const write = await scratch.batch([{ name: "Write", args: { file_path: "c.txt", content: "x" } }], [
    ...onAll(scratch, "PreToolUse", let1),
  ]);
  assert.equal(write.results[0]!.outcome, "denied");
});

test("an answer of ten megabytes counts", async () => {
  using scratch = new Scratch();
  const { result, stderr } = await readWith(
    scratch,
    hook(`printf '{"decision":"block","reason":"'; head -c 10000000 /dev/zero | tr '\\0' x; printf '"}'`),
  );
  assert.equal(result.outcome, "denied", stderr);
  assert.match(textOf(result), /xxx/);
  assert.ok(textOf(result).length < 10_000);
  assert.equal(stderr, "");
});

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

test("failClosed of any other file holds for its own hooks alone, and a hook's own word beats all", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const read = async (...flags: string[]) =>
    (await scratch.exec(["Read", "file_path=a.txt", ...flags])).result.outcome;
  const strict = (event: string, ...hooks: Json[]) => ({ failClosed: true, [event]: [{ hooks }] });
  const file = (name: string, hooks: Json) => scratch.file(name, JSON.stringify({ hooks }));
  scratch.file("pl/strict/.claude-plugin/plugin.json", `{"name": "strict"}`);
  file("pl/strict/hooks/hooks.json", strict("SessionEnd", hook("true")));
  const others = ["--hooks", file("other.json", strict("PostToolUse", hook("true"))), "--plugins", "pl"];
  for (const more of [{}, { onFailure: "continue" }]) {
    scratch.settings({ hooks: { PreToolUse: [{ hooks: [hook("exit 1", more)] }] } });
    assert.equal(await read(...others), "success");
  }
  const own = file("own.json", strict("PreToolUse", hook("exit 1; : own")));
  assert.equal(await read("--hooks", own), "denied");
  const { stdout } = await scratch.agent(["hooks", "list", "--hooks", own]);
  assert.equal(stdout.split("blocks when it fails").length - 1, 1, stdout);
  scratch.settings({ hooks: strict("PreToolUse", hook("exit 1", { onFailure: "continue" })) });
  assert.equal(await read(), "success");
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
