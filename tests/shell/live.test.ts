/** What sessions leave that are killed: which groups the next start ends, and which it never touches. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import { LiveRecord, reap } from "../../src/shell/live.ts";
import { beganAt, groupLives, nowInTicks, pidPlace } from "../../src/shell/processes.ts";
import { AGENT, processesWith, Scratch } from "../support.ts";

const SKIP = { skip: process.platform !== "linux", timeout: 120_000 };
/** No process has such a number. */
const NOBODY = 4_194_999;

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!await holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}

function liveFolder(scratch: Scratch): string {
  return path.join(scratch.state, "sessions/live");
}

/** Runs commands in an `agent`, kills it once one of them has printed `started`, and starts the next. */
async function killed(
  commands: readonly string[],
  look: (scratch: Scratch) => void = () => {},
): Promise<{ scratch: Scratch; marker: string }> {
  const scratch = new Scratch(), marker = randomUUID();
  const [program, ...args] = AGENT as [string, ...string[]];
  const child = spawn(program, [...args, "exec", "-", "--mode", "bypassPermissions", "--jsonl"], {
    cwd: scratch.work,
    env: scratch.env({ MARKER: marker, TMPDIR: scratch.folder("tmp") }),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  for (const command of commands) {
    child.stdin!.write(`${JSON.stringify({ name: "Bash", args: { command } })}\n`);
  }
  let seen = "";
  for await (const chunk of child.stdout!) {
    seen += chunk;
    if (/"tool_output".*started/.test(seen)) break;
  }
  look(scratch);
  child.kill("SIGKILL");
  await ended;
  assert.ok((await processesWith(marker)).length > 0, "they live on");
  const next = await scratch.agent(["exec", "Bash", "command=true"]);
  assert.deepEqual([next.code, next.stderr], [0, ""]);
  return { scratch, marker };
}

test(
  "what a killed agent left in its groups is ended, whether it carries the mark or not",
  SKIP,
  async () => {
    const { scratch, marker } = await killed([
      // The group's first process ends before the agent does.
      "env -u AGENT_CHILD_OF sleep 300 & echo left",
      "env -u AGENT_CHILD_OF sleep 300 & echo started; sleep 300; :",
    ]);
    using _ = scratch;
    await until(async () => (await processesWith(marker)).length === 0);
  },
);

test("the text of a long command and its other passing files go at the first next start", SKIP, async () => {
  const long = `cd /; trap '' TERM; echo started; sleep 300; : '${"y".repeat(300_000)}'`;
  const { scratch, marker } = await killed([long], (scratch) => {
    const passing = readdirSync(liveFolder(scratch)).filter((name) => name.startsWith("passing-"));
    const text = passing.map((name) => path.join(liveFolder(scratch), name))
      .filter((file) => statSync(file).size > 300_000);
    assert.equal(text.length, 1);
    assert.equal(statSync(text[0]!).mode & 0o777, 0o600);
  });
  using _ = scratch;
  await until(async () => (await processesWith(marker)).length === 0);
  assert.deepEqual(readdirSync(path.join(scratch.root, "tmp")), []);
  assert.deepEqual(readdirSync(liveFolder(scratch)).filter((name) => name !== "pipes"), []);
});

/** A session of another, with a first process that lives or has left a member behind. */
async function session(headless: boolean): Promise<{ group: number; start: number; child: ChildProcess }> {
  const script = headless ? "sleep 300 & read x" : "read x; sleep 300; :";
  const child = spawn("bash", ["-c", script], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  const group = child.pid!, start = beganAt(group)!;
  if (headless) await until(() => readdirSync("/proc").some((pid) => isMember(pid, group)));
  child.stdin!.end("\n");
  if (headless) await once(child, "exit");
  return { group, start, child };
}

function isMember(pid: string, group: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(pid) !== group && Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2]) === group;
  } catch {
    return false;
  }
}

/** Writes the record of a session that is dead, and does what the next start does. */
async function reapAfter(scratch: Scratch, record: Record<string, unknown>): Promise<void> {
  const folder = scratch.folder("live"), file = path.join(folder, `${NOBODY}-1-abc.json`);
  writeFileSync(file, JSON.stringify({ marker: randomBytes(12).toString("hex"), ...record }));
  await reap(folder);
  assert.ok(!existsSync(file));
}

test("a group is ended only where it is known to be the one that was started", SKIP, async () => {
  using scratch = new Scratch();
  for (const headless of [false, true]) {
    const { group, start, child } = await session(headless);
    const now = nowInTicks()!, place = pidPlace();
    try {
      const others: Record<string, unknown>[] = [
        { place, groups: [[group, start - 1, start - 1]] },
        { place, groups: [[group, start + 1, now + 1000]].filter(() => !headless) },
        { place: `${place}x`, groups: [[group, start, now]] },
        { groups: [[group, start, now]] },
        { place, groups: [[group, `${start}`, now]] },
        { place, groups: [[1, start, now], group, [group], null] },
        { place, groups: { group } },
        {},
      ];
      for (const record of others) {
        await reapAfter(scratch, record);
        assert.ok(groupLives(group), `${headless} ${JSON.stringify(record)}`);
      }
      await reapAfter(scratch, { place, groups: [[group, start, now]] });
      assert.ok(!groupLives(group), `first process ${headless ? "gone" : "there"}`);
    } finally {
      if (groupLives(group)) process.kill(-group, "SIGKILL");
      if (!headless && child.exitCode === null && child.signalCode === null) await once(child, "exit");
    }
  }
});

test("a record holds the groups that run, whatever came before, and is gone at the end", SKIP, async () => {
  using scratch = new Scratch();
  const folder = scratch.folder("live"), marker = randomBytes(12).toString("hex");
  const record = new LiveRecord(folder, marker);
  record.write();
  const [name] = readdirSync(folder);
  assert.match(name!, new RegExp(`^${process.pid}-\\d+-[0-9a-f]{6}\\.json$`));
  const read = () => JSON.parse(readFileSync(path.join(folder, name!), "utf8"));
  const [first, second] = [await session(false), await session(true)];
  try {
    record.add(first.group);
    record.add(second.group);
    // Its first process is gone, so there is no start to know it by.
    assert.deepEqual(read().groups, [[first.group, first.start, first.start]]);
    const third = await session(false);
    record.add(third.group);
    record.sawOthers(third.group);
    const [, [group, start, seen]] = read().groups;
    assert.deepEqual([group, start], [third.group, third.start]);
    assert.ok(seen >= start);
    record.forget(first.group);
    record.sawOthers(third.group);
    assert.deepEqual(read().groups.map(([group]: number[]) => group), [third.group]);
    assert.deepEqual([read().marker, read().place], [marker, pidPlace()]);
    assert.equal(
      readdirSync("/proc/self/fd").filter((fd) => linkOf(`/proc/self/fd/${fd}`) === path.join(folder, name!))
        .length,
      1,
    );
    record.remove();
    assert.deepEqual(readdirSync(folder), []);
    process.kill(-third.group, "SIGKILL");
    await once(third.child, "exit");
  } finally {
    process.kill(-first.group, "SIGKILL");
    process.kill(-second.group, "SIGKILL");
    await once(first.child, "exit");
  }
});

function linkOf(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
}
