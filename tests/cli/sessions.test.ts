/** Sessions that outlive the call which started them: a daemon keeps them, and nobody else's. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createConnection, createServer } from "node:net";
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
  assert.match(list.stdout, /^1 {2}running {2}started \d+ s ago {2}echo begun; sleep 300 {2}\(in .*\)\n$/);
  assert.equal(list.code, 0);
});

test("a session's end, code and last output are kept until somebody asks", SKIP, async () => {
  await using user = new User();
  await user.start("command=echo begun; exit 3");
  const first = await user.sessions(["wait", "1"]);
  assert.deepEqual([first.stdout, first.code], ["begun\n[session 1 exited with code 3]\n", 3]);
  const { stdout } = await user.sessions(["list", "--json"]);
  assert.equal(JSON.parse(stdout).status, "success");
});

test("half a line is none, and what a look took of a line is part of it", SKIP, async () => {
  await using user = new User();
  const wait = (...words: string[]) => user.sessions(["wait", "1", "--for", "60", ...words]);
  const go = (name: string) => `until [ -e ${name} ]; do sleep 0.02; done`;
  await user.start(`command=printf 'port 8'; ${go("a")}; echo 080; ${go("b")}; printf 'Sure? '; ${go("c")}`);
  // A program that says nothing more has a prompt there.
  assert.equal((await wait("--until", "port 8$")).stdout, "port 8\n[session 1 running]\n");
  user.file("a", "");
  assert.equal((await wait("--until", "^port 8080$")).stdout, "080\n[session 1 running]\n");
  user.file("b", "");
  assert.equal((await wait("--until", "^Sure\\? $")).stdout, "Sure? \n[session 1 running]\n");
  user.file("c", "");
  assert.equal((await wait("--until", "Sure")).code, 1, "that was seen before");
});

test("a session is followed to its end: what is new, what comes, and its exit code", SKIP, async () => {
  await using user = new User();
  const go = (name: string) => `until [ -e ${name} ]; do sleep 0.02; done`;
  await user.start(`command=echo old; ${go("a")}; echo new; printf 'no end'; exit 5`);
  const agent = begin(user, ["sessions", "poll", "1", "--follow"]);
  const output = await until(agent, "old\n");
  user.file("a", "");
  const [code] = await once(agent, "close");
  assert.deepEqual([output(), code], ["old\nnew\nno end", 5]);
  // It was all taken.
  const { stdout, stderr } = await user.sessions(["poll", "1", "--follow"]);
  assert.deepEqual([stdout, stderr], ["", "[session 1 exited with code 5]\n"]);
  assert.doesNotMatch((await user.sessions(["list"])).stdout, /^1/m);

  await user.start("command=echo begun; exec sleep 300");
  const other = begin(user, ["sessions", "poll", "2", "--follow"]);
  await until(other, "begun\n");
  process.kill(other.pid!, "SIGINT");
  assert.equal((await once(other, "close"))[0], 130);
  assert.equal(
    (await user.sessions(["poll", "2", "--wait", "0"])).stdout,
    "[session 2 running; nothing new]\n",
  );

  const third = begin(user, ["sessions", "poll", "2", "--follow", "--deny", "shell_session"]);
  assert.equal((await once(third, "close"))[0], 3);
  const missing = await user.sessions(["poll", "9", "--follow"]);
  assert.match(missing.stderr, /^error: Cannot find session 9: there never was one\n\nhint: running: 2\n$/);
  assert.deepEqual([missing.stdout, missing.code], ["", 1]);
  for (const flag of [["--json"], ["--peek"], ["--filter", "x"], ["--wait", "1"]]) {
    const ran = await user.sessions(["poll", "2", "--follow", ...flag]);
    assert.match(ran.stderr, /^error: Cannot use --\w+ with --follow: .*\n\nhint: /);
    assert.equal(ran.code, 2);
  }
});

test("a follower loses and repeats nothing, however often its call's time is over", SKIP, async () => {
  await using user = new User();
  await user.start("command=echo begun; until [ -e go ]; do sleep 0.02; done; seq 1 20000; exit 3");
  const socket = createConnection(path.join(user.daemon, "socket"));
  let text = "";
  socket.setEncoding("utf8").on("data", (more: string) => text += more);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  const args = { action: "wait", session_id: 1, timeout_s: 0.05 };
  const caller = { cwd: user.work, env: user.env() };
  const call = { args, waits: true, follows: true };
  socket.write(JSON.stringify({ ask: "call", call, caller, flags: [], color: false }) + "\n");
  const log = path.join(user.state, "log");
  const rounds = () =>
    existsSync(log)
      ? readdirSync(log).filter((name) =>
        readFileSync(path.join(log, name), "utf8").includes('"shell_session"')
      ).length
      : 0;
  await eventually(() => rounds() > 2);
  user.file("go", "");
  await closed;
  const answers: Json[] = text.trimEnd().split("\n").map((line) => JSON.parse(line));
  const output = answers.filter(({ fd }) => fd === 1).map((answer) => answer.text).join("");
  const lines = ["begun", ...Array.from({ length: 20_000 }, (_, index) => String(index + 1))];
  assert.equal(output, lines.join("\n") + "\n");
  assert.equal(answers.at(-1)!.code, 3);
});

test("what is followed is redacted, and nothing is shown of it where a rule forbids", SKIP, async () => {
  await using user = new User();
  const secret = "Zq8vKp2LmN4rTy6WbX0d";
  await user.agent(["secrets", "set", "TOK"], { input: secret });
  await user.start("command=echo begun; echo $TOK");
  const { stdout } = await user.sessions(["poll", "1", "--follow"]);
  assert.equal(stdout, "begun\n<redacted:TOK>\n");
  await user.start("command=echo private");
  const denied = await user.sessions(["poll", "2", "--follow", "--deny", "shell_session"]);
  assert.deepEqual([denied.stdout, denied.code], ["", 3]);
});

test("several sessions are ended, or all that run", SKIP, async () => {
  await using user = new User();
  for (let i = 0; i < 4; i++) await user.start();
  const two = await user.sessions(["kill", "1", "2"]);
  assert.equal(two.stdout, "begun\n[session 1 killed]\nbegun\n[session 2 killed]\n");
  assert.equal(two.code, 0);
  const some = await user.sessions(["kill", "99", "1"]);
  assert.match(some.stderr, /^error: Cannot find session 99: /);
  assert.deepEqual([some.stdout, some.code], ["[session 1 killed]\n", 1]);
  const all = await user.sessions(["kill", "--all", "--json"]);
  const results: Json[] = all.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(results.map(({ structured }) => [structured.session, structured.state]), [
    [3, "killed"],
    [4, "killed"],
  ]);
  const none = await user.sessions(["kill", "--all"]);
  assert.deepEqual([none.stdout, none.stderr, none.code], ["", "no session is running\n", 0]);
  for (const words of [["kill"], ["kill", "1", "--all"], ["kill", "1", "x"]]) {
    assert.equal((await user.sessions(words)).code, 2, words.join(" "));
  }
});

test("limits are said in the words of the flags, and help has them", SKIP, async () => {
  await using user = new User();
  const odd: [string[], RegExp][] = [
    [["wait", "1", "--for", "601"], /^error: Cannot use --for 601: more than 600 seconds\n\nhint: /],
    [["poll", "1", "--wait", "301"], /^error: Cannot use --wait 301: more than 300 seconds\n\nhint: /],
  ];
  for (const [words, text] of odd) {
    const ran = await user.sessions(words);
    assert.match(ran.stderr, text);
    assert.equal(ran.code, 2);
  }
  assert.match((await user.sessions(["wait", "-h"])).stdout, /--for .*600 at most/);
  assert.match((await user.sessions(["poll", "-h"])).stdout, /--wait .*300 at most/);
});

test("people are told how a session stands, models that they may do something else", SKIP, async () => {
  await using user = new User();
  await user.start("command=exec sleep 300");
  const { stdout } = await user.sessions(["poll", "1", "--wait", "0"]);
  assert.equal(stdout, "[session 1 running; nothing new]\n");
  const alone = await user.agent(["exec", "Monitor", "description=build", "command=sleep 300"]);
  assert.match(alone.stdout, /watcher 1\)\. It ends with this run, so nobody is told its lines\n$/);
  assert.match(alone.stderr, /session 1 \(sleep 300\) was ended with this run; --detach keeps it/);
  const left = await user.agent(["exec", "Bash", "command=sleep 300 & echo done"]);
  assert.match(left.stdout, /as session 1; they end with this run\]/);
  const kept = await user.detach(["Bash", "command=sleep 300 & echo done"]);
  assert.match(kept.stdout, /as session 2; they go on until they are ended\]/);
});

test(
  "waiting ends as the command did, says when its time is over, and whether a line came",
  SKIP,
  async () => {
    await using user = new User();
    const wait = async (...words: string[]) => (await user.sessions(["wait", ...words])).code;
    await user.start("command=echo line; exit 0");
    await user.start("command=echo line; kill -TERM $$");
    await user.start("command=echo line; until [ -e go ]; do sleep 0.05; done; exit 5");
    assert.equal(await wait("1"), 0);
    assert.equal(await wait("2"), 143);
    assert.equal(await wait("3", "--until", "line"), 0);
    assert.equal(await wait("3", "--for", "0.1"), 124);
    assert.equal(await wait("3", "--for", "0.1", "--until", "never"), 124);
    user.file("go", "");
    assert.equal(await wait("3", "--until", "never"), 5);
    assert.equal(await wait("1", "--until", "never"), 1, "its own code was 0, and the line never came");
    assert.equal(await wait("3", "--json"), 5);
    assert.equal(await wait("99"), 1);
    const { stdout } = await user.sessions(["wait", "3", "--jsonl"]);
    assert.doesNotMatch(stdout, /./, "there is no such flag");
  },
);

test(
  "what a watched command prints is shown by list and poll, and so is that its time is over",
  SKIP,
  async () => {
    await using user = new User();
    const started = await user.detach([
      "Monitor",
      "description=build",
      "command=echo one; echo two; exec sleep 300",
    ]);
    assert.match(
      started.stdout,
      /^Session 1 watches: build \(watcher 1\)\. Nothing is told unasked here: poll /,
    );
    await eventually(async () => /two/.test((await user.sessions(["list"])).stdout));
    assert.match(
      (await user.sessions(["list"])).stdout,
      /^1 {2}running .*\n {3}\[build\] one\n {3}\[build\] two\n$/,
    );
    assert.equal((await user.sessions(["poll", "1"])).stdout, "one\ntwo\n[session 1 running]\n");
    assert.match((await user.sessions(["list"])).stdout, /^1 {2}running .*\n$/);
    await user.detach([
      "Monitor",
      "description=short",
      "command=echo begun; exec sleep 300",
      "timeout_ms:=500",
    ]);
    const over = "ended, as its time of 0.5 s is over";
    // Nobody was told of its end, so it stays in the list until somebody asks.
    await eventually(async () => (await user.sessions(["list"])).stdout.includes(`2  ${over}`));
    assert.equal((await user.sessions(["poll", "2"])).stdout, `begun\n[session 2 ${over}]\n`);
    assert.doesNotMatch((await user.sessions(["list"])).stdout, /^2/m);
  },
);

test(
  "a client that doesn't read what a call prints gets its beginning and end, and is told so",
  SKIP,
  async () => {
    await using user = new User();
    await user.start();
    const command = "head -c 40000000 /dev/zero | tr '\\0' x; touch printed";
    const socket = createConnection(path.join(user.daemon, "socket"));
    await once(socket, "connect");
    socket.write(
      JSON.stringify({
        ask: "call",
        call: { name: "Bash", args: { command } },
        caller: { cwd: user.work, env: user.env() },
        flags: [["jsonl", []], ["full", []]],
        color: false,
      }) + "\n",
    );
    await eventually(() => user.exists("printed"));
    let text = "";
    socket.setEncoding("utf8").on("data", (more: string) => text += more);
    await once(socket, "close");
    const answers: Json[] = text.trimEnd().split("\n").map((line) => JSON.parse(line));
    assert.equal(answers.at(-1)!.code, 0);
    const [, left] = /^warning: (\d+) characters of output are left out: they were not read in time\n$/
      .exec(answers.filter(({ fd }) => fd === 2).map((answer) => answer.text).join(""))!;
    assert.ok(text.length < 20_000_000, String(text.length));
    const events: Json[] = answers.filter(({ fd }) => fd === 1).map((answer) => JSON.parse(answer.text));
    assert.ok(Number(left) + text.length > 40_000_000, left);
    assert.equal(events[0]!.type, "session_start");
    assert.deepEqual(events.slice(-3).map(({ type }) => type), ["tool_end", "session_end", "result"]);
  },
);

test("what is no call is not taken for one, and nothing stays of it", SKIP, async () => {
  await using user = new User();
  user.settings({ sessions: { idleMs: 30 } });
  await user.start("command=exec sleep 300");
  const good = { ask: "call", call: { args: {} }, caller: { cwd: "/", env: {} }, flags: [], color: false };
  const odd = [
    "no JSON",
    "[1]",
    "x".repeat(33 * 1024 * 1024),
    { ask: "nothing" },
    { ask: "call" },
    { ...good, caller: null },
    { ...good, flags: 5 },
    { ...good, call: { name: 1, args: {} } },
    { ...good, caller: { cwd: "/", env: { A: 1 } } },
    { ...good, flags: [["json"]] },
  ];
  for (const message of odd) {
    const socket = createConnection(path.join(user.daemon, "socket"));
    let text = "";
    socket.setEncoding("utf8").on("data", (more: string) => text += more);
    socket.on("error", () => {});
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.write((typeof message === "string" ? message : JSON.stringify(message)) + "\n");
    await closed;
    const answers: Json[] = text.trimEnd().split("\n").map((line) => JSON.parse(line));
    const [, said, end] = answers as [Json, Json, Json];
    assert.match(said.text, /^error: Cannot take the request: /, String(message).slice(0, 100));
    assert.deepEqual([answers.length, end], [3, { code: 2 }]);
  }
  await user.sessions(["kill", "1"]);
  // It ends when idle: no call is left behind.
  await eventually(() => !existsSync(path.join(user.daemon, "owner")));
});

test("commands inherit neither the daemon's socket nor its log", {
  skip: process.platform !== "linux" && "looked at in /proc",
}, async () => {
  await using user = new User();
  const look = "for fd in /proc/self/fd/*; do readlink $fd; done | grep -v /dev/null";
  for (const words of [["Bash", `command=${look}`], ["exec_command", `cmd=${look}`, "tty:=true"]]) {
    const { stdout } = await user.detach(words);
    assert.match(stdout, /pipe|pts/);
    assert.doesNotMatch(stdout, /socket:|daemon\/log/, words[0]);
  }
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
  const poll = await user.sessions(["poll", "1"]);
  assert.match(
    poll.stderr,
    /^error: Cannot find session 1: the daemon that kept it ended unexpectedly\n\nhint: ".*daemon\/log" may say why\n$/,
  );
  assert.equal(poll.code, 1);
  const list = await user.sessions(["list"]);
  assert.equal(list.stdout, "No session is running\n");
  assert.match(list.stderr, /^warning: the daemon ended unexpectedly; ".*daemon\/log" may say why\n$/);
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
  assert.equal(
    ran.stderr,
    "error: Cannot find session 99: no daemon is running\n\nhint: agent exec --detach starts one\n",
  );
  assert.equal(ran.code, 1);
  assert.equal(JSON.parse((await user.sessions(["wait", "99", "--json"])).stdout).status, "error");
  assert.equal(existsSync(user.daemon), false);
  await user.start();
  const other = await user.sessions(["poll", "99"]);
  assert.equal(other.stderr, "error: Cannot find session 99: there never was one\n\nhint: running: 1\n");
  assert.equal(other.code, 1);
  for (
    const words of [["poll"], ["poll", "one"], ["poll", "0"], ["kill", "1", "2x"], [
      "wait",
      "1",
      "--for",
      "x",
    ]]
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
