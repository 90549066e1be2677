/** Commands that are too long for an argument: they mean what short ones mean. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { commandLine } from "../../src/shell/command_line.ts";
import { type Json, run, Scratch, textOf } from "../support.ts";

/** Longer than the texts that become an argument, and still short enough for a shell to take it as one. */
const PAD = "#".repeat(110_000);

/** What stands behind a text of which nothing may come later, before one, or on lines of its own. */
const BEFORE: readonly string[] = [
  "echo a\\",
  "echo a\\\n",
  "cat <<E\nx",
  "cat <<E\nx\n\n\n",
  "echo end\n\n\n",
  "echo 'unbalanced\n",
  "exit 3",
];
const AFTER: readonly string[] = [
  'echo "$0 ${BASH_SOURCE-unset} ${#BASH_SOURCE[@]} $# $@ $LINENO $- $_ $? ${FUNCNAME-unset}"',
  "return 4; echo $?\necho no",
  "break; continue; local x; echo $?; caller; echo $?",
  "set -v\necho a\necho b\nset +v",
  "set -n\necho a",
  "trap 'echo bye $LINENO $?' EXIT\ntrap 'echo err $LINENO' ERR\nfalse\nnosuch\nexit 7",
  "trap 'echo D $LINENO' DEBUG\ntrue\ntrue",
  "f() { echo $LINENO; return 3; }\nf; echo $?\necho `echo $LINENO` $(\necho $LINENO)",
  "cat <<'E' | tr a b\n'a' \"$x\" `y`\nE\ncat <<E\n$LINENO\nE",
  "history; fc -l; set -o history; history; echo $?",
  "shopt -s expand_aliases; alias e=echo\ne hi; shift; echo $?",
  "set -eu; echo ${NOT_THERE}; echo no",
  "set -e; false; echo no",
  "exec sh -c 'exit 5'",
  "kill -TERM $$",
  "cat; read x; echo $?; [ -t 0 ]; echo $?",
  "echo é$'\\xff' 😀 | od -c",
  "declare -p | grep -v -e RANDOM -e EPOCH -e PID -e SECONDS -e BASH_EXECUTION -e AGENT -e BASH_ARG -e PIPESTATUS; declare -F; set -o; shopt",
  "-x; echo $?",
];

test("a text too long for an argument is run as bash runs one that isn't", async () => {
  using scratch = new Scratch();
  const commands = [...BEFORE.map((text) => `${PAD}\n${text}`), ...AFTER.map((text) => `${text}\n${PAD}`)];
  const { results } = await scratch.batch(
    ["env", ...commands].map((command) => ({ name: "Bash", args: { command, timeout: 60_000 } })),
    ["--mode", "bypassPermissions"],
  );
  const env = commandEnvironment(results.shift()!.stdout.join(""));
  for (const [index, command] of commands.entries()) {
    const alone = ["sh", "-c", 'exec bash -c -- "$1" </dev/null', "sh", command];
    const plain = await run(alone, { cwd: scratch.work, env });
    const { exitCode, stdout, stderr } = results[index]!;
    assert.deepEqual(
      { exitCode, stdout: stdout?.join("") ?? "", stderr: known(stderr?.join("") ?? "") },
      {
        exitCode: plain.code ?? { SIGTERM: 143 }[plain.signal!],
        stdout: plain.stdout,
        stderr: known(plain.stderr),
      },
      command.replace(PAD, "…"),
    );
  }
});

/** The environment that `agent` gives a command, which prints it. */
function commandEnvironment(printed: string): Record<string, string> {
  const pairs = printed.split("\n").flatMap((line) => {
    const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    return name === undefined || ["SHLVL", "_", "PWD", "OLDPWD"].includes(name) ? [] : [[name, value!]];
  });
  return Object.fromEntries(pairs);
}

/** The one word that a syntax error has in another way, as the docs say. */
function known(stderr: string): string {
  return stderr.replaceAll("bash: eval: line", "bash: -c: line");
}

test("a NUL character is the same error, however long the text", async () => {
  using scratch = new Scratch();
  const { results } = await scratch.batch(
    ["", "y".repeat(300_000)].map((text) => ({ name: "Bash", args: { command: `echo a\0b # ${text}` } })),
    ["--mode", "bypassPermissions"],
  );
  const error = 'Cannot start "bash": an argument holds a NUL character';
  assert.deepEqual(results.map((result: Json) => textOf(result)), [error, error]);
});

test("the text of a long command is nowhere once it is over", async () => {
  using scratch = new Scratch();
  const TMPDIR = scratch.folder("tmp"), pad = `: '${"y".repeat(300_000)}'`;
  const { results } = await scratch.batch(
    [
      { name: "Bash", args: { command: `exit 3\n${pad}` } },
      { name: "Bash", args: { command: `sleep 300\n${pad}`, timeout: 200 } },
      { name: "exec_command", args: { cmd: `echo one\n${pad}`, shell: "sh" } },
      { name: "exec_command", args: { cmd: "true", workdir: "none" } },
    ],
    ["--mode", "bypassPermissions"],
    { env: { TMPDIR } },
  );
  assert.deepEqual(results.map(({ outcome }) => outcome), ["error", "timeout", "success", "error"]);
  assert.match(textOf(results[2]!), /^one$/m);
  assert.deepEqual(readdirSync(TMPDIR), []);
  const live = readdirSync(`${scratch.state}/sessions/live`).filter((name) => name !== "pipes");
  assert.deepEqual(live, []);
});

test("a long text is kept in the folder that it is given, or in the system's where that can't be", () => {
  using scratch = new Scratch();
  const long = `-x\n${"y".repeat(110_000)}\n\n`;
  const folder = scratch.folder("live");
  const { argv, done } = commandLine(long, false, "bash", folder);
  const [name] = readdirSync(folder);
  assert.deepEqual(argv, ["bash", "-c", "--", `eval ' '"$(<${folder}/${name})"$'\\n\\n'`]);
  done();
  assert.deepEqual(readdirSync(folder), []);
  const elsewhere = commandLine(long, false, "dash", scratch.file("plain", ""));
  assert.match(elsewhere.argv[3]!, /^eval ' '"\$\(cat \S+\)"'\n\n'$/);
  elsewhere.done();
  assert.equal(commandLine(`${long}\0`, false, "bash", folder).argv[3], `${long}\0`);
});
