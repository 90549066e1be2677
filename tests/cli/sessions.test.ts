/** Sessions that outlive the call which started them: a daemon keeps them, and nobody else's. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import {
  AGENT,
  AGENTS,
  type Json,
  processesWith,
  type Ran,
  run,
  type RunOptions,
  Scratch,
} from "../support.ts";

const SKIP = { skip: process.platform === "win32" ? "no daemon on Windows" : false };
const SLEEPER = "command=echo begun; exec sleep 300";

/** A user with a daemon of their own, which ends with the test; all its processes carry a mark. */
class User extends Scratch implements AsyncDisposable {
  readonly mark = `KEPT_${process.pid}_${Date.now()}_${path.basename(this.root)}`;
  readonly daemon = path.join(this.state, "daemon");

  override env(more: Record<string, string | undefined> = {}): Record<string, string> {
    return super.env({ KEPT_MARK: this.mark, ...more });
  }

  detach(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    return this.agent(["exec", "--detach", ...args], options);
  }

  /** A command in the background. */
  async start(command = SLEEPER, options: RunOptions = {}): Promise<void> {
    const ran = await this.detach(["Bash", command, "run_in_background=true"], options);
    assert.match(ran.stdout, /^Command running in background with ID: \d+\n$/, JSON.stringify(ran));
    assert.equal(ran.code, 0);
  }

  sessions(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    return this.agent(["sessions", ...args], options);
  }

  async nothingRuns(): Promise<void> {
    await eventually(async () => (await processesWith(this.mark)).length === 0);
  }

  /** The daemon's number. */
  get pid(): number {
    return JSON.parse(readFileSync(path.join(this.daemon, "owner"), "utf8")).pid;
  }

  log(): string {
    return readFileSync(path.join(this.daemon, "log"), "utf8");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sessions(["stop"]);
    await this.nothingRuns();
    this.remove();
  }
}

/** Waits for what another process does, as long as it takes. */
async function eventually(done: () => boolean | Promise<boolean>): Promise<void> {
  while (!await done()) await new Promise((resolve) => setTimeout(resolve, 20));
}

test("a command that one call left running is asked about by a later one", SKIP, async () => {
  await using user = new User();
  await user.start("command=echo begun; sleep 300");
  assert.equal(
    (await user.sessions(["wait", "1", "--until", "begun"])).stdout,
    "begun\n[session 1 running]\n",
  );
  const list = await user.sessions(["list"]);
  assert.equal(list.stdout, `1  running  echo begun; sleep 300  (in ${user.work})\n`);
  assert.equal(list.code, 0);
});

test("a session's end, code and last output are kept until somebody asks", SKIP, async () => {
  await using user = new User();
  await user.start("command=echo begun; exit 3");
  const first = await user.sessions(["wait", "1"]);
  assert.deepEqual([first.stdout, first.code], ["begun\n[session 1 exited with code 3]\n", 0]);
  const { stdout } = await user.sessions(["list", "--json"]);
  assert.equal(JSON.parse(stdout).status, "success");
});

test("a detached call prints and ends as one that isn't detached", SKIP, async () => {
  await using user = new User();
  user.file("a.txt", "one\n");
  const calls = [
    ["Read", "file_path=a.txt"],
    ["Read", "file_path=missing.txt"],
    ["Bash", "command=echo out; echo err >&2; exit 7"],
    ["--exit-status", "Bash", "command=echo out; echo err >&2; exit 7"],
    ["Bash"],
    ["Bash", "nonsense=1"],
    ["Reed", "file_path=a.txt"],
    ["--deny", "Read", "Read", "file_path=a.txt"],
    ["--timeout", "0.2", "Bash", "command=sleep 300"],
    ["--dry-run", "Bash", "command=touch made"],
    ["--color", "always", "Reed"],
    ["Bash", "words that are no pair"],
  ];
  for (const call of calls) {
    const { stdout, stderr, code } = await user.agent(["exec", ...call]);
    const detached = await user.detach(call);
    assert.deepEqual([detached.stdout, detached.code], [stdout, code], call.join(" "));
    assert.equal(detached.stderr.replace(/\n\nhint: [^]*/, ""), stderr.replace(/\n\nhint: [^]*/, ""));
  }
  assert.equal(user.exists("made"), false);
});

