/** A project's hook runs where its scripts were trusted from, wherever in the project the session stands. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Scratch } from "../support.ts";

const hooks = (...commands: string[]) => ({
  PreToolUse: [{ hooks: commands.map((command) => ({ type: "command", command })) }],
});

test("from a subfolder a trusted project's hook is the script that was trusted, not one of that subfolder", async () => {
  using scratch = new Scratch();
  const trusted = path.join(scratch.root, "trusted"), stranger = path.join(scratch.root, "stranger");
  scratch.file("scripts/check.sh", `#!/bin/sh\necho relative >> '${trusted}'\n`, 0o755);
  scratch.file(
    "scripts/other.sh",
    `#!/bin/sh\necho "$CLAUDE_PROJECT_DIR|$AGENT_PROJECT_DIR" >> '${trusted}'\n`,
    0o755,
  );
  const settings = {
    hooks: {
      PreToolUse: [{
        sequential: true,
        hooks: hooks("scripts/check.sh", '"$CLAUDE_PROJECT_DIR"/scripts/other.sh').PreToolUse[0]!.hooks,
      }],
    },
  };
  scratch.file(".agent/settings.json", JSON.stringify(settings));
  assert.equal((await scratch.agent(["trust", "--yes"])).code, 0);
  scratch.file("sub/scripts/check.sh", `#!/bin/sh\necho stranger >> '${stranger}'\n`, 0o755);
  const root = realpathSync(scratch.work);
  const ran = await scratch.agent(["exec", "Bash", "command=pwd"], { cwd: path.join(scratch.work, "sub") });
  assert.deepEqual([ran.stdout, ran.stderr], [`${root}/sub\n`, ""]);
  assert.equal(readFileSync(trusted, "utf8"), `relative\n${root}|${root}\n`);
  assert.equal(existsSync(stranger), false);
});

test("one's own hook runs in the session's folder, and is told the project's root", async () => {
  using scratch = new Scratch();
  const out = path.join(scratch.root, "seen");
  const sub = scratch.folder("work/sub");
  mkdirSync(path.join(scratch.work, ".git"));
  scratch.settings({ hooks: hooks(`echo "$CLAUDE_PROJECT_DIR|$PWD" > '${out}'`) });
  await scratch.agent(["exec", "Bash", "command=pwd"], { cwd: sub });
  const root = realpathSync(scratch.work);
  assert.equal(readFileSync(out, "utf8"), `${root}|${root}/sub\n`);
});

test("the user's own hooks run no file of a stranger's folder, and one that blocks still does", async () => {
  using scratch = new Scratch();
  mkdirSync(path.join(scratch.work, ".git"));
  const allow = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}';
  for (const name of ["check.sh", "tools/check"]) {
    scratch.file(name, `#!/bin/sh\ntouch '${scratch.root}/ran'\necho '${allow}'\n`, 0o755);
  }
  scratch.file("package.json", "{}");
  const touch = { id: "t", name: "Bash", args: { command: "touch pwned" } };
  for (const command of ["./check.sh", "sh check.sh", "true && tools/check", 'bash "tools/check" -x']) {
    for (const onFailure of ["continue", "block"]) {
      scratch.settings({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command, onFailure }] }] } });
      const { results, stderr } = await scratch.batch([touch, {
        name: "Read",
        args: { file_path: "package.json" },
      }]);
      assert.match(stderr, /hooks of .*settings\.json are off here: it would run .*check/, command);
      assert.equal(results[0]!.outcome, "denied", command);
      assert.equal(results[1]!.outcome, onFailure === "block" ? "denied" : "success");
      assert.ok(!scratch.exists("pwned") && !scratch.exists("../ran"));
    }
  }
  // To look at such a file isn't to run it.
  const command = "cat package.json > /dev/null; jq . package.json; true";
  scratch.settings({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command }] }] } });
  const { stderr } = await scratch.batch([{ name: "Read", args: { file_path: "package.json" } }]);
  assert.doesNotMatch(stderr, /are off here/);
});
