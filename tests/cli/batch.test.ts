/** Calls from standard input: each is answered, in call order, and none harms another. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Scratch, textOf } from "../support.ts";

/** The first call ends only when it sees what the second wrote. */
const CROSSED = [
  { id: "wait", name: "wait", args: {} },
  { id: "go", name: "Write", args: { file_path: "slow.txt", content: "x" } },
];
const FLAGS = ["--plugins", "p", "--mode", "bypassPermissions"];

const read = (id: string, file_path = "a.txt") => ({ id, name: "Read", args: { file_path } });

test("500 calls on standard input are each answered, in call order, without a last newline too", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const ids = Array.from({ length: 500 }, (_, index) => String(index));
  const input = ids.map((id) => JSON.stringify(read(id))).join("\n");
  const ran = await scratch.agent(["exec", "-"], { input });
  const results = ran.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(results.map(({ id }) => id), ids);
  assert.ok(results.every(({ outcome }) => outcome === "success"));
  assert.equal(ran.stderr, "");
  assert.equal(ran.code, 0);
});

test("results stand in call order though a later call ends first", async () => {
  using scratch = new Scratch();
  scratch.plugin("wait", WAIT);
  const { results } = await scratch.batch(CROSSED, FLAGS);
  assert.deepEqual(results.map(({ id, outcome }) => [id, outcome]), [["wait", "success"], ["go", "success"]]);
});

test("--unordered gives results as they come", async () => {
  using scratch = new Scratch();
  scratch.plugin("wait", WAIT);
  const { results } = await scratch.batch(CROSSED, ["--unordered", ...FLAGS]);
  assert.deepEqual(results.map(({ id }) => id), ["go", "wait"]);
});

test("--concurrency limits the calls that run at once, those of one response too", async () => {
  using scratch = new Scratch();
  scratch.plugin("count", COUNT);
  const block = (id: string) => ({ type: "tool_use", id, name: "count", input: {} });
  const message = { role: "assistant", content: ["1", "2", "3", "4"].map(block) };
  const one = await scratch.batch([message], [...FLAGS, "--concurrency", "1"]);
  assert.equal(one.code, 0, one.stdout);
  assert.deepEqual(one.results[0]!.content.map(textOf).map(firstLine), ["1", "1", "1", "1"]);
  const many = await scratch.batch([message], FLAGS);
  assert.deepEqual(many.results[0]!.content.map(textOf).map(firstLine).at(-1), "4");
});

test("each bad call gets one clear error under its own id and the others are untouched", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const bad: [unknown, string, string, RegExp][] = [
    ["{not json", "line_2", "invalid", /^Cannot read the call in line 2: not JSON$/],
    ['"text"', "line_4", "invalid", /^Cannot read the call in line 4: not of the form .*\n\nhint: /],
    ["{}", "line_6", "invalid", /^Cannot read the call in line 6: /],
    [{ id: "n", name: 5 }, "n", "invalid", /^Cannot read the call in line 8: /],
    [
      { id: "u", name: "Raed", args: {} },
      "u",
      "unknown",
      /^Cannot call "Raed": no such tool\n\nhint: did you mean Read\?/,
    ],
    [
      { id: "t", name: "Read", args: { file_path: 5 } },
      "t",
      "invalid",
      /"file_path" must be a string, got 5/,
    ],
    [{ id: "m", name: "Read", args: {} }, "m", "invalid", /"file_path" is missing/],
    [{ id: "s", name: "Read", args: "x" }, "s", "invalid", /^Cannot call Read: .*must be an object/],
    [read("gone", "gone"), "gone", "error", /^Cannot read ".*gone": no such file/],
    [read("dir", "."), "dir", "error", /^Cannot read ".*": it is a folder/],
    [
      { id: "p", name: "Write", args: { file_path: "a.txt/b", content: "" } },
      "p",
      "error",
      /Cannot write ".*a\.txt\/b": /,
    ],
  ];
  const good = bad.map((_, index) => read(`good_${index}`));
  const calls = bad.flatMap(([call], index) => [good[index], call]);
  const ran = await scratch.batch(calls, ["--allow", "Write"]);
  assert.equal(ran.stderr, "");
  assert.equal(ran.code, 1);
  assert.equal(ran.results.length, calls.length);
  for (const [index, [, id, outcome, text]] of bad.entries()) {
    const [before, result] = ran.results.slice(index * 2);
    assert.equal(before!.id, `good_${index}`);
    assert.equal(textOf(before!), "1\tone");
    assert.equal(result!.id, id);
    assert.equal(result!.outcome, outcome);
    assert.equal(result!.status, "error");
    assert.match(textOf(result!), text);
  }
  assert.equal(scratch.read("a.txt"), "one\n");
});