test("a detached call's events end in one result", SKIP, async () => {
  await using user = new User();
  const { stdout } = await user.detach(["--jsonl", "Bash", "command=echo hi"]);
  const events: Json[] = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(events.map(({ type }) => type), [
    "session_start",
    "tool_start",
    "tool_output",
    "tool_end",
    "session_end",
    "result",
  ]);
  const refused = await user.detach(["--jsonl", "--plugins", "p", "Bash", "command=echo hi"]);
  assert.equal(refused.stdout.trimEnd().split("\n").length, 1);
  assert.equal(JSON.parse(refused.stdout).type, "error");
});

test(
  "each call has its caller's folder, variables and settings; secrets stay out of commands",
  SKIP,
  async () => {
    await using user = new User();
    const other = user.folder("other");
    const show = "command=pwd; echo ${SHOWN-none} ${AGENT_CHILD_OF%%.*}; env | grep -c ^HIDDEN_ || true";
    await user.start(show, { env: { SHOWN: "a", HIDDEN_TOKEN: "first-secret" } });
    await user.start(show, { cwd: other, env: { SHOWN: "b", AGENT_CHILD_OF: "stranger.1." } });
    const [one, two] = [await user.sessions(["wait", "1"]), await user.sessions(["wait", "2"])];
    assert.match(one.stdout, new RegExp(`^${user.work}\\na \\w+\\n0\\n`));
    assert.match(two.stdout, new RegExp(`^${other}\\nb [0-9a-f]{24}\\n0\\n`));
    const off = await user.detach(["--json", "Bash", "command=seq 100000"], {
      env: { AGENT_OVERFLOW: "off" },
    });
    assert.equal(JSON.parse(off.stdout).overflow, undefined);
    const on = await user.detach(["--json", "Bash", "command=seq 100000"]);
    assert.notEqual(JSON.parse(on.stdout).overflow, undefined);
    // The daemon itself doesn't keep what looks secret in its first caller's environment.
    if (process.platform === "linux") {
      assert.doesNotMatch(readFileSync(`/proc/${user.pid}/environ`, "latin1"), /first-secret/);
    }
  },
);

test("sessions of two folders have numbers of their own and are reached from both", SKIP, async () => {
  await using user = new User();
  const other = user.folder("other");
  await user.start();
  await user.start(SLEEPER, { cwd: other });
  const { stdout } = await user.sessions(["list"], { cwd: other });
  assert.deepEqual(stdout.trimEnd().split("\n").map((line) => line.replace(/ {2}.* {2}/, " ")), [
    `1 (in ${user.work})`,
    `2 (in ${other})`,
  ]);
  assert.equal((await user.sessions(["kill", "1"], { cwd: other })).code, 0);
  assert.match((await user.sessions(["list"])).stdout, /^2 .*\n$/);
});

test("however many start at once, one daemon serves them all", SKIP, async () => {
  await using user = new User();
  await Promise.all(Array.from({ length: 4 }, () => user.start()));
  const { stdout } = await user.sessions(["list"]);
  assert.deepEqual(stdout.trimEnd().split("\n").map((line) => line[0]), ["1", "2", "3", "4"]);
  assert.equal([...user.log().matchAll(/keeps sessions/g)].length, 1);
});

test("a line is written to a session's program, and keys", SKIP, async () => {
  await using user = new User();
  await user.detach([
    "exec_command",
    "cmd=read -r x; echo got $x; read -r y; echo and $y",
    "yield_time_ms:=1",
  ]);
  assert.match((await user.sessions(["write", "1", "yes"])).stdout, /^got yes\n/);
  await user.sessions(["write", "1", "ra", "--raw"]);
  assert.match((await user.sessions(["write", "1", "w"])).stdout, /^and raw\n/);
  const caught = "trap 'touch caught; exit' INT; touch ready; while :; do sleep 0.1; done";
  await user.detach(["exec_command", `cmd=${caught}`, "tty:=true", "yield_time_ms:=1"]);
  await eventually(() => user.exists("ready"));
  await user.sessions(["write", "2", "--key", "ctrl-c"]);
  await eventually(() => user.exists("caught"));
  const nothing = await user.sessions(["write", "1"]);
  assert.match(nothing.stderr, /^error: Cannot write: no text was given/);
  assert.equal(nothing.code, 2);
});

