/** What the answers of command hooks do: exit codes, the forms of JSON, and what is refused. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, Scratch, textOf } from "../support.ts";
import { hook, hooksFlag, onAll, pre, recorded, records, says } from "./hook_scripts.ts";

const READ = ["Read", "file_path=a.txt"];

/** One Read of a file with a single PreToolUse hook. */
async function readWith(scratch: Scratch, ...hooks: Json[]) {
  scratch.file("a.txt", "one\n");
  return await scratch.exec([...READ, ...onAll(scratch, "PreToolUse", ...hooks)]);
}

/** One command with a single PostToolUse hook. */
async function echoWith(scratch: Scratch, ...hooks: Json[]) {
  return await scratch.exec(["Bash", "command=echo plain", ...onAll(scratch, "PostToolUse", ...hooks)]);
}

const blocking: [name: string, hook: Json, reason: RegExp][] = [
  ["exit 2 with a message", hook("echo not today >&2; exit 2"), /not today/],
  ["exit 2 with empty stderr", hook("exit 2"), /a hook blocked this call/],
  [
    "exit 2 whatever JSON says",
    hook(`echo '${JSON.stringify(pre({ permissionDecision: "allow" }))}'; exit 2`),
    /./,
  ],
  [
    "exit 2 with the JSON's reason before stderr",
    hook(`echo no >&2; echo '{"reason":"why"}'; exit 2`),
    /: why$/,
  ],
  [
    "permissionDecision deny",
    says(pre({ permissionDecision: "deny", permissionDecisionReason: "house rule" })),
    /house rule/,
  ],
  ["the old decision block", says({ decision: "block", reason: "old rule" }), /old rule/],
  [
    "continue false, which outranks an allow",
    says({ continue: false, stopReason: "enough", ...pre({ permissionDecision: "allow" }) }),
    /enough/,
  ],
  [
    "a denial after a byte-order mark",
    hook(`printf '\\357\\273\\277{"decision":"block","reason":"marked"}'`),
    /marked/,
  ],
  [
    "a denial with CRLF ends",
    hook(`printf '\\r\\n{\\r\\n"decision":"block",\\r\\n"reason":"crlf"}\\r\\n'`),
    /crlf/,
  ],
  [
    "a denial on stdout though the exit code is 1",
    hook(`echo '{"decision":"block","reason":"clear"}'; exit 1`),
    /clear/,
  ],
  [
    "a denial on stdout though a signal ended it",
    hook(`echo '{"decision":"block","reason":"clear"}'; kill -9 $$`),
    /clear/,
  ],
];
for (const [name, answer, reason] of blocking) {
  test(`a PreToolUse hook blocks by ${name}`, async () => {
    using scratch = new Scratch();
    const { result, code, stderr } = await readWith(scratch, answer);
    assert.equal(result.outcome, "denied");
    assert.equal(code, 3);
    assert.match(textOf(result), reason);
    assert.ok(!textOf(result).includes("one"), textOf(result));
    assert.equal(stderr, "");
  });
}

test("text that is no JSON, an empty object and unknown fields beside known ones are no opinion", async () => {
  using scratch = new Scratch();
  const answers = [
    "just words",
    "{}",
    "",
    '{"news": 1, "continue": true}',
    '{"hookSpecificOutput": {"updatedInput": null}}',
  ];
  const { result, stderr } = await readWith(scratch, ...answers.map((answer) => says(answer)));
  assert.equal(textOf(result), "1\tone");
  assert.equal(stderr, "");
});

test("systemMessage is told to the person, not to the model", async () => {
  using scratch = new Scratch();
  const { result, stderr } = await readWith(scratch, says({ systemMessage: "mind the step" }));
  assert.match(stderr, /mind the step/);
  assert.equal(textOf(result), "1\tone");
});

test("updatedInput replaces the fields that were shown, and hidden ones survive", async () => {
  using scratch = new Scratch();
  scratch.file("b.txt", "1\n2\n3\n");
  // Shown limit and offset are not given back, so they are dropped; workdir was never shown, so it stays.
  const read = await scratch.exec([
    "Read",
    "file_path=a.txt",
    "offset=3",
    "limit=1",
    ...onAll(scratch, "PreToolUse", says(pre({ updatedInput: { file_path: "b.txt" } }))),
  ]);
  assert.equal(textOf(read.result), "1\t1\n2\t2\n3\t3");
  const ran = await scratch.exec([
    "shell_command",
    "command=true",
    "workdir=/",
    ...onAll(scratch, "PreToolUse", says(pre({ updatedInput: { command: "pwd" } }))),
  ]);
  assert.equal(textOf(ran.result), "/");
});

test("an updatedInput that doesn't fit the schema is refused, an empty one too, and names the hook", async () => {
  for (const updatedInput of [{}, { file_path: 7 }, { file_path: "a.txt", extra: 1 }]) {
    using scratch = new Scratch();
    const { result } = await readWith(scratch, says(pre({ permissionDecision: "allow", updatedInput })));
    assert.equal(result.outcome, "invalid", JSON.stringify(updatedInput));
    assert.match(textOf(result), /rewritten by a PreToolUse hook/);
  }
});

