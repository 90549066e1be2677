/** The plugin that ships as `plugins/cache-reads.ts`. */
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { PNG } from "../samples.ts";
import { ROOT, Scratch, textOf } from "../support.ts";

const FLAGS = ["--plugins", path.join(ROOT, "plugins/cache-reads.ts"), "--mode", "bypassPermissions"];
const IN_TURN = [...FLAGS, "--concurrency", "1"];
const UNCHANGED = "[unchanged since you read it in this session; read it once more to see it again]";

const read = (file_path: string, more = {}) => ({ name: "Read", args: { file_path, ...more } });
const bash = (command: string) => ({ name: "Bash", args: { command } });
const write = (file_path: string, content: string) => ({ name: "Write", args: { file_path, content } });

/** What each call gave, its text or what it answered from memory. */
async function texts(scratch: Scratch, calls: readonly unknown[], flags = IN_TURN): Promise<string[]> {
  const { results, stderr } = await scratch.batch(calls, flags);
  assert.equal(stderr, "");
  return results.map((result) => textOf(result) === UNCHANGED ? result.outcome : textOf(result));
}

test("cache-reads answers the same Read of the same bytes, and reads when asked once more", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\ntwo\n");
  const calls = [read("a.txt"), read("a.txt"), read("a.txt"), read("a.txt"), read("a.txt", { limit: 1 })];
  assert.deepEqual(await texts(scratch, [...calls, read("a.txt", { limit: 1 })]), [
    "1\tone\n2\ttwo",
    "answered",
    "1\tone\n2\ttwo",
    "answered",
    "1\tone\n[lines 1-1 of 2 shown. Use offset=2 to continue]",
    "answered",
  ]);
});

test("cache-reads sees every change, also one of the same size and time, and forgets what was written", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const calls = [
    read("a.txt"),
    bash("touch -r a.txt keep; printf 'two\\n' > a.txt; touch -r keep a.txt"),
    read("a.txt"),
    write("a.txt", "six\n"),
    write("a.txt", "two\n"),
    read("a.txt"),
    write("b.txt", "b\n"),
    read("a.txt"),
    bash("rm a.txt"),
    read("a.txt"),
  ];
  const seen = await texts(scratch, calls);
  assert.deepEqual([seen[0], seen[2], seen[5], seen[7]], ["1\tone", "1\ttwo", "1\ttwo", "answered"]);
  assert.match(seen[9]!, /no such file/);
});

test("cache-reads follows links, and knows a file by its face's own name", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const calls = [
    bash("ln -s a.txt link"),
    read("link"),
    bash("printf 'two\\n' > b.txt; ln -sfn b.txt link"),
    read("link"),
    { name: "read_file", args: { file_path: path.join(scratch.work, "a.txt") }, family: "gemini" },
    { name: "read_file", args: { file_path: path.join(scratch.work, "a.txt") }, family: "gemini" },
  ];
  const seen = await texts(scratch, calls);
  assert.deepEqual([seen[1], seen[3]], ["1\tone", "1\ttwo"]);
  assert.match(seen[4]!, /one/);
  assert.equal(seen[5], "answered");
});

test("cache-reads never answers for images, failures, a dry run, or what a tool reads for itself", async () => {
  using scratch = new Scratch();
  scratch.file("a.png", Buffer.from(PNG, "base64"));
  scratch.file("a.txt", "one\n");
  scratch.plugin(
    "both",
    `agent.tool({ name: "both", description: "", run: async (_, { call }) => [
      (await call("Read", { file_path: "a.txt" })).outcome, (await call("Read", { file_path: "a.txt" })).outcome,
    ].join(" ") });`,
    `uses: ["call"],`,
  );
  const calls = [read("a.png"), read("a.png"), read("gone"), read("gone"), { name: "both", args: {} }];
  const { results } = await scratch.batch(calls, [...IN_TURN, "--plugins", "p"]);
  assert.deepEqual(results.map(({ outcome }) => outcome), [
    "success",
    "success",
    "error",
    "error",
    "success",
  ]);
  assert.equal(textOf(results[4]!), "success success");
  const dry = await scratch.batch([read("a.txt"), read("a.txt")], [...IN_TURN, "--dry-run"]);
  assert.ok(dry.results.every(({ outcome }) => outcome === "success"));
});

test("cache-reads leaves refusals of others their say", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  scratch.plugin(
    "z",
    `let calls = 0; agent.on("tool_start", () => ++calls > 1 ? { deny: "enough" } : undefined);`,
  );
  const { results } = await scratch.batch([read("a.txt"), read("a.txt")], [...IN_TURN, "--plugins", "p"]);
  assert.deepEqual(results.map(({ outcome }) => outcome), ["success", "denied"]);
});

test("what changed while it was read is read again", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  scratch.plugin(
    "z",
    `const { writeFileSync } = await import("node:fs");
    let calls = 0;
    agent.on("tool_end", () => { if (++calls === 1) writeFileSync("${scratch.work}/a.txt", "two\\n"); });`,
  );
  const seen = await texts(scratch, [read("a.txt"), read("a.txt"), read("a.txt")], [
    ...IN_TURN,
    "--plugins",
    "p",
  ]);
  assert.deepEqual(seen, ["1\tone", "1\ttwo", "answered"]);
});
