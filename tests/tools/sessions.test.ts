/** Commands that outlive their call: what they answer, how they end, and that nothing of them stays. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type Json, processesWith, Scratch, textOf } from "../support.ts";
import { Talk } from "./talk.ts";

const FLAGS = ["--mode", "bypassPermissions", "--concurrency", "1"];

async function calls(scratch: Scratch, list: readonly [string, Json][], env: Record<string, string> = {}) {
  const { results } = await scratch.batch(list.map(([name, args]) => ({ name, args })), FLAGS, { env });
  return results;
}

function marker(): string {
  return `AGENT_TEST_${Math.random().toString(36).slice(2)}`;
}

test("three hundred sessions leave no zombie, no open file, and at most a hundred records", async () => {
  using scratch = new Scratch();
  const look: [string, Json] = ["Bash", {
    command: "ls /proc/$PPID/fd | wc -l; cat /proc/[0-9]*/stat 2>/dev/null | " +
      'awk -v p=$PPID \'{ sub(/.*\\) /, ""); if ($1 == "Z" && $2 == p) print "zombie" }\'',
  }];
  const many = (count: number, more: Json = {}): [string, Json][] =>
    Array.from(
      { length: count },
      () => ["exec_command", { cmd: "head -c 50000 /dev/zero; exit 1", ...more }],
    );
  const results = await calls(scratch, [
    ...many(10),
    look,
    ...many(270),
    ...many(20, { tty: true }),
    look,
    // One that was over with its answer has no number, so these are the first.
    ...Array.from({ length: 102 }, (_, index): [string, Json][] => [
      ["Bash", { command: "exit 1", run_in_background: true }],
      ["shell_session", { action: "wait", session_id: index + 1, timeout_s: 60 }],
    ]).flat(),
    ["shell_session", { action: "poll", session_id: 1 }],
    ["shell_session", { action: "poll", session_id: 102, yield_time_ms: 0 }],
    ["shell_session", { action: "list" }],
  ]);
  const [before, after] = [results[10]!, results[301]!].map((result) => textOf(result).split("\n"));
  assert.deepEqual([before!.slice(1), after!.slice(1)], [[], []]);
  assert.ok(Number(after![0]) <= Number(before![0]) + 5, `${before![0]} files became ${after![0]}`);
  const [old, recent, list] = results.slice(302 + 204);
  assert.match(textOf(old!), /^Cannot find session 1: it ended long ago/);
  assert.match(textOf(recent!), /^\[session 102 exited with code 1\]/);
  assert.equal(textOf(list!), "No session is running");
});

test("what can't be written to says which of the reasons it is", async () => {
  using scratch = new Scratch();
  const [, , ended, shut, never, full, , again] = await calls(scratch, [
    ["exec_command", { cmd: "read x; exit 7", yield_time_ms: 1 }],
    ["write_stdin", { session_id: 1, chars: "\n", yield_time_ms: 30_000 }],
    ["exec_command", { cmd: "exec 0<&-; touch shut; sleep 300", yield_time_ms: 500 }],
    ["write_stdin", { session_id: 1, chars: "x" }],
    ["shell", { command: ["sh", "-c", "until [ -e shut ]; do :; done"] }],
    ["write_stdin", { session_id: 99, chars: "x" }],
    ["exec_command", { cmd: "sleep 300", yield_time_ms: 250 }],
    ["write_stdin", { session_id: 2, chars: "x" }],
    ["write_stdin", { session_id: 3, chars: "x".repeat(1_000_000) }],
  ]).then((results) => [
    results[1],
    results[2],
    results[3],
    results[7],
    results[5],
    results[8],
    results[4],
    results[6],
  ]);
  assert.match(textOf(ended!), /^Cannot write to session 1: it exited with code 7\n/);
  assert.match(textOf(shut!), /^Cannot write to session 2: its standard input is closed\n/);
  assert.match(textOf(never!), /^Cannot find session 99: there never was one/);
  assert.deepEqual([ended, shut, never].map((result) => result!.outcome), Array(3).fill("error"));
  // A program that never reads holds nobody up.
  assert.equal(full!.outcome, "success");
  assert.match(textOf(again!), /session ID 3/);
});

