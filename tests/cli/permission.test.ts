/** Who may do what, from the command line and from standard input. */
import assert from "node:assert/strict";
import { realpathSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Scratch, textOf } from "../support.ts";

const write = (file: string) => ({ name: "Write", args: { file_path: file, content: "x" } });
const bash = (command: string) => ({ name: "Bash", args: { command } });

test("a call on the command line is the person's own: an ask is a yes", async () => {
  using scratch = new Scratch();
  const { result, code } = await scratch.exec(["Bash", "command=echo hi", "--ask", "Bash"]);
  assert.equal(result.outcome, "success");
  assert.equal(code, 0);
});

test("deny rules, plan and dontAsk bind the person too, with exit code 3", async () => {
  using scratch = new Scratch();
  for (const flags of [["--deny", "Bash(echo *)"], ["--mode", "plan"], ["--mode", "dontAsk"]]) {
    const ran = await scratch.agent(["exec", "Bash", "command=echo hi > a.txt", ...flags]);
    assert.equal(ran.code, 3, flags.join(" "));
    assert.equal(ran.stdout, "");
  }
  assert.ok(!scratch.exists("a.txt"));
});

test("a call from standard input that would ask is refused without a terminal, and names the flag that allows it", async () => {
  using scratch = new Scratch();
  const calls = [bash("make test"), write("a.txt"), { name: "Read", args: { file_path: "b.txt" } }];
  scratch.file("b.txt", "b\n");
  const { results, code } = await scratch.batch(calls);
  assert.deepEqual(results.map(({ outcome }) => outcome), ["denied", "denied", "success"]);
  assert.equal(code, 1);
  const file = path.join(realpathSync(scratch.work), "a.txt");
  assert.ok(textOf(results[1]!).includes(`--allow 'Write(/${file})'`), textOf(results[1]!));
  const again = await scratch.batch(calls.slice(1), ["--allow", `Write(/${file})`]);
  assert.deepEqual(again.results.map(({ outcome }) => outcome), ["success", "success"]);
});

test("rules of settings and flags add up, and deny beats allow wherever each stands", async () => {
  using scratch = new Scratch();
  scratch.settings({
    permissions: { allow: ["Bash(echo *)"], deny: ["Edit(secret/**)"], defaultMode: "acceptEdits" },
  });
  const { results } = await scratch.batch(
    [
      bash("echo 1"),
      bash("echo 1 | cat"),
      write("secret/x"),
      write("a.txt"),
      bash("echo > secret/x"),
      bash("env"),
    ],
    ["--allow", "Bash(cat)", "--allow", "Edit", "--deny", "Bash(env)"],
  );
  const outcomes = results.map(({ outcome }) => outcome);
  assert.deepEqual(outcomes, ["success", "success", "denied", "success", "denied", "denied"]);
  assert.ok(!scratch.exists("secret"));
});

test("deny rules hold in bypassPermissions, for every face of a tool", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const { results } = await scratch.batch([
    bash("rm a.txt"),
    { name: "shell_command", args: { command: "true && rm a.txt" } },
    { name: "shell", args: { command: ["rm", "a.txt"] } },
    { name: "shell", args: { command: ["bash", "-c", "rm a.txt"] } },
    { name: "Edit", args: { file_path: "a.txt", old_string: "one", new_string: "1" } },
    { name: "replace", args: { file_path: "a.txt", old_string: "one", new_string: "1" } },
    { name: "write_file", args: { file_path: "a.txt", content: "1" } },
    { name: "shell_command", args: { command: "echo > a.txt", workdir: "." } },
    bash("true"),
  ], ["--mode", "bypassPermissions", "--deny", "run_shell_command(rm *)", "--deny", "edit_file(a.txt)"]);
  assert.deepEqual(results.map(({ outcome }) => outcome), [...Array(8).fill("denied"), "success"]);
  assert.equal(scratch.read("a.txt"), "one\n");
});

test("no link leads around a rule or out of the working folder", async () => {
  using scratch = new Scratch();
  const outside = scratch.folder("outside");
  scratch.file(path.join(outside, "key.txt"), "hidden\n");
  scratch.file("secret/key.txt", "hidden\n");
  symlinkSync(outside, path.join(scratch.work, "out"));
  symlinkSync("secret", path.join(scratch.work, "alias"));
  symlinkSync(path.join(outside, "new.txt"), path.join(scratch.work, "dangling"));
  const read = (file: string) => ({ name: "Read", args: { file_path: file } });
  const { results, stdout } = await scratch.batch(
    [
      read("out/key.txt"),
      read("alias/key.txt"),
      read("out/../alias/key.txt"),
      write("dangling"),
      write("out/x"),
    ],
    ["--mode", "acceptEdits", "--deny", "Read(secret/**)"],
  );
  assert.deepEqual(results.map(({ outcome }) => outcome), Array(5).fill("denied"));
  assert.ok(!stdout.includes("hidden"));
});

test("a folder whose name begins like the working folder is outside of it", async () => {
  using scratch = new Scratch();
  scratch.file(path.join(scratch.folder("workshop"), "a.txt"), "x\n");
  const { results } = await scratch.batch([{ name: "Read", args: { file_path: "../workshop/a.txt" } }]);
  assert.equal(results[0]!.outcome, "denied");
});

test("`~/` in a rule is the home folder", async () => {
  using scratch = new Scratch();
  scratch.file(path.join(scratch.home, ".ssh/key"), "hidden\n");
  const { result } = await scratch.exec(["Read", "file_path=~/.ssh/key", "--deny", "Read(~/.ssh/**)"]);
  assert.equal(result.outcome, "denied");
});

