/** The folder of commands: which stay in the one that a command went to, and what becomes of one that is gone. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { type Json, run, Scratch, textOf } from "../support.ts";

async function calls(
  scratch: Scratch,
  list: readonly [string, Json][],
  flags: readonly string[] = ["--mode", "bypassPermissions"],
  env: Record<string, string> = {},
): Promise<Json[]> {
  const { results } = await scratch.batch(list.map(([name, args]) => ({ name, args })), flags, { env });
  return results;
}

test("later calls of a turn work in the folder that a command went to", async () => {
  using scratch = new Scratch();
  scratch.file("d/inner.txt", "inside\n");
  const results = await calls(scratch, [
    ["Bash", { command: "cd d" }],
    ["Read", { file_path: "inner.txt" }],
    ["Bash", { command: "pwd; cd ..; exit 3" }],
    ["Bash", { command: "pwd" }],
    ["Bash", { command: "(cd d); pwd" }],
    ["exec_command", { cmd: "cd d" }],
    ["shell_command", { command: "cd d" }],
    ["run_shell_command", { command: "cd d" }],
    ["Bash", { command: "cd d && sleep 300 & cd d", timeout: 60_000 }],
    ["Bash", { command: "pwd" }],
  ]);
  assert.equal(textOf(results[1]!), "1\tinside");
  assert.equal(textOf(results[2]!), `${scratch.work}/d\n[Exit code: 3]`);
  assert.equal(textOf(results[3]!), scratch.work);
  assert.equal(textOf(results[4]!), scratch.work);
  assert.equal(textOf(results[9]!), `${scratch.work}/d`);
});

test("a call that waited is judged in the folder that it runs in", async () => {
  using scratch = new Scratch();
  scratch.file("private/key", "hidden");
  scratch.file("key", "open");
  const results = await calls(scratch, [
    ["Bash", { command: "cd private" }],
    ["Read", { file_path: "key" }],
    ["Bash", { command: "cat <key" }],
    ["Write", { file_path: "new", content: "x" }],
    ["Bash", { command: "cd ..; pwd" }],
    ["Read", { file_path: "key" }],
  ], ["--mode", "bypassPermissions", "--deny", "Read(private/**)", "--deny", "Edit(private/**)"]);
  assert.deepEqual(results.map(({ outcome }) => outcome), [
    "success",
    "denied",
    "denied",
    "denied",
    "success",
    "success",
  ]);
  assert.ok(!scratch.exists("private/new"));
});

test("to ask where a command ended changes nothing of it", async () => {
  using scratch = new Scratch();
  scratch.file("env.sh", 'greet() { echo "hello $1"; }\nexport FROM_ENV=1\n');
  const own = { BASH_ENV: `${scratch.work}/env.sh` };
  const commands: [string, Record<string, string>][] = [
    ["trap 'echo bye' EXIT; cd /; exit 4", {}],
    ["exec true", {}],
    ["exec sh -c 'exit 5'", {}],
    ["set -e; false; echo no", {}],
    ["set -e; mkdir gone; cd gone; rmdir ../gone; exit 6", {}],
    ["set -eu; echo ${NOT_THERE}", {}],
    ["set -x; echo hi", {}],
    ["set -C; cd /; echo hi", {}],
    ["trap 'echo D' DEBUG; true", {}],
    ["kill -TERM $$", {}],
    ["kill -KILL $$", {}],
    ["echo ${BASH_ENV-unset}; env | grep -c BASH_ENV", {}],
    ["bash -c 'trap -p; echo ${BASH_ENV-unset}'", {}],
    ["exec 1>&- 2>&-; cd /", {}],
    ["echo $?; pwd() { echo mine; }; builtin() { echo mine; }; :", {}],
    ["return 3 2>/dev/null; echo $?", {}],
    ["exit 300", {}],
    ["echo 'unbalanced", {}],
    ["greet you; echo $FROM_ENV $BASH_ENV; bash -c 'greet me'", own],
  ];
  for (const env of [{}, own]) {
    const some = commands.filter(([, needs]) => (needs === own) === (env === own));
    const results = await calls(
      scratch,
      // Each starts in the same folder.
      some.flatMap(([command]): [string, Json][] => [
        ["Bash", { command }],
        ["Bash", { command: `cd '${scratch.work}'` }],
      ]),
      undefined,
      env,
    );
    for (const [index, [command]] of some.entries()) {
      // From a socket it would take itself for a remote shell, with another start.
      const alone = ["sh", "-c", 'exec bash -c "$1" </dev/null', "sh", command];
      const plain = await run(alone, { cwd: scratch.work, env: scratch.env(env) });
      const { exitCode, stdout, stderr } = results[index * 2]!;
      const code = plain.code ?? { SIGTERM: 143, SIGKILL: 137 }[plain.signal!];
      assert.deepEqual(
        { exitCode, stdout: stdout?.join("") ?? "", stderr: stderr?.join("") ?? "" },
        { exitCode: code, stdout: plain.stdout, stderr: plain.stderr },
        command,
      );
    }
  }
});

test("nothing is left in the temporary folder", async () => {
  using scratch = new Scratch();
  const TMPDIR = scratch.folder("tmp");
  await calls(
    scratch,
    [
      ["Bash", { command: "cd /" }],
      ["Bash", { command: "exit 3" }],
      ["Bash", { command: "kill -KILL $$" }],
      ["Bash", { command: "sleep 300", timeout: 100 }],
      ["Bash", { command: "sleep 300 & echo" }],
      ["Bash", { command: "a\u0000b" }],
    ],
    undefined,
    { TMPDIR },
  );
  assert.deepEqual(readdirSync(TMPDIR), []);
  const live = readdirSync(`${scratch.state}/sessions/live`).filter((name) => name !== "pipes");
  assert.deepEqual(live, []);
});

test("a folder that is gone is said to be, once, and work goes on above it", async () => {
  using scratch = new Scratch();
  mkdirSync(`${scratch.work}/a/b/c`, { recursive: true });
  const gone = `[the working folder "${scratch.work}/a/b/c" is gone; this ran in "${scratch.work}/a"]`;
  for (
    const [name, args] of [["Bash", { command: "pwd" }], ["exec_command", { cmd: "pwd" }]] as [string, Json][]
  ) {
    mkdirSync(`${scratch.work}/a/b/c`, { recursive: true });
    const results = await calls(scratch, [
      ["Bash", { command: "cd a/b/c" }],
      ["Bash", { command: "rm -rf ../../b" }],
      [name, args],
      [name, args],
    ]);
    const texts = results.slice(2).map(textOf);
    assert.ok(texts[0]!.includes(gone), texts[0]);
    assert.ok(texts[0]!.split("\n").includes(`${scratch.work}/a`), texts[0]);
    assert.ok(!texts[1]!.includes("is gone"), texts[1]);
    assert.deepEqual(results.slice(2).map(({ outcome }) => outcome), ["success", "success"]);
  }
});

test("a folder that a call names has to be one, and the error names it", async () => {
  using scratch = new Scratch();
  scratch.file("plain", "");
  const results = await calls(scratch, [
    ["exec_command", { cmd: "pwd", workdir: "none" }],
    ["exec_command", { cmd: "pwd", workdir: "plain", tty: true }],
    ["shell_command", { command: "pwd", workdir: "none/deeper" }],
    ["exec_command", { cmd: "pwd", workdir: scratch.work }],
  ]);
  assert.deepEqual(results.slice(0, 3).map(textOf), [
    `Cannot run a command in "none": no such folder`,
    `Cannot run a command in "plain": it is not a folder`,
    `Cannot run a command in "none/deeper": no such folder`,
  ]);
  assert.equal(results[3]!.outcome, "success");
});
