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