test(
  "the sessions end with agent sessions stop, with TERM, and the daemon leaves nothing",
  SKIP,
  async () => {
    await using user = new User();
    for (const end of [() => user.sessions(["stop"]), () => process.kill(user.pid, "SIGTERM")]) {
      await user.start("command=trap '' TERM; sleep 300 & sleep 300");
      await end();
      await eventually(() => !existsSync(path.join(user.daemon, "owner")));
      assert.equal(existsSync(path.join(user.daemon, "socket")), false);
      await user.nothingRuns();
    }
    assert.equal((await user.sessions(["stop"])).stderr, "no daemon is running\n");
  },
);

test("a daemon with nothing to do ends by itself, one that keeps a session doesn't", SKIP, async () => {
  await using user = new User();
  user.settings({ sessions: { idleMs: 30 } });
  await user.start("command=exec sleep 300");
  const { pid } = user;
  // Each call takes longer than the daemon would stay.
  for (let i = 0; i < 3; i++) assert.match((await user.sessions(["list"])).stdout, /^1 {2}running/);
  assert.equal(user.pid, pid);
  await user.sessions(["kill", "1"]);
  await eventually(() => !existsSync(path.join(user.daemon, "owner")));
  await user.nothingRuns();
});

test("output that nobody has asked for outlasts the idle time", SKIP, async () => {
  await using user = new User();
  user.settings({ sessions: { idleMs: 30 } });
  await user.start("command=echo result; touch over");
  await eventually(() => user.exists("over"));
  for (let i = 0; i < 3; i++) await user.detach(["Bash", "command=sleep 0.1"]);
  assert.equal((await user.sessions(["poll", "1"])).stdout, "result\n[session 1 exited with code 0]\n");
});

test("a killed daemon's sessions are gone at the next look, with all their processes", {
  skip: process.platform !== "linux" && "found by marks in /proc",
}, async () => {
  await using user = new User();
  await user.start("command=setsid sleep 300 & sleep 300");
  process.kill(user.pid, "SIGKILL");
  assert.equal((await user.sessions(["list"])).stdout, "No session is running\n");
  assert.deepEqual(await processesWith(user.mark), []);
  // Its socket is still there, and in nobody's way.
  assert.equal(existsSync(path.join(user.daemon, "socket")), true);
  await user.start();
  assert.match((await user.sessions(["list"])).stdout, /^1 {2}running/);
});

test("a call is told that the daemon ended under it", SKIP, async () => {
  await using user = new User();
  await user.start();
  const ran = await user.detach(["Bash", "command=kill -KILL $PPID; sleep 300"]);
  assert.match(ran.stderr, /^error: Cannot finish the call: the daemon ended meanwhile\n\nhint: /);
  assert.equal(ran.code, 1);
});

test("files that were left in the daemon's place are no daemon", SKIP, async () => {
  await using user = new User();
  mkdirSync(user.daemon, { recursive: true, mode: 0o755 });
  writeFileSync(path.join(user.daemon, "socket"), "");
  // Our number, but not our start: of a process that died long ago.
  writeFileSync(path.join(user.daemon, "owner"), JSON.stringify({ pid: process.pid, start: 1 }));
  assert.equal((await user.sessions(["list"])).stdout, "No session is running\n");
  await user.start();
  assert.equal(statSync(user.daemon).mode & 0o777, 0o700);
  assert.equal(statSync(path.join(user.daemon, "socket")).mode & 0o777, 0o600);
  assert.equal(statSync(path.join(user.daemon, "log")).mode & 0o777, 0o600);
});

