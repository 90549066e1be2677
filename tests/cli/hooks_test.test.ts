/** `agent hooks test`: hooks are asked about a call that isn't run. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hook, hooksFlag, pre, says } from "../mods/hook_scripts.ts";
import { type Json, Scratch } from "../support.ts";

async function ask(
  scratch: Scratch,
  args: string[],
): Promise<{ code: number | null; stderr: string; report: Json }> {
  const { code, stdout, stderr } = await scratch.agent(["hooks", "test", ...args, "--json"]);
  return { code, stderr, report: JSON.parse(stdout) };
}

const WRITE = ["PreToolUse", "--tool", "Write", "--args", '{"file_path": "new.txt", "content": "x"}'];

test("it shows what a script was sent, how it ended, what it said, and what that means; and runs no tool", async () => {
  using scratch = new Scratch();
  const script = "cat > /dev/null; echo not there >&2; exit 2";
  const { code, stdout, stderr } = await scratch.agent(["hooks", "test", ...WRITE, "--script", script]);
  assert.equal(code, 0);
  assert.equal(stderr, "");
  assert.match(stdout, /^PreToolUse {2}cat > \/dev\/null.*\(--script\)\n/);
  assert.match(
    stdout,
    /\n {2}stdin {3}\{"session_id":.*"tool_name":"Write","tool_input":\{"file_path":"\/.*new\.txt","content":"x"\}/,
  );
  assert.match(stdout, /\n {2}end {5}exit 2, after [\d.]+ ms\n/);
  assert.match(stdout, /\n {2}stderr {2}not there\n/);
  assert.match(stdout, /\n {2}means {3}the call is denied: not there\n/);
  assert.match(stdout, /\ntogether: the call is denied: not there\n$/);
  assert.ok(!scratch.exists("new.txt"));
});

test("all hooks that are configured and match are asked, and their answers merged", async () => {
  using scratch = new Scratch();
  const flags = hooksFlag(scratch, {
    PreToolUse: [
      {
        matcher: "Write",
        hooks: [says(pre({ permissionDecision: "allow", updatedInput: { file_path: "b", content: "" } }))],
      },
      { matcher: "Edit|Write", hooks: [says(pre({ additionalContext: "careful" }))] },
      { matcher: "Bash", hooks: [hook("exit 2")] },
      { hooks: [hook("exit 2", { if: "Write(*.md)" }), hook("exit 4")] },
    ],
  });
  const { code, report } = await ask(scratch, [...WRITE, ...flags]);
  assert.equal(code, 0);
  assert.deepEqual(report.hooks.map(({ means }: Json) => means.join("; ")).sort(), [
    "it has failed: it ended with exit code 4; all goes on without it",
    'the call is allowed; the input becomes {"file_path":"b","content":""}',
    'the model is told "careful"',
  ]);
  assert.deepEqual(report.comesTo, ["allow", "rewrite", "context", "failure"]);
});

test("an expectation that fails is exit code 1, with what it came to", async () => {
  using scratch = new Scratch();
  const no = ["--script", "exit 2"];
  const met = await ask(scratch, [...WRITE, ...no, "--expect", "deny", "--expect", "block"]);
  assert.deepEqual([met.code, met.report.met], [0, true]);
  const missed = await ask(scratch, [...WRITE, ...no, "--expect", "allow"]);
  assert.deepEqual([missed.code, missed.report.met], [1, false]);
  assert.match(missed.stderr, /expected allow, but it comes to deny/);
  const words: [string, string][] = [
    ["none", "exit 0"],
    ["failure", "exit 1"],
    ["ask", `echo '${JSON.stringify(pre({ permissionDecision: "ask" }))}'`],
    ["context", `echo '${JSON.stringify(pre({ additionalContext: "x" }))}'`],
    ["rewrite", `echo '${JSON.stringify(pre({ updatedInput: { file_path: "a" } }))}'`],
  ];
  for (const [word, script] of words) {
    assert.equal((await ask(scratch, [...WRITE, "--script", script, "--expect", word])).code, 0, word);
  }
});

test("no hook that matches is said", async () => {
  using scratch = new Scratch();
  const { stdout, code } = await scratch.agent(["hooks", "test", ...WRITE]);
  assert.equal(stdout, "no hook was asked\n");
  assert.equal(code, 0);
});

test("other events: a result, an error, a prompt, a session's start", async () => {
  using scratch = new Scratch();
  const echo = (
    field: string,
  ) => ["--script", `sed 's/.*"${field}":\\("[^"]*"\\|{[^}]*}\\).*/\\1/' >&2; exit 2`];
  const bash = ["--tool", "Bash", "--args", '{"command": "true"}'];
  const post = await ask(scratch, [
    "PostToolUse",
    ...bash,
    "--response",
    '{"stdout": "hi"}',
    ...echo("tool_response"),
  ]);
  assert.match(post.report.words, /\{\\"stdout\\":\\"hi\\"\}/);
  const failed = await ask(scratch, ["PostToolUseFailure", ...bash, "--error", "lost", ...echo("error")]);
  assert.match(failed.report.words, /lost/);
  const prompt = await ask(scratch, [
    "UserPromptSubmit",
    "--fields",
    '{"prompt": "hello"}',
    ...echo("prompt"),
  ]);
  assert.deepEqual(prompt.report.comesTo, ["block"]);
  assert.match(prompt.report.words, /hello/);
  const start = await ask(scratch, [
    "SessionStart",
    "--script",
    'echo "export A=1" >> "$CLAUDE_ENV_FILE"; echo hi',
  ]);
  assert.equal(start.report.words, 'the model is told "hi"; commands get A');
  const leave = await ask(scratch, ["PermissionRequest", ...bash, "--script", "exit 2", "--expect", "deny"]);
  assert.equal(leave.code, 0);
});