test("a command that starts with a dash is a command, not an option of the shell", async () => {
  using scratch = new Scratch();
  const { result } = await scratch.exec(["Bash", "command=-x; echo ran"]);
  assert.match(textOf(result), /-x: command not found/);
  assert.deepEqual(result.stdout, ["ran\n"]);
});

test("files that say what runs here are written only under a rule that means them, or by a person", async () => {
  using scratch = new Scratch();
  const settings = path.join(scratch.config, "settings.json");
  const plugin = path.join(scratch.config, "plugins/x.ts");
  symlinkSync(scratch.folder("config"), path.join(scratch.work, "link"));
  const calls = [settings, plugin, ".agent/settings.json", ".mcp.json", "link/agent/settings.json"].map(
    write,
  );
  for (const flags of [["--mode", "bypassPermissions"], ["--mode", "acceptEdits", "--allow", "Edit"]]) {
    const { results } = await scratch.batch([...calls, write(".agents/x")], flags);
    assert.deepEqual(
      results.map(({ outcome }) => outcome),
      [...Array(5).fill("denied"), "success"],
      flags.join(" "),
    );
    assert.match(textOf(results[0]!), /a rule of its own[^]*--allow/);
  }
  const meant = await scratch.batch(calls.slice(2, 4), [
    "--allow",
    "Edit(.agent/**)",
    "--allow",
    "Write(.mcp.json)",
  ]);
  assert.deepEqual(meant.results.map(({ outcome }) => outcome), ["success", "success"]);
  assert.equal((await scratch.exec(["Write", `file_path=${plugin}`, "content=export default 1"])).code, 0);
});

test("a rule of settings that fits no tool is told, and the call goes on", async () => {
  using scratch = new Scratch();
  scratch.settings({ permissions: { deny: ["Raed(x)"] } });
  const ran = await scratch.agent(["exec", "Bash", "command=echo hi"]);
  assert.match(ran.stderr, /the deny rule "Raed\(x\)" fits no tool; did you mean Read\?/);
  assert.equal(ran.stdout, "hi\n");
  assert.equal(ran.code, 0);
});

test("a flag's rule for a tool whose plugin failed to load is an error, as nothing would guard it", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "mine",
    'agent.tool({ name: "mine", description: "x", run: () => "x" }); throw new Error("no");',
  );
  const ran = await scratch.agent(["exec", "Bash", "command=echo hi", "--plugins", "p", "--deny", "mine"]);
  assert.match(ran.stderr, /Cannot use the deny rule "mine": it fits no tool/);
  assert.equal(ran.stdout, "");
  assert.equal(ran.code, 2);
});

const wrong: [flags: string[], settings: unknown, message: RegExp][] = [
  [["--allow", "Bash(git"], {}, /"Bash\(git"/],
  [["--deny", ""], {}, /""/],
  [
    ["--deny", "Baesh(touch *)"],
    {},
    /the deny rule "Baesh\(touch \*\)": it fits no tool\n\nhint: did you mean Bash\?/,
  ],
  [["--allow", "Bash,mine"], {}, /the allow rule "mine": it fits no tool\n$/],
  [["--mode", "yolo"], {}, /yolo/],
  [[], { permissions: { allow: ["Bash()"] } }, /"Bash\(\)".*empty/],
  [[], { permissions: { deny: "Bash" } }, /permissions\.deny must be a list/],
  [[], { permissions: { defaultMode: "yolo" } }, /yolo/],
];
for (const [flags, settings, message] of wrong) {
  test(`${JSON.stringify(flags)} with settings ${JSON.stringify(settings)} is one clear error, and nothing runs`, async () => {
    using scratch = new Scratch();
    scratch.settings(settings);
    const ran = await scratch.agent(["exec", "Bash", "command=touch a.txt", ...flags]);
    assert.equal(ran.code, 2);
    assert.match(ran.stderr, message);
    assert.ok(!scratch.exists("a.txt"));
  });
}

test("what bash evaluates in words runs under no allow rule, and a deny rule stops it in every mode", async () => {
  using scratch = new Scratch();
  const spellings = [
    "printf -v 'a[$(touch f)]' y",
    "[ -v 'a[$(touch f)]' ]",
    "declare -n n='a[$(touch f)]'; printf $n",
    "x='a[$(touch f)]'; [[ $x -eq 0 ]]",
    "PS4='$(touch f)'; set -x; :",
    "x='$(touch f)'; echo ${x@P}",
    "awk 'BEGIN { system(\"touch f\") }'",
    "sed '1e touch f' <<< x",
  ];
  const calls = spellings.map(bash);
  const denied = await scratch.batch(calls, ["--deny", "Bash(touch *)", "--mode", "bypassPermissions"]);
  assert.deepEqual(denied.results.map(({ outcome }) => outcome), calls.map(() => "denied"));
  const programs = ["printf", "[", "declare", "set", "echo", ":"];
  const allowed = await scratch.batch(
    calls.slice(0, 6),
    programs.flatMap((name) => ["--allow", `Bash(${name} *)`]).concat(
      "--allow",
      "Bash(x=*)",
      "--allow",
      "Bash(PS4=*)",
    ),
  );
  assert.deepEqual(allowed.results.map(({ outcome }) => outcome), calls.slice(0, 6).map(() => "denied"));
  assert.ok(!scratch.exists("f"));
  // Each of them does run what it hides.
  for (const call of calls) {
    const { results } = await scratch.batch([call], ["--allow", "Bash"]);
    assert.notEqual(results[0]!.outcome, "denied");
    assert.ok(scratch.exists("f"), call.args.command);
    rmSync(path.join(scratch.work, "f"));
  }
});
