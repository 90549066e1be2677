/**
 * A writing tool that is killed before any of its file calls, and half-way through each write: every file is the old
 * or the new one, the next start clears up, and `agent undo` brings the old files back.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { findEntry, undo } from "../../src/core/undo.ts";
import { AGENT, type Json, Scratch } from "../support.ts";
import { assertJournalClean, journalOf, struck, tree } from "../faults/support.ts";

/** Runs that are at work at the same time. */
const AT_ONCE = 4;
/** No scenario has so many steps. */
const MOST_STEPS = 300;
/** One code cache for all of them; a kill would leave each without. */
const cache = fs.mkdtempSync(path.join(tmpdir(), "agent-test-cache-"));
const env = { XDG_CACHE_HOME: cache };
after(() => fs.rmSync(cache, { recursive: true, force: true }));

interface Scenario {
  tool: string;
  args: Json;
  setup(scratch: Scratch): void;
  /** It is written in place, so that it is whole after the next start and not before. */
  inPlace?: boolean;
  /** Only every so many steps, where another scenario takes the same ones. */
  every?: number;
}

const BIG = "0123456789abcde\n".repeat(65536) + "last\n";

const SCENARIOS: Record<string, Scenario> = {
  "Write over an existing file": {
    tool: "Write",
    args: { file_path: "a", content: "new content\n" },
    setup: (scratch) => scratch.file("a", "old\n", 0o640),
  },
  "Write of a new file in new folders": {
    tool: "Write",
    args: { file_path: "new/deep/a", content: "new content\n" },
    setup: () => {},
  },
  "Edit": {
    tool: "Edit",
    args: { file_path: "a", old_string: "old", new_string: "new" },
    setup: (scratch) => scratch.file("a", "1\nold\n3\n", 0o755),
  },
  "MultiEdit": {
    tool: "MultiEdit",
    args: {
      file_path: "a",
      edits: [{ old_string: "1", new_string: "one" }, { old_string: "3", new_string: "three" }],
    },
    setup: (scratch) => scratch.file("a", "1\n2\n3\n", 0o600),
    every: 3,
  },
  "apply_patch that adds, updates, moves and deletes": {
    tool: "apply_patch",
    args: {
      input: [
        "*** Begin Patch",
        "*** Add File: d/added",
        "+added",
        "*** Update File: updated",
        "@@",
        "-old",
        "+new",
        "*** Update File: from",
        "*** Move to: moved/to",
        "@@",
        "-old",
        "+new",
        "*** Delete File: gone",
        "*** Delete File: link",
        "*** End Patch",
      ].join("\n"),
    },
    setup(scratch) {
      scratch.file("updated", "old\n");
      scratch.file("from", "old\nmoved\n", 0o750);
      scratch.file("gone", "gone\n", 0o600);
      fs.symlinkSync("updated", path.join(scratch.work, "link"));
    },
  },
  "Edit of a file with a second name": {
    tool: "Edit",
    args: { file_path: "a", old_string: "old", new_string: "a longer new text" },
    setup(scratch) {
      fs.linkSync(scratch.file("a", "1\nold\n3\n"), path.join(scratch.work, "b"));
    },
    inPlace: true,
  },
  "Edit of a large file": {
    tool: "Edit",
    args: { file_path: "a", old_string: "last", new_string: "end" },
    setup: (scratch) => scratch.file("a", BIG, 0o644),
  },
  "Edit of a large file with a second name, which gets shorter": {
    tool: "Edit",
    args: { file_path: "a", old_string: "last\n", new_string: "" },
    setup(scratch) {
      fs.linkSync(scratch.file("a", BIG), path.join(scratch.work, "b"));
    },
    inPlace: true,
  },
};

for (const [name, scenario] of Object.entries(SCENARIOS)) {
  test(`kill -9 at every step: ${name}`, async () => {
    const { before, after } = await whole(scenario);
    let steps = 0;
    const { every = 1 } = scenario;
    for (let first = 1; steps === 0; first += AT_ONCE * every) {
      assert.ok(first < MOST_STEPS, "it never ends by itself");
      const round = Array.from({ length: AT_ONCE }, (_, index) => first + index * every);
      const ended = await Promise.all(round.map((at) => killedAt(at, scenario, before, after)));
      if (ended.includes(true)) steps = first;
    }
    assert.ok(steps > 8, `it was killed at ${steps} steps only`);
  });
}

/** What there is before a run and after one that nobody killed. */
async function whole({ tool, args, setup }: Scenario) {
  using scratch = fresh(setup);
  const before = tree(scratch.work);
  const { result } = await scratch.exec([tool, JSON.stringify(args)], { env });
  assert.equal(result.status, "success", JSON.stringify(result));
  const after = tree(scratch.work);
  assert.notDeepEqual(after, before);
  assertJournalClean(scratch);
  return { before, after };
}

