/** The shell tool and its faces: what a command gets, and what comes back. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { asText } from "../../src/tools/shell/text.ts";
import { type Json, run, Scratch, textOf } from "../support.ts";

/** Several shell calls in one start; each is `[name, arguments]`. */
async function shells(scratch: Scratch, calls: [string, Json][], env: Record<string, string> = {}) {
  const { results } = await scratch.batch(
    calls.map(([name, args]) => ({ name, args })),
    ["--mode", "bypassPermissions"],
    { env },
  );
  return results;
}

test("a result has the exit code and the output of each stream, together and apart", async () => {
  using scratch = new Scratch();
  const both = "echo out; echo err >&2; exit 3";
  const results = await shells(scratch, [
    ["Bash", { command: both, description: "prints" }],
    ["shell_command", { command: both }],
    ["ShellCommand", { command: both }],
    ["run_shell_command", { command: both }],
    ["shell", { command: ["sh", "-c", both] }],
  ]);
  for (const { name, tool, outcome, exitCode, stdout, stderr, content } of results) {
    const [first, second, last, ...rest] = textOf({ content }).split("\n");
    assert.deepEqual([first, second].sort(), ["err", "out"], name);
    assert.deepEqual([last, rest], ["[Exit code: 3]", []]);
    assert.deepEqual({ tool, outcome, exitCode, stdout, stderr }, {
      tool: "shell",
      outcome: "error",
      exitCode: 3,
      stdout: ["out\n"],
      stderr: ["err\n"],
    });
  }
});

test("success says nothing more than the command did", async () => {
  using scratch = new Scratch();
  const [loud, silent, killed] = await shells(scratch, [
    ["Bash", { command: "printf 'a\\n\\nb\\n\\n'" }],
    ["Bash", { command: "true" }],
    ["Bash", { command: "kill -KILL $$" }],
  ]);
  assert.equal(textOf(loud!), "a\n\nb");
  assert.deepEqual([silent!.outcome, textOf(silent!), silent!.exitCode], ["success", "", 0]);
  assert.deepEqual([killed!.outcome, textOf(killed!)], ["error", "[Exit code: 137, ended by SIGKILL]"]);
  assert.equal(killed!.exitCode, 137);
});

test("a list is a program and its arguments, which nothing interprets", async () => {
  using scratch = new Scratch();
  scratch.file("tool", '#!/bin/sh\necho "$#:$1:$2"\n', 0o755);
  const [own, long] = await shells(scratch, [
    ["shell", { command: ["./tool", "$HOME *", "a b"] }],
    ["shell", { command: ["printf", "%s", "x".repeat(140_000)] }],
  ]);
  assert.equal(textOf(own!), "2:$HOME *:a b");
  assert.equal(textOf(long!), 'Cannot start "printf": its arguments are too long for the system');
});

test("what can't be started is one clear error that blames the right thing", async () => {
  using scratch = new Scratch();
  scratch.file("plain", "no program");
  const results = await shells(scratch, [
    ["shell", { command: ["no-such-program"] }],
    ["shell", { command: ["ls -la"] }],
    ["shell", { command: ["./plain"] }],
    ["shell", { command: [""] }],
    ["Bash", { command: "echo a\u0000b" }],
    ["shell_command", { command: "pwd", workdir: "none" }],
    ["shell_command", { command: "pwd", workdir: "plain" }],
    ["run_shell_command", { command: "pwd", dir_path: "none/deeper" }],
  ]);
  assert.deepEqual(results.map(({ outcome }) => outcome), Array(8).fill("error"));
  assert.deepEqual(results.map(textOf), [
    'Cannot start "no-such-program": no such program',
    'Cannot start "ls -la": no such program\n\n' +
    "hint: a list is a program and its arguments; give a command line as text",
    'Cannot start "./plain": permission denied',
    "Cannot start a program: its name is empty",
    'Cannot start "bash": an argument holds a NUL character',
    'Cannot run a command in "none": no such folder',
    'Cannot run a command in "plain": it is not a folder',
    'Cannot run a command in "none/deeper": no such folder',
  ]);
});

test("a folder can be named, absolute, relative or in the home folder", async () => {
  using scratch = new Scratch();
  scratch.folder("work/d");
  const results = await shells(scratch, [
    ["shell_command", { command: "pwd", workdir: "d" }],
    ["run_shell_command", { command: "pwd", dir_path: "/" }],
    ["shell_command", { command: "pwd", workdir: "~" }],
    ["Bash", { command: "pwd" }],
  ]);
  assert.deepEqual(results.map(textOf), [`${scratch.work}/d`, "/", scratch.home, scratch.work]);
});

