/** The plugin that ships as `plugins/notify.ts`, under a pseudo-terminal that `script` makes. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import { AGENT, ROOT, run, Scratch } from "../support.ts";

const works = spawnSync("script", ["-qec", "true", "/dev/null"], { stdio: "ignore" }).status === 0;
const skip = !works && "no `script` to make a terminal with";
const FLAGS = ["--plugins", path.join(ROOT, "plugins/notify.ts"), "--mode", "bypassPermissions"];

/** What calls show on a terminal; their results go elsewhere. */
async function shown(
  scratch: Scratch,
  options: Record<string, unknown>,
  calls: readonly unknown[],
  env = {},
) {
  scratch.settings({ plugins: { notify: options } });
  scratch.file("calls.jsonl", calls.map((call) => JSON.stringify(call)).join("\n") + "\n");
  const words = [...AGENT, "exec", "-", ...FLAGS, "--deny", "Bash(rm *)", "--concurrency", "1"];
  const line = `${words.map((word) => `'${word}'`).join(" ")} < calls.jsonl > /dev/null`;
  const { stdout } = await run(["script", "-qec", line, "/dev/null"], {
    cwd: scratch.work,
    env: { ...scratch.env(env), SHELL: "/bin/sh" },
  });
  return stdout;
}

const quick = { name: "Bash", args: { command: "true" } };
const denied = { name: "Bash", args: { command: "rm x" } };

test("notify rings the terminal's bell for what was denied, and for what took long", { skip }, async () => {
  using scratch = new Scratch();
  assert.equal(await shown(scratch, {}, [quick, denied, quick]), "\x07");
  assert.equal(await shown(scratch, { afterS: 0, denied: false }, [quick, quick]), "\x07\x07");
  assert.equal(await shown(scratch, { denied: false }, [quick, denied]), "");
});

test("notify speaks by OSC 9, and a name from a model can't break out of it", { skip }, async () => {
  using scratch = new Scratch();
  const odd = { name: "Bad\x07\x1b]0;title\x07", args: {} };
  const text = await shown(scratch, { by: "osc9", afterS: 0 }, [denied, quick, odd]);
  assert.equal(
    text.replace(/took \d+ s/g, "took N s"),
    "\x1b]9;Bash was denied\x07\x1b]9;Bash took N s: success\x07\x1b]9;Bad 0 title  took N s: unknown\x07",
  );
});

test("notify starts notify-send, and does without where there is none", { skip }, async () => {
  using scratch = new Scratch();
  scratch.file("bin/notify-send", `#!/bin/sh\nprintf '%s|' "$@" >> '${scratch.work}/sent'\n`, 0o755);
  const env = { PATH: `${scratch.work}/bin:${process.env.PATH}` };
  // The call after it waits for what was sent.
  const wait = { name: "Bash", args: { command: "until grep -q denied sent; do sleep 0.05; done" } };
  assert.equal(await shown(scratch, { by: "notify-send" }, [denied, wait], env), "");
  assert.equal(scratch.read("sent"), "--|agent|Bash was denied|");
});

test("notify is silent where standard error is no terminal, and off with a way that isn't one", async () => {
  using scratch = new Scratch();
  scratch.settings({ plugins: { notify: { afterS: 0 } } });
  const ran = await scratch.agent(["exec", "Bash", "command=true", ...FLAGS]);
  assert.deepEqual([ran.code, ran.stderr], [0, ""]);
  scratch.settings({ plugins: { notify: { by: "mail" } } });
  const wrong = await scratch.agent(["exec", "Bash", "command=true", ...FLAGS]);
  assert.match(wrong.stderr, /plugin "notify" is off: .*its options are wrong: by /);
});