function fresh(setup: Scenario["setup"]): Scratch {
  const scratch = new Scratch();
  scratch.file("seen", "seen\n");
  setup(scratch);
  return scratch;
}

/** True where it ended before it came to step `at`. */
async function killedAt(at: number, scenario: Scenario, before: Tree, after: Tree): Promise<boolean> {
  const { tool, args, setup, inPlace = false } = scenario;
  using scratch = fresh(setup);
  const inodes = inodesOf(scratch);
  const ran = await scratch.agent(
    ["exec", tool, JSON.stringify(args)],
    struck(scratch, { at, do: "kill" }, { env }),
  );
  const killed = ran.signal === "SIGKILL";
  assert.equal(ran.code, killed ? null : 0, ran.stderr);
  const step = `step ${at}`;
  if (!inPlace) assertOldOrNew(withoutTemporary(tree(scratch.work)), before, after, step);

  // Every fifth is cleared up after by a real start; to start one for each would take long.
  if (at % 5 > 0) journalOf(scratch).recover();
  else {
    const next = await scratch.agent(["exec", "Read", "file_path=seen"], { env });
    assert.deepEqual([next.code, next.stderr], [0, ""], step);
  }
  const found = tree(scratch.work);
  assertOldOrNew(found, before, after, step);
  assertJournalClean(scratch);
  if (inPlace) assert.deepEqual(inodesOf(scratch), inodes, `${step}: both names are still one file`);

  const journal = journalOf(scratch);
  const [entry] = journal.list();
  if (!killed) assert.equal(entry!.interrupted, undefined, step);
  if (entry) undo(journal, findEntry(journal, fs.realpathSync(scratch.work)), "s");
  assert.deepEqual(tree(scratch.work), before, `${step}: undo brings the old files back`);
  return !killed;
}

type Tree = Record<string, string>;

function withoutTemporary(found: Tree): Tree {
  return Object.fromEntries(Object.entries(found).filter(([name]) => !/\.agent-(tmp|old)$/.test(name)));
}

function assertOldOrNew(found: Tree, before: Tree, after: Tree, step: string): void {
  for (const name of new Set([...Object.keys(found), ...Object.keys(before), ...Object.keys(after)])) {
    const ok = [before[name], after[name]].includes(found[name]);
    assert.ok(ok, `${step}: "${name}" is ${found[name]}, was ${before[name]}, becomes ${after[name]}`);
  }
}

function inodesOf({ work }: Scratch): number[] {
  return ["a", "b"].flatMap((name) => {
    const place = path.join(work, name);
    return fs.existsSync(place) ? [fs.statSync(place).ino] : [];
  });
}

test("kill -9 at twenty moments of many edits: the file is one of its states", async () => {
  using scratch = new Scratch();
  const count = 80;
  const state = (at: number) => `${at}\n` + "x".repeat(2000) + "\n";
  const calls = Array.from({ length: count }, (_, at) => ({
    name: "Edit",
    args: { file_path: "a", old_string: `${at}\n`, new_string: `${at + 1}\n` },
  }));
  const input = calls.map((call) => JSON.stringify(call) + "\n").join("");
  let killed = 0;
  for (let round = 0; round < 20; round++) {
    scratch.file("a", state(0));
    if (await killedAfter(scratch, input, 1 + round * 3)) killed++;
    const at = Number(/^\d+/.exec(scratch.read("a"))![0]);
    assert.equal(scratch.read("a"), state(at));
  }
  assert.ok(killed > 0, "no round was killed at work");
  const next = await scratch.agent(["exec", "Read", "file_path=a", "limit=1"], { env });
  assert.deepEqual([next.code, next.stderr], [0, ""]);
  assert.deepEqual(fs.readdirSync(scratch.work), ["a"]);
  assertJournalClean(scratch);
});

/** Kills it as soon as it has answered `answers` calls, wherever it is then. */
function killedAfter(scratch: Scratch, input: string, answers: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(AGENT[0]!, [...AGENT.slice(1), "exec", "-", "--mode", "acceptEdits"], {
      cwd: scratch.work,
      env: scratch.env(env),
      stdio: ["pipe", "pipe", "ignore"],
    });
    let lines = 0;
    child.stdout!.on("data", (chunk: Uint8Array) => {
      lines += chunk.filter((byte) => byte === 10).length;
      if (lines >= answers) child.kill("SIGKILL");
    });
    child.stdin!.on("error", () => {});
    child.stdin!.end(input);
    child.once("error", reject);
    child.once("close", (_code, signal) => resolve(signal === "SIGKILL"));
  });
}
