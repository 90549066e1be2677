/** The plugin that ships as `plugins/guard.ts`. */
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { ROOT, Scratch, textOf } from "../support.ts";

const FLAGS = ["--plugins", path.join(ROOT, "plugins/guard.ts"), "--mode", "bypassPermissions"];

test("guard without options protects key folders and .git from being written to, not from being read", async () => {
  using scratch = new Scratch();
  scratch.file(".git/config", "one\n");
  scratch.file("a.txt", "one\n");
  const write = (file_path: string) => ({ name: "Write", args: { file_path, content: "changed" } });
  const { results, stderr } = await scratch.batch([
    write(".git/hooks/pre-commit"),
    write("~/.ssh/authorized_keys"),
    write("/etc/agent-guard-test"),
    { name: "Read", args: { file_path: ".git/config" } },
    { name: "Edit", args: { file_path: "a.txt", old_string: "one", new_string: "two" } },
    {
      name: "replace",
      args: { file_path: ".git/config", old_string: "one", new_string: "two" },
      family: "gemini",
    },
    write("new.txt"),
  ], FLAGS);
  assert.deepEqual(results.map(({ outcome }) => outcome), [
    ...["denied", "denied", "denied", "success", "success", "denied", "success"],
  ]);
  assert.equal(
    textOf(results[0]!),
    "Cannot run Write: guard: this place is protected (**/.git/**)",
  );
  assert.equal(stderr, "");
  assert.deepEqual([scratch.read(".git/config"), scratch.read("a.txt")], ["one\n", "two\n"]);
  assert.equal(scratch.exists(".git/hooks") || scratch.exists("../home/.ssh"), false);
});

test("guard refuses by effect and by path, with the reason of the settings, exit 3", async () => {
  using scratch = new Scratch();
  scratch.file("secret/key.txt", "key\n");
  scratch.settings({
    plugins: { guard: { deny: [{ effect: "run", reason: "no commands here" }, { paths: ["secret/**"] }] } },
  });
  const bash = await scratch.agent(["exec", "Bash", "command=touch ran", ...FLAGS]);
  assert.deepEqual([bash.code, bash.stdout, scratch.exists("ran")], [3, "", false]);
  assert.equal(bash.stderr, "error: Cannot run Bash: guard: no commands here\n");
  const read = await scratch.agent(["exec", "Read", "file_path=secret/key.txt", ...FLAGS]);
  assert.equal(read.stderr, "error: Cannot run Read: guard: refused (secret/**)\n");
  const write = await scratch.agent(["exec", "Write", "file_path=.git/x", "content=x", ...FLAGS]);
  assert.equal(write.code, 0, "given rules stand in the defaults' place");
});

test("guard with options that aren't rules is off and says so; required, nothing runs", async () => {
  using scratch = new Scratch();
  scratch.settings({ plugins: { guard: { deny: "all" } } });
  const ran = await scratch.agent(["exec", "Bash", "command=true", ...FLAGS]);
  assert.match(
    ran.stderr,
    /^warning: plugin "guard" is off: [^\n]*its options are wrong: deny /,
  );
  assert.equal(ran.code, 0);
  const env = { AGENT_MODS_REQUIRED: "guard" };
  assert.equal((await scratch.agent(["exec", "Bash", "command=true", ...FLAGS], { env })).code, 2);
});
