/** A child from start to end: what it reads and prints, who outlives it, and that nothing of it stays. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { type ChildStart, startChild, type StartedChild } from "../../src/shell/child.ts";
import { ProcessGroups } from "../../src/shell/groups.ts";
import { processesWith, Scratch } from "../support.ts";

/** A child, and what it has printed so far. */
class Running {
  out = "";
  err = "";
  readonly child: StartedChild;
  #wake = () => {};

  constructor(child: StartedChild) {
    this.child = child;
  }

  push(chunk: Uint8Array, stream: "stdout" | "stderr"): void {
    const text = new TextDecoder().decode(chunk);
    if (stream === "stdout") this.out += text;
    else this.err += text;
    this.#wake();
  }

  async printed(text: string): Promise<void> {
    while (!this.out.includes(text)) await new Promise<void>((resolve) => this.#wake = resolve);
  }
}

async function start(
  groups: ProcessGroups,
  script: string,
  { stdin = "none", cwd = "/", MARKER = "" }: { stdin?: ChildStart["stdin"]; cwd?: string; MARKER?: string } =
    {},
): Promise<Running> {
  const early: [Uint8Array, "stdout" | "stderr"][] = [];
  const known: { running?: Running } = {};
  const child = await startChild({
    argv: ["bash", "-c", script],
    cwd,
    env: { PATH: process.env.PATH!, MARKER },
    stdin,
    onOutput: (chunk, stream) =>
      known.running ? known.running.push(chunk, stream) : early.push([chunk, stream]),
  }, groups);
  const running = known.running = new Running(child);
  for (const one of early) running.push(...one);
  return running;
}

/** Until it holds; a test's own time limit is what ends this otherwise. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Ends what a test leaves, whatever came. */
async function withGroups(body: (groups: ProcessGroups) => Promise<void>): Promise<void> {
  const groups = new ProcessGroups();
  try {
    await body(groups);
  } finally {
    await groups.endAll();
  }
}

test("what a child prints before it ends is there at its end, every time", () =>
  withGroups(async (groups) => {
    for (let round = 0; round < 200; round++) {
      const running = await start(groups, "printf M; exit 3");
      assert.deepEqual([await running.child.ended, running.out], [{ exitCode: 3, signal: undefined }, "M"]);
    }
    const much = await start(groups, "head -c 200000 /dev/zero | tr '\\0' x; exit 4");
    assert.equal((await much.child.ended).exitCode, 4);
    assert.equal(much.out.length, 200_000);
  }));

test("a child can open its streams by their names", async () => {
  if (process.platform !== "linux") return;
  await withGroups(async (groups) => {
    const running = await start(
      groups,
      "cat /dev/stdin; echo out > /dev/stdout; echo err > /dev/stderr; echo more >> /proc/self/fd/2",
      { stdin: "open" },
    );
    assert.equal(running.child.write("in\n"), "ok");
    // Who opens a pipe by its name waits for a writer, so it is there until then.
    while (running.out !== "in\n") await new Promise((resolve) => setTimeout(resolve, 5));
    running.child.endInput();
    assert.equal((await running.child.ended).exitCode, 0);
    assert.deepEqual([running.out, running.err], ["in\nout\n", "err\nmore\n"]);
    using scratch = new Scratch();
    const given = await start(
      groups,
      "until [ -e go ]; do sleep 0.02; done; cat /dev/stdin; cat /dev/stdin",
      {
        stdin: { text: "given\n" },
        cwd: scratch.work,
      },
    );
    scratch.file("go", "");
    assert.deepEqual([(await given.child.ended).exitCode, given.out], [0, "given\ngiven\n"]);
    const empty = await start(groups, "cat /dev/stdin; [ -t 0 ] || echo none > /dev/stdout");
    assert.deepEqual([(await empty.child.ended).exitCode, empty.out], [0, "none\n"]);
  });
});

test("input goes in line by line and may end; after that, and after the child's end, it is closed", () =>
  withGroups(async (groups) => {
    const running = await start(groups, "while read -r line; do echo got:$line; done; echo end; exit 7", {
      stdin: "open",
    });
    const { child } = running;
    assert.equal(child.write("a\n"), "ok");
    await running.printed("got:a\n");
    assert.equal(child.write("你😀\n"), "ok");
    await running.printed("got:你😀\n");
    child.endInput();
    assert.equal(child.write("b\n"), "closed");
    assert.equal((await child.ended).exitCode, 7);
    assert.equal(child.write("c\n"), "closed");
    const none = await start(groups, "exec sleep 60");
    assert.equal(none.child.write("x"), "closed");
    none.child.endInput();
  }));

test("a child that has closed its input is told apart from one that doesn't read it", () =>
  withGroups(async (groups) => {
    const deaf = await start(groups, "exec 0<&-; echo ready; exec sleep 60", { stdin: "open" });
    await deaf.printed("ready");
    assert.equal(deaf.child.write("x\n"), "closed");
    assert.equal(deaf.child.write("x\n"), "closed");

    const busy = await start(groups, "echo ready; exec sleep 60", { stdin: "open" });
    await busy.printed("ready");
    const mb = "x".repeat(1024 * 1024);
    const answers = Array.from({ length: 40 }, () => busy.child.write(mb));
    assert.equal(answers[0], "ok");
    assert.equal(answers.at(-1), "full", "what waits is bounded");
    await busy.child.kill();
    assert.equal((await busy.child.ended).signal, "SIGTERM");
    assert.equal(busy.child.write("x"), "closed");
  }));

test("who outlives the child may go on printing until nobody listens", async () => {
  using scratch = new Scratch();
  await withGroups(async (groups) => {
    const script = "mkfifo a b; { read x < a; echo late; read x < b; } & echo early; exit 5";
    const running = await start(groups, script, { cwd: scratch.work });
    assert.equal((await running.child.ended).exitCode, 5);
    assert.deepEqual([running.out, running.child.survivors()], ["early\n", true]);
    writeFileSync(`${scratch.work}/a`, "x\n");
    await running.printed("late\n");
    // Another child in the meantime has pipes of its own.
    const other = await start(groups, "echo other");
    await other.child.ended;
    assert.deepEqual([other.out, other.child.survivors()], ["other\n", false]);
    writeFileSync(`${scratch.work}/b`, "x\n");
    await until(() => !running.child.survivors());
    assert.equal(running.out, "early\nlate\n");
    running.child.release();
    await running.child.kill();
  });
});

test("Ctrl-C reaches the child, and one that ignores everything is killed with all that left its group", async () => {
  if (process.platform !== "linux") return;
  await withGroups(async (groups) => {
    const polite = await start(
      groups,
      "trap 'echo int; exit 9' INT; echo ready; while :; do sleep .05; done",
    );
    await polite.printed("ready");
    polite.child.interrupt();
    assert.deepEqual([(await polite.child.ended).exitCode, polite.out], [9, "ready\nint\n"]);
    polite.child.interrupt();

    const MARKER = randomUUID();
    const stubborn = await start(
      groups,
      "trap '' TERM INT; setsid bash -c 'trap \"\" TERM; echo left; while :; do sleep 1; done' & while :; do sleep 1; done",
      { MARKER },
    );
    const bystander = await start(groups, "echo ready; exec sleep 60", { MARKER });
    await Promise.all([stubborn.printed("left"), bystander.printed("ready")]);
    await Promise.all([stubborn.child.kill(), stubborn.child.kill()]);
    assert.deepEqual(await stubborn.child.ended, { exitCode: 137, signal: "SIGKILL" });
    assert.deepEqual(await processesWith(MARKER), [String(bystander.child.pid)]);
    assert.equal(stubborn.child.survivors(), false);
  });
});

test("300 short children leave no zombie, no open file and nothing in the temporary folder", async () => {
  if (process.platform !== "linux") return;
  await withGroups(async (groups) => {
    const short = async () => {
      const { child } = await start(groups, "cat; echo x; echo y >&2", { stdin: { text: "z" } });
      await child.ended;
      assert.equal(child.survivors(), false);
      child.release();
    };
    for (let round = 0; round < 20; round++) await short();
    const files = openFiles();
    for (let round = 0; round < 75; round++) await Promise.all([short(), short(), short(), short()]);
    await until(() => openFiles() <= files);
    await until(() => zombies().length === 0);
  });
  const own = new RegExp(`^agent-(input|command|folder)-${process.pid}-`);
  assert.deepEqual(readdirSync(tmpdir()).filter((name) => own.test(name)), []);
});

function openFiles(): number {
  return readdirSync("/proc/self/fd").length;
}

/** Children of this process that have ended and that nobody has waited for. */
function zombies(): string[] {
  return readdirSync("/proc").filter((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return state === "Z" && Number(parent) === process.pid;
    } catch {
      return false;
    }
  });
}
