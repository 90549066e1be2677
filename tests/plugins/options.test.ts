/** A misspelt option is a limit or a guard that isn't there, so each shipped plugin refuses it by name. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { ROOT, Scratch } from "../support.ts";

const FOLDER = path.join(ROOT, "plugins");
const NAMES = readdirSync(FOLDER).filter((name) => name.endsWith(".ts")).map((name) =>
  path.basename(name, ".ts")
);

test("a shipped plugin with an option that it doesn't know is off, and names it", async () => {
  using scratch = new Scratch();
  assert.ok(NAMES.length > 0);
  scratch.settings({ plugins: Object.fromEntries(NAMES.map((name) => [name, { nosuch: 1 }])) });
  const { stdout, stderr } = await scratch.agent(["exec", "Bash", "command=echo hi", "--plugins", FOLDER]);
  assert.equal(stdout, "hi\n");
  for (const name of NAMES) {
    assert.match(
      stderr,
      new RegExp(`plugin "${name}" is off: [^\\n]*its options are wrong: [^\\n]*"nosuch"`),
    );
  }
});

test("a misspelt key within a rule is named with its place", async () => {
  using scratch = new Scratch();
  scratch.settings({ plugins: { guard: { deny: [{ efect: "run" }] } } });
  const flags = ["--plugins", path.join(FOLDER, "guard.ts")];
  const { stdout, stderr } = await scratch.agent(["exec", "Bash", "command=echo hi", ...flags]);
  assert.equal(stdout, "hi\n");
  assert.match(stderr, /plugin "guard" is off: [^\n]*its options are wrong: deny\.0 [^\n]*"efect"/);
});
