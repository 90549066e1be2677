/** Files that may not be touched and disks that are full: one clear error for that call, the others untouched. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import { AGENT, type Json, run, Scratch, textOf } from "../support.ts";

const NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
const ROOT_USER = process.getuid?.() === 0;
const works = (argv: string[]) => spawnSync(argv[0]!, argv.slice(1), { stdio: "ignore" }).status === 0;

/** `agent exec -` below another program that prepares its surroundings. */
async function batch(
  scratch: Scratch,
  before: readonly string[],
  calls: readonly unknown[],
): Promise<Json[]> {
  const argv = [...before, ...AGENT, "exec", "-", "--mode", "bypassPermissions"];
  // Whoever runs it may not reach the real cache.
  const env = scratch.env({ DENO_DIR: path.join(scratch.root, "deno") });
  const input = calls.map((call) => JSON.stringify(call)).join("\n");
  const ran = await run(argv, { cwd: scratch.work, env }, input);
  assert.equal(ran.code, 1, ran.stderr);
  return ran.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
}

const cannotDrop = ROOT_USER && !works([...NOBODY, "true"]) && "no way to become another user here";

test("a file without permission is one clear error, and stays as it is", { skip: cannotDrop }, async () => {
  using scratch = new Scratch();
  scratch.file("open.txt", "open\n");
  scratch.file("closed.txt", "closed\n", 0o000);
  scratch.file("frozen/kept.txt", "kept\n", 0o444);
  mkdirSync(path.join(scratch.work, "frozen/below"));
  if (ROOT_USER) spawnSync("chown", ["-R", "65534:65534", scratch.root]);
  spawnSync("chmod", ["555", path.join(scratch.work, "frozen"), path.join(scratch.work, "frozen/below")]);
  const read = (id: string, file_path: string) => ({ id, name: "Read", args: { file_path } });
  const write = (id: string, file_path: string) => ({ id, name: "Write", args: { file_path, content: "x" } });
  const edit = { file_path: "frozen/kept.txt", old_string: "kept", new_string: "lost" };
  const results = await batch(scratch, ROOT_USER ? NOBODY : [], [
    read("1", "closed.txt"),
    read("2", "open.txt"),
    write("3", "frozen/below/new.txt"),
    write("4", "closed.txt"),
    { id: "5", name: "Edit", args: edit },
    write("6", "new.txt"),
  ]);
  spawnSync("chmod", ["-R", "755", path.join(scratch.work, "frozen")]);
  assert.deepEqual(results.map(({ id, outcome }) => [id, outcome]), [
    ["1", "error"],
    ["2", "success"],
    ["3", "error"],
    ["4", "error"],
    ["5", "error"],
    ["6", "success"],
  ]);
  assert.match(textOf(results[0]!), /^Cannot read ".*closed\.txt": permission denied$/);
  assert.match(textOf(results[2]!), /^Cannot write ".*new\.txt": permission denied$/);
  assert.match(textOf(results[3]!), /^Cannot (read|write) ".*closed\.txt": permission denied$/);
  assert.match(textOf(results[4]!), /^Cannot write ".*kept\.txt": permission denied$/);
  assert.equal(scratch.read("closed.txt"), "closed\n");
  assert.equal(scratch.read("frozen/kept.txt"), "kept\n");
  assert.equal(scratch.read("new.txt"), "x");
});

const MOUNT = ["unshare", "-m", "bash", "-c", 'mount -t tmpfs -o size=64k none "$0" && exec "$@"'];
const cannotMount = !works([...MOUNT, "/mnt", "true"]) && "no small disk can be made here";

test("a full disk is one clear error; the old file stands and no half-written one is left", {
  skip: cannotMount,
}, async () => {
  using scratch = new Scratch();
  const disk = scratch.folder("work/disk");
  const write = (id: string, file_path: string, size: number) => ({
    id,
    name: "Write",
    args: { file_path, content: "x".repeat(size) },
  });
  const results = await batch(scratch, [...MOUNT, disk], [
    write("1", "disk/old.txt", 10),
    write("2", "disk/new.txt", 200_000),
    write("3", "disk/old.txt", 200_000),
    write("4", "elsewhere.txt", 200_000),
    { id: "5", name: "Bash", args: { command: "ls -A disk; cat disk/old.txt" } },
  ]);
  assert.deepEqual(results.map(({ id, outcome }) => [id, outcome]), [
    ["1", "success"],
    ["2", "error"],
    ["3", "error"],
    ["4", "success"],
    ["5", "success"],
  ]);
  assert.match(textOf(results[1]!), /^Cannot write ".*new\.txt": no space left on the disk$/);
  assert.match(textOf(results[2]!), /^Cannot write ".*old\.txt": no space left on the disk$/);
  assert.deepEqual(results[4]!.stdout, ["old.txt\nxxxxxxxxxx"]);
});