test("a tool that isn't ours is taken as it is, and a slip is one clear error", async () => {
  using scratch = new Scratch();
  const { report, stderr } = await ask(scratch, [
    ...["PreToolUse", "--tool", "mcp__git__push", "--args", '{"branch": "main"}', "--script", "exit 2"],
  ]);
  assert.match(stderr, /no tool of ours is called "mcp__git__push"/);
  assert.match(report.hooks[0].stdin, /"tool_name":"mcp__git__push","tool_input":\{"branch":"main"\}/);
  const slips: [string[], RegExp, number][] = [
    [[], /no event is named/, 2],
    [["PreToolUes"], /did you mean PreToolUse\?/, 2],
    [["PreToolUse"], /no tool is named/, 2],
    [["PreToolUse", "--tool", "Read", "--args", "{"], /Cannot use --args "\{"/, 2],
    [["PreToolUse", "--tool", "Read", "--args", "[]"], /not a JSON object/, 2],
    [["PreToolUse", "--tool", "Read", "--args", "{}"], /file_path/, 1],
    [["Stop", "--expect", "yes"], /yes/, 2],
  ];
  for (const [args, message, code] of slips) {
    const ran = await scratch.agent(["hooks", "test", ...args]);
    assert.equal(ran.code, code, ran.stderr);
    assert.match(ran.stderr, message);
  }
});

test("persistent hooks and those in the background are waited for, and secrets aren't shown", async () => {
  using scratch = new Scratch();
  scratch.settings({ secrets: ["MY_TOKEN"] });
  const flags = hooksFlag(scratch, {
    PreToolUse: [{
      hooks: [
        hook('while read -r line; do echo \'{"decision":"block","reason":"line"}\'; done', {
          persistent: true,
        }),
        hook('sleep 0.2; echo "late $MY_TOKEN"', { async: true }),
      ],
    }],
  });
  const ran = await scratch.agent(["hooks", "test", ...WRITE, ...flags], {
    env: { MY_TOKEN: "hunter2-hunter2" },
  });
  assert.match(ran.stdout, /together: the call is denied: line/);
  assert.match(ran.stdout, /stdout {2}late <redacted:MY_TOKEN>/);
  assert.doesNotMatch(ran.stdout, /hunter2-/);
});