test("ctrl-c reaches a command without a terminal", async () => {
  using scratch = new Scratch();
  const trap = "trap 'echo caught; exit 9' INT; echo ready; while :; do sleep 0.05; done";
  const results = await calls(scratch, [
    ["Bash", { command: trap, run_in_background: true }],
    ["shell_session", { action: "wait", session_id: 1, until_output: "ready", timeout_s: 60 }],
    ["shell_session", { action: "poll", session_id: 1, keys: ["ctrl-c"], peek: true }],
    ["shell_session", { action: "wait", session_id: 1, timeout_s: 60 }],
    ["exec_command", { cmd: "sleep 300", yield_time_ms: 250 }],
    ["write_stdin", { session_id: 2, chars: "\u0003" }],
    ["shell_session", { action: "wait", session_id: 2, timeout_s: 60 }],
  ]);
  assert.match(textOf(results[3]!), /caught\n\[session 1 exited with code 9\]$/);
  assert.match(textOf(results[6]!), /^\[session 2 ended by SIGINT\]$/);
});

test("a session that is killed is gone with all that it started, and its port is free", async () => {
  using scratch = new Scratch();
  const mark = marker();
  scratch.file(
    "serve.py",
    "import socket, time\ns = socket.socket()\ns.bind(('127.0.0.1', 0))\ns.listen()\n" +
      "open('port', 'w').write(str(s.getsockname()[1]))\nprint('serving', flush=True)\ntime.sleep(300)\n",
  );
  scratch.file(
    "connect.py",
    "import socket\ntry:\n  socket.create_connection(('127.0.0.1', int(open('port').read())))\n" +
      "  print('taken')\nexcept ConnectionRefusedError:\n  print('free')\n",
  );
  const talk = new Talk(scratch, [], { [mark]: "1" });
  const command = "sh -c 'python3 serve.py & setsid sleep 300 & wait'";
  const started = await talk.call("Bash", { command, run_in_background: true });
  assert.equal(textOf(started), "Command running in background with ID: 1");
  await talk.call("ShellSession", { action: "wait", session_id: 1, until_output: "serving", timeout_s: 60 });
  const connect = async () => textOf(await talk.call("Bash", { command: "python3 connect.py" }));
  assert.equal(await connect(), "taken");
  assert.match(textOf(await talk.call("KillBash", { shell_id: "1" })), /\[session 1 killed\]/);
  assert.equal(await connect(), "free");
  const names = (await processesWith(mark)).map((pid) => readFileSync(`/proc/${pid}/cmdline`, "latin1"));
  assert.deepEqual(names.filter((name) => /sleep|serve\.py/.test(name)), []);
  assert.match(textOf(await talk.call("KillBash", { shell_id: "1" })), /\[session 1 killed\]/);
  await talk.end();
  assert.deepEqual(await processesWith(mark), []);
});

test("one that ended by itself was not killed, whoever tries later", async () => {
  using scratch = new Scratch();
  const results = await calls(scratch, [
    ["Bash", { command: "echo bye; exit 4", run_in_background: true }],
    ["TaskOutput", { task_id: "1" }],
    ["KillBash", { shell_id: "1" }],
    ["TaskStop", { task_id: "1" }],
    ["BashOutput", { shell_id: "1" }],
  ]);
  assert.equal(textOf(results[1]!), "bye\n[session 1 exited with code 4]");
  assert.equal(results[1]!.structured.exitCode, 4);
  for (const result of results.slice(2)) assert.equal(textOf(result), "[session 1 exited with code 4]");
});

