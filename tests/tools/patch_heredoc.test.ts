/** Patches in a shell's heredoc: which calls are one, and what holds for them. */
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { patchInArguments, patchInScript } from "../../src/tools/patch/heredoc.ts";
import { hook, hooksFlag, pre, recorded, records, says } from "../mods/hook_scripts.ts";
import { type Json, Scratch, textOf } from "../support.ts";

const FREE = ["--mode", "bypassPermissions"];

function patchOf(name: string, line = "new"): string {
  return `*** Begin Patch\n*** Add File: ${name}\n+${line}\n*** End Patch\n`;
}

function script(name: string, line?: string): string {
  return `apply_patch <<'EOF'\n${patchOf(name, line)}EOF\n`;
}

/** The results of shell calls, each the tool that ran and its text. */
async function runs(
  scratch: Scratch,
  calls: Json[],
  flags: string[] = FREE,
): Promise<[tool: string, outcome: string, text: string][]> {
  const { results } = await scratch.batch(
    calls.map(({ name = "Bash", ...args }) => ({ name, args })),
    flags,
  );
  return results.map((result) => [result.tool, result.outcome, textOf(result)]);
}

test("a heredoc patch is a patch for every face of the shell, and for lists of arguments", async () => {
  using scratch = new Scratch();
  const ran = await runs(scratch, [
    {
      command: script("a", "$HOME `id` \\\\ $(id)").replace("'EOF'", "EOF"),
      timeout: 1000,
      description: "x",
    },
    { name: "shell_command", command: script("b"), login: true },
    { name: "run_shell_command", command: script("c") },
    { name: "shell", command: ["apply_patch", patchOf("d")] },
    { name: "shell", command: ["bash", "-lc", script("e")] },
  ]);
  for (const [index, name] of ["a", "b", "c", "d", "e"].entries()) {
    assert.deepEqual(
      ran[index],
      ["apply_patch", "success", `Success. Updated the following files:\nA ${name}`],
    );
  }
  assert.equal(scratch.read("a"), "$HOME `id` \\\\ $(id)\n");
  assert.equal(scratch.read("e"), "new\n");
});

test("a patch that can't be read is said to be one, under the name that was called", async () => {
  using scratch = new Scratch();
  const [ran] = await runs(scratch, [{ command: "apply_patch <<EOF\nhello\nEOF" }]);
  assert.equal(ran![1], "invalid");
  assert.match(ran![2], /^Cannot call Bash: Invalid patch: the first line of the patch must be/);
});

test("the folder of the call and of a cd in front is where the patch works, if it is there", async () => {
  using scratch = new Scratch();
  for (const folder of ["sub/deep", "a b", "~"]) scratch.folder(`work/${folder}`);
  const cd = (folder: string, name: string) => `cd ${folder} && ${script(name)}`;
  const ran = await runs(scratch, [
    { command: cd("sub", "1") },
    { name: "shell_command", command: script("2"), workdir: "sub" },
    { name: "shell_command", command: cd("deep", "3"), workdir: "sub" },
    { name: "shell_command", command: cd(`${scratch.work}/sub`, "4"), workdir: "sub" },
    { command: cd("'a b'", "5") },
    { command: cd('"~"', "6") },
    { command: cd("~", "7") },
    { command: cd("missing", "8") },
    { command: cd("sub/1", "9") },
  ]);
  for (const name of ["sub/1", "sub/2", "sub/deep/3", "sub/4", "a b/5", "~/6", `${scratch.home}/7`]) {
    assert.ok(scratch.exists(name), name);
  }
  assert.deepEqual(ran.slice(7), [
    ["apply_patch", "error", 'Cannot patch in "missing": no such folder'],
    ["apply_patch", "error", 'Cannot patch in "sub/1": it is not a folder'],
  ]);
  assert.ok(!scratch.exists("missing"));
});

test("with anything else in the command the shell runs it", async () => {
  using scratch = new Scratch();
  const bin = scratch.file("bin/apply_patch", "#!/bin/sh\ncat >> seen\n", 0o755);
  const commands = [
    `${script("a").trimEnd()}\necho more`,
    script("a").replace("'EOF'", "'EOF' > out"),
    script("a").replace("'EOF'", "'EOF' | cat"),
    `true; ${script("a")}`,
    `cd "$PWD" && ${script("a")}`,
  ];
  const { results } = await scratch.batch(
    commands.map((command) => ({ name: "Bash", args: { command } })),
    [...FREE, "--concurrency", "1"],
    { env: { PATH: `${path.dirname(bin)}:${scratch.env().PATH}` } },
  );
  assert.deepEqual(results.map(({ tool, outcome }) => [tool, outcome]), Array(5).fill(["shell", "success"]));
  assert.equal(scratch.read("seen").split("*** Begin Patch").length - 1, 5);
  assert.ok(!scratch.exists("a"));
});

