/** `--jsonl`, the log and the sessions: one stream, told twice. */
import { type Schema, Validator } from "@cfworker/json-schema";
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { test } from "node:test";
import { type Json, Scratch, textOf } from "../support.ts";

function parse(text: string): Json[] {
  return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

test("every event and result is valid by agent schema, from session_start to exactly one result", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const { stdout } = await scratch.agent(["schema"]);
  const schemas: Record<string, Schema> = JSON.parse(stdout);
  const calls = [
    { id: "1", name: "Read", args: { file_path: "a.txt" } },
    { id: "2", name: "Bash", args: { command: "echo out; echo err >&2; exit 3" } },
    { id: "3", name: "Write", args: { file_path: "b.txt", content: "x" } },
    { id: "4", name: "Raed", args: {} },
    "{not json",
  ];
  const { results: events, code } = await scratch.batch(calls, ["--jsonl", "--allow", "Bash"]);
  assert.equal(code, 1);
  for (const event of events) {
    const { valid, errors } = new Validator(schemas[event.type]!, "2020-12").validate(event);
    assert.ok(valid, `${JSON.stringify(event)}: ${JSON.stringify(errors)}`);
  }
  assert.equal(events[0]!.type, "session_start");
  assert.equal(events[0]!.version, 1);
  const types = events.map(({ type }) => type);
  assert.equal(types.filter((type) => type === "result" || type === "error").length, 1);
  assert.deepEqual(events.at(-1), { type: "result", calls: 5, failed: 4, exitCode: 1 });
  const idsOf = (wanted: string) => events.filter(({ type }) => type === wanted).map(({ id }) => id).sort();
  assert.deepEqual(idsOf("tool_start"), ["1", "2", "3", "4", "line_5"]);
  assert.deepEqual(idsOf("tool_end"), ["1", "2", "3", "4", "line_5"]);
  const output = events.filter(({ type }) => type === "tool_output");
  assert.deepEqual(output.map(({ id, stream, text }) => [id, stream, text]).sort(), [
    ["2", "stderr", "err\n"],
    ["2", "stdout", "out\n"],
  ]);
});

test("an event is not valid when a field of it is missing", async () => {
  using scratch = new Scratch();
  const { stdout } = await scratch.agent(["schema"]);
  const { valid } = new Validator(JSON.parse(stdout).tool_end, "2020-12").validate({
    type: "tool_end",
    id: "1",
  });
  assert.equal(valid, false);
});

test("what can't start ends a stream with one error event, and exit 2", async () => {
  using scratch = new Scratch();
  const ran = await scratch.agent(["exec", "--jsonl", "Read", "{bad"]);
  const events = parse(ran.stdout);
  assert.deepEqual(events.map(({ type }) => type), ["error"]);
  assert.match(events[0]!.message, /^Cannot read the arguments: not JSON$/);
  assert.equal(ran.code, 2);
});

test("the stream is cut for long output and says how much it left out; --full carries it all", async () => {
  using scratch = new Scratch();
  const command = "command=head -c 200000 /dev/zero | tr '\\\\0' x";
  const collect = async (flags: string[]) => {
    const ran = await scratch.agent(["exec", "--jsonl", ...flags, "Bash", command]);
    const output = parse(ran.stdout).filter(({ type }) => type === "tool_output");
    const chars = output.reduce((sum, { text }) => sum + text.length, 0);
    return { chars, omitted: output.reduce((sum, { omitted }) => sum + (omitted ?? 0), 0) };
  };
  const cut = await collect([]);
  assert.ok(cut.chars <= 30_000);
  assert.equal(cut.chars + cut.omitted, 200_000);
  assert.deepEqual(await collect(["--full"]), { chars: 200_000, omitted: 0 });
});

test("what --jsonl prints is what the log holds, readable by its owner alone", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const ran = await scratch.agent(["exec", "--jsonl", "--session", "mine", "Read", "file_path=a.txt"]);
  const exported = await scratch.agent(["log", "export", "mine"]);
  const printed = parse(ran.stdout);
  assert.equal(printed.pop()!.type, "result");
  assert.deepEqual(parse(exported.stdout), printed);
  assert.equal(scratch.read(`${scratch.state}/log/mine.jsonl`), exported.stdout);
  assert.equal(statSync(`${scratch.state}/log/mine.jsonl`).mode & 0o777, 0o600);
  assert.equal(statSync(`${scratch.state}/log`).mode & 0o777, 0o700);
});

