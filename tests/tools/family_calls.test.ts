/** What the models' own programs send, as they send it, though no schema here shows it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, Scratch, textOf } from "../support.ts";

const FLAGS = ["--mode", "bypassPermissions", "--concurrency", "1"];

async function calls(scratch: Scratch, list: readonly [string, Json][], flags: readonly string[] = []) {
  const { results } = await scratch.batch(list.map(([name, args]) => ({ name, args })), [...FLAGS, ...flags]);
  return results;
}

test("Claude Code's calls", async () => {
  using scratch = new Scratch();
  const results = await calls(scratch, [
    ["Bash", { command: "echo 1; sleep 300", run_in_background: true, dangerouslyDisableSandbox: true }],
    ["Bash", { command: "sleep 300", run_in_background: true }],
    ["Bash", { command: "sleep 300", run_in_background: true }],
    ["TaskOutput", { bash_id: "1", block: false }],
    ["BashOutput", { bash_id: "1" }],
    ["KillShell", { shell_id: "1" }],
    ["TaskStop", { shell_id: "2" }],
    ["TaskStop", { task_id: "3" }],
  ]);
  assert.deepEqual(results.map(({ outcome }) => outcome), results.map(() => "success"));
  for (const [index, id] of [[5, 1], [6, 2], [7, 3]] as const) {
    assert.match(textOf(results[index]!), new RegExp(`\\[session ${id} killed\\]$`));
  }
});

test("Codex' calls", async () => {
  using scratch = new Scratch();
  const sandbox = {
    sandbox_permissions: "require_escalated",
    with_escalated_permissions: true,
    justification: "Do you want this?",
    prefix_rule: ["echo"],
  };
  const results = await calls(scratch, [
    ["exec_command", { cmd: "echo hi", ...sandbox }],
    ["shell", { command: ["echo", "hi"], ...sandbox, timeout: 60_000 }],
    ["shell_command", { command: "echo hi; sleep 300", ...sandbox, timeout: 1 }],
  ]);
  assert.deepEqual(results.map(({ outcome }) => outcome), ["success", "success", "timeout"]);
  for (const result of results.slice(0, 2)) assert.match(textOf(result), /^hi$/m);
});

test("Gemini CLI's calls", async () => {
  using scratch = new Scratch();
  scratch.file("sub/x", "");
  const [here, there, background, wrong] = await calls(scratch, [
    ["run_shell_command", { command: "ls", directory: "sub" }],
    ["run_shell_command", { command: "ls", dir_path: "sub", is_background: false }],
    ["run_shell_command", { command: "sleep 300", is_background: "true" }],
    ["run_shell_command", { command: "ls", is_background: "yes", directory: "a", dir_path: "b" }],
  ]);
  assert.deepEqual([textOf(here!), textOf(there!)], ["x", "x"]);
  assert.match(textOf(background!), /^Command running in background with ID: 1/);
  // Two names for one parameter: only one can be meant, and nobody can tell which.
  assert.match(
    textOf(wrong!),
    /"is_background" must be a boolean, got "yes"; "directory" is not a parameter/,
  );
  assert.match(textOf(wrong!), /parameters: command\*, description, dir_path \(/);
});

test("published schemas don't show it, and rules know each name", async () => {
  using scratch = new Scratch();
  for (const toolset of ["default", "codex", "gemini_snake"]) {
    const { stdout } = await scratch.agent(["tools", "--json", "--toolset", toolset]);
    assert.doesNotMatch(stdout, /bash_id|dangerously|is_background|sandbox_permissions/);
  }
  const { result } = await scratch.exec(["--deny", "KillShell", "KillBash", "shell_id=1"]);
  assert.equal(result.outcome, "denied");
});

test("a closed turn with the Pascal names knows the snake ones", async () => {
  using scratch = new Scratch();
  const results = await calls(scratch, [
    ["exec_command", { cmd: "echo hi" }],
    ["shell_session", { action: "list" }],
  ], ["--toolset", "codex"]);
  assert.deepEqual(results.map(({ outcome }) => outcome), ["success", "success"]);
});
