/** Hook scripts as people publish them, in four languages, run unchanged. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { type Json, ROOT, run, Scratch, textOf } from "../support.ts";
import { hook, hooksFlag } from "./hook_scripts.ts";

const SAMPLES = path.join(ROOT, "tests/mods/hook_samples");

/** The flag for one sample, as its own comment says that it is set up. */
function sample(scratch: Scratch, event: string, matcher: string, file: string): string[] {
  return hooksFlag(scratch, { [event]: [{ matcher, hooks: [hook(`"${path.join(SAMPLES, file)}"`)] }] });
}

const bash = (command: string) => ({ name: "Bash", args: { command } });
const write = (file_path: string, content = "x\n") => ({ name: "Write", args: { file_path, content } });

const samples: {
  file: string;
  event: string;
  matcher: string;
  calls: Json[];
  /** Of each call. */
  outcomes: string[];
  texts: RegExp[];
  flags?: string[];
  after?: (scratch: Scratch) => void;
}[] = [
  {
    file: "bash_validator.py",
    event: "PreToolUse",
    matcher: "Bash",
    calls: [bash("grep x a.txt"), bash("echo fine")],
    outcomes: ["denied", "success"],
    texts: [/• Use 'rg' \(ripgrep\)/, /fine/],
  },
  {
    file: "protect_files.py",
    event: "PreToolUse",
    matcher: "Edit|MultiEdit|Write",
    calls: [write(".env"), write("src/app.txt")],
    outcomes: ["denied", "success"],
    texts: [/\.env is protected/, /./],
  },
  {
    file: "block_main.sh",
    event: "PreToolUse",
    matcher: "Bash",
    calls: [
      bash("git commit -m x"),
      { name: "shell_command", args: { command: "git push" } },
      bash("echo ok"),
    ],
    outcomes: ["denied", "denied", "success"],
    texts: [/BLOCKED: work on a branch/, /BLOCKED/, /ok/],
  },
  {
    file: "log_commands.sh",
    event: "PostToolUse",
    matcher: "Bash",
    calls: [bash("echo one")],
    outcomes: ["success"],
    texts: [/^one$/],
    after: (scratch) => assert.equal(scratch.read("command-log.txt"), "echo one\n"),
  },
  {
    file: "lint_after_edit.sh",
    event: "PostToolUse",
    matcher: "Edit|Write",
    calls: [write("a.js", "let x;\ndebugger;\n"), write("b.js", "let y;\n")],
    outcomes: ["success", "success"],
    texts: [/2:debugger;\nremove the debugger statements above/, /^(?!.*debugger)/],
  },
  {
    file: "dry_run.mjs",
    event: "PreToolUse",
    matcher: "Bash",
    calls: [bash("npm publish --tag next")],
    outcomes: ["success"],
    texts: [/^npm publish --dry-run --tag next$/],
  },
  {
    file: "auto_approve.js",
    event: "PermissionRequest",
    matcher: "",
    calls: [bash("echo asked"), bash("touch never")],
    outcomes: ["success", "denied"],
    texts: [/^asked$/, /nobody said yes/],
    flags: ["--mode", "default"],
    after: (scratch) => assert.ok(!existsSync(path.join(scratch.work, "never"))),
  },
  {
    file: "redact_output.pl",
    event: "PostToolUse",
    matcher: "Bash",
    calls: [bash("echo card 4111 1111 1111 1111 ok"), bash("echo none")],
    outcomes: ["success", "success"],
    texts: [/^card \[card\] ok\n?$/, /^none$/],
  },
  {
    file: "session_start.sh",
    event: "SessionStart",
    matcher: "startup",
    calls: [bash('echo "$NODE_ENV"; case "$PATH" in *:./node_modules/.bin) echo path;; esac')],
    outcomes: ["success"],
    texts: [/^production\npath\n?/],
  },
];
for (
  const { file, event, matcher, calls, outcomes, texts, flags = ["--mode", "bypassPermissions"], after }
    of samples
) {
  test(`${file} runs unchanged`, async (t) => {
    if (!await languageIsThere(file)) return t.skip("its language isn't here");
    using scratch = new Scratch();
    const { results, stderr } = await scratch.batch(calls, [
      ...flags,
      ...sample(scratch, event, matcher, file),
    ]);
    assert.deepEqual(results.map(({ outcome }) => outcome), outcomes, results.map(textOf).join("\n"));
    for (const [index, text] of texts.entries()) assert.match(textOf(results[index]!), text);
    assert.equal(stderr, "");
    after?.(scratch);
  });
}

const hostSamples: {
  file: string;
  event: string;
  fields: Json;

  comesTo: string[];
  words: RegExp;
}[] = [
  {
    file: "prompt_context.py",
    event: "UserPromptSubmit",
    fields: { prompt: "my password: hunter2" },
    comesTo: ["block"],
    words: /Security policy violation/,
  },
  {
    file: "prompt_context.py",
    event: "UserPromptSubmit",
    fields: { prompt: "hello" },
    comesTo: ["context"],
    words: /Current branch: main/,
  },
  {
    file: "stop_until_tests_pass.pl",
    event: "Stop",
    fields: { stop_hook_active: false },
    comesTo: ["block"],
    words: /Mend them first/,
  },
  {
    file: "stop_until_tests_pass.pl",
    event: "Stop",
    fields: { stop_hook_active: true },
    comesTo: ["none"],
    words: /./,
  },
];
for (const { file, event, fields, comesTo, words } of hostSamples) {
  test(`${file} runs unchanged, told ${JSON.stringify(fields)}`, async (t) => {
    if (!await languageIsThere(file)) return t.skip("its language isn't here");
    using scratch = new Scratch();
    scratch.file(".tests-failed", "");
    const args = ["hooks", "test", event, "--json", "--fields", JSON.stringify(fields)];
    const ran = await scratch.agent([...args, ...sample(scratch, event, "", file)]);
    const report = JSON.parse(ran.stdout);
    assert.deepEqual(report.comesTo, comesTo);
    assert.match(report.words, words);
  });
}

async function languageIsThere(file: string): Promise<boolean> {
  const program = { ".py": "python3", ".pl": "perl", ".js": "node", ".mjs": "node" }[path.extname(file)];
  if (program === undefined) return true;
  const asks = program === "perl" ? ["-MJSON::PP", "-e", "0"] : ["--version"];
  return await run([program, ...asks]).then(({ code }) => code === 0, () => false);
}

test("the persistent hook of the docs works as it stands there", async (t) => {
  if (!await languageIsThere("x.py")) return t.skip("python3 isn't here");
  using scratch = new Scratch();
  const docs = readFileSync(path.join(ROOT, "docs/hooks.md"), "utf8");
  const script = /```python\n([^]*?)```/.exec(docs)?.[1];
  assert.ok(script !== undefined);
  const place = scratch.file(path.join(scratch.root, "hook.py"), script);
  const one = hook("python3", { args: [place], persistent: true });
  const flags = hooksFlag(scratch, { PreToolUse: [{ hooks: [one] }] });
  const { results, stderr } = await scratch.batch([bash("rm -rf x"), bash("echo ok")], [
    ...["--mode", "bypassPermissions", "--concurrency", "1"],
    ...flags,
  ]);
  assert.deepEqual(results.map(({ outcome }) => outcome), ["denied", "success"]);
  assert.equal(stderr, "");
});
