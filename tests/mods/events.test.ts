/** The handlers around a call: what they see, and what their answers do. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PNG } from "../samples.ts";
import { type Json, Scratch, textOf } from "../support.ts";

const FREE = ["--plugins", "p", "--mode", "bypassPermissions"];

function lines(scratch: Scratch, name = "trace.txt"): Json[] {
  if (!scratch.exists(name)) return [];
  return scratch.read(name).trim().split("\n").map((line) => JSON.parse(line));
}

/** A line for `setup` that makes `trace(value)` write to a file. */
const TRACE = `
  const { appendFileSync } = await import("node:fs");
  const trace = (value) => appendFileSync("trace.txt", JSON.stringify(value) + "\\n");`;

test("tool_start: rewrites are chained in order, and each is checked again", async () => {
  using scratch = new Scratch();
  const add = (word: string) =>
    `agent.on("tool_start", (call) => ({ args: { ...call.args, command: call.args.command + " ${word}" } }), { tools: ["Bash"] });`;
  scratch.plugin("a", add("a1") + add("a2"));
  scratch.plugin("b", add("b"));
  scratch.plugin(
    "c",
    `agent.on("tool_start", (call) => {
    if (call.args.command.includes("WRONG")) return { args: { command: 5, other: 1 } };
    if (call.args.command.includes("CHANGE")) return { args: { command: "touch made" } };
  }, { tools: ["Bash"] });`,
  );
  const { results } = await scratch.batch([
    { name: "Bash", args: { command: "echo x" } },
    { name: "Bash", args: { command: "echo WRONG" } },
    { name: "Bash", args: { command: "echo CHANGE" } },
  ], [...FREE, "--deny", "Bash(touch *)"]);
  assert.equal(textOf(results[0]!), "x a1 a2 b");
  assert.equal(results[1]!.outcome, "invalid");
  assert.match(textOf(results[1]!), /"command" must be a string.*\(arguments as rewritten by plugin "c"\)/);
  assert.equal(results[2]!.outcome, "denied");
  assert.equal(scratch.exists("made"), false);
});

test("tool_start: an answer skips hooks, permission and running; a refusal names its reason", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "a",
    `agent.on("tool_start", ({ args: { command } }) =>
    command.includes("text") ? { result: "answered" } :
    command.includes("blocks") ? { result: [{ type: "text", text: "b" }] } :
    command.includes("bad") ? { result: { content: "it failed", status: "error" } } :
    command.includes("no") ? { deny: "not today" } : undefined, { tools: ["shell"] });
    agent.on("tool_start", () => { throw new Error("too late"); }, { tools: ["shell"], order: "late" });`,
  );
  scratch.plugin(
    "b",
    `agent.on("tool_end", (_, result) => ({ result: result.text + " " + result.outcome }));`,
  );
  const hooks = scratch.file(
    "hooks.json",
    JSON.stringify({
      hooks: {
        PreToolUse: [{ matcher: "*", hooks: [{ type: "command", command: "touch hooked; exit 2" }] }],
      },
    }),
  );
  const calls = ["text", "blocks", "bad", "no"].map((word) => ({
    name: "Bash",
    args: { command: `touch ran; ${word}` },
  }));
  const { results } = await scratch.batch(calls, ["--plugins", "p", "--hooks", hooks, "--ask", "Bash"]);
  assert.deepEqual(results.map(({ outcome, status }) => `${outcome} ${status}`), [
    ...["answered success", "answered success", "answered error", "denied error"],
  ]);
  assert.deepEqual(results.map(textOf), [
    ...["answered answered", "b answered", "it failed answered", "Cannot run Bash: not today denied"],
  ]);
  assert.equal(scratch.exists("hooked") || scratch.exists("ran"), false);
});

test("tool_end sees every outcome and may replace the text of each, and keeps the exit code", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "a",
    `agent.on("tool_end", (call, result) => ({
    result: [call.name, call.tool, result.outcome, result.status, typeof result.durationMs, result.text.length > 0].join(" "),
  }));`,
  );
  const { results } = await scratch.batch([
    { name: "Bash", args: { command: "echo hi" } },
    { name: "Bash", args: { command: "exit 3" } },
    { name: "Bash", args: { command: "rm x" } },
    { name: "Read", args: { file_path: 5 } },
    { name: "Nothing", args: {} },
    "not JSON",
  ], [...FREE, "--deny", "Bash(rm *)"]);
  assert.deepEqual(results.map(textOf), [
    "Bash shell success success number true",
    "Bash shell error error number true",
    "Bash shell denied error number true",
    "Read read_file invalid error number true",
    "Nothing  unknown error number true",
    `${results[5]!.name}  invalid error number true`,
  ]);
  assert.equal(results[1]!.exitCode, 3);
  assert.deepEqual([results[0]!.stdout, results[0]!.stderr], [undefined, undefined]);
});

