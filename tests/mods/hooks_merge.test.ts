/** Which command hooks run, how their answers merge, and what configurations are refused. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { mergePost, mergePre } from "../../src/core/hooks.ts";
import { compileMatcher } from "../../src/mods/hook_config.ts";
import { type Json, Scratch, textOf } from "../support.ts";
import { hook, hooksFlag, onAll, pre, quoted, recorded, records, says } from "./hook_scripts.ts";

const READ = ["Read", "file_path=a.txt"];

/** Runs one Read of a file with these hooks. */
async function read(scratch: Scratch, hooks: Json, flags: string[] = []) {
  for (const name of ["a", "b", "c"]) scratch.file(`${name}.txt`, `${name}\n`);
  return await scratch.exec([...READ, ...flags, ...hooksFlag(scratch, hooks)]);
}

test("deny beats ask beats allow, all contexts are kept, and the last input that is set wins", () => {
  const verdict = mergePre([
    { decision: "ask", reason: "sure?", context: "1", input: { a: 1 } },
    { decision: "deny", reason: "no" },
    { decision: "allow", reason: "yes", input: { a: 2 } },
    { decision: "deny", reason: "never", context: "2" },
  ]);
  assert.deepEqual(verdict, { decision: "deny", reason: "no\nnever", input: { a: 2 }, contexts: ["1", "2"] });
  assert.equal(mergePre([{ decision: "allow" }, { stop: "enough" }]).decision, "deny");
  assert.equal(mergePre([{ decision: "allow" }, { decision: "ask" }]).decision, "ask");
  assert.equal(mergePre([{}, {}]).decision, undefined);
  const after = mergePost([{ feedback: "1", output: "a" }, { context: "2", stop: "3" }, { output: "b" }]);
  assert.deepEqual(after, { notes: ["1", "3", "2"], output: "b" });
});

test("the last declared input wins, however slow the hook that gave it was", async () => {
  using scratch = new Scratch();
  const to = (file: string) =>
    `printf %s ${quoted(JSON.stringify(pre({ updatedInput: { file_path: file } })))}`;
  // The first waits for the second's mark, so that it answers last.
  const mark = quoted(path.join(scratch.root, "mark"));
  const first = hook(`while [ ! -e ${mark} ]; do sleep 0.01; done; ${to("b.txt")}`);
  const second = hook(`${to("c.txt")}; touch ${mark}`);
  const { result } = await read(scratch, {
    PreToolUse: [{ hooks: [first, second] }, { hooks: [says("{}")] }],
  });
  assert.equal(textOf(result), "1\tc");
});

test("hooks of a group get the original input at once, in a sequential group the input as rewritten so far", async () => {
  const rewrite = says(pre({ updatedInput: { file_path: "b.txt" } }));
  const seen = async (sequential: boolean) => {
    using scratch = new Scratch();
    await read(scratch, { PreToolUse: [{ sequential, hooks: [rewrite, records(scratch, "seen")] }] });
    return recorded(scratch, "seen")[0]!.tool_input.file_path as string;
  };
  assert.match(await seen(false), /a\.txt$/);
  assert.match(await seen(true), /b\.txt$/);
});

test("a sequential group ends with the hook that denies", async () => {
  using scratch = new Scratch();
  await read(scratch, {
    PreToolUse: [{ sequential: true, hooks: [hook("exit 2"), records(scratch, "seen")] }],
  });
  assert.deepEqual(recorded(scratch, "seen"), []);
});

test("the same command from two places runs once, and blocks if either says so", async () => {
  using scratch = new Scratch();
  const out = path.join(scratch.root, "runs");
  const counted = hook(`echo run >> ${quoted(out)}; exit 1`);
  scratch.settings({ hooks: { PreToolUse: [{ matcher: "Read", hooks: [counted] }] } });
  const { result } = await read(scratch, {
    PreToolUse: [{ matcher: "*", hooks: [counted, { ...counted, onFailure: "block" }] }],
  });
  assert.equal(readFileSync(out, "utf8"), "run\n");
  assert.equal(result.outcome, "denied");
});

