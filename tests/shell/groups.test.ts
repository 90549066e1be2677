/** The processes of a session: who is known, who is left, and that all of them are told before they are killed. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import process from "node:process";
import { test } from "node:test";
import { startChild } from "../../src/shell/child.ts";
import { host } from "../../src/core/runtime.ts";
import { ProcessGroups } from "../../src/shell/groups.ts";
import { groupIsThere, Survivors } from "../../src/shell/processes.ts";
import { Scratch } from "../support.ts";

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

test("a child that makes its group late is not forgotten", { timeout: 60_000 }, async () => {
  if (process.platform !== "linux") return;
  const groups = new ProcessGroups();
  const late = spawn("sh", ["-c", "read x; exec setsid sleep 300"], { stdio: ["pipe", "ignore", "ignore"] });
  const ended = once(late, "exit");
  groups.add(late.pid!);
  const other = spawn("sh", ["-c", "exec sleep 300"], { stdio: "ignore", detached: true });
  const otherEnded = once(other, "exit");
  groups.add(other.pid!);
  late.stdin!.end("\n");
  await until(() => groupIsThere(late.pid!));
  await groups.endAll();
  await Promise.all([ended, otherEnded]);
});

test("the number of a group that is over is forgotten", async () => {
  if (process.platform !== "linux") return;
  const groups = new ProcessGroups();
  const child = spawn("true", [], { stdio: "ignore", detached: true });
  groups.add(child.pid!);
  await once(child, "exit");
  groups.exited(child.pid!);
  groups.add(process.pid);
  const sent: number[] = [];
  const { kill } = process;
  process.kill = ((pid: number) => sent.push(pid) > 0) as typeof process.kill;
  try {
    groups.killAll();
  } finally {
    process.kill = kill;
  }
  assert.deepEqual(sent, [-process.pid]);
});

test("who left the group is told to end before it is killed, however long the group takes", async () => {
  if (process.platform !== "linux") return;
  using scratch = new Scratch();
  const groups = new ProcessGroups();
  const stray = `trap 'echo told >> told; exit' TERM; echo stray >> ready; while :; do sleep 0.02; done`;
  scratch.file("stray.sh", stray);
  let up = false;
  // What is ignored before a start can't be trapped after it.
  const child = await startChild({
    argv: [
      "bash",
      "-c",
      "setsid bash stray.sh & trap '' TERM; until [ -e ready ]; do sleep 0.02; done; echo up; sleep 300",
    ],
    cwd: scratch.work,
    env: { PATH: process.env.PATH! },
    stdin: "none",
    onOutput: () => up = true,
  }, groups);
  await until(() => up);
  await child.kill();
  assert.equal(scratch.read("told"), "told\n");
});

test("who was found to be left is looked at alone until it is gone", { timeout: 60_000 }, async () => {
  if (process.platform !== "linux") return;
  const child = spawn("sleep", ["300"], { stdio: "ignore", detached: true });
  const ended = once(child, "exit");
  const mark = randomUUID().replaceAll("-", "");
  const left = new Survivors(child.pid!, `${mark}.1.`);
  assert.equal(left.areThere(true), true);
  const files = host.files as { read(path: string): Uint8Array; readText(path: string): string };
  const { read, readText } = files;
  const looks: string[] = [];
  files.read = (path) => (looks.push(path), read(path));
  files.readText = (path) => (looks.push(path), readText(path));
  try {
    for (let count = 0; count < 10; count++) assert.equal(left.areThere(true), true);
  } finally {
    Object.assign(files, { read, readText });
  }
  assert.deepEqual(looks, Array(10).fill(`/proc/${child.pid}/stat`));
  child.kill("SIGKILL");
  await ended;
  assert.equal(left.areThere(true), false);
});
