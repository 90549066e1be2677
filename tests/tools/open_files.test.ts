/** A command gets standard input, output and error, and nothing else that is open. */
import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { AGENT, run, Scratch } from "../support.ts";

test("commands, hooks and terminals inherit no file that the caller or the runtime has open", {
  skip: process.platform !== "linux" && "looked at in /proc",
}, async () => {
  using scratch = new Scratch();
  scratch.file("kept.txt", "");
  const look = "echo looked; for fd in /proc/$$/fd/*; do readlink $fd; done; true";
  const hook = scratch.file("hook.sh", `#!/bin/sh\n{ ${look}; } >> hooked\nexit 0\n`, 0o755);
  scratch.settings({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command: hook }] }] } });
  const calls = [
    { name: "Bash", args: { command: look } },
    { name: "exec_command", args: { cmd: look, yield_time_ms: 30_000 } },
    { name: "exec_command", args: { cmd: look, yield_time_ms: 30_000, tty: true } },
  ];
  const flags = ["exec", "-", "--mode", "bypassPermissions", "--concurrency", "1"];
  const held = 'exec "$@" 3<kept.txt 4<kept.txt 9<kept.txt';
  const { code, stdout, stderr } = await run(
    ["sh", "-c", held, "sh", ...AGENT, ...flags],
    { cwd: scratch.work, env: scratch.env() },
    calls.map((call) => JSON.stringify(call)).join("\n") + "\n",
  );
  assert.equal(code, 0, stdout + stderr);
  for (const text of [stdout, scratch.read("hooked")]) {
    assert.ok(text.match(/looked/g)!.length >= 3, text);
    assert.doesNotMatch(text, /kept\.txt|socket:/);
  }
});