test("a hook can't rewrite a call past a deny rule, nor allow what a rule denies or asks for", async () => {
  using scratch = new Scratch();
  scratch.file("secret.txt", "hidden\n");
  scratch.file("a.txt", "one\n");
  const to = (file: string) => says(pre({ permissionDecision: "allow", updatedInput: { file_path: file } }));
  const rewritten = await scratch.exec([
    ...READ,
    "--deny",
    "Read(secret.txt)",
    ...onAll(scratch, "PreToolUse", to("secret.txt")),
  ]);
  assert.equal(rewritten.result.outcome, "denied");
  assert.ok(!rewritten.stdout.includes("hidden"));
  const allow = onAll(scratch, "PreToolUse", says(pre({ permissionDecision: "allow" })));
  const call = { name: "Read", args: { file_path: "a.txt" } };
  for (const flags of [["--deny", "Read"], ["--ask", "Read"]]) {
    const { results } = await scratch.batch([call], [...flags, ...allow]);
    assert.equal(results[0]!.outcome, "denied", flags.join(" "));
  }
});

test("a denied call is never shown to hooks, and a hook's denial runs nothing", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const seen = await scratch.exec([
    ...READ,
    "--deny",
    "Read",
    ...onAll(scratch, "PreToolUse", records(scratch, "seen")),
  ]);
  assert.equal(seen.result.outcome, "denied");
  assert.deepEqual(recorded(scratch, "seen"), []);
  const stopped = await scratch.exec([
    "Write",
    "file_path=b.txt",
    "content=x",
    ...onAll(scratch, "PreToolUse", hook("exit 2")),
  ]);
  assert.equal(stopped.result.outcome, "denied");
  assert.ok(!scratch.exists("b.txt"));
});

test("a hook's allow answers what the mode would ask, in dontAsk too, but not the mode plan", async () => {
  using scratch = new Scratch();
  const allow = onAll(scratch, "PreToolUse", says(pre({ permissionDecision: "allow" })));
  const call = (file: string) => [{ name: "Write", args: { file_path: file, content: "x" } }];
  const outcome = async (mode: string) =>
    (await scratch.batch(call(`${mode}.txt`), ["--mode", mode, ...allow])).results[0]!.outcome;
  assert.deepEqual([await outcome("default"), await outcome("dontAsk"), await outcome("plan")], [
    "success",
    "success",
    "denied",
  ]);
  const without = await scratch.batch(call("x.txt"));
  assert.equal(without.results[0]!.outcome, "denied");
});

test("a hook's ask needs somebody to answer, even where everything is allowed", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const ask = onAll(
    scratch,
    "PreToolUse",
    says(pre({ permissionDecision: "ask", permissionDecisionReason: "sure?" })),
  );
  const { results } = await scratch.batch([{ name: "Read", args: { file_path: "a.txt" } }], [
    "--mode",
    "bypassPermissions",
    ...ask,
  ]);
  assert.equal(results[0]!.outcome, "denied");
  assert.match(textOf(results[0]!), /sure\?/);
});

test("contexts and feedback of hooks stand after the result", async () => {
  using scratch = new Scratch();
  const flags = hooksFlag(scratch, {
    PreToolUse: [{ hooks: [says(pre({ additionalContext: "before" }))] }],
    PostToolUse: [{
      hooks: [
        hook("echo feedback >&2; exit 2"),
        says({ decision: "block", reason: "reason" }),
        says({ hookSpecificOutput: { additionalContext: "after" } }),
        hook("exit 2"),
      ],
    }],
  });
  const { result, code } = await scratch.exec(["Bash", "command=echo plain", ...flags]);
  assert.equal(code, 0);
  const texts = result.content.map(({ text }: Json) => text);
  assert.deepEqual(texts, [
    "plain",
    "before",
    "feedback",
    "reason",
    "after",
    "a hook reported a problem (exit code 2)",
  ]);
});

test("updatedToolOutput stands in the result's place, wherever the old text stood", async () => {
  using scratch = new Scratch();
  const { result, stdout } = await echoWith(
    scratch,
    says({ hookSpecificOutput: { updatedToolOutput: "rewritten" } }),
  );
  assert.equal(textOf(result), "rewritten");
  assert.equal(result.exitCode, 0);
  assert.ok(!stdout.includes("plain"), stdout);
});

test("an updatedToolOutput has the tool's own limit, other texts over 10,000 characters go to a file with a preview", async () => {
  using scratch = new Scratch();
  const long = (key: string) =>
    hook(`printf '{"hookSpecificOutput":{"${key}":"'; head -c 20000 /dev/zero | tr '\\0' x; printf '"}}'`);
  const output = await echoWith(scratch, long("updatedToolOutput"));
  assert.equal(textOf(output.result), "x".repeat(20_000));
  const context = await echoWith(scratch, long("additionalContext"));
  const [, note] = context.result.content;
  assert.ok(note.text.length < 3000, `${note.text.length}`);
  const file = /all of it: (\S+?)[\])]/.exec(note.text)?.[1] ?? assert.fail(note.text.slice(-300));
  assert.equal(scratch.read(file), "x".repeat(20_000));
});
