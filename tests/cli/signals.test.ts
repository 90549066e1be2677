/** Ctrl-C, TERM and readers that go away. A command signals its parent, which is `agent`, so nothing is timed. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { test } from "node:test";
import { AGENT, type Json, leftWith, run, Scratch, textOf } from "../support.ts";

const WINDOWS = process.platform === "win32" ? "no signals on Windows" : false;

function events(text: string): Json[] {
  return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

/** Marks all processes of a test, to see that none is left. */
function mark(name: string): { name: string; env: Record<string, string> } {
  const value = `${name}_${process.pid}_${Date.now()}`;
  return { name: `LEFT_BEHIND=${value}`, env: { LEFT_BEHIND: value } };
}

for (const signal of ["INT", "TERM", "HUP"]) {
  test(
    `SIG${signal} during a command ends its tree and gives one result and exit 130`,
    { skip: WINDOWS },
    async () => {
      using scratch = new Scratch();
      const { name, env } = mark(signal);
      const command = `echo begun; sleep 300 & kill -${signal} $PPID; wait`;
      const { result, code, stdout } = await scratch.exec(["Bash", `command=${command}`], { env });
      assert.equal(code, 130);
      assert.equal(stdout.trimEnd().split("\n").length, 1);
      assert.equal(result.outcome, "interrupted");
      assert.match(textOf(result), /^begun\n\[interrupted; /);
      assert.deepEqual(await leftWith(name), []);
    },
  );
}

test("an interrupted stream still has an end for every call and one result as its last event", {
  skip: WINDOWS,
}, async () => {
  using scratch = new Scratch();
  const calls = [
    { id: "1", name: "Bash", args: { command: "kill -TERM $PPID; sleep 300" } },
    { id: "2", name: "Bash", args: { command: "sleep 300" } },
  ];
  const { results, code } = await scratch.batch(calls, ["--jsonl", "--allow", "Bash"]);
  assert.equal(code, 130);
  const ends = results.filter(({ type }) => type === "tool_end");
  assert.deepEqual(ends.map(({ id, outcome }) => [id, outcome]).sort(), [["1", "interrupted"], [
    "2",
    "interrupted",
  ]]);
  assert.deepEqual(results.slice(-2).map(({ type }) => type), ["session_end", "result"]);
  assert.equal(results.at(-2)!.reason, "signal");
  assert.deepEqual({ ...results.at(-1) }, { type: "result", calls: 2, failed: 2, exitCode: 130 });
});

test("the first Ctrl-C ends a batch that waits for more input", { skip: WINDOWS }, async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const agent = start(scratch, ["exec", "-", "--jsonl"]);
  agent.stdin!.write('{"id": "1", "name": "Read", "args": {"file_path": "a.txt"}}\n');
  const output = await until(agent, (text) => text.includes('"tool_end"'));
  // Deno reports the signal that `kill` of the child sent, whatever the child made of it.
  process.kill(agent.pid!, "SIGINT");
  const [code] = await once(agent, "close");
  agent.stdin!.destroy();
  assert.equal(code, 130);
  const all = events(output());
  assert.equal(all.find(({ type }) => type === "tool_end")!.outcome, "success");
  assert.equal(all.at(-1)!.type, "result");
});

test(
  "a second signal ends the process though a plugin hangs, and leaves nothing behind",
  { skip: WINDOWS },
  async () => {
    using scratch = new Scratch();
    scratch.plugin("slow", `agent.on("session_end", () => new Promise((go) => setTimeout(go, 300_000)));`);
    scratch.settings({ mods: { handlerTimeoutMs: 600_000 } });
    const { name, env } = mark("second");
    // TERM, the answer to the first signal, makes it send the second; it goes on until it is killed.
    const command = "trap 'kill -INT $PPID' TERM; kill -INT $PPID; while :; do sleep 300 & wait; done";
    const ran = await scratch.agent(["exec", "--plugins", "p", "Bash", `command=${command}`], {
      env,
    });
    assert.equal(ran.code, 130);
    assert.deepEqual(await leftWith(name), []);
  },
);

test("a reader that goes away is exit 0, and the running command is ended", { skip: WINDOWS }, async () => {
  using scratch = new Scratch();
  const { name, env } = mark("pipe");
  const agent = start(scratch, [
    "exec",
    "--jsonl",
    "Bash",
    "command=echo one; read -t 1 < <(sleep 300); while :; do echo more; sleep 0.1; done",
  ], env);
  await until(agent, (text) => text.includes("one"));
  agent.stdout!.destroy();
  const [code] = await once(agent, "close");
  assert.equal(code, 0);
  assert.deepEqual(await leftWith(name), []);
});

test(
  "a closed standard output is exit 0 for help, version and a batch, without a word",
  { skip: WINDOWS },
  async () => {
    using scratch = new Scratch();
    scratch.file("a.txt", "one\n");
    const call = '{"name": "Read", "args": {"file_path": "a.txt"}}\n';
    for (const args of [["--version"], ["-h"], ["exec", "--help"], ["exec", "-"]]) {
      // The reader ends before the writer begins.
      const script = `{ read -r _ <&3; "$@"; echo "$?" >code; } 3< <(sleep 0.2; echo) | true`;
      const ran = await run(["bash", "-c", script, "-", ...AGENT, ...args], {
        cwd: scratch.work,
        env: scratch.env(),
      }, call);
      assert.equal(ran.stderr, "", args.join(" "));
      assert.equal(scratch.read("code"), "0\n", args.join(" "));
    }
  },
);

test("a full standard output is one clear error and exit 1", {
  skip: process.platform !== "linux" && "no /dev/full",
}, async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const call = '{"name": "Read", "args": {"file_path": "a.txt"}}\n';
  for (const args of [["--version"], ["exec", "Read", "file_path=a.txt"], ["exec", "-"]]) {
    const ran = await run(["bash", "-c", '"$@" >/dev/full', "-", ...AGENT, ...args], {
      cwd: scratch.work,
      env: scratch.env(),
    }, call);
    assert.match(ran.stderr, /^error: Cannot write "standard output": .*no space left.*\n$/i, args.join(" "));
    assert.equal(ran.code, 1, args.join(" "));
  }
});

test("what a plugin leaves running doesn't keep the process", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  scratch.plugin("timer", "setInterval(() => {}, 1000);");
  const ran = await scratch.agent(["exec", "--plugins", "p", "Read", "file_path=a.txt"]);
  assert.equal(ran.stdout, "1\tone\n");
  assert.equal(ran.code, 0);
});

function start(scratch: Scratch, args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  const [program, ...first] = AGENT as [string, ...string[]];
  return spawn(program, [...first, ...args], {
    cwd: scratch.work,
    env: scratch.env(env),
    stdio: ["pipe", "pipe", "ignore"],
  });
}

/** Waits until the output fits; gives back a look at all of it. */
async function until(child: ChildProcess, fits: (text: string) => boolean): Promise<() => string> {
  let text = "";
  await new Promise<void>((resolve, reject) => {
    child.stdout!.on("data", (chunk: Uint8Array) => {
      text += new TextDecoder().decode(chunk);
      if (fits(text)) resolve();
    });
    child.once("close", () => reject(new Error(`ended early: ${text}`)));
  });
  return () => text;
}