test("a session that isn't there is an error, with a daemon and without", SKIP, async () => {
  await using user = new User();
  const ran = await user.sessions(["poll", "99"]);
  assert.equal(ran.stderr, "error: Cannot find session 99: there never was one\n\nhint: none is running\n");
  assert.equal(ran.code, 1);
  assert.equal(existsSync(user.daemon), false);
  await user.start();
  const other = await user.sessions(["poll", "99"]);
  assert.equal(other.stderr, "error: Cannot find session 99: there never was one\n\nhint: running: 1\n");
  assert.equal(other.code, 1);
  for (
    const words of [["poll"], ["poll", "one"], ["poll", "0"], ["kill", "1", "2"], ["wait", "1", "--for", "x"]]
  ) {
    assert.equal((await user.sessions(words)).code, 2, words.join(" "));
  }
});

test("what a detached call can't have is said", SKIP, async () => {
  await using user = new User();
  for (const words of [["--plugins", "p"], ["--hooks", "h.json"]]) {
    const ran = await user.detach([...words, "Bash", "command=echo hi"]);
    assert.match(ran.stderr, /^error: Cannot use --\w+ with --detach: .* your settings alone\n\nhint: /);
    assert.equal(ran.code, 2);
  }
  for (const words of [["-"], []]) {
    const ran = await user.detach(words, { input: '{"name":"Bash","args":{"command":"echo hi"}}\n' });
    assert.match(ran.stderr, /^error: Cannot use --detach with calls from standard input: /);
    assert.equal(ran.code, 2);
  }
  assert.equal(existsSync(user.daemon), false);
});

test("the user's plugins see detached calls, and a plugin that ends the process doesn't", SKIP, async () => {
  await using user = new User();
  user.file(
    path.join(user.config, "plugins/ends.ts"),
    `import { definePlugin } from "agent";
export default definePlugin({ name: "ends", setup(agent) {
  agent.on("tool_start", (call) => call.touches("**/private") ? { deny: "private" } : undefined, { tools: ["Read"] });
  setTimeout(() => { throw new Error("late"); });
  try { process.exit(9); } catch {}
} });
`,
  );
  await user.start();
  for (let i = 0; i < 2; i++) {
    const ran = await user.detach(["Read", "file_path=private"]);
    assert.equal(ran.stderr, "error: Cannot run Read: private\n");
    assert.equal(ran.code, 3);
  }
  assert.match((await user.sessions(["list"])).stdout, /^1 {2}running/);
  assert.match(user.log(), /nobody caught: late/);
});

test("Ctrl-C ends the detached call that waits, and no other", SKIP, async () => {
  await using user = new User();
  await user.start();
  const agent = begin(user, ["exec", "--detach", "--jsonl", "Bash", "command=echo begun; sleep 300"]);
  const output = await until(agent, "begun");
  process.kill(agent.pid!, "SIGINT");
  const [code] = await once(agent, "close");
  assert.equal(code, 130);
  assert.equal(JSON.parse(output().trimEnd().split("\n").at(-1)!).exitCode, 130);
  assert.match((await user.sessions(["list"])).stdout, /^1 {2}running/);
});

test("a caller that is killed takes its call along", SKIP, async () => {
  await using user = new User();
  await user.start();
  const agent = begin(user, [
    "exec",
    "--detach",
    "--jsonl",
    "Bash",
    "command=trap 'touch ended; exit' TERM; echo begun; while :; do sleep 300 & wait; done",
  ]);
  await until(agent, "begun");
  agent.kill("SIGKILL");
  await eventually(() => user.exists("ended"));
});

test("a daemon that a command started outlives that command's own session", SKIP, async () => {
  await using user = new User();
  const command = [...AGENT, "exec", "--detach", "Bash", SLEEPER, "run_in_background=true"]
    .map((word) => `'${word}'`).join(" ");
  const { result } = await user.exec(["Bash", `command=${command}`]);
  assert.equal(result.content[0].text, "Command running in background with ID: 1");
  assert.match((await user.sessions(["list"])).stdout, /^1 {2}running/);
});

test("a second agent sessions serve says who serves", SKIP, async () => {
  await using user = new User();
  await user.start();
  const ran = await user.sessions(["serve"]);
  assert.match(ran.stderr, new RegExp(`^error: Cannot serve sessions: process ${user.pid} does\n\nhint: `));
  assert.equal(ran.code, 1);
});

