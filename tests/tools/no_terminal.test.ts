/** An installation without the optional library for terminals: a clear error, and all else works. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { AGENTS, ON_DENO, ROOT, run, Scratch, textOf } from "../support.ts";

/** A copy of the program with all its packages but one. Returns its main file. */
function installWithout(scratch: Scratch, missing: string): string {
  const place = scratch.folder("install");
  const [folder, main] = ON_DENO ? ["src", "src/main.ts"] : ["dist", "dist/main.cjs"];
  for (const name of [folder, "package.json", "deno.json"]) {
    cpSync(path.join(ROOT, name), path.join(place, name), { recursive: true });
  }
  const packages = path.join(ROOT, "node_modules");
  mkdirSync(path.join(place, "node_modules"));
  for (const name of readdirSync(packages)) {
    if (name === missing.split("/")[0]) continue;
    symlinkSync(path.join(packages, name), path.join(place, "node_modules", name));
  }
  // Without any file of it, so that one in a folder above isn't found.
  const shell = path.join(place, "node_modules", missing);
  mkdirSync(shell, { recursive: true });
  writeFileSync(
    path.join(shell, "package.json"),
    JSON.stringify({ name: missing, version: "1.1.0", main: "x.js" }),
  );
  return path.join(place, main);
}

test("without the library a terminal is an error that says what to do, and pipes work", async () => {
  using scratch = new Scratch();
  const main = installWithout(scratch, "@lydell/node-pty");
  const agent = [...AGENTS[ON_DENO ? "deno" : "node"].slice(0, -1), main];
  const calls = [
    { name: "exec_command", args: { cmd: "echo piped", tty: true } },
    { name: "exec_command", args: { cmd: "echo piped" } },
    { name: "shell_session", args: { action: "list" } },
  ];
  const { stdout, stderr } = await run(
    [...agent, "exec", "-", "--mode", "bypassPermissions", "--concurrency", "1"],
    { cwd: scratch.work, env: scratch.env() },
    calls.map((call) => JSON.stringify(call)).join("\n") + "\n",
  );
  const [refused, piped, list] = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.equal(
    textOf(refused),
    "Cannot open a terminal: @lydell/node-pty is not installed\n\nhint: " +
      "go without a terminal (tty=false), or run `npm install @lydell/node-pty`",
    stderr,
  );
  assert.equal(refused.outcome, "error");
  assert.match(textOf(piped), /Process exited with code 0\n[^]*\npiped/);
  assert.match(textOf(list), /^(?:No session is running|2|1 {2}exited)/);
});
