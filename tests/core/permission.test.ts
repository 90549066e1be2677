/** Rules and modes, for every effect, inside and outside of the working folder. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Asked,
  type Behavior,
  type Matchers,
  type Mode,
  MODES,
  parseRule,
  parseRules,
  Policy,
  refusal,
  withHooks,
} from "../../src/core/permission.ts";
import type { Entry } from "../../src/core/registry.ts";
import type { Effect, Subject } from "../../src/core/tool.ts";
import { commandMatches } from "../../src/shell/command_rules.ts";
import { commandParts } from "../../src/shell/grammar.ts";
import { pathMatches } from "../../src/tools/path_rules.ts";

const WORK = "/nowhere/work";
const INSIDE = `${WORK}/a.txt`;
const OUTSIDE = "/nowhere/other/a.txt";

const MATCHERS: Matchers = { path: pathMatches, command: commandMatches, commandParts };
const COVERS = new Map<string, Effect>([["Read", "read"], ["read_file", "read"], ["Edit", "write"]]);

function asked(names: string[], effect: Effect, subjects: Subject[], mode: Mode = "default"): Asked {
  const entry = { name: names[0]!, names: new Set(names) } as unknown as Entry;
  return { entry, traits: { effect, subjects }, cwd: WORK, folders: [WORK], mode };
}

const reads = (path: string, mode?: Mode) =>
  asked(["Read", "read_file"], "read", [{ kind: "path", value: path, access: "read" }], mode);
const writes = (path: string, mode?: Mode) =>
  asked(["Write", "write_file"], "write", [{ kind: "path", value: path, access: "write" }], mode);
const edits = (path: string, mode?: Mode) =>
  asked(
    ["Edit"],
    "write",
    (["write", "read"] as const).map((access) => ({ kind: "path", value: path, access })),
    mode,
  );
const runs = (command: string, mode?: Mode, cwd?: string) =>
  asked(
    ["Bash", "shell"],
    "run",
    [{ kind: "command", value: command, access: "run", ...(cwd && { cwd }) }],
    mode,
  );
const calls = (name: string, mode?: Mode) => asked([name], "run", [], mode);

/** `allow Read(x)`, one rule a text. */
function policy(...texts: string[]): Policy {
  const rules = texts.map((text) => {
    const [behavior, rule] = [text.slice(0, text.indexOf(" ")), text.slice(text.indexOf(" ") + 1)];
    return parseRule(rule, behavior as Behavior, WORK);
  });
  return new Policy(rules, MATCHERS, COVERS);
}

const modes: Record<Mode, Record<string, Behavior>> = {
  default: { in: "allow", out: "ask", write: "ask", writeOut: "ask", run: "ask" },
  acceptEdits: { in: "allow", out: "ask", write: "allow", writeOut: "ask", run: "ask" },
  plan: { in: "allow", out: "ask", write: "deny", writeOut: "deny", run: "deny" },
  dontAsk: { in: "allow", out: "deny", write: "deny", writeOut: "deny", run: "deny" },
  bypassPermissions: { in: "allow", out: "allow", write: "allow", writeOut: "allow", run: "allow" },
};
for (const mode of MODES) {
  test(`mode ${mode} decides by effect and place where no rule does`, async () => {
    const given = {
      in: reads(INSIDE, mode),
      out: reads(OUTSIDE, mode),
      write: writes(INSIDE, mode),
      writeOut: edits(OUTSIDE, mode),
      run: runs("ls", mode),
    };
    for (const [name, call] of Object.entries(given)) {
      const decision = await policy().decide(call);
      assert.equal(decision.behavior, modes[mode][name], name);
      assert.equal(decision.by, "mode");
      assert.ok(decision.reason.startsWith(`mode ${mode}: `), decision.reason);
      // A rule that is about something else changes nothing.
      assert.equal(
        (await policy("allow Other", "deny Bash(x)", "deny Read(x)").decide(call)).behavior,
        modes[mode][name],
      );
    }
  });

  test(`in mode ${mode} a deny rule beats all, and an allow rule is enough`, async () => {
    for (
      const [call, rule] of [[reads(OUTSIDE, mode), "Read"], [edits(INSIDE, mode), "Edit(a.txt)"], [
        runs("ls x", mode),
        "Bash(ls *)",
      ]] as const
    ) {
      assert.equal(
        (await policy(`allow ${rule}`, `ask ${rule}`, `deny ${rule}`).decide(call)).behavior,
        "deny",
      );
      assert.equal((await policy(`allow ${rule}`).decide(call)).behavior, "allow");
      // Nobody is asked where nobody may be asked.
      const asking = await policy(`ask ${rule}`, `allow ${rule}`).decide(call);
      assert.equal(asking.behavior, mode === "dontAsk" ? "deny" : "ask");
      assert.equal(asking.by, "rule");
    }
  });
}

