/** Which handlers run, in which order, and the events beside a call's start and end. */
import assert from "node:assert/strict";
import { test } from "node:test";
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

test("filters take any face's name and effects, and order puts handlers early and late", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const on = (label: string, options: string) =>
    `agent.on("tool_end", (call) => trace(call.id + " ${label}"), ${options});\n`;
  scratch.plugin(
    "a",
    TRACE + on("a late", `{ order: "late" }`) + on("a", "{}") + on("a early", `{ order: "early" }`),
  );
  scratch.plugin(
    "b",
    TRACE + on("b canonical", `{ tools: ["read_file"] }`) + on("b claude", `{ tools: ["Read"] }`) +
      on("b codex", `{ tools: ["ShellCommand"], order: "early" }`) + on("b write", `{ effect: "write" }`) +
      on("b read", `{ effect: "read" }`) + on("b both", `{ effect: "write", tools: ["Read"] }`) +
      on("b unknown", `{ tools: ["Nothing"] }`),
  );
  await scratch.batch([
    { id: "1", name: "Read", args: { file_path: "a.txt" } },
    { id: "2", name: "Bash", args: { command: "true" } },
    { id: "3", name: "Write", args: { file_path: "new.txt", content: "x" } },
    { id: "4", name: "Nothing", args: {} },
  ], [...FREE, "--concurrency", "1"]);
  assert.deepEqual(lines(scratch), [
    ...["1 a early", "1 a", "1 b canonical", "1 b claude", "1 b read", "1 a late"],
    ...["2 a early", "2 b codex", "2 a", "2 a late"],
    ...["3 a early", "3 a", "3 b write", "3 a late"],
    ...["4 a early", "4 a", "4 b unknown", "4 a late"],
  ]);
});

test("a filter for a tool also takes what does the same by another way: a patch edits and writes", async () => {
  using scratch = new Scratch();
  scratch.file(".env", "S=1\n");
  scratch.plugin(
    "no-env",
    `agent.on("tool_start", (call) => call.touches("**/.env") ? { deny: "private" } : undefined, { tools: ["Edit"] });`,
  );
  const input = "*** Begin Patch\n*** Update File: .env\n@@\n-S=1\n+S=2\n*** End Patch";
  const { results } = await scratch.batch([
    { name: "apply_patch", args: { input } },
    { name: "Bash", args: { command: `apply_patch <<'EOF'\n${input}\nEOF` } },
  ], FREE);
  assert.deepEqual(results.map(({ outcome }) => outcome), ["denied", "denied"]);
  assert.equal(scratch.read(".env"), "S=1\n");
});

test("tool_output brings all of the output, redacted, to its end", async () => {
  using scratch = new Scratch();
  scratch.settings({ secrets: ["MY_TOKEN"] });
  scratch.plugin(
    "a",
    TRACE + `agent.on("tool_output", (call, output) => trace([call.name, output.stream, output.text]));`,
  );
  const { result } = await scratch.exec(
    ["Bash", "command=echo start; echo problem >&2; printf '%s' tok-12345", ...FREE],
    { env: { MY_TOKEN: "tok-123456789" } },
  );
  const heard = (stream: string) =>
    lines(scratch).filter((line) => line[1] === stream).map((line) => line[2]).join("");
  assert.equal(heard("stdout"), "start\ntok-12345");
  assert.equal(heard("stderr"), "problem\n");
  assert.equal(result.outcome, "success");
});

test("session and turn events tell a run's course", async () => {
  using scratch = new Scratch();
  const events = ["session_start", "turn_start", "tool_start", "tool_end", "turn_end", "session_end"];
  scratch.plugin(
    "a",
    TRACE +
      events.map((event) =>
        `agent.on("${event}", (x) => trace({ event: "${event}", ...x, frozen: Object.isFrozen(x) }));`
      ).join("\n"),
  );
  await scratch.agent(["exec", "Bash", "command=true", "--session", "mine", ...FREE]);
  const seen = lines(scratch);
  assert.deepEqual(seen.map(({ event }) => event), events);
  assert.ok(seen.every(({ frozen }) => frozen));
  const [start, turn, , , turnEnd, end] = seen as [Json, Json, Json, Json, Json, Json];
  assert.deepEqual([start.id, start.cwd, start.source], ["mine", scratch.work, "startup"]);
  assert.deepEqual([turn.family, turn.toolset, turnEnd.id], ["claude", "default", turn.id]);
  assert.deepEqual([end.id, end.reason], ["mine", "exit"]);
});

test("permission and surface are for plugins that declare them", async () => {
  using scratch = new Scratch();
  const permission =
    `agent.on("permission", (call) => call.args.command.includes("no") ? { deny: "I say no" } : undefined, { tools: ["Bash"] });`;
  const surface =
    `agent.on("surface", (tools) => ({ hide: ["Write"], describe: { Bash: "Runs " + tools.length } }));`;
  scratch.plugin("a", permission + surface, `uses: ["permission", "surface"],`);
  scratch.plugin("b", permission);
  scratch.plugin("c", surface);
  const { results, stderr } = await scratch.batch([
    { name: "Bash", args: { command: "echo yes" } },
    { name: "Bash", args: { command: "echo no" } },
  ], FREE);
  assert.deepEqual(results.map(({ outcome }) => outcome), ["success", "denied"]);
  assert.equal(textOf(results[1]!), "Cannot run Bash: I say no");
  assert.match(
    stderr,
    /plugin "b" is off: .*listens to permission without declaring it: add "permission" to uses/,
  );
  assert.match(stderr, /plugin "c" is off: .*listens to surface without declaring it: add "surface" to uses/);
  const tools: Json[] = JSON.parse((await scratch.agent(["tools", "--json", ...FREE])).stdout);
  const plain: Json[] = JSON.parse((await scratch.agent(["tools", "--json"])).stdout);
  assert.deepEqual(
    tools.map(({ name }) => name),
    plain.map(({ name }) => name).filter((name) => name !== "Write"),
  );
  assert.equal(tools.find(({ name }) => name === "Bash")!.description, `Runs ${plain.length}`);
});

test("a person's dry run passes the mods and stops before it runs", async () => {
  using scratch = new Scratch();
  scratch.plugin("a", TRACE + `agent.on("tool_start", (call) => trace(call.dryRun));`);
  const { result } = await scratch.exec(["Bash", "command=touch made", "--dry-run", ...FREE]);
  assert.match(textOf(result), /^Dry run/);
  assert.deepEqual([lines(scratch), scratch.exists("made")], [[true], false]);
});
