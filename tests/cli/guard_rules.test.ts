/** Which yes opens the files that say what runs here, and which doesn't. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Scratch } from "../support.ts";

const REDIRECTS = ["echo {} > .agent/settings.json", "sh -c 'echo {} >> .agent/x'", "true 2>.mcp.json"];

function shell(scratch: Scratch): Record<string, unknown>[] {
  const places = [...REDIRECTS, `echo {} > '${path.join(scratch.config, "settings.json")}'`];
  return places.flatMap((command) => [
    { name: "Bash", args: { command } },
    { name: "exec_command", args: { cmd: command } },
  ]).map((call, index) => ({ id: `${index}`, ...call }));
}

/** A hook that says yes to everything. */
function sayingYes(event: string, how: object) {
  const answer = JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...how } });
  return { [event]: [{ hooks: [{ type: "command", command: `echo '${answer}'` }] }] };
}

const YES: Record<string, (scratch: Scratch) => string[]> = {
  "a mode": () => ["--mode", "bypassPermissions"],
  "a PreToolUse hook": (scratch) => {
    scratch.settings({ hooks: sayingYes("PreToolUse", { permissionDecision: "allow" }) });
    return [];
  },
  "a PermissionRequest hook": (scratch) => {
    scratch.settings({ hooks: sayingYes("PermissionRequest", { decision: { behavior: "allow" } }) });
    return [];
  },
  "a rule for something else": () => ["--allow", "Read(zzz)", "--mode", "bypassPermissions"],
};

for (const [who, setUp] of Object.entries(YES)) {
  test(`${who} opens no guarded file for a command's redirection`, async () => {
    using scratch = new Scratch();
    const flags = setUp(scratch);
    mkdirSync(path.join(scratch.work, ".agent"));
    const before = scratch.exists("../config/agent/settings.json");
    const { results } = await scratch.batch(shell(scratch), flags);
    assert.equal(results.length, 2 * (REDIRECTS.length + 1));
    for (const { id, outcome } of results) assert.equal(outcome, "denied", id);
    assert.ok(
      !scratch.exists(".agent/settings.json") && !scratch.exists(".agent/x") && !scratch.exists(".mcp.json"),
    );
    assert.equal(scratch.exists("../config/agent/settings.json"), before);
    const free = { id: "free", name: "Bash", args: { command: "echo free > free.txt" } };
    const ran = await scratch.batch([free], flags);
    assert.equal(ran.results[0]!.outcome, "success");
  });
}

test("only a rule that names a guarded file or its folder opens it", async () => {
  for (
    const [rule, opens] of [
      ["Edit(**)", false],
      ["Edit(/**)", false],
      ["Edit(//**)", false],
      ["Edit(*.json)", false],
      ["Edit(settings.json)", false],
      ["Write(.*/**)", false],
      ["Edit", false],
      ["Edit(.agent/**)", true],
      ["Edit(/.agent/settings.json)", true],
      ["Edit(**/.agent/**)", true],
      ["Edit(.agent)", true],
    ] as const
  ) {
    using scratch = new Scratch();
    const write = { id: "w", name: "Write", args: { file_path: ".agent/settings.json", content: "{}" } };
    const { results } = await scratch.batch([write], ["--allow", rule]);
    assert.equal(results[0]!.outcome, opens ? "success" : "denied", rule);
  }
});
