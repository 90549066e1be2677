/** The folder of commands: which stay in the one that a command went to, and what becomes of one that is gone. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import { test } from "node:test";
import type { Context } from "../../src/core/tool.ts";
import { workingFolder } from "../../src/tools/shell/folder.ts";
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
    ["trap -p; trap", {}],
    ["trap 'echo x' INT; trap -p EXIT INT; cd /", {}],
    ["trap ''\ntrap -p EXIT | cat; (trap -p)", {}],
    ["trap 'echo x' INT; trap - INT; cd /; kill -INT $$", {}],
    ["exec 7>&1; BASH_XTRACEFD=7; PS4='$(echo -n traced)+ '; set -x; cd /; echo hi", {}],
    ["readonly PS4; set -e; cd /; false", {}],
    [
      "builtin() { echo mine; }; pwd() { builtin; }; unset() { pwd; }; trap() { pwd; }; printf() { pwd; }; cd /",
      {},
    ],
    ["builtin() { echo mine; }; readonly -f builtin; cd /; exit 4", {}],
    ["mkdir $'d\\xff'; cd $'d\\xff'; pwd | od -c; rmdir $'../d\\xff'", {}],
    ["echo $_ $LINENO; declare -p | grep AGENT_FOLDER", {}],
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
      const code = plain.code ?? { SIGINT: 130, SIGTERM: 143, SIGKILL: 137 }[plain.signal!];
      assert.deepEqual(
        { exitCode, stdout: stdout?.join("") ?? "", stderr: stderr?.join("") ?? "" },
        { exitCode: code, stdout: plain.stdout, stderr: plain.stderr },
        command,
      );
    }
  }
});

test("a command that stays where it is needs no file of its own, and all share one", async () => {
  using scratch = new Scratch();
  const files = `ls '${scratch.state}/sessions/live' | grep passing`;
  mkdirSync(`${scratch.work}/a b'c`);
  const results = await calls(scratch, [
    ["Bash", { command: files }],
    ["Bash", { command: 'cd "a b\'c"; mv "../a b\'c" ../moved' }],
    ["Bash", { command: "pwd; mv ../moved ../again" }],
    ["Bash", { command: "pwd; env | grep AGENT_FOLDER; declare -p | grep '^declare -[^ ]* AGENT_FOLDER'" }],
    ["Bash", { command: files }],
  ]);
  const [first, , moved, again, last] = results.map(({ stdout }) => stdout.join(""));
  assert.match(first!, /^passing-\S+\.sh\n$/);
  assert.equal(last, first);
  assert.equal(moved, `${scratch.work}/moved\n`);
  assert.equal(again, `${scratch.work}/again\n`);
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

test("functions of a command's own and traps that it sets don't keep the folder where it was", async () => {
  using scratch = new Scratch();
  mkdirSync(`${scratch.work}/d`);
  const functions =
    "builtin() { :; }; pwd() { :; }; unset() { :; }; trap() { :; }; printf() { :; }; exit() { :; }";
  for (
    const command of [
      `${functions}; cd d`,
      "set -x; exec 7>&2; BASH_XTRACEFD=7; cd d",
      "trap 'echo x' INT TERM; trap - INT; cd d",
      "trap -- echo HUP\ncd d",
    ]
  ) {
    const [, second] = await calls(scratch, [["Bash", { command }], ["Bash", { command: "pwd" }]]);
    assert.equal(second!.stdout.join(""), `${scratch.work}/d\n`, command);
  }
});

test("a start-up file of the user's own may set a trap, and comes last", async () => {
  using scratch = new Scratch();
  scratch.file("env.sh", "trap 'echo own trap' EXIT\necho $- >flags\n");
  const [first, second] = await calls(
    scratch,
    [["Bash", { command: "cd /" }], ["Bash", { command: "pwd; trap -p" }]],
    undefined,
    { BASH_ENV: "$PWD/env.sh" },
  );
  assert.deepEqual(first!.stdout, ["own trap\n"]);
  assert.equal(second!.stdout.join(""), `${scratch.work}\ntrap -- 'echo own trap' EXIT\nown trap\n`);
});

test("a folder whose name is no text is said to be that, not to be gone", async () => {
  using scratch = new Scratch();
  const [first, second] = await calls(scratch, [
    ["Bash", { command: "mkdir $'d\\xff'; cd $'d\\xff'; echo there" }],
    ["Bash", { command: "pwd" }],
  ]);
  assert.equal(
    textOf(first!),
    `there\n[the command ended in a folder whose name is not UTF-8; later calls stay in "${scratch.work}"]`,
  );
  assert.equal(textOf(second!), scratch.work);
});

test("a folder that can't be entered any more is said to be that, and the next one above is used", () => {
  const moved: string[] = [];
  const closed = Object.assign(new Error("EACCES"), { code: "EACCES" });
  const context = {
    cwd: "/a/b/c",
    moveTo: (folder: string) => moved.push(folder),
    files: {
      info(path: string) {
        if (path.startsWith("/a/b")) throw closed;
        return { kind: "directory" };
      },
    },
  };
  const { folder, notes } = workingFolder(undefined, context as unknown as Context);
  assert.equal(folder, "/a");
  assert.deepEqual(notes, [`[the working folder "/a/b/c" can't be entered; this ran in "/a"]`]);
  assert.deepEqual(moved, ["/a"]);
});