test("a matcher is a list of exact names, or an unanchored regular expression", () => {
  const fits = (matcher: string, ...names: string[]) =>
    names.filter((name) => compileMatcher(matcher)!(name));
  assert.deepEqual(fits("", "Bash", "x"), ["Bash", "x"]);
  assert.deepEqual(fits("*", "Bash"), ["Bash"]);
  assert.deepEqual(fits("Bash", "Bash", "BashOutput", "bash"), ["Bash"]);
  assert.deepEqual(fits("Bash | Edit,Write", "Bash", "Edit", "Write", "MultiEdit"), [
    "Bash",
    "Edit",
    "Write",
  ]);
  assert.deepEqual(fits("mcp__git__.*", "mcp__git__push", "Bash"), ["mcp__git__push"]);
  assert.deepEqual(fits("Edit.?", "Edit", "MultiEdit", "Read"), ["Edit", "MultiEdit"]);
  assert.deepEqual(fits("^(Edit|Write)$", "Edit", "Write", "MultiEdit"), ["Edit", "Write"]);
  assert.equal(compileMatcher("Bash("), undefined);
});

test("a matcher for one face guards every face of the capability", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\ntwo\n");
  const flags = hooksFlag(scratch, { PreToolUse: [{ matcher: "Bash|Edit", hooks: [hook("exit 2")] }] });
  const edits = [{ old_string: "one", new_string: "1" }, { old_string: "two", new_string: "2" }];
  const { results } = await scratch.batch([
    { name: "Bash", args: { command: "true" } },
    { name: "shell_command", args: { command: "true" } },
    { name: "run_shell_command", args: { command: "true" } },
    { name: "shell", args: { command: ["true"] } },
    { name: "Edit", args: { file_path: "a.txt", ...edits[0] } },
    { name: "replace", args: { file_path: "a.txt", ...edits[0] } },
    { name: "MultiEdit", args: { file_path: "a.txt", edits } },
    { name: "edit_file", args: { path: "a.txt", edits } },
    { name: "Read", args: { file_path: "a.txt" } },
  ], ["--mode", "bypassPermissions", ...flags]);
  assert.deepEqual(results.map(({ outcome }) => outcome), [...Array(8).fill("denied"), "success"]);
});

test("a hook's own rule limits it, by a part of a command and by path, and a command nobody can read is held against it", async () => {
  using scratch = new Scratch();
  const block = (rule: string) => ({
    hooks: [hook(`echo ${rule.replaceAll(/\W/g, "")} >&2; exit 2`, { if: rule })],
  });
  const flags = hooksFlag(scratch, { PreToolUse: [block("Bash(git *)"), block("Edit(src/**)")] });
  const { results } = await scratch.batch([
    { name: "Bash", args: { command: "ls; git status" } },
    { name: "Bash", args: { command: "true" } },
    { name: "Bash", args: { command: "$tool status" } },
    { name: "Write", args: { file_path: "src/x.txt", content: "x" } },
    { name: "Write", args: { file_path: "x.txt", content: "x" } },
  ], ["--mode", "bypassPermissions", ...flags]);
  assert.deepEqual(results.map(({ outcome }) => outcome), [
    "denied",
    "success",
    "denied",
    "denied",
    "success",
  ]);
});

test("what can't be used in a configuration is reported and skipped, and the rest holds", async () => {
  using scratch = new Scratch();
  const { result, stderr, code } = await read(scratch, {
    PreToolUes: [{ hooks: [hook("exit 2")] }],
    Stop: [{ hooks: [hook("exit 2")] }],
    import: ["claude"],
    PreToolUse: [
      { matcher: "Raed", hooks: [hook("exit 2")] },
      { matcher: "Read(", hooks: [hook("exit 2")] },
      {
        hooks: [{ type: "prompt", prompt: "?" }, { type: "agent" }, says(pre({ additionalContext: "ran" }))],
      },
    ],
  });
  assert.equal(code, 0);
  assert.equal(textOf(result), "1\ta\nran");
  for (
    const said of [
      /PreToolUes are skipped: no such event/,
      /import is skipped: only the user's own settings may import hooks/,
      /"Raed".* fits no known tool/,
      /"Read\(".* is no regular expression/,
      /type prompt are not there yet/,
      /type agent are not there yet/,
    ]
  ) {
    assert.match(stderr, said);
  }
  assert.doesNotMatch(stderr, /Stop/, "hosts fire it");
});

