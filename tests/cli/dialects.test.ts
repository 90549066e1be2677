/** Calls in the forms of providers, and their results in the same form. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, Scratch, textOf } from "../support.ts";

const STAMP = /^\[at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d (Mon|Tue|Wed|Thu|Fri|Sat|Sun)\]$/;
const ARGS = { file_path: "a.txt" };
const GONE = { file_path: "gone" };

/** Each value's answer; `a.txt` holds `one`. */
async function answers(values: readonly unknown[], flags: readonly string[] = []): Promise<Json[]> {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const { results, stderr } = await scratch.batch(values, flags);
  assert.equal(stderr, "");
  assert.equal(results.length, values.length);
  return results;
}

/** Text without its last line, which has to be the stamp. */
function beforeStamp(text: string): string {
  const lines = text.split("\n");
  assert.match(lines.pop()!, STAMP);
  return lines.join("\n");
}

test("our calls and results have one shape, with the id that came", async () => {
  const [named, numbered, bare] = await answers([
    { id: "x", name: "Read", args: ARGS },
    { id: 7, name: "Read", args: ARGS },
    { name: "Read", args: ARGS },
  ]);
  assert.equal(named!.id, "x");
  assert.equal(numbered!.id, "7");
  assert.match(bare!.id, /^call_/);
  assert.equal(textOf(named!), "1\tone");
});

test("an Anthropic tool_use is answered by a tool_result with blocks, error flag and stamp", async () => {
  const [good, bad, nameless] = await answers([
    { type: "tool_use", id: "tu_1", name: "Read", input: ARGS },
    { type: "tool_use", id: "tu_2", name: "Read", input: GONE },
    { type: "tool_use", id: "tu_3", input: {} },
  ]);
  assert.deepEqual(Object.keys(good!), ["type", "tool_use_id", "content", "is_error"]);
  assert.equal(good!.type, "tool_result");
  assert.equal(good!.tool_use_id, "tu_1");
  assert.equal(good!.is_error, false);
  assert.deepEqual(good!.content[0], { type: "text", text: "1\tone" });
  assert.match(good!.content[1].text, STAMP);
  assert.equal(bad!.is_error, true);
  assert.match(textOf(bad!), /no such file/);
  assert.equal(nameless!.tool_use_id, "tu_3");
  assert.match(textOf(nameless!), /its name is missing/);
});

test("a whole Anthropic message is answered by one user message with a result for every call", async () => {
  const body = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    content: [
      { type: "text", text: "I look." },
      { type: "tool_use", id: "tu_1", name: "Read", input: ARGS },
      { type: "tool_use", id: "tu_2", input: ARGS },
      { type: "tool_use", id: "tu_3", name: "Read", input: GONE },
    ],
  };
  const [answer] = await answers([body]);
  assert.equal(answer!.role, "user");
  assert.deepEqual(
    answer!.content.map(({ tool_use_id, is_error }: Json) => [tool_use_id, is_error]),
    [["tu_1", false], ["tu_2", true], ["tu_3", true]],
  );
});

test("an OpenAI function_call is answered by a function_call_output, its tool in Codex' face", async () => {
  const [good, broken, empty] = await answers([
    { type: "function_call", call_id: "fc_1", name: "read_file", arguments: JSON.stringify(ARGS) },
    { type: "function_call", call_id: "fc_2", name: "read_file", arguments: '{"file_pa' },
    { type: "function_call", call_id: "fc_3", name: "read_file", arguments: "" },
  ]);
  assert.equal(good!.type, "function_call_output");
  assert.equal(good!.call_id, "fc_1");
  assert.equal(beforeStamp(good!.output), "L1: one");
  assert.equal(broken!.call_id, "fc_2");
  assert.match(beforeStamp(broken!.output), /^Cannot call read_file: its arguments are not JSON$/);
  assert.match(beforeStamp(empty!.output), /"file_path" is missing/);
});

test("an OpenAI custom_tool_call is answered by a custom_tool_call_output", async () => {
  const [answer] = await answers([
    { type: "custom_tool_call", call_id: "ct_1", name: "no_such_tool", input: "*** Begin" },
  ]);
  assert.equal(answer!.type, "custom_tool_call_output");
  assert.equal(answer!.call_id, "ct_1");
  assert.match(beforeStamp(answer!.output), /^Cannot call "no_such_tool": no such tool/);
});

test("a whole body of OpenAI's Responses is answered by a list of outputs", async () => {
  const body = {
    object: "response",
    output: [
      { type: "reasoning", summary: [] },
      { type: "function_call", call_id: "fc_1", name: "read_file", arguments: JSON.stringify(ARGS) },
      { type: "message", role: "assistant", content: [] },
      { type: "function_call", call_id: "fc_2", name: "read_file", arguments: JSON.stringify(GONE) },
    ],
  };
  const [outputs] = await answers([body]);
  assert.deepEqual(outputs!.map(({ type, call_id }: Json) => [type, call_id]), [
    ["function_call_output", "fc_1"],
    ["function_call_output", "fc_2"],
  ]);
  assert.match(outputs![1].output, /no such file/);
});