test("what a command leaves behind is named, shows what is new, and can be ended", async () => {
  using scratch = new Scratch();
  const talk = new Talk(scratch);
  const left = await talk.call("Bash", {
    command: "(until [ -e go ]; do sleep 0.02; done; echo late; sleep 300) & echo done",
  });
  assert.equal(
    textOf(left),
    "done\n[processes that it started still run, as session 1; they end with the runtime]",
  );
  assert.deepEqual([left.exitCode, left.structured], [0, { session: 1, state: "adopted" }]);
  const quiet = await talk.call("ShellSession", { action: "poll", session_id: 1, yield_time_ms: 0 });
  assert.match(
    textOf(quiet),
    /^\[session 1 exited with code 0; processes that it started still run; nothing new/,
  );
  scratch.file("go", "");
  const heard = await talk.call("ShellSession", {
    action: "wait",
    session_id: 1,
    until_output: "late",
    timeout_s: 60,
  });
  assert.match(textOf(heard), /^late\n\[session 1 exited with code 0; processes/);
  assert.match(
    textOf(await talk.call("ShellSession", { action: "list" })),
    /^1 {2}exited with code 0; processes that it started still run {2}(?:started .* ago {2})?\(until/,
  );
  await talk.call("KillBash", { shell_id: "1" });
  assert.equal(textOf(await talk.call("ShellSession", { action: "list" })), "No session is running");
  await talk.end();
});

test("what was left behind and ends by itself is over", async () => {
  using scratch = new Scratch();
  const talk = new Talk(scratch);
  await talk.call("exec_command", { cmd: "(until [ -e go ]; do sleep 0.02; done) & exit 3" }).then((left) => {
    assert.match(
      textOf(left),
      /^Process exited with code 3\nProcesses that it started still run, as session ID 1$/m,
    );
    assert.deepEqual([left.outcome, left.exitCode], ["error", 3]);
  });
  scratch.file("go", "");
  const over = await talk.call("ShellSession", { action: "wait", session_id: 1, timeout_s: 60 });
  assert.equal(textOf(over), "[session 1 exited with code 3]");
  await talk.end();
});

test("a filter shows the new lines that it fits, in linear time; a bad one is an error", async () => {
  using scratch = new Scratch();
  const evil = "x".repeat(50_00);
  const results = await calls(scratch, [
    ["Bash", { command: `echo apple; echo pear; echo ${evil}`, run_in_background: true }],
    ["ShellSession", { action: "wait", session_id: 1, until_output: "xxx", timeout_s: 60 }],
    ["Bash", { command: `echo apple; echo pear; echo apricot; echo ${evil}`, run_in_background: true }],
    ["Bash", { command: "true" }],
    ["ShellSession", {
      action: "poll",
      session_id: 2,
      filter: "(x+x+)+y",
      peek: true,
      yield_time_ms: 60_000,
    }],
    ["BashOutput", { shell_id: "2", filter: "(" }],
    ["ShellSession", { action: "wait", session_id: 2, until_output: "(?<=a)b" }],
    ["BashOutput", { shell_id: "2", filter: "^ap" }],
    ["BashOutput", { shell_id: "2" }],
  ]);
  assert.match(textOf(results[1]!), /^apple\npear\nxxx/);
  assert.match(results[4]!.content[0].text, /none of which the filter fits\]$/);
  assert.match(textOf(results[5]!), /^Cannot use the pattern "\(": /);
  assert.match(textOf(results[6]!), /^Cannot use the pattern "\(\?<=a\)b": /);
  assert.deepEqual([results[5]!.outcome, results[6]!.outcome], ["error", "error"]);
  assert.match(textOf(results[7]!), /^apple\napricot\n\[session 2 /);
  assert.match(textOf(results[8]!), /^\[session 2 /);
});

test("a filter looks through all that is new, however much is shown", async () => {
  using scratch = new Scratch();
  const talk = new Talk(scratch);
  const ended = (id: number) =>
    talk.event(({ type, text }) => type === "notice" && text.startsWith(`[session ${id} `));
  const start = (command: string) => talk.call("Bash", { command, run_in_background: true });
  await start("seq 1 20000; echo 'the N\u00c4\u00dfDLE'; seq 1 20000");
  await ended(1);
  const found = await talk.call("BashOutput", { shell_id: "1", filter: "N\u00c4\u00dfDLE|^19999$" });
  assert.equal(found.content[0].text, "19999\nthe N\u00c4\u00dfDLE\n19999\n[session 1 exited with code 0]");
  assert.match(textOf(await talk.call("BashOutput", { shell_id: "1" })), /^\[session 1 exited/);

  // What was taken before isn't new, and what is peeked at stays so.
  await start("seq 1 20000; echo old; until [ -e go ]; do sleep 0.02; done; echo new; seq 1 20000");
  await talk.call("ShellSession", { action: "wait", session_id: 2, until_output: "^old$", timeout_s: 60 });
  scratch.file("go", "");
  await ended(2);
  const poll = { action: "poll", session_id: 2, filter: "^(old|new|20000)$", yield_time_ms: 0 };
  for (const peek of [true, false]) {
    const polled = await talk.call("ShellSession", { ...poll, peek });
    assert.equal(polled.content[0].text, "new\n20000\n[session 2 exited with code 0]");
  }

  // Too many lines that fit are cut like any output, with the first and the last of them.
  await start("seq 1 100000");
  await ended(3);
  const { content: [{ text: many }] } = await talk.call("BashOutput", { shell_id: "3", filter: "7" });
  assert.ok(many.length <= 30_000, String(many.length));
  assert.match(many, /^7\n17\n27\n/);
  assert.match(many, /\n\.\.\. \[\d+ .*omitted; all of it: \S+\] \.\.\.\n/);
  assert.match(many, /\n99997\n\[session 3 exited with code 0\]$/);
  await talk.end();
});

test("a filter says what it couldn't look through", async () => {
  using scratch = new Scratch();
  for (const overflow of [{ fileCapBytes: 20_000 }, { enabled: false }]) {
    scratch.settings({ overflow });
    const talk = new Talk(scratch);
    await talk.call("Bash", { command: "seq 1 20000; echo NEEDLE; seq 1 20000", run_in_background: true });
    await talk.event(({ type }) => type === "notice");
    const found = await talk.call("BashOutput", { shell_id: "1", filter: "NEEDLE|^1$|^20000$" });
    const [{ text }] = found.content;
    assert.match(text, /^1\n\.\.\. \[\d+ .*omitted.*\] \.\.\.\n20000\n\[session 1 exited with code 0\]$/);
    await talk.end();
  }
});

test("only what was given as a session's name is one", async () => {
  using scratch = new Scratch();
  const names = ["task_a9f1", "a1", "1.1", "-1", "0", "bash", "task_1"];
  const [, ...rest] = await calls(scratch, [
    ["Bash", { command: "sleep 300", run_in_background: true }],
    ...names.map((shell_id): [string, Json] => ["KillBash", { shell_id }]),
    ...["1", "bash_1", "shell_1", "session_1"].map((task_id): [string, Json] => [
      "TaskOutput",
      { task_id, block: false },
    ]),
  ]);
  for (const [index, name] of names.entries()) {
    const { outcome } = rest[index]!;
    assert.ok(outcome === "error" || outcome === "invalid", outcome);
    assert.ok(textOf(rest[index]!).includes(`Cannot find session "${name}": there never was one`), name);
  }
  for (const result of rest.slice(names.length)) assert.match(textOf(result), /^\[session 1 running/);
});

test("what comes after a call is not its output any more", async () => {
  using scratch = new Scratch();
  const talk = new Talk(scratch);
  const late = "until [ -e go ]; do sleep 0.02; done; echo late";
  await talk.call("Bash", { command: late, run_in_background: true });
  await talk.call("Bash", { command: `(${late}) & echo` });
  await talk.call("exec_command", { cmd: `echo early; ${late}`, yield_time_ms: 250 });
  await talk.call("Monitor", { command: late, description: "d" });
  scratch.file("go", "");
  for (const session_id of [1, 2, 3, 4]) {
    const waited = await talk.call("ShellSession", { action: "wait", session_id, timeout_s: 60 });
    assert.match(textOf(waited), /late\n\[session/);
  }
  await talk.end();
  const ended = new Set<string>();
  for (const { type, id } of talk.events) {
    if (type === "tool_end") ended.add(id);
    if (type === "tool_output") assert.ok(!ended.has(id), id);
  }
  assert.ok(talk.events.some(({ type, text }) => type === "tool_output" && /early/.test(text)));
});

test("an end that an answer told isn't told again, and that of who was left behind is told once", async () => {
  using scratch = new Scratch();
  const talk = new Talk(scratch);
  const late = "(until [ -e go ]; do sleep 0.02; done) &";
  const left = await talk.call("exec_command", { cmd: `${late} exit 3` });
  assert.match(textOf(left), /^Process exited with code 3$/m);
  assert.match(textOf(await talk.call("Bash", { command: `${late} echo now` })), /as session 2;/);
  await talk.call("Bash", { command: `${late} echo now`, run_in_background: true });
  await talk.event(({ type, text }) => type === "notice" && text.startsWith("[session 3 "));
  scratch.file("go", "");
  const over = (id: number) =>
    talk.event(({ type, text }) =>
      type === "notice" && text.startsWith(`[session ${id} `) && / is over: /.test(text)
    );
  for (const id of [1, 2, 3]) await over(id);
  const list = await talk.call("ShellSession", { action: "list" });
  // What was printed and not asked for can still be.
  assert.match(list.content[0].text, /^3 {2}exited with code 0 [^\n]*$/);
  await talk.end();
  assert.equal(talk.notices().length, 4, talk.notices().join("\n"));
  const is = /^\[session \d \(.*\) is over: what it left behind has ended, after \d+\.\d s\]$/;
  assert.equal(talk.notices().filter((text) => is.test(text)).length, 3, talk.notices().join("\n"));
});

test("ctrl-c reaches those that a command in a terminal left behind, or says that nobody is there", async () => {
  using scratch = new Scratch();
  const talk = new Talk(scratch);
  scratch.file(
    "left.py",
    "import signal, time\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n" +
      "def caught(*_):\n  open('caught', 'w').close()\n  raise SystemExit\n" +
      "signal.signal(signal.SIGINT, caught)\nopen('up', 'w').close()\ntime.sleep(300)\n",
  );
  const left = await talk.call("exec_command", {
    cmd: "python3 left.py & until [ -e up ]; do sleep 0.02; done",
    tty: true,
    yield_time_ms: 30_000,
  });
  assert.match(textOf(left), /still run, as session ID 1/);
  const pressed = await talk.call("ShellSession", { action: "poll", session_id: 1, keys: ["ctrl-c"] });
  assert.equal(pressed.outcome, "success");
  const over = await talk.call("ShellSession", { action: "wait", session_id: 1, timeout_s: 60 });
  assert.match(textOf(over), /\[session 1 exited with code 0\]$/);
  assert.ok(scratch.exists("caught"));
  await talk.end();
});

test("a session that a daemon keeps is not said to end with the call", async () => {
  using scratch = new Scratch();
  const mark = marker();
  try {
    const { result } = await scratch.exec(["--detach", "Bash", "command=sleep 300 & echo done"], {
      env: { [mark]: "1" },
    });
    assert.equal(
      textOf(result),
      "done\n[processes that it started still run, as session 1; they go on until they are ended]",
    );
  } finally {
    await scratch.agent(["sessions", "stop"]);
    while ((await processesWith(mark)).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  }
});

test("until_output finds a line however much comes with it", async () => {
  using scratch = new Scratch();
  const talk = new Talk(scratch);
  const command =
    "until [ -e go ]; do sleep 0.02; done; seq 1 20000; echo the needle; seq 1 200000; sleep 300";
  await talk.call("Bash", { command, run_in_background: true });
  const waiting = talk.call("ShellSession", {
    action: "wait",
    session_id: 1,
    until_output: "^the needle$",
    timeout_s: 60,
  });
  await talk.event(({ type, name }) => type === "tool_start" && name === "ShellSession");
  scratch.file("go", "");
  const found = await waiting;
  assert.match(textOf(found), /\[session 1 running\]$/);
  assert.ok(found.durationMs < 50_000);
  await talk.end();
});

test("the end of a background command is told once: as an event, and with the next result", async () => {
  using scratch = new Scratch();
  const talk = new Talk(scratch);
  await talk.call("Bash", { command: "exit 3", run_in_background: true });
  const { source, text } = await talk.event(({ type }) => type === "notice");
  assert.equal(source, "session 1");
  assert.match(text, /^\[session 1 \(exit 3\) exited with code 3 after \d+\.\d s\]$/);
  const next = await talk.call("Bash", { command: "echo hi" });
  assert.deepEqual(next.content.map((block: Json) => block.text), ["hi", text]);
  const after = await talk.call("Bash", { command: "echo hi" });
  assert.deepEqual(after.content.map((block: Json) => block.text), ["hi"]);
  // Who waited for it needs no notice.
  await talk.call("Bash", { command: "until [ -e go ]; do sleep 0.02; done", run_in_background: true });
  scratch.file("go", "");
  const waited = await talk.call("TaskOutput", { task_id: "2" });
  assert.deepEqual(waited.content.map((block: Json) => block.text), ["[session 2 exited with code 0]"]);
  await talk.end();
  assert.equal(talk.notices().length, 1);
});

test("whatever ends the agent ends its sessions", async () => {
  using scratch = new Scratch();
  const mark = marker();
  const start: [string, Json][] = [
    ["Bash", { command: "sleep 300", run_in_background: true }],
    ["exec_command", { cmd: "trap '' TERM HUP INT; sleep 300", tty: true, yield_time_ms: 250 }],
    ["Monitor", { command: "setsid sleep 300", description: "d" }],
    ["Bash", { command: "setsid sleep 300 >/dev/null & echo" }],
  ];
  assert.equal((await calls(scratch, start, { [mark]: "1" })).length, 4);
  assert.deepEqual(await processesWith(mark), []);
});

test("ctrl-d ends the input of a command without a terminal, by name or as a character", async () => {
  using scratch = new Scratch();
  const results = await calls(scratch, [
    ["exec_command", { cmd: "sort", yield_time_ms: 1 }],
    ["ShellSession", {
      action: "poll",
      session_id: 1,
      chars: "b\na\n",
      keys: ["ctrl-d"],
      yield_time_ms: 60_000,
    }],
    ["exec_command", { cmd: "sort; until [ -e go ]; do sleep 0.02; done", yield_time_ms: 1 }],
    ["write_stdin", { session_id: 2, chars: "d\nc\n\x04", yield_time_ms: 1 }],
    ["ShellSession", { action: "wait", session_id: 2, until_output: "^d$", timeout_s: 60 }],
    ["write_stdin", { session_id: 2, chars: "e\n", yield_time_ms: 1 }],
  ]);
  assert.equal(textOf(results[1]!), "a\nb\n[session 1 exited with code 0]");
  assert.match(textOf(results[3]!) + textOf(results[4]!), /c\nd/);
  assert.match(textOf(results[5]!), /Cannot write to session 2: its standard input is closed/);
});

test("what was started without an input says how to start what can be written to", async () => {
  using scratch = new Scratch();
  const results = await calls(scratch, [
    ["Bash", { command: "sleep 300", run_in_background: true }],
    ["ShellSession", { action: "poll", session_id: 1, chars: "x\n" }],
    ["ShellSession", { action: "poll", session_id: 1, keys: ["ctrl-d"] }],
  ]);
  for (const result of results.slice(1)) {
    const said =
      "Cannot write to session 1: it was started without an input; start it with exec_command to write to it";
    assert.ok(textOf(result).includes(said), textOf(result));
  }
});

test("a filter that fits nothing says how many lines there were, and waits for one that it fits", async () => {
  using scratch = new Scratch();
  const talk = new Talk(scratch);
  const until = (file: string) => `until [ -e ${file} ]; do sleep 0.02; done`;
  await talk.call("Bash", {
    command: `echo a; echo b; ${until("one")}; printf c; ${until("go")}; echo; sleep 0.2; echo ERROR; ${
      until("end")
    }`,
    run_in_background: true,
  });
  await talk.call("ShellSession", { action: "wait", session_id: 1, until_output: "^a$", timeout_s: 60 });
  await talk.call("BashOutput", { shell_id: "1" });
  scratch.file("one", "");
  await talk.call("ShellSession", { action: "poll", session_id: 1, peek: true, yield_time_ms: 60_000 });
  const none = await talk.call("BashOutput", { bash_id: "1", filter: "ERROR" });
  assert.match(textOf(none), /^\[session 1 running; 1 new line, which the filter doesn't fit\. It goes on/);
  assert.match(textOf(await talk.call("BashOutput", { shell_id: "1" })), /^\[session 1 running; nothing new/);
  scratch.file("go", "");
  const poll = { action: "poll", session_id: 1, filter: "ERROR", yield_time_ms: 60_000 };
  assert.equal(textOf(await talk.call("ShellSession", poll)), "ERROR\n[session 1 running]");
  await talk.call("Bash", { command: "seq 5", run_in_background: true });
  await talk.event(({ type, text }) => type === "notice" && text.startsWith("[session 2 "));
  const five = await talk.call("BashOutput", { shell_id: "2", filter: "x" });
  assert.equal(
    five.content[0].text,
    "[session 2 exited with code 0; 5 new lines, none of which the filter fits]",
  );
  scratch.file("end", "");
  await talk.end();
});

test("a time limit doesn't hold in the background, which is said where one was given", async () => {
  using scratch = new Scratch();
  const [limited, plain] = await calls(scratch, [
    ["Bash", { command: "true", run_in_background: true, timeout: 5000 }],
    ["Bash", { command: "true", run_in_background: true }],
  ]);
  assert.match(
    textOf(limited!),
    /^Command running in background with ID: 1\n\[its time limit of 5000 ms doesn't hold/,
  );
  assert.equal(plain!.content[0].text, "Command running in background with ID: 2");
});

test("what those print that a command left behind is in the same file, which says how much it holds", async () => {
  using scratch = new Scratch();
  const talk = new Talk(scratch);
  const left = await talk.call("Bash", {
    command:
      "(until [ -e go ]; do sleep 0.02; done; seq 100000 200000; until [ -e stop ]; do sleep 0.02; done) & seq 1 20000",
  });
  const path = left.overflow;
  assert.match(textOf(left), new RegExp(`all of it: ${path}`));
  scratch.file("go", "");
  const heard = await talk.call("ShellSession", {
    action: "wait",
    session_id: 1,
    until_output: "^200000$",
    timeout_s: 60,
  });
  assert.match(textOf(heard), new RegExp(`all of it: ${path}`));
  const whole = scratch.read(path);
  assert.ok(whole.startsWith("1\n2\n") && whole.endsWith("\n199999\n200000\n"), whole.slice(-100));
  scratch.file("stop", "");
  await talk.end();
});

test("of a session's file at its cap no notice says that it holds all", async () => {
  using scratch = new Scratch();
  scratch.settings({ overflow: { fileCapBytes: 20_000 } });
  const talk = new Talk(scratch);
  await talk.call("Bash", { command: "seq 1 20000; sleep 300", run_in_background: true });
  const { content: [block] } = await talk.call("ShellSession", {
    action: "wait",
    session_id: 1,
    until_output: "^20000$",
    timeout_s: 60,
  });
  assert.match(block.text, /characters omitted; the first 20000 bytes: /);
  await talk.end();
});