const decided: [rules: string[], call: Asked, behavior: Behavior][] = [
  // A rule for Edit covers every tool that writes, one for Read every tool that reads.
  [["allow Edit(*.txt)"], writes(INSIDE), "allow"],
  [["allow Edit(*.txt)"], edits(INSIDE), "allow"],
  [["deny Edit(*.txt)"], writes(INSIDE, "bypassPermissions"), "deny"],
  [["deny Read(*.txt)"], edits(INSIDE, "bypassPermissions"), "deny"],
  [["deny Read(*.txt)"], writes(INSIDE, "bypassPermissions"), "allow"],
  [["deny Edit(*.txt)"], reads(INSIDE), "allow"],
  [["allow Read(//nowhere/other/**)"], reads(OUTSIDE), "allow"],
  [["allow Read(//nowhere/oth)"], reads(OUTSIDE), "ask"],
  [["deny Edit"], writes(INSIDE, "bypassPermissions"), "deny"],
  [["deny shell"], runs("ls", "bypassPermissions"), "deny"],
  // Each part must be allowed, one denied part denies all.
  [["allow Bash(ls *)"], runs("ls x"), "allow"],
  [["allow Bash(ls *)"], runs("ls; rm x"), "ask"],
  [["allow Bash(ls *)", "allow Bash(rm *)"], runs("ls | rm x"), "allow"],
  [["allow Bash", "deny Bash(rm *)"], runs("ls && (echo `rm x`)"), "deny"],
  [["allow Bash", "ask Bash(rm *)"], runs("ls; sudo rm x"), "ask"],
  [["deny Bash(rm *)"], runs("bash -c 'rm x'", "bypassPermissions"), "deny"],
  [["allow Bash(rm *)"], runs("bash -c 'rm x'"), "ask"],
  [["allow Bash(rm *)"], runs("sudo rm x"), "ask"],
  [["allow Bash(make *)"], runs("FOO=1 make"), "ask"],
  [["allow Bash(make *)"], runs("PATH=/evil; make"), "ask"],
  [["deny Bash(make *)"], runs("FOO=1 make", "bypassPermissions"), "deny"],
  [["allow Bash(ls *)"], runs("ls $(("), "ask"],
  [["allow Bash(*)"], runs("ls &&"), "allow"],
  [["allow Bash(# *)"], runs("# x"), "ask"],
  // What nobody can tell is held against rules that deny or ask, in every mode.
  [["deny Bash(rm *)"], runs("$cmd x", "bypassPermissions"), "ask"],
  [["deny Bash(rm *)"], runs("ls; if", "bypassPermissions"), "ask"],
  [["deny Bash(rm *)", "allow Bash"], runs("eval $x"), "ask"],
  [["deny Bash(rm *)"], runs("$cmd x", "dontAsk"), "deny"],
  [["deny Read(x)"], runs("$cmd x", "bypassPermissions"), "allow"],
  // Redirections are files.
  [["allow Bash(echo *)"], runs("echo > a.txt"), "ask"],
  [["allow Bash(echo *)", "allow Edit(a.txt)"], runs("echo > a.txt"), "allow"],
  [["allow Bash(echo *)"], runs("echo > a.txt", "acceptEdits"), "allow"],
  [["allow Bash(echo *)"], runs("echo > ../a.txt", "acceptEdits"), "ask"],
  [["allow Bash(cat *)"], runs("cat < a.txt"), "allow"],
  [["allow Bash", "deny Edit(a.txt)"], runs("echo > a.txt"), "deny"],
  [["allow Bash", "deny Read(a.txt)"], runs("cat < a.txt"), "deny"],
  [["allow Bash", "deny Edit(sub/**)"], runs("cd sub && echo > a.txt"), "deny"],
  [
    ["allow Bash", "deny Edit(//nowhere/other/**)"],
    runs("echo > a.txt", "default", "/nowhere/other"),
    "deny",
  ],
  // So are those of scripts inside of a command, which what allows the command covers.
  [["deny Edit(sub/**)"], runs("bash -c 'echo > sub/f'", "bypassPermissions"), "deny"],
  [["ask Edit(sub/**)", "allow Bash"], runs("eval 'echo > sub/f'"), "ask"],
  [["deny Read(sub/**)"], runs("env sh -c 'cat < sub/f'", "bypassPermissions"), "deny"],
  [["deny Edit(other/**)", "allow Bash(bash *)"], runs("bash -c 'echo > sub/f'"), "allow"],
  [["deny Edit(sub/**)"], runs("bash -c 'echo > s*/f'", "bypassPermissions"), "ask"],
  // A file that nobody can tell is held against rules for files that deny or ask.
  [["deny Edit(sub/**)"], runs("echo > s*/f", "bypassPermissions"), "ask"],
  [["deny Edit(sub/**)"], runs('echo > "$PWD/sub/f"', "bypassPermissions"), "ask"],
  [["deny Edit(sub/**)"], runs("pushd sub; echo > f", "bypassPermissions"), "ask"],
  [["ask Read(sub/**)", "allow Bash"], runs("cat < s*/f"), "ask"],
  [["deny Edit(sub/**)"], runs("echo > s*/f", "dontAsk"), "deny"],
  [["deny Edit"], runs("echo > s*/f", "bypassPermissions"), "deny"],
  [["deny Read(sub/**)", "deny Bash(rm *)"], runs("echo > s*/f", "bypassPermissions"), "allow"],
  [["allow Bash(echo *)", "allow Edit(**)"], runs("echo > s*/f"), "ask"],
  [["allow Bash"], runs("echo > s*/f"), "allow"],
  [["deny Bash(rm *)"], runs("echo rm x | sh", "bypassPermissions"), "ask"],
  [["deny Bash(rm *)"], runs("env -iSrm x", "bypassPermissions"), "deny"],
  [["deny Bash(rm *)"], runs("git rm x", "bypassPermissions"), "allow"],
  // What bash evaluates in words is no part of what a pattern allows, and is held against rules that deny.
  [["allow Bash(printf *)"], runs("printf -v 'a[$(rm x)]' y"), "ask"],
  [["allow Bash([ *)", "allow Bash(test *)"], runs("[ -v 'a[$(rm x)]' ]; test -v 'a[$(rm x)]'"), "ask"],
  [["allow Bash(read *)"], runs("read 'a[$(rm x)]' <<< x"), "ask"],
  [["allow Bash(declare *)", "allow Bash(printf *)"], runs("declare -n n='a[$(rm x)]'; printf $n"), "ask"],
  [["allow Bash(echo *)", "allow Edit(**)"], runs("echo {a[$(ls)1]}>f"), "ask"],
  [["allow Bash(printf *)", "allow Bash(read *)"], runs("read -r x; printf '%s' \"$x\""), "allow"],
  [["deny Bash(rm *)"], runs("printf -v 'a[$(rm x)]' y", "bypassPermissions"), "deny"],
  [["deny Bash(rm *)"], runs("x='a[$(rm x)]'; [[ $x -eq 0 ]]", "bypassPermissions"), "deny"],
  [["deny Bash(rm *)"], runs("PS4='$(rm x)'; set -x; :", "bypassPermissions"), "deny"],
  [["ask Bash(rm *)", "allow Bash"], runs("x='$(rm x)'; echo ${x@P}"), "ask"],
  [["deny Bash(rm *)"], runs("read x < f; echo $((x))", "bypassPermissions"), "ask"],
  [["deny Bash(rm *)"], runs("x=2; echo $((x + 1))", "bypassPermissions"), "allow"],
  [["deny Edit(sub/**)"], runs("x='a[$(echo > sub/f)]'; ((x))", "bypassPermissions"), "deny"],
  // So is what programs run.
  [["deny Bash(rm *)"], runs("awk 'BEGIN { system(\"rm x\") }'", "bypassPermissions"), "deny"],
  [["deny Bash(rm *)"], runs("git -c alias.z='!rm x' z", "bypassPermissions"), "deny"],
  [["deny Bash(rm *)"], runs('sed "$(cat f)" g', "bypassPermissions"), "ask"],
  [["deny Edit(sub/**)"], runs("sed 's/x/y/w sub/f' g", "bypassPermissions"), "deny"],
  [["allow Bash(awk *)"], runs("awk 'BEGIN { system(\"rm x\") }'"), "allow"],
  // A pattern for commands says nothing about files.
  [["allow Bash(echo *)"], runs("echo > 'echo x'"), "ask"],
  [["allow mcp__git"], calls("mcp__git__push"), "allow"],
  [["allow mcp__git__*"], calls("mcp__git__push"), "allow"],
  [["deny mcp__*"], calls("mcp__git__push", "bypassPermissions"), "deny"],
  [["allow mcp__gi"], calls("mcp__git__push"), "ask"],
  [["allow *"], calls("anything"), "allow"],
];
for (const [rules, call, behavior] of decided) {
  const what = call.traits.subjects?.[0]?.value ?? call.entry.name;
  test(`${rules.join(", ")}: ${call.entry.name} ${what} in mode ${call.mode} is ${behavior}`, async () => {
    assert.equal((await policy(...rules).decide(call)).behavior, behavior);
  });
}

