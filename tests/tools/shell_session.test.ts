/** A background command as an object: its schema, who may do what to it, and what it answers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, Scratch, textOf } from "../support.ts";

/** The outcome and the first line of each call on a session that isn't there. */
async function checked(scratch: Scratch, args: readonly Json[]) {
  const calls = args.map((input) => ({ name: "shell_session", args: input }));
  const { results } = await scratch.batch(calls, ["--mode", "bypassPermissions", "--concurrency", "1"]);
  return results.map((result) => [result.outcome, textOf(result)] as const);
}

test("each action takes its own parameters and no others", async () => {
  using scratch = new Scratch();
  const accepted = await checked(scratch, [
    { action: "kill", session_id: 4242 },
    { action: "resize", session_id: 4242, cols: 80, rows: 24 },
    { action: "poll", session_id: 4242, chars: "x", keys: ["enter"], peek: true, yield_time_ms: 0 },
    { action: "wait", session_id: 4242, timeout_s: 3, until_output: "x" },
    { action: "unwatch", session_id: 4242, watcher_id: 1 },
  ]);
  for (const [outcome, text] of accepted) {
    assert.deepEqual([outcome, text], [
      "error",
      "Cannot find session 4242: there never was one\n\nhint: none is running",
    ]);
  }
  assert.deepEqual(await checked(scratch, [{ action: "list" }]), [["success", "No session is running"]]);

  const refused = await checked(scratch, [
    { action: "wait", session_id: 4242, chars: "x" },
    { action: "kill", session_id: 4242, timeout_s: 3 },
    { action: "list", session_id: 4242 },
    { action: "poll", session_id: 4242, until_output: "x" },
    { action: "resize", session_id: 4242 },
    { session_id: 4242 },
    { action: "shout", session_id: 4242 },
  ]);
  const faults = [
    /action=wait: "chars" is not a parameter/,
    /action=kill: "timeout_s" is not a parameter/,
    /action=list: "session_id" is not a parameter/,
    /action=poll: "until_output" is not a parameter/,
    /action=resize: "cols" is missing/,
    /"action" is missing/,
    /"action" must be one of/,
  ];
  for (const [index, [outcome, text]] of refused.entries()) {
    assert.equal(outcome, "invalid");
    assert.match(text, faults[index]!);
  }
  // The hint names what the action takes.
  assert.match(refused[1]![1], /\n\nhint: parameters: action\*, session_id\* \(/);
  assert.match(refused[2]![1], /\n\nhint: parameters: action\* \(/);
  assert.match(refused[6]![1], /chars, keys/);
});

test("models see one flat object whose fields say whose they are", async () => {
  using scratch = new Scratch();
  const { stdout } = await scratch.agent(["tools", "--json", "--toolset", "codex_snake"]);
  const listed = JSON.parse(stdout);
  const tools: Json[] = Array.isArray(listed) ? listed : listed.tools;
  const one = tools.find(({ name }) => name === "shell_session")!;
  const schema = one.parameters ?? one.function.parameters;
  assert.deepEqual([schema.type, schema.required, schema.additionalProperties], [
    "object",
    ["action"],
    false,
  ]);
  assert.ok(!("oneOf" in schema) && !("anyOf" in schema));
  for (const [field, { description }] of Object.entries<Json>(schema.properties)) {
    if (field !== "action") assert.match(description, /^(?:(?:poll|wait|kill|resize|unwatch)(?:, |: )){1,5}/);
  }
  assert.match(schema.properties.chars.description, /^poll: /);
  assert.match(schema.properties.until_output.description, /^wait: /);
});

test("to look needs no leave, to write needs the leave that the command would need", async () => {
  using scratch = new Scratch();
  const start = { name: "exec_command", args: { cmd: "bash", yield_time_ms: 250 } };
  const { results } = await scratch.batch([
    start,
    { name: "shell_session", args: { action: "list" } },
    { name: "shell_session", args: { action: "poll", session_id: 1, yield_time_ms: 0 } },
    { name: "write_stdin", args: { session_id: 1, chars: "echo fine\n" } },
    { name: "write_stdin", args: { session_id: 1, chars: "echo a; rm -f x\n" } },
    { name: "shell_session", args: { action: "poll", session_id: 1, chars: "touch y\n" } },
    { name: "shell_session", args: { action: "kill", session_id: 1 } },
  ], ["--allow", "Bash(bash)", "--allow", "Bash(echo *)", "--concurrency", "1"]);
  assert.deepEqual(results.map(({ outcome }) => outcome), [
    "success",
    "success",
    "success",
    "success",
    "denied",
    "denied",
    "denied",
  ]);
});

test("a rule that denies a command denies it to every tool that could run it", async () => {
  using scratch = new Scratch();
  scratch.file("x", "kept");
  const writes: Json[] = [
    { name: "write_stdin", args: { session_id: 1, chars: "rm x\n" } },
    { name: "write_stdin", args: { session_id: 1, chars: "echo\rrm x\r" } },
    { name: "write_stdin", args: { session_id: 1, chars: "\u0015rm x\n" } },
    { name: "shell_session", args: { action: "poll", session_id: 1, chars: "rm x\n" } },
    { name: "shell_session", args: { action: "poll", session_id: 1, chars: "rm x", keys: ["enter"] } },
    {
      name: "shell_session",
      args: { action: "poll", session_id: 1, keys: ["r", "m", "space", "x", "Enter"] },
    },
    { name: "exec_command", args: { cmd: "rm x" } },
    { name: "exec_command", args: { cmd: "rm x", shell: "/bin/sh" } },
    { name: "Monitor", args: { command: "rm x", description: "d" } },
    { name: "run_shell_command", args: { command: "rm x" } },
  ];
  const start = { name: "exec_command", args: { cmd: "cat", tty: true, yield_time_ms: 250 } };
  const { results: [started, ...rest] } = await scratch.batch(
    [start, ...writes],
    ["--deny", "Bash(rm *)", "--mode", "bypassPermissions", "--concurrency", "1"],
  );
  assert.equal(started!.outcome, "success");
  for (const [index, { outcome }] of rest.entries()) {
    assert.equal(outcome, "denied", JSON.stringify(writes[index]));
  }
  assert.equal(scratch.read("x"), "kept");
});

test("leave for a command is no leave for another program that is named as its shell", async () => {
  using scratch = new Scratch();
  scratch.file("evil", "#!/bin/sh\ntouch evil-ran\n", 0o755);
  const { results } = await scratch.batch(
    [{ name: "exec_command", args: { cmd: "echo hi", shell: "./evil" } }],
    ["--allow", "Bash(echo *)"],
  );
  assert.equal(results[0]!.outcome, "denied");
  assert.ok(!scratch.exists("evil-ran"));
});

test("hooks for Bash see what is written as a command, and can change it", async () => {
  using scratch = new Scratch();
  scratch.file(
    "hook.sh",
    `#!/bin/sh
input=$(cat); printf '%s\\n' "$input" >>seen
case $input in *'"command":"echo old'*)
  printf '%s\\n' '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"echo new; exit 5\\n"}}}';;
esac
`,
    0o755,
  );
  scratch.settings({
    hooks: { PreToolUse: [{ matcher: "^Bash$", hooks: [{ type: "command", command: "./hook.sh" }] }] },
  });
  const { results } = await scratch.batch([
    { name: "exec_command", args: { cmd: "sh", yield_time_ms: 250 } },
    { name: "write_stdin", args: { session_id: 1, chars: "" } },
    { name: "shell_session", args: { action: "poll", session_id: 1, yield_time_ms: 0 } },
    { name: "write_stdin", args: { session_id: 1, chars: "echo old\n" } },
    { name: "shell_session", args: { action: "wait", session_id: 1 } },
  ], ["--mode", "bypassPermissions", "--concurrency", "1"]);
  const seen = scratch.read("seen").trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(seen.map(({ tool_name, tool_input }) => [tool_name, tool_input]), [
    ["Bash", { command: "sh" }],
    ["Bash", { command: "echo old\n" }],
  ]);
  const printed = results.slice(3).map(textOf).join("\n");
  assert.match(printed, /new/);
  assert.doesNotMatch(printed, /old/);
  assert.equal(results.at(-1)!.structured.exitCode, 5);
});
