/** Commands that answer after some time, whether they are over or not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, Scratch, textOf } from "../support.ts";
import { Talk } from "./talk.ts";

const FLAGS = ["--mode", "bypassPermissions", "--concurrency", "1"];

async function calls(scratch: Scratch, list: readonly [string, Json][]): Promise<Json[]> {
  const { results } = await scratch.batch(list.map(([name, args]) => ({ name, args })), FLAGS);
  return results;
}

/** The lines above the output by their names, and the output. */
function parts(result: Json): Record<string, string> {
  const [head, output] = textOf(result).split(/^(?:Output|Screen):\n/m);
  const lines = head!.trimEnd().split("\n").map((line) => {
    const at = /^Process (?:exited with code |running with session ID )/.exec(line)?.[0].length ??
      line.indexOf(": ") + 2;
    return [line.slice(0, at).replace(/:? $/, ""), line.slice(at)];
  });
  return { ...Object.fromEntries(lines), Output: output };
}

test("an answer has its number, its time, its end and its tokens", async () => {
  using scratch = new Scratch();
  const [over, running, polled] = await calls(scratch, [
    ["exec_command", { cmd: "printf 12345; exit 3" }],
    ["exec_command", { cmd: "echo first; read x; echo got $x; read y", yield_time_ms: 1 }],
    ["write_stdin", { session_id: 2, chars: "it\n", yield_time_ms: 1 }],
  ]);
  const seen = parts(over!);
  assert.deepEqual(Object.keys(seen), [
    "Chunk ID",
    "Wall time",
    "Process exited with code",
    "Original token count",
    "Output",
  ]);
  assert.match(seen["Chunk ID"]!, /^[0-9a-f]{6}$/);
  assert.match(seen["Wall time"]!, /^\d+\.\d{4} seconds$/);
  assert.deepEqual([seen["Process exited with code"], seen["Original token count"], seen["Output"]], [
    "3",
    "2",
    "12345",
  ]);
  assert.deepEqual([over!.outcome, over!.exitCode, running!.outcome], ["error", 3, "success"]);
  assert.equal(parts(running!)["Process running with session ID"], "2");
  // A yield of a millisecond is one of a quarter of a second.
  assert.ok(parseFloat(parts(running!)["Wall time"]!) >= 0.24);
  assert.ok(parseFloat(parts(polled!)["Wall time"]!) >= 0.24);
});

test("however fast a command ends, all that it printed is there, and its code", async () => {
  using scratch = new Scratch();
  for (const tty of [false, true]) {
    const results = await calls(
      scratch,
      Array.from({ length: 100 }, () => ["exec_command", { cmd: "printf M; exit 3", tty }]),
    );
    assert.equal(results.length, 100);
    for (const result of results) {
      const { Output, "Process exited with code": code } = parts(result);
      assert.deepEqual([Output, code, result.exitCode], ["M", "3", 3], `tty: ${tty}`);
    }
  }
});

test("200 KB and then the end: all of it is counted and kept", async () => {
  using scratch = new Scratch();
  const [piped, typed] = await calls(scratch, [
    ["exec_command", { cmd: "head -c 200000 /dev/zero | tr '\\0' x" }],
    ["exec_command", { cmd: "head -c 200000 /dev/zero | tr '\\0' x", tty: true }],
  ]);
  for (const result of [piped!, typed!]) {
    const { Output, "Original token count": tokens } = parts(result);
    assert.equal(tokens, "50000");
    const cut = /\[.*?(\d[\d,]*) characters.*?all of it: (\S+?)\]/s.exec(Output!);
    assert.ok(cut, Output);
    assert.equal(scratch.read(cut[2]!).length, 200_000);
    assert.ok(textOf(result).length <= 30_000);
  }
});

test("no more tokens than asked for", async () => {
  using scratch = new Scratch();
  const [result] = await calls(scratch, [
    ["exec_command", { cmd: "seq 1 1000", max_output_tokens: 50 }],
  ]);
  const { Output, "Original token count": tokens } = parts(result!);
  assert.ok(Output!.length <= 200, Output);
  assert.match(Output!, /^1\n2\n/);
  assert.match(Output!, /1000\n$/);
  assert.equal(tokens, "974");
});

test("a terminal is one: its size, its keys, its signals", async () => {
  using scratch = new Scratch();
  const talk = new Talk(scratch);
  const script = 'test -t 0 && test -t 1 && echo "tty $(stty size)"; ' +
    'trap "stty size; echo end; exit 4" INT; while :; do read -r x && echo "got $x"; done';
  await talk.call("exec_command", { cmd: script, tty: true, yield_time_ms: 250 });
  const wait = (until_output: string) =>
    talk.call("ShellSession", { action: "wait", session_id: 1, until_output, timeout_s: 60 });
  await talk.call("ShellSession", { action: "resize", session_id: 1, cols: 101, rows: 33 });
  await talk.call("write_stdin", { session_id: 1, chars: "abc\n" });
  await talk.call("ShellSession", {
    action: "poll",
    session_id: 1,
    keys: ["d", "backspace", "e", "enter"],
    peek: true,
  });
  const typed = textOf(await wait("got e"));
  assert.match(typed, /got e/);
  await talk.call("ShellSession", { action: "poll", session_id: 1, keys: ["ctrl-c"], peek: true });
  const ended = await wait("never");
  assert.match(textOf(ended), /33 101\nend\n\[session 1 exited with code 4\]$/);
  assert.deepEqual(talk.notices(), []);
  assert.equal(await talk.end(), 0);
  assert.match(talk.events.map((event) => event.content ? textOf(event) : "").join(""), /tty 24 80/);
});

test("a full-screen program shows its screen", async () => {
  using scratch = new Scratch();
  const script =
    "read x; printf 'before\\n\\033[?1049h\\033[2J\\033[3;5HMENU\\033[1;1Htop\\033[3;10Hmore\\n#'; " +
    "read x; printf '\\033[?1049lafter\\n'; read x";
  const enter: [string, Json] = ["shell_session", {
    action: "poll",
    session_id: 1,
    keys: ["enter"],
    peek: true,
  }];
  const wait = (until_output: string): [string, Json] => [
    "shell_session",
    { action: "wait", session_id: 1, until_output, timeout_s: 60 },
  ];
  const results = await calls(scratch, [
    ["exec_command", { cmd: script, tty: true, yield_time_ms: 250 }],
    enter,
    wait("#"),
    ["shell_session", { action: "poll", session_id: 1, yield_time_ms: 0 }],
    enter,
    wait("after"),
  ]);
  for (const shown of results.slice(2, 4)) {
    assert.equal(textOf(shown), "top\n\n    MENU more\n#\n[session 1 running; this is its screen]");
  }
  assert.match(textOf(results[5]!), /after\n\[session 1 running\]$/);
});

test("an interrupted start leaves nothing running", async () => {
  using scratch = new Scratch();
  const marker = `AGENT_TEST_${Math.random().toString(36).slice(2)}`;
  const talk = new Talk(scratch, [], { [marker]: "1" });
  const result = talk.call("exec_command", { cmd: "(trap '' TERM INT; sleep 300) & echo here; sleep 300" });
  await talk.event(({ type, text }) => type === "tool_output" && /here/.test(text));
  talk.interrupt();
  await talk.ended;
  assert.equal((await result).outcome, "interrupted");
  const { processesWith } = await import("../support.ts");
  assert.deepEqual(await processesWith(marker), []);
});