test("--session and AGENT_SESSION join two commands into one log", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  await scratch.agent(["exec", "--session", "both", "Read", "file_path=a.txt"]);
  await scratch.agent(["exec", "Read", "file_path=gone"], { env: { AGENT_SESSION: "both" } });
  await scratch.agent(["exec", "Read", "file_path=a.txt"]);
  const events = parse((await scratch.agent(["log", "export", "both"])).stdout);
  assert.deepEqual(events.map(({ type }) => type), [
    ...["session_start", "tool_start", "tool_end", "session_end"],
    ...["session_start", "tool_start", "tool_end", "session_end"],
  ]);
  assert.deepEqual(events.filter(({ type }) => type === "tool_end").map(({ outcome }) => outcome), [
    "success",
    "error",
  ]);
});

test("a session's name that could not be a file's name is a usage error", async () => {
  using scratch = new Scratch();
  for (const name of ["../x", "a b", ""]) {
    const ran = await scratch.agent(["exec", "--session", name, "Read", "file_path=a.txt"]);
    assert.match(ran.stderr, /Cannot use the session /);
    assert.equal(ran.code, 2);
  }
});

test("log list shows calls newest last, log show one of them by the start of its id", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const calls = [
    { id: "first", name: "Read", args: { file_path: "a.txt" } },
    { id: "second", name: "Read", args: { file_path: "gone" } },
  ];
  await scratch.batch(calls);
  const list = parse((await scratch.agent(["log", "list", "--json"])).stdout);
  assert.deepEqual(list.map(({ id, name, outcome }) => [id, name, outcome]), [
    ["first", "Read", "success"],
    ["second", "Read", "error"],
  ]);
  const last = await scratch.agent(["log", "list", "--limit", "1"]);
  assert.match(last.stdout, /^\S+ {2}second {2}Read {2}error .*"gone"/);
  assert.equal(last.stdout.trimEnd().split("\n").length, 1);
  const shown = await scratch.agent(["log", "show", "fir"]);
  assert.match(shown.stdout, /^first {2}Read {2}success {2}session /);
  assert.match(shown.stdout, /\n1\tone\n$/);
  const json = JSON.parse((await scratch.agent(["log", "show", "second", "--json"])).stdout);
  assert.equal(json.start.id, "second");
  assert.match(textOf(json.end), /no such file/);
});

test("log commands say what isn't there, with exit 2", async () => {
  using scratch = new Scratch();
  const cases: [string[], RegExp][] = [
    [["log", "show", "nope"], /^error: Cannot show the call "nope": no such call is logged\n\nhint: /],
    [["log", "show"], /^error: Cannot show a call: no id was given/],
    [["log", "export", "nope"], /^error: Cannot read the session "nope": no such log/],
    [["log", "export"], /^error: Cannot export: nothing is logged yet/],
    [["log", "list", "--limit", "x"], /^error: Cannot use --limit "x": /],
    [["log", "list", "--session", "nope"], /^error: Cannot read the session "nope": no such log/],
    [
      ["log", "list", "--outcome", "nope"],
      /^error: Cannot use "--outcome" with "nope": not one of success, /,
    ],
  ];
  for (const [args, complaint] of cases) {
    const ran = await scratch.agent(args);
    assert.match(ran.stderr, complaint);
    assert.equal(ran.stdout, "");
    assert.equal(ran.code, 2);
  }
  assert.equal((await scratch.agent(["log", "list"])).code, 0);
});

test("log list is narrowed by session and by outcome before it is cut", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const read = (file_path: string) => ({ name: "Read", args: { file_path } });
  await scratch.batch([read("gone"), read("a.txt"), read("a.txt")], ["--session", "one"]);
  await scratch.batch([read("a.txt")], ["--session", "two"]);
  const list = async (...flags: string[]) => {
    const { stdout } = await scratch.agent(["log", "list", "--json", ...flags]);
    return stdout.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line))
      .map(({ session, outcome }) => `${session} ${outcome}`);
  };
  assert.deepEqual(await list("--session", "one"), ["one error", "one success", "one success"]);
  assert.deepEqual(await list("--outcome", "error", "--limit", "1"), ["one error"]);
  assert.deepEqual(await list("--limit", "1"), ["two success"]);
});

test("AGENT_LOG=off keeps no log", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  await scratch.agent(["exec", "Read", "file_path=a.txt"], { env: { AGENT_LOG: "off" } });
  assert.equal((await scratch.agent(["log", "list"])).stdout, "");
});

test("agent schema TOOL prints what the tool takes, in the face that was named", async () => {
  using scratch = new Scratch();
  const schema = JSON.parse((await scratch.agent(["schema", "Read"])).stdout);
  assert.deepEqual(schema.required, ["file_path"]);
  assert.equal(schema.additionalProperties, false);
  const unknown = await scratch.agent(["schema", "Raed"]);
  assert.match(unknown.stderr, /no such tool\n\nhint: did you mean Read\?/);
  assert.equal(unknown.code, 2);
});