test("--plain prints results to standard output and failures to standard error", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const calls = [read("1"), read("2", "gone"), { name: "Bash", args: { command: "echo own; exit 3" } }];
  const input = calls.map((call) => JSON.stringify(call)).join("\n");
  const ran = await scratch.agent(["exec", "-", "--plain", "--allow", "Bash"], { input });
  assert.equal(ran.stdout, "1\tone\n");
  assert.match(
    ran.stderr,
    /^error: Cannot read ".*gone": no such file\n\nhint: .*\nown\n\[Exit code: 3\]\n$/,
  );
  assert.equal(ran.code, 1);
});

test("blank lines, a byte order mark and CRLF are passed over", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const line = JSON.stringify(read("1"));
  const ran = await scratch.agent(["exec", "-"], { input: `\uFEFF\r\n${line}\r\n\n  \n${line}\r\n` });
  assert.equal(ran.stdout.trimEnd().split("\n").length, 2);
  assert.equal(ran.code, 0, ran.stdout);
});

test("a line that is too long is one error, a long one a call, and the others go on", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const long = { ...read("long"), more: "é".repeat(20_000_000) };
  const endless = { ...read("endless"), more: "x".repeat(65 * 1024 * 1024) };
  const { results, code } = await scratch.batch([read("1"), endless, long, read("2")]);
  assert.deepEqual(results.map(({ id, outcome }) => [id, outcome]), [
    ["1", "success"],
    ["line_2", "invalid"],
    ["long", "success"],
    ["2", "success"],
  ]);
  assert.equal(textOf(results[1]!), "Cannot read the call in line 2: longer than 64 MB");
  assert.equal(code, 1);
});

test("what is too long as a whole is one error, as a response and as arguments", async () => {
  using scratch = new Scratch();
  const input = `{\n"args":\n"${"x".repeat(65 * 1024 * 1024)}"\n}\n`;
  const response = await scratch.agent(["exec", "-"], { input });
  const { id, content } = JSON.parse(response.stdout);
  assert.equal(id, "input");
  assert.equal(textOf({ content }), "Cannot read the call in standard input: longer than 64 MB");
  const args = await scratch.agent(["exec", "Read", "-"], { input });
  assert.match(args.stderr, /^error: Cannot use standard input: longer than 64 MB\n/);
  assert.equal(args.code, 2);
});

test("a list of calls is answered call by call, pretty-printed or not", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const list = [read("1"), read("2", "gone"), {}];
  for (const input of [JSON.stringify(list), `\n\n${JSON.stringify(list, null, 2)}\n`]) {
    const ran = await scratch.agent(["exec"], { input });
    const results = ran.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(results.map(({ outcome }) => outcome), ["success", "error", "invalid"]);
    assert.deepEqual(results.slice(0, 2).map(({ id }) => id), ["1", "2"]);
  }
});

test("no calls at all is done, and said", async () => {
  using scratch = new Scratch();
  const ran = await scratch.agent(["exec", "-"]);
  assert.equal(ran.stdout, "");
  assert.match(ran.stderr, /there were no calls on standard input/);
  assert.equal(ran.code, 0);
});

function firstLine(text: string): string {
  return text.split("\n")[0]!;
}

/** A tool that ends when `slow.txt` is there. */
const WAIT = `
  const { existsSync } = await import("node:fs");
  agent.tool({
    name: "wait",
    description: "Waits.",
    traits: () => ({ effect: "read", keys: [] }),
    async run(_args, context) {
      while (!existsSync(context.resolve("slow.txt"))) await new Promise((go) => setTimeout(go, 5));
      return "seen";
    },
  });
`;

/** A tool that tells how many of its calls ran at once when it ended. */
const COUNT = `
  let running = 0;
  let most = 0;
  agent.tool({
    name: "count",
    description: "Counts.",
    traits: () => ({ effect: "read", keys: [] }),
    async run() {
      most = Math.max(most, ++running);
      await new Promise((go) => setTimeout(go, 50));
      running--;
      return String(most);
    },
  });
`;
