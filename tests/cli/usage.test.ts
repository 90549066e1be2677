/** Help, wrong usage, completions and colour. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { run, Scratch } from "../support.ts";

const COMMANDS = [
  "exec",
  "tools",
  "mods list",
  "hooks list",
  "config list",
  "config path",
  "log list",
  "log show",
  "log export",
  "undo",
  "secrets set",
  "secrets list",
  "secrets remove",
  "schema",
  "doctor",
  "completions",
];

test("unknown commands and flags are errors with the nearest name and exit 2", async () => {
  using scratch = new Scratch();
  const cases: [string[], string][] = [
    [["exce", "Read"], 'error: Cannot run "exce": no such command\n\nhint: did you mean exec?\n'],
    [["exec", "--jsno", "Read"], 'error: Cannot use "--jsno": no such flag\n\nhint: did you mean --json?\n'],
    [["mods", "lst"], 'error: Cannot run "lst": no such command\n\nhint: did you mean list?\n'],
    [
      ["frobnicate"],
      'error: Cannot run "frobnicate": no such command\n\nhint: agent -h lists the commands\n',
    ],
    [
      ["frobnicate", "-h"],
      'error: Cannot run "frobnicate": no such command\n\nhint: agent -h lists the commands\n',
    ],
    [
      ["log"],
      "error: Cannot run agent log: a word is missing\n\nhint: one of agent log list, agent log show, agent log explain, agent log export\n",
    ],
    [
      ["tools", "x"],
      'error: Cannot run agent tools with "x": one word too many\n\nhint: agent tools -h shows how it is used\n',
    ],
    [
      ["exec", "--timeout"],
      'error: Cannot use "--timeout": its value is missing\n\nhint: agent exec -h lists its flags\n',
    ],
    [
      ["exec", "--mode", "yolo"],
      'error: Cannot use "--mode" with "yolo": not one of default, acceptEdits, plan, dontAsk, bypassPermissions\n\n' +
      "hint: agent exec -h lists its flags\n",
    ],
    [
      ["exec", "--model", "x", "--toolset", "codx"],
      'error: Cannot use "--toolset" with "codx": not one of default, codex, codex_snake, gemini, gemini_snake, ' +
      "lean, none\n\nhint: did you mean codex?\n",
    ],
    [
      ["exec", "Read", "-la"],
      'error: Cannot use "-la": no such flag\n\n' +
      "hint: agent exec -h lists its flags; what stands after -- is never a flag\n",
    ],
    [
      ["--json", "exec", "Read"],
      'error: Cannot use "--json": no such flag\n\n' +
      "hint: a command's flags stand behind it: agent exec --json\n",
    ],
    [
      ["-C/tmp", "doctor"],
      'error: Cannot use "-C/tmp": the value of a flag is a word of its own\n\nhint: -C /tmp\n',
    ],
    [["exec", "--json=1"], 'error: Cannot use "--json=1": this flag takes no value\n'],
    [["--debug"], "error: Cannot run agent: a command is missing\n\nhint: agent -h lists the commands\n"],
  ];
  for (const [args, stderr] of cases) {
    const ran = await scratch.agent(args);
    assert.equal(ran.stderr, stderr);
    assert.equal(ran.stdout, "");
    assert.equal(ran.code, 2, args.join(" "));
  }
});

test("agent -h fits one screen and names every command", async () => {
  using scratch = new Scratch();
  const ran = await scratch.agent(["-h"]);
  assert.equal(ran.code, 0);
  assert.equal(ran.stderr, "");
  const lines = ran.stdout.trimEnd().split("\n");
  assert.ok(lines.length <= 30, `${lines.length} lines`);
  assert.ok(lines.every((line) => line.length <= 100));
  for (const name of COMMANDS) {
    const [noun, verb] = name.split(" ");
    assert.match(ran.stdout, new RegExp(verb ? `^ {2}${noun} \\S*\\b${verb}\\b` : `^ {2}${noun} `, "m"));
  }
  assert.equal((await scratch.agent([])).stdout, ran.stdout);
  assert.equal((await scratch.agent(["help"])).stdout, ran.stdout);
});

test("agent --help has examples first, then flags, environment and exit codes", async () => {
  using scratch = new Scratch();
  for (const args of [["--help"], ["exec", "--help"]]) {
    const { stdout, code } = await scratch.agent(args);
    assert.equal(code, 0);
    const places = ["Examples:", "Flags:", "Environment:", "Exit codes:"].map((head) => stdout.indexOf(head));
    assert.equal(places[0], 0);
    assert.ok(places.every((place, index) => index === 0 || place > places[index - 1]!));
  }
});

test("every command has its help, with its flags and an example", async () => {
  using scratch = new Scratch();
  for (const name of COMMANDS) {
    const { stdout, code } = await scratch.agent([...name.split(" "), "--help"]);
    assert.equal(code, 0, name);
    assert.match(stdout, new RegExp(`^Examples:\n {2}.*agent ${name}`), name);
    assert.match(stdout, new RegExp(`^Usage: agent ${name}\\b`, "m"), name);
    assert.match(stdout, /^ {2}-h, --help /m, name);
  }
  const [own, behind, asked] = await Promise.all([
    scratch.agent(["exec", "-h"]),
    scratch.agent(["-C", "/", "exec", "Read", "--nope", "-h"]),
    scratch.agent(["help", "exec"]),
  ]);
  assert.equal(behind.stdout, own.stdout);
  assert.equal(asked.stdout, own.stdout);
  const noun = await scratch.agent(["log", "-h"]);
  assert.match(noun.stdout, /^Usage: agent log <command>/);
  assert.match(noun.stdout, /log export/);
});

test("--version, -h and completions load no plugin and no settings", async () => {
  using scratch = new Scratch();
  scratch.settings("{ not settings");
  scratch.file(`${scratch.config}/plugins/loud.js`, 'console.error("loaded"); throw new Error("loaded");');
  for (
    const args of [["--version"], ["-V"], ["-h"], ["exec", "-h"], ["completions", "bash"], [
      "complete",
      "--",
      "ex",
    ]]
  ) {
    const ran = await scratch.agent(args);
    assert.equal(ran.code, 0, args.join(" "));
    assert.equal(ran.stderr, "");
    assert.notEqual(ran.stdout, "");
  }
  const version = await scratch.agent(["--version"]);
  assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/);
});

test("the completion script of bash is a script, and each shell has one", async () => {
  using scratch = new Scratch();
  for (const shell of ["bash", "zsh", "fish", "powershell"]) {
    const { stdout, code } = await scratch.agent(["completions", shell]);
    assert.equal(code, 0);
    assert.match(stdout, /agent/);
    if (shell !== "bash") continue;
    const script = scratch.file("completions", stdout);
    const checked = await run(["bash", "-c", '. "$0" && . "$0"', script]);
    assert.equal(checked.stderr, "");
    assert.equal(checked.code, 0);
  }
  const unknown = await scratch.agent(["completions", "tcsh"]);
  assert.match(unknown.stderr, /Cannot complete for "tcsh": .*\n\nhint: one of bash, zsh, fish, powershell/);
  assert.equal(unknown.code, 2);
});

test("agent complete answers with commands, verbs, flags and their values", async () => {
  using scratch = new Scratch();
  const suggestions = async (...words: string[]) => {
    const { stdout } = await scratch.agent(["complete", "--", ...words]);
    return stdout.split("\n").map((line) => line.split("\t")[0]).filter((word) =>
      word !== "" && !word!.startsWith(":")
    );
  };
  assert.deepEqual(await suggestions("ex"), ["exec"]);
  assert.deepEqual(await suggestions("log", ""), ["list", "show", "explain", "export"]);
  assert.deepEqual(await suggestions("exec", "--js"), ["--json", "--jsonl"]);
  assert.deepEqual(await suggestions("exec", "--mode", "p"), ["plan"]);
  assert.deepEqual(await suggestions("exec", "--toolset", "g"), ["gemini", "gemini_snake"]);
  const tools = await suggestions("exec", "");
  for (const name of ["Read", "run_shell_command"]) assert.ok(tools.includes(name), name);
  assert.deepEqual(await suggestions("schema", "Rea"), tools.filter((name) => name!.startsWith("Rea")));
});

test("colour is for terminals, unless FORCE_COLOR or --color asks; NO_COLOR forbids it", async () => {
  using scratch = new Scratch();
  const colored = async (args: string[], env: Record<string, string>) => {
    const { stderr } = await scratch.agent([...args, "exec", "Nope"], { env: { TERM: "xterm", ...env } });
    assert.match(stderr, /error:.* Cannot call "Nope"/);
    return stderr.includes("\u001b[");
  };
  assert.equal(await colored([], {}), false);
  assert.equal(await colored([], { FORCE_COLOR: "1" }), true);
  assert.equal(await colored([], { FORCE_COLOR: "0" }), false);
  assert.equal(await colored([], { FORCE_COLOR: "1", NO_COLOR: "1" }), false);
  assert.equal(await colored(["--color", "always"], { NO_COLOR: "1" }), true);
  assert.equal(await colored(["--color", "never"], { FORCE_COLOR: "1" }), false);
});

test("--debug shows the stack of an error, nothing else does", async () => {
  using scratch = new Scratch();
  const args = ["exec", "--session", "a b", "Read", "file_path=x"];
  assert.doesNotMatch((await scratch.agent(args)).stderr, /\n\s+at /);
  assert.match((await scratch.agent(["--debug", ...args])).stderr, /\n\s+at /);
});