test("a login shell reads the user's profile, any other doesn't", async () => {
  using scratch = new Scratch();
  scratch.file(`${scratch.home}/.bash_profile`, "export FROM_PROFILE=yes\n");
  const command = "echo profile:$FROM_PROFILE $0";
  const results = await shells(scratch, [
    ["shell_command", { command, login: true }],
    ["shell_command", { command }],
  ]);
  assert.deepEqual(results.map(textOf), ["profile:yes bash", "profile: bash"]);
});

test("standard input is empty and no terminal, whatever the text says", async () => {
  using scratch = new Scratch();
  const results = await shells(scratch, [
    ["Bash", { command: "cat; echo $?" }],
    ["Bash", { command: "read x; echo $?" }],
    ["Bash", { command: "basename 'a <b'; cat; cat /dev/stdin; [ -t 0 ] || echo none" }],
    ["Bash", { command: "echo hi | cat" }],
    ["shell", { command: ["cat"] }],
  ]);
  assert.deepEqual(results.map(textOf), ["0", "1", "a <b\nnone", "hi", ""]);
});

/** Texts that a wrapper would change. */
const TEXTS = [
  "(echo a; echo b) | tail -1",
  "echo a # note",
  "echo a\\",
  "cat <<'A'; cat <<B\n'q' \"d\" $x\nA\n$((1 + 1)) `echo c`\nB",
  "echo '$(x) `y`' | cat",
  "echo 'unbalanced",
  "exit 3",
  "exec true",
  "set -e; false; echo never",
  'echo $0 $# "$@"',
  "{ echo a; } 2>&1 && ! false",
  "trap 'echo bye' EXIT; false",
  "\n\n  echo lines\n\n",
];

test("the text reaches the shell untouched", async () => {
  using scratch = new Scratch();
  const results = await shells(scratch, TEXTS.map((command) => ["Bash", { command }]));
  for (const [index, command] of TEXTS.entries()) {
    const { code, stdout, stderr } = await run(["env", "bash", "-c", command], {
      cwd: scratch.work,
      env: scratch.env(),
    });
    const result = results[index]!;
    assert.deepEqual(
      [result.exitCode, result.stdout.join(""), result.stderr.join("")],
      [code, stdout, stderr],
      command,
    );
  }
});

test("text too long for an argument runs in the same shell, and leaves no file", async () => {
  using scratch = new Scratch();
  const temporary = scratch.folder("tmp '");
  const command = `x='${"y".repeat(300_000)}'\ncat\necho \${#x} $0 $#\nexit 5`;
  const [first, second] = await shells(scratch, [
    ["Bash", { command }],
    ["Bash", { command: `set -e; false; : '${"y".repeat(150_000)}'` }],
  ], { TMPDIR: temporary });
  assert.equal(textOf(first!), "300000 bash 0\n[Exit code: 5]");
  assert.equal(textOf(second!), "[Exit code: 1]");
  assert.deepEqual(readdirSync(temporary), []);
});

test("characters split between chunks come out whole", async () => {
  using scratch = new Scratch();
  const bytes = ["ef", "bb", "bf", "e4", "bd", "a0", "f0", "9f", "98", "80"];
  const results = await shells(scratch, [
    ["Bash", { command: `for i in $(seq 3000); do printf '你😀'; done; printf '语' >&2` }],
    ["Bash", { command: `for b in ${bytes.join(" ")}; do printf "\\x$b"; sleep .01; done` }],
    ["Bash", { command: String.raw`printf 'a\xf0\x9f'` }],
  ]);
  assert.equal(results[0]!.stdout[0], "你😀".repeat(3000));
  assert.equal(results[0]!.stderr[0], "语");
  assert.equal(textOf(results[1]!), "\uFEFF你😀");
  assert.equal(textOf(results[2]!), "a\uFFFD");
});

test("a list is judged as the text it stands for", () => {
  assert.equal(asText(["bash", "-lc", "rm -rf x"]), "rm -rf x");
  assert.equal(asText(["/bin/sh", "-c", "a; b"]), "a; b");
  assert.equal(asText(["git", "commit", "-m", "it's $HOME"]), "git commit -m 'it'\\''s $HOME'");
  assert.equal(asText(["bash", "-c", "a", "b"]), "bash -c a b");
  assert.equal(asText(["a; b"]), "'a; b'");
});