test("what tool_end took out of a text is in no stream and no data", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "gone",
    `agent.tool({ name: "data", description: "", run: () =>
       ({ content: "TOPSECRET", stderr: ["TOPSECRET"], structured: { is: "TOPSECRET" }, exitCode: 4 }) });
     agent.on("tool_end", (_, { text }) => ({ result: text.replaceAll("TOPSECRET", "[gone]") }),
       { tools: ["data", "Bash"] });
     agent.on("tool_end", (call, { text, stdout, stderr, structured }) => {
       if (call.args.command === "seq 20000") return { result: text.slice(0, -1) + "!" };
       if (call.args.command !== undefined) return { result: { content: "own", stdout: ["mine"] } };
       if (stdout ?? stderr ?? structured) return { result: "still there" };
     }, { tools: ["data", "Bash"], order: "late" });`,
  );
  const { results } = await scratch.batch([
    { name: "data", args: {} },
    { name: "Bash", args: { command: "echo TOPSECRET; echo TOPSECRET >&2; exit 5" } },
    { name: "Bash", args: { command: "seq 20000" } },
  ], FREE);
  const [data, bash, cut] = results;
  assert.deepEqual([textOf(data!), data!.stderr, data!.structured, data!.exitCode], [
    "[gone]",
    undefined,
    undefined,
    4,
  ]);
  assert.deepEqual([textOf(bash!), bash!.stdout, bash!.stderr, bash!.exitCode], [
    "own",
    ["mine"],
    undefined,
    5,
  ]);
  // The text still says where the whole is.
  assert.ok(textOf(cut!).includes(cut!.overflow) && textOf(cut!).endsWith("!"));
  const { stdout: log } = await scratch.agent(["log", "export"]);
  const ends = log.split("\n").filter((event) => event.startsWith('{"type":"tool_end"'));
  assert.deepEqual([ends.length, ends.join("").includes("TOPSECRET")], [3, false]);
});

test("tool_end: blocks and a stated status are taken, and chained", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "a",
    `agent.on("tool_end", (_, result) => ({ result: {
    content: [{ type: "text", text: "one" }, { type: "image", mediaType: "image/png", data: "${PNG}" }], status: "error",
  } }));`,
  );
  scratch.plugin(
    "b",
    `agent.on("tool_end", (_, { content, status, text }) =>
    ({ result: [...content, { type: "text", text: status + " " + text }] }));`,
  );
  const { result, code } = await scratch.exec(["Bash", "command=echo hi", "--plugins", "p"]);
  assert.deepEqual(result.content, [
    { type: "text", text: "one" },
    { type: "image", mediaType: "image/png", data: PNG },
    { type: "text", text: "error one\n[image image/png]" },
  ]);
  assert.deepEqual([result.outcome, result.status, code], ["error", "error", 1]);
});

test("handlers see the canonical arguments whichever face was called, and how it was written", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\ntwo\nthree\n");
  scratch.plugin(
    "a",
    TRACE + `agent.on("tool_start", (call) => trace([
    call.name, call.tool, call.args, call.face.args, call.traits.effect, call.family, call.cwd === process.cwd(),
    call.touches("*.txt"), call.touches("**/*.md"), call.dryRun, typeof call.id, call.parent ?? null,
  ]));`,
  );
  await scratch.batch([
    { name: "Read", args: { file_path: "a.txt", limit: "1" } },
    { name: "read_file", args: { file_path: "a.txt", offset: 1 }, family: "gemini" },
    { name: "Bash", args: { command: "echo a.md" } },
  ], FREE);
  const [claude, gemini, bash] = lines(scratch) as [Json, Json, Json];
  assert.deepEqual(claude.slice(0, 2), ["Read", "read_file"]);
  assert.deepEqual(claude.slice(3), [
    ...[{ file_path: "a.txt", limit: "1" }, "read", "claude", true, true, false, false, "string", null],
  ]);
  assert.equal(claude[2].limit, 1);
  assert.deepEqual(Object.keys(gemini[2])[0], Object.keys(claude[2])[0]);
  assert.deepEqual(bash.slice(7, 9), [true, true], "a command may touch anything");
});

test("payloads are frozen copies: what a handler does to them changes nothing", async () => {
  using scratch = new Scratch();
  const changes = {
    tool_start: [
      "call.args.command = 'echo x'",
      "call.face.args.command = 'x'",
      "call.traits.effect = 'read'",
      "call.name = 'x'",
    ],
    tool_end: [
      "result.text = 'x'",
      "result.content[0].text = 'x'",
      "result.content.push(1)",
      "result.stdout.push('x')",
    ],
  };
  const spoil = (event: string, list: string[]) =>
    `agent.on("${event}", (call, result) => {
       const before = JSON.stringify([call, result]);
       for (const change of [${list.map((change) => `() => { ${change}; }`).join(", ")}]) {
         try { change(); } catch (error) { if (!(error instanceof TypeError)) trace(error.message); }
         if (JSON.stringify([call, result]) !== before) trace(String(change));
       }
     });`;
  scratch.plugin("a", TRACE + Object.entries(changes).map(([event, list]) => spoil(event, list)).join("\n"));
  const { result } = await scratch.exec(["Bash", "command=echo hi", ...FREE]);
  assert.deepEqual(lines(scratch), []);
  assert.deepEqual([textOf(result), result.stdout, result.outcome], ["hi", ["hi\n"], "success"]);
});