test("a chat completion, its message and a single tool call are answered by tool messages", async () => {
  const call = (id: string, args: unknown) => ({
    id,
    type: "function",
    function: { name: "read_file", arguments: JSON.stringify(args) },
  });
  const message = { role: "assistant", content: null, tool_calls: [call("c1", ARGS), call("c2", GONE)] };
  const [single, alone, whole, parts] = await answers([
    call("c0", ARGS),
    message,
    { object: "chat.completion", choices: [{ index: 0, message }] },
    { ...message, content: [{ type: "text", text: "I look." }] },
  ]);
  assert.equal(single!.role, "tool");
  assert.equal(single!.tool_call_id, "c0");
  assert.equal(beforeStamp(single!.content), "L1: one");
  for (const messages of [alone, whole, parts]) {
    assert.deepEqual(messages!.map(({ role, tool_call_id }: Json) => [role, tool_call_id]), [
      ["tool", "c1"],
      ["tool", "c2"],
    ]);
  }
});

test("whatever stands in a chat message's list of calls is answered, of every choice", async () => {
  const file = { name: "read_file", arguments: JSON.stringify(ARGS) };
  const first = {
    role: "assistant",
    tool_calls: [
      { id: "c1", function: file },
      { id: "c2", type: "function" },
      { id: "c3", type: "custom", custom: { name: "no_such_tool", input: "*** Begin" } },
      { id: "c4", type: "custom" },
      { id: 5, type: "function", function: file },
      null,
    ],
  };
  const second = { role: "assistant", tool_calls: [{ id: "c7", type: "function", function: file }] };
  const third = { role: "assistant", content: "Done.", tool_calls: null };
  const [body, single, broken] = await answers([
    { choices: [first, second, third].map((message, index) => ({ index, message })) },
    { id: "c8", function: file },
    { id: "c9", type: "function" },
  ]);
  const nameless = "Cannot read the call: its name is missing";
  assert.deepEqual(body!.map(({ content }: Json) => beforeStamp(content).split("\n")[0]), [
    "L1: one",
    nameless,
    'Cannot call "no_such_tool": no such tool',
    nameless,
    "L1: one",
    nameless,
    "L1: one",
  ]);
  const ids = body!.map(({ tool_call_id }: Json) => tool_call_id);
  assert.match(ids.splice(5, 1)[0], /./);
  assert.deepEqual(ids, ["c1", "c2", "c3", "c4", 5, "c7"]);
  assert.deepEqual([single!.tool_call_id, beforeStamp(single!.content)], ["c8", "L1: one"]);
  assert.deepEqual([broken!.tool_call_id, beforeStamp(broken!.content)], ["c9", nameless]);
});

test("a provider's call is answered under its id as given, a number too", async () => {
  const [anthropic, openai, custom] = await answers([
    { role: "assistant", content: [{ type: "tool_use", id: 7, name: "Read", input: ARGS }] },
    { type: "function_call", call_id: 5, name: "read_file", arguments: JSON.stringify(ARGS) },
    { output: [{ type: "custom_tool_call", call_id: 6, input: "x" }] },
  ]);
  assert.equal(anthropic!.content[0].tool_use_id, 7);
  assert.equal(anthropic!.content[0].is_error, false);
  assert.equal(openai!.call_id, 5);
  assert.equal(custom![0].call_id, 6);
  assert.match(custom![0].output, /its name is missing/);
});

test("a response without calls has nothing to answer", async () => {
  using scratch = new Scratch();
  const message = { role: "assistant", content: "Done." };
  const { stdout, stderr, code } = await scratch.batch([
    { object: "chat.completion", choices: [{ index: 0, message }] },
    { role: "assistant", content: [{ type: "text", text: "Done." }] },
    { object: "response", output: [{ type: "message", role: "assistant", content: [] }] },
  ]);
  assert.equal(stdout, "");
  assert.match(stderr, /there were no calls/);
  assert.equal(code, 0);
});

test("a pretty-printed response body is read as one value", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const body = { role: "assistant", content: [{ type: "tool_use", id: "tu_1", name: "Read", input: ARGS }] };
  const ran = await scratch.agent(["exec", "-"], { input: JSON.stringify(body, null, 2) });
  assert.equal(ran.code, 0, ran.stdout);
  const [line, ...rest] = ran.stdout.trimEnd().split("\n");
  assert.deepEqual(rest, []);
  assert.equal(JSON.parse(line!).content[0].tool_use_id, "tu_1");
});

test("dialects may be mixed, and each call is answered in its own", async () => {
  const [ours, anthropic, openai] = await answers([
    { id: "1", name: "Read", args: ARGS },
    { type: "tool_use", id: "2", name: "Read", input: ARGS },
    { type: "function_call", call_id: "3", name: "Read", arguments: JSON.stringify(ARGS) },
  ]);
  assert.equal(ours!.outcome, "success");
  assert.equal(anthropic!.tool_use_id, "2");
  assert.equal(openai!.call_id, "3");
});

test("--dialect fixes one: other forms are errors, told in that dialect under the id they had", async () => {
  const values = [
    { type: "tool_use", id: "tu_1", name: "Read", input: ARGS },
    { id: "mine", name: "Read", args: ARGS },
    "{not json",
  ];
  const anthropic = await answers(values, ["--dialect", "anthropic"]);
  assert.deepEqual(
    anthropic.map(({ tool_use_id, is_error }) => [tool_use_id, is_error]),
    [["tu_1", false], ["mine", true], ["line_3", true]],
  );
  const ours = await answers(values, ["--dialect", "agent"]);
  assert.deepEqual(ours.map(({ id, outcome }) => [id, outcome]), [
    ["tu_1", "invalid"],
    ["mine", "success"],
    ["line_3", "invalid"],
  ]);
  const openai = await answers(values, ["--dialect", "openai"]);
  assert.deepEqual(openai.map(({ call_id }) => call_id), ["tu_1", "mine", "line_3"]);
});