test("hooks list shows the events that only hosts fire", async () => {
  using scratch = new Scratch();
  const flag = hooksFlag(scratch, { UserPromptSubmit: [{ hooks: [hook("x")] }] });
  const ran = await scratch.agent(["hooks", "list", ...flag]);
  assert.match(
    ran.stdout,
    /^UserPromptSubmit \* {2}.*hooks\.json\n {2}fired by hosts alone\n {2}x {2}\(600 s\)\n$/,
  );
  assert.equal(ran.stderr, "");
});

const wrong: [name: string, file: unknown, message: RegExp][] = [
  ["no JSON", "{", /hooks\.json/],
  ["a list", [], /not an object of events/],
  ["an event that is no list", { PreToolUse: {} }, /PreToolUse is not a list/],
  ["a group without hooks", { PreToolUse: [{}] }, /needs "hooks"/],
  ["a group that is null", { PreToolUse: [null] }, /needs "hooks"/],
  [
    "a hook without a type",
    { PreToolUse: [{ hooks: [{ command: "x" }] }] },
    /needs "type": "command" or "http"/,
  ],
  ["a hook of no known type", { PreToolUse: [{ hooks: [hook("x", { type: "comand" })] }] }, /needs "type"/],
  [
    "a flag that is text",
    { PreToolUse: [{ hooks: [hook("x", { async: "no" })] }] },
    /neither true nor false/,
  ],
  ["failClosed that is text", { failClosed: "yes" }, /failClosed is neither true nor false/],
  ["a hook without a command", { PreToolUse: [{ hooks: [{ type: "command" }] }] }, /has no command/],
  ["args that are text", { PreToolUse: [{ hooks: [hook("x", { args: "y" })] }] }, /not a list of texts/],
  ["a timeout that is text", { PreToolUse: [{ hooks: [hook("x", { timeout: "5" })] }] }, /number of seconds/],
  [
    "a failure mode that is none",
    { PreToolUse: [{ hooks: [hook("x", { onFailure: "deny" })] }] },
    /neither block nor continue/,
  ],
  ["a rule that is none", { PreToolUse: [{ hooks: [hook("x", { if: "Bash(git" })] }] }, /"Bash\(git"/],
  ["a rule that is no text", { PreToolUse: [{ hooks: [hook("x", { if: true })] }] }, /not a rule/],
];
for (const [name, file, message] of wrong) {
  test(`a hooks file with ${name} is one clear error, and nothing runs`, async () => {
    using scratch = new Scratch();
    const place = scratch.file("hooks.json", typeof file === "string" ? file : JSON.stringify(file));
    const ran = await scratch.agent(["exec", "Write", "file_path=a.txt", "content=x", "--hooks", place]);
    assert.equal(ran.code, 2);
    assert.match(ran.stderr, message);
    assert.ok(!scratch.exists("a.txt"));
  });
}

test("a hooks file that isn't there is an error that names it", async () => {
  using scratch = new Scratch();
  const ran = await scratch.agent(["exec", ...READ, "--hooks", "none.json"]);
  assert.equal(ran.code, 2);
  assert.match(ran.stderr, /none\.json": no such file/);
});

test("a file of hooks alone, with comments, is read like a whole settings file", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const groups = JSON.stringify([{ hooks: [hook("exit 2")] }]);
  const place = scratch.file("bare.json", `// guards\n{"PreToolUse": ${groups},}`);
  const { result } = await scratch.exec([...READ, "--hooks", place]);
  assert.equal(result.outcome, "denied");
});

test("a timeout that no timer can count is no timeout of nothing", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const { result } = await scratch.exec([
    ...READ,
    ...onAll(scratch, "PreToolUse", hook("exit 2", { timeout: 1e9 })),
  ]);
  assert.equal(result.outcome, "denied");
});

test("hooks list shows each hook in the order in which its answer counts", async () => {
  using scratch = new Scratch();
  scratch.settings({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook("first", { timeout: 3 })] }] } });
  const flags = hooksFlag(scratch, {
    PostToolUse: [{ hooks: [hook("second", { args: ["x"], onFailure: "block" })] }],
  });
  const { stdout, code } = await scratch.agent(["hooks", "list", ...flags]);
  assert.equal(code, 0);
  assert.match(
    stdout,
    /PreToolUse Bash[^]*first {2}\(3 s\)[^]*PostToolUse \*[^]*second x .*blocks when it fails/,
  );
});