test("of a rule's answer and a mode's the rule's counts, so that no hook overrides it by another part of the call", async () => {
  const denied = await policy("deny Bash(rm *)").decide(runs("ls; rm x", "dontAsk"));
  assert.deepEqual([denied.behavior, denied.by], ["deny", "rule"]);
  const asking = await policy("ask Bash(rm *)").decide(runs("ls; rm x"));
  assert.deepEqual([asking.behavior, asking.by], ["ask", "rule"]);
  assert.match((await policy("deny Bash(rm *)").denied(runs("ls; rm x", "plan")))!.reason, /"Bash\(rm \*\)"/);
});

test("a hook's allow answers what a mode asks, in dontAsk too; rules and the mode plan stand", async () => {
  const allowed = { decision: "allow", reason: "" } as const;
  const open = async (rules: string[], mode: Mode) =>
    withHooks(await policy(...rules).decide(runs("ls", mode)), allowed, mode).behavior === "allow";
  assert.deepEqual(await Promise.all([open([], "default"), open([], "dontAsk"), open([], "plan")]), [
    true,
    true,
    false,
  ]);
  for (const rules of [["ask Bash"], ["deny Bash"]]) {
    for (const mode of MODES) assert.equal(await open(rules, mode), false, `${rules} ${mode}`);
  }
});