test(
  "another version's daemon makes room when it keeps nothing, and is left alone when it does",
  SKIP,
  async () => {
    await using user = new User();
    mkdirSync(user.daemon, { recursive: true, mode: 0o700 });
    const start = process.platform === "linux"
      ? Number(readFileSync("/proc/self/stat", "utf8").replace(/^.*\) /s, "").split(" ")[19])
      : 0;
    const owner = path.join(user.daemon, "owner");
    writeFileSync(owner, JSON.stringify({ pid: process.pid, start }));
    const asked: Json[] = [];
    let code = 1;
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.write(JSON.stringify({ hello: "0.0.1", pid: process.pid }) + "\n");
      socket.once("data", (data) => {
        asked.push(JSON.parse(String(data)));
        socket.end(JSON.stringify({ code }) + "\n");
        if (code !== 0) return;
        server.close();
        rmSync(owner);
      });
    });
    server.listen(path.join(user.daemon, "socket"));
    await once(server, "listening");
    const refused = await user.detach(["Bash", SLEEPER, "run_in_background=true"]);
    assert.match(refused.stderr, /^error: Cannot use the daemon: it is of version "0\.0\.1", this is /);
    assert.match(refused.stderr, /\n\nhint: agent sessions stop ends it with its sessions\n$/);
    assert.equal(refused.code, 1);
    code = 0;
    await user.start();
    assert.deepEqual(asked, [{ ask: "stop", ifIdle: true }, { ask: "stop", ifIdle: true }]);
    assert.match((await user.sessions(["list"])).stdout, /^1 {2}running/);
  },
);

test("a state folder too deep for a socket is an error that says so", SKIP, async () => {
  await using user = new User();
  const env = { XDG_STATE_HOME: path.join(user.root, "deep".repeat(30)) };
  const ran = await user.detach(["Bash", SLEEPER], { env });
  assert.match(ran.stderr, /^error: Cannot listen on ".*": a socket's path has at most 103 bytes\n\nhint: /);
  assert.equal(ran.code, 1);
});

const OTHER = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"];
const canBeOther = process.getuid?.() === 0 &&
  (await run([...OTHER, "true"]).catch(() => undefined))?.code === 0;

test("another user can neither connect nor be made to trust a stranger's daemon", {
  skip: !canBeOther && "needs root and setpriv",
}, async () => {
  await using user = new User();
  await user.start();
  // Everything on the way is open, so that only the daemon's own folder and socket keep them out.
  for (const folder of [user.root, path.dirname(user.state), user.state]) chmodSync(folder, 0o755);
  const env = user.env({ HOME: "/nonexistent", DENO_DIR: "/nonexistent" });
  const script = `require("net").connect(process.argv[1]).on("connect", () => console.log("in"))
    .on("error", ({ code }) => console.log(code))`;
  const connect = () =>
    run([...OTHER, AGENTS.node[0]!, "-e", script, path.join(user.daemon, "socket")], { cwd: "/", env });
  assert.equal((await connect()).stdout, "EACCES\n");
  // The socket alone keeps them out as well.
  chmodSync(user.daemon, 0o755);
  assert.equal((await connect()).stdout, "EACCES\n");
  for (const words of [["sessions", "list"], ["exec", "--detach", "Bash", "command=id"]]) {
    const ran = await run([...OTHER, ...AGENTS.node, ...words], { cwd: "/", env });
    assert.match(ran.stderr, /^error: Cannot use ".*daemon": it belongs to another user\n\nhint: /);
    assert.equal(ran.code, 1);
  }
});

function begin(user: User, args: readonly string[]): ChildProcess {
  const [program, ...first] = AGENT as [string, ...string[]];
  return spawn(program, [...first, ...args], {
    cwd: user.work,
    env: user.env(),
    stdio: ["ignore", "pipe", "ignore"],
  });
}

/** Waits until the output holds `part`; gives back a look at all of it. */
async function until(child: ChildProcess, part: string): Promise<() => string> {
  let text = "";
  await new Promise<void>((resolve, reject) => {
    child.stdout!.on("data", (chunk: Uint8Array) => {
      text += new TextDecoder().decode(chunk);
      if (text.includes(part)) resolve();
    });
    child.once("close", () => reject(new Error(`ended early: ${text}`)));
  });
  return () => text;
}
