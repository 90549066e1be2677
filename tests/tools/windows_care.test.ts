/** What models are told on Windows, and nowhere else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ASSETS, WINDOWS_CARE } from "../../src/generated/tools.ts";
import { assetOf } from "../../src/tools/assets.ts";
import { type Json, Scratch } from "../support.ts";

test("on Windows, and only there, each tool that runs commands says what to take care of", () => {
  const careful: string[] = [];
  for (const key of Object.keys(ASSETS)) {
    const windows = assetOf(key, "win32"), linux = assetOf(key, "linux");
    assert.deepEqual(assetOf(key, "darwin"), linux);
    assert.equal(JSON.stringify(assetOf(key, "win32")), JSON.stringify(windows), "the same bytes each time");
    assert.deepEqual({ ...windows, description: "" }, { ...linux, description: "" });
    if (windows.description === linux.description) continue;
    assert.equal(windows.description, `${linux.description}\n\n${WINDOWS_CARE}`);
    careful.push(key.slice(key.indexOf(":") + 1));
  }
  for (
    const name of ["Bash", "shell", "Shell", "shell_command", "exec_command", "run_shell_command", "Monitor"]
  ) {
    assert.ok(careful.includes(name), name);
  }
  for (const name of ["Read", "write_stdin", "shell_session", "apply_patch"]) {
    assert.ok(!careful.includes(name), name);
  }
  assert.match(WINDOWS_CARE, /-LiteralPath/);
});

test("what this platform's models are shown is that text", async () => {
  using scratch = new Scratch();
  const { stdout } = await scratch.agent(["tools", "--json"]);
  const bash = JSON.parse(stdout).find(({ name }: Json) => name === "Bash");
  assert.equal(bash.description, assetOf("claude:Bash").description);
});
