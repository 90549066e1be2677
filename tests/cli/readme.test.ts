/** What README shows works as it says. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { ROOT, Scratch } from "../support.ts";

test("README's plugin keeps .env private, and nothing else", async () => {
  using scratch = new Scratch();
  const readme = readFileSync(path.join(ROOT, "README.md"), "utf8");
  const plugin = /```ts\n(import \{ definePlugin \}[^]*?)```/.exec(readme)?.[1];
  assert.ok(plugin !== undefined);
  scratch.file("plugins/no-env.ts", plugin);
  scratch.file("a.txt", "one\n");
  const exec = (...words: string[]) => scratch.agent(["exec", "--plugins", "plugins", ...words]);
  const refused = await exec("Read", "file_path=.env");
  assert.equal(refused.stderr, "error: Cannot run Read: the .env file is private\n");
  assert.equal(refused.code, 3);
  assert.equal((await exec("Read", "file_path=a.txt")).stdout, "1\tone\n");
  assert.equal((await exec("Bash", "command=echo hi")).stdout, "hi\n");
});