test("rules for the shell and rules for files hold, and the mode looks at what is done", async () => {
  using scratch = new Scratch();
  const calls = [{ command: script("a") }, { name: "shell_command", command: `cd . && ${script("b")}` }];
  const outcomes = async (...flags: string[]) =>
    (await runs(scratch, calls, flags)).map(([, outcome]) => outcome);
  const both = (outcome: string) => [outcome, outcome];
  for (
    const rule of [
      "Bash",
      "shell",
      "Bash(apply_patch *)",
      "apply_patch",
      "Edit",
      "Edit(*)",
      "Edit(a),Edit(b)",
    ]
  ) {
    assert.deepEqual(await outcomes(...FREE, "--deny", rule), both("denied"), `deny ${rule}`);
    assert.deepEqual(await outcomes(...FREE, "--ask", rule), both("denied"), `ask ${rule}`);
    assert.ok(!scratch.exists("a") && !scratch.exists("b"), rule);
  }
  assert.deepEqual(await outcomes("--mode", "default"), both("denied"));
  assert.deepEqual(await outcomes("--mode", "plan"), both("denied"));
  assert.deepEqual(await outcomes(...FREE, "--deny", "Edit(b)"), ["success", "denied"]);
  assert.deepEqual(await outcomes(...FREE, "--deny", "Bash(rm *)", "--deny", "Edit(c)"), both("success"));
  assert.deepEqual(await outcomes("--mode", "acceptEdits"), both("success"));
  for (const rule of ["Bash", "Bash(apply_patch *),Bash(cd *)", "Edit(*)", "apply_patch"]) {
    assert.deepEqual(await outcomes("--mode", "dontAsk", "--allow", rule), both("success"), `allow ${rule}`);
  }
  // An allow for the shell opens no file that an ask or the guard keeps shut.
  assert.deepEqual(await outcomes("--allow", "Bash", "--ask", "Edit(a)"), ["denied", "success"]);
  const guarded = [{ command: script(".agent/settings.json") }];
  const [kept] = await runs(scratch, guarded, ["--mode", "default", "--allow", "Bash"]);
  assert.equal(kept![1], "denied");
  assert.ok(!scratch.exists(".agent/settings.json"));
});

test("no text of a patch is taken for a command", async () => {
  using scratch = new Scratch();
  const command = script("a", "$(rm x) `rm y` ``` ' rm z").replace("'EOF'", "EOF");
  const [ran] = await runs(scratch, [{ command }], [...FREE, "--deny", "Bash(rm *)"]);
  assert.deepEqual(ran!.slice(0, 2), ["apply_patch", "success"]);
});

test("hooks for the shell and for edits see it once, as apply_patch, and may rewrite it", async () => {
  using scratch = new Scratch();
  scratch.folder("work/sub");
  const names = ["Bash", "Edit", "Write", "apply_patch", "Bash|Edit", "shell_command", "Read"];
  const groups = names.map((matcher) => ({
    matcher,
    hooks: [records(scratch, matcher.replace("|", "-"))],
  }));
  groups.push({ matcher: "Bash", hooks: [{ ...records(scratch, "limited"), if: "Bash(apply_patch *)" }] });
  groups.push({ matcher: "Bash", hooks: [{ ...records(scratch, "other"), if: "Bash(git *)" }] });
  const after = [{ matcher: "Bash", hooks: [records(scratch, "after")] }];
  const flags = hooksFlag(scratch, { PreToolUse: groups, PostToolUse: after });
  const ran = await runs(
    scratch,
    [{ name: "shell_command", command: script("a"), workdir: "sub" }],
    [...FREE, ...flags],
  );
  assert.equal(ran[0]![1], "success");
  for (const name of ["Bash", "Edit", "Write", "apply_patch", "Bash-Edit", "shell_command", "limited"]) {
    const [seen, ...more] = recorded(scratch, name);
    assert.deepEqual(more, [], name);
    assert.equal(seen!.tool_name, "apply_patch", name);
    assert.deepEqual(seen!.tool_input, { command: patchOf("a"), workdir: "sub" });
    assert.deepEqual(seen!.agent, {
      name: "shell_command",
      args: { command: script("a"), workdir: "sub" },
      tool: "apply_patch",
      family: "codex",
      effect: "write",
    });
  }
  assert.deepEqual([recorded(scratch, "Read"), recorded(scratch, "other")], [[], []]);
  assert.equal(recorded(scratch, "after").length, 1);
  const rewriting = hooksFlag(scratch, {
    PreToolUse: [{ matcher: "Bash", hooks: [says(pre({ updatedInput: { command: patchOf("b") } }))] }],
  }, "rewriting.json");
  const call = { name: "shell_command", command: script("a2"), workdir: "sub" };
  const [rewritten] = await runs(scratch, [call], [...FREE, ...rewriting]);
  assert.match(rewritten![2], /\nA b\n|\nA b$/);
  assert.ok(scratch.exists("sub/b") && !scratch.exists("sub/a2"));
  const [denied] = await runs(scratch, [call], [...FREE, ...rewriting, "--deny", "Edit(sub/b)"]);
  assert.equal(denied![1], "denied");
  const blocking = hooksFlag(
    scratch,
    { PreToolUse: [{ matcher: "Bash", hooks: [hook("exit 2")] }] },
    "no.json",
  );
  assert.equal((await runs(scratch, [call], [...FREE, ...blocking]))[0]![1], "denied");
});