test("a hook's ask is an ask, but where nobody is asked it is a no", async () => {
  const asks = { decision: "ask", reason: "are you sure" } as const;
  const decide = async (mode: Mode) =>
    withHooks(await policy("allow Bash").decide(runs("ls", mode)), asks, mode);
  assert.deepEqual([(await decide("default")).behavior, (await decide("default")).reason], [
    "ask",
    "are you sure",
  ]);
  assert.equal((await decide("dontAsk")).behavior, "deny");
});

test("a refusal names the rule that would allow the call only where one would", async () => {
  const byMode = refusal("Bash", await policy().decide(runs("git push")));
  assert.match(byMode.hint!, /--allow 'Bash\(git \*\)'/);
  assert.equal((await policy("allow Bash(git *)").decide(runs("git push"))).behavior, "allow");
  const byRule = refusal("Bash", await policy("ask Bash(git *)").decide(runs("git push")));
  assert.doesNotMatch(byRule.hint ?? "", /--allow/);
});

test("a refusal names a rule that would allow the part that was refused", async () => {
  const hint = async (call: Asked) => (await policy("allow Bash(ls *)").decide(call)).allowWith;
  assert.equal(await hint(runs("ls; make test")), "Bash(make *)");
  assert.equal(await hint(runs("make")), "Bash(make)");
  assert.equal(await hint(runs("$cmd")), "Bash");
  assert.equal(await hint(runs("ls > $f")), "Bash");
  assert.equal(await hint(writes(OUTSIDE)), `Write(/${OUTSIDE})`);
});

test("of several subjects a refusal names the one that needs leave", async () => {
  const both = (access: Effect, mode: Mode) =>
    asked(["Many"], "read", [
      { kind: "path", value: INSIDE, access: "read" },
      { kind: "path", value: access === "read" ? OUTSIDE : `${WORK}/b.txt`, access },
      { kind: "path", value: INSIDE, access: "read" },
    ], mode);
  const hint = async (call: Asked) => (await policy().decide(call)).allowWith;
  assert.equal(await hint(both("read", "default")), `Many(/${OUTSIDE})`);
  assert.equal(await hint(both("read", "acceptEdits")), `Many(/${OUTSIDE})`);
  assert.equal(await hint(both("write", "default")), `Many(/${WORK}/b.txt)`);
  assert.equal(await hint(both("run", "acceptEdits")), `Many(/${WORK}/b.txt)`);
});

test("a rule is Tool or Tool(pattern); anything else is an error that quotes it", () => {
  const parsed = (text: string) => {
    const { tool, pattern } = parseRule(text, "allow", WORK);
    return [tool, pattern];
  };
  assert.deepEqual(parsed(" Bash "), ["Bash", undefined]);
  assert.deepEqual(parsed("Bash(*)"), ["Bash", undefined]);
  assert.deepEqual(parsed("Bash(git (x) *)"), ["Bash", "git (x) *"]);
  assert.deepEqual(parsed("mcp__a-b__c.d"), ["mcp__a-b__c.d", undefined]);
  for (const text of ["", "Bash(", "Bash(git *", "Bash)", "Bash(x) y", "(x)", "a b", "Bash()", "Bash( )"]) {
    assert.throws(
      () => parseRule(text, "allow", WORK),
      (error: Error) => error.message.includes(JSON.stringify(text)),
      text,
    );
  }
});

test("several rules may stand in one text, and blanks around a pattern don't count", () => {
  const rules = parseRules("Bash(ls *),Bash(echo a,b), Read( secret/** )", "deny", "/");
  assert.deepEqual(rules.map(({ tool, pattern }) => [tool, pattern]), [
    ["Bash", "ls *"],
    ["Bash", "echo a,b"],
    ["Read", "secret/**"],
  ]);
});