test("plugins for the shell and for patches see the patch, and may make a shell call one", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "a",
    `
    const { appendFileSync } = await import("node:fs");
    for (const tool of ["Bash", "shell", "apply_patch", "Read"]) {
      agent.on("tool_end", (call) => appendFileSync("seen.txt", JSON.stringify(
        [tool, call.name, call.tool, Object.keys(call.args), call.family, call.traits.effect]) + "\\n"),
        { tools: [tool] });
    }
    agent.on("tool_start", (call) => {
      if (call.args.input?.includes("swap")) return { args: { ...call.args, input: call.args.input.replace("swap", "b") } };
      if (call.args.command === "make it") return { args: { command: ${JSON.stringify(script("c"))} } };
    }, { tools: ["Bash"] });`,
  );
  const flags = [...FREE, "--plugins", "p", "--concurrency", "1"];
  const ran = await runs(scratch, [{ command: script("swap") }, { command: "make it" }], flags);
  assert.deepEqual(ran.map(([tool, outcome]) => [tool, outcome]), [
    ["apply_patch", "success"],
    ["apply_patch", "success"],
  ]);
  assert.ok(scratch.exists("b") && scratch.exists("c") && !scratch.exists("swap"));
  const seen = scratch.read("seen.txt").trim().split("\n").map((line) => JSON.parse(line));
  const one = (tool: string) => [tool, "Bash", "apply_patch", ["input"], "claude", "write"];
  const three = ["Bash", "shell", "apply_patch"].map(one);
  assert.deepEqual(seen, [...three, ...three]);
  // What a plugin makes of it is held against the rules for what it is then.
  const [, denied] = await runs(scratch, [{ command: "true" }, { command: "make it" }], [
    ...flags,
    "--deny",
    "Edit(c)",
  ]);
  assert.equal(denied![1], "denied");
});

test("the forms of a script that is only a patch", () => {
  const body = "*** Begin Patch\n\tx\n*** End Patch\n";
  const found: [string, Json][] = [
    [`apply_patch <<'EOF'\n${body}EOF`, {}],
    [`\n  applypatch << "E-1"\r\n${body}E-1  `.trimEnd() + "\n\n", { command: "applypatch" }],
    [`apply_patch<<EOF\n${body}EOF\n`, {}],
    [`apply_patch <<-'EOF'\n\t${body}\tEOF`, { input: body.replace("\tx", "x") }],
    [`cd a/b &&\napply_patch <<'EOF'\n${body}EOF`, { folder: "a/b" }],
    [`cd 'a $b' && apply_patch <<'EOF'\n${body}EOF`, { folder: "a $b" }],
    [`cd "it's" && apply_patch <<'EOF'\n${body}EOF`, { folder: "it's" }],
    [`cd ~/x && apply_patch <<'EOF'\n${body}EOF`, { folder: "~/x" }],
    [`cd '~/x' && apply_patch <<'EOF'\n${body}EOF`, { folder: "./~/x" }],
  ];
  for (const [text, more] of found) {
    const patch = patchInScript(text);
    const { command, ...rest }: Json = { input: body, ...more };
    assert.deepEqual({ ...patch, command: undefined }, { ...rest, command: undefined }, text);
    assert.ok(patch!.command.endsWith(command ?? "apply_patch"), text);
  }
  const others = [
    `apply_patch <<'EOF'\n${body}`,
    `apply_patch <<'EOF'\n${body}EOF\nEOF\n`,
    `apply_patch <<'EOF'\n${body}EOF\necho`,
    `apply_patch <<'EOF'\n${body} EOF`,
    `apply_patch <<'EOF"\n${body}EOF`,
    `apply_patch <<'EOF' && ls\n${body}EOF`,
    `apply_patch -x <<'EOF'\n${body}EOF`,
    `FOO=1 apply_patch <<'EOF'\n${body}EOF`,
    `sudo apply_patch <<'EOF'\n${body}EOF`,
    `git apply_patch <<'EOF'\n${body}EOF`,
    `cat <<'EOF'\n${body}EOF`,
    `cd a; apply_patch <<'EOF'\n${body}EOF`,
    `cd a b && apply_patch <<'EOF'\n${body}EOF`,
    `cd $a && apply_patch <<'EOF'\n${body}EOF`,
    `cd "$a" && apply_patch <<'EOF'\n${body}EOF`,
    `cd a* && apply_patch <<'EOF'\n${body}EOF`,
    `cd - && apply_patch <<'EOF'\n${body}EOF`,
    `cd ~root && apply_patch <<'EOF'\n${body}EOF`,
    `cd && apply_patch <<'EOF'\n${body}EOF`,
    `cd a || apply_patch <<'EOF'\n${body}EOF`,
    `apply_patch <<< x`,
    `apply_patch`,
  ];
  for (const text of others) assert.equal(patchInScript(text), undefined, text);
  assert.deepEqual(patchInArguments(["apply_patch", body]), { input: body, command: "apply_patch" });
  for (const argv of [[], ["apply_patch"], ["apply_patch", body, "x"], ["patch", body]]) {
    assert.equal(patchInArguments(argv), undefined);
  }
});
