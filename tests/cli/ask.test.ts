/** Questions on the terminal, under a pseudo-terminal that `script` makes. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { lstatSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { AGENT, type Json, Scratch } from "../support.ts";

const works = spawnSync("script", ["-qec", "true", "/dev/null"], { stdio: "ignore" }).status === 0;
const skip = !works && "no `script` to make a terminal with";

const write = (id: string) => ({ id, name: "Write", args: { file_path: `${id}.txt`, content: "x" } });

/** Runs calls with a terminal to ask on; `answers` are typed one by one, each when a question stands there. */
async function asked(scratch: Scratch, calls: readonly unknown[], answers: readonly string[], flags = "") {
  scratch.file("calls.jsonl", calls.map((call) => JSON.stringify(call)).join("\n") + "\n");
  const agent = AGENT.map((word) => `'${word}'`).join(" ");
  const line = `${agent} exec - ${flags} < calls.jsonl > results.jsonl`;
  const child = spawn("script", ["-qec", line, "/dev/null"], {
    cwd: scratch.work,
    env: { ...scratch.env(), SHELL: "/bin/sh" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  let shown = "";
  let questions = 0;
  child.stdout.on("data", (chunk: Uint8Array) => {
    shown += new TextDecoder().decode(chunk);
    const seen = shown.split("Run it? ").length - 1;
    for (; questions < seen; questions++) child.stdin.write(answers[questions] ?? "n\n");
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  const lines = scratch.read("results.jsonl").split("\n").filter((text) => text !== "");
  const results = lines.map((text) => JSON.parse(text) as Json);
  return { shown, questions, code, outcomes: results.map(({ outcome }) => outcome) };
}

test("a call that needs leave is asked about on the terminal, one question at a time", { skip }, async () => {
  using scratch = new Scratch();
  const ran = await asked(scratch, ["one", "two", "three"].map(write), ["y\n", "n\n", "YES\n"]);
  assert.deepEqual(ran.outcomes, ["success", "denied", "success"], ran.shown);
  assert.equal(ran.questions, 3);
  assert.match(ran.shown, /Write \{[^]*one\.txt[^]*\[y\]es, \[n\]o, \[a\]lways \(Write\(/);
});

test("the end of the terminal is a no, to this question and to those after it", { skip }, async () => {
  using scratch = new Scratch();
  const ran = await asked(scratch, ["one", "two"].map(write), ["\u0004"]);
  assert.deepEqual(ran.outcomes, ["denied", "denied"], ran.shown);
  assert.equal(ran.code, 1);
});

test(
  "always writes the rule into the user's settings, and keeps their comments and links",
  { skip },
  async () => {
    using scratch = new Scratch();
    const own = scratch.file("mine.json", '{\n  // mine\n  "permissions": {"deny": ["Bash"],},\n}\n', 0o600);
    const settings = path.join(scratch.config, "settings.json");
    symlinkSync(own, settings);
    const echo = { name: "Write", args: { file_path: "one.txt", content: "x" } };
    const ran = await asked(scratch, [echo, echo], ["a\n"]);
    assert.deepEqual(ran.outcomes, ["success", "success"], ran.shown);
    assert.equal(ran.questions, 1);
    assert.ok(lstatSync(settings).isSymbolicLink());
    assert.match(readFileSync(own, "utf8"), /\/\/ mine/);
    assert.equal(lstatSync(own).mode & 0o777, 0o600);
    const again = await scratch.batch([echo, { name: "Bash", args: { command: "true" } }]);
    assert.deepEqual(again.results.map(({ outcome }) => outcome), ["success", "denied"]);
  },
);

test("always makes the settings where there are none, and says why where it can't", { skip }, async () => {
  using scratch = new Scratch();
  assert.deepEqual((await asked(scratch, [write("one")], ["a\n"])).outcomes, ["success"]);
  assert.deepEqual((await scratch.batch([write("one")])).results.map(({ outcome }) => outcome), ["success"]);
  using broken = new Scratch();
  // Broken while the question stands there.
  const breaking = `--plugins p`;
  broken.plugin(
    "breaks",
    `const { writeFileSync } = await import("node:fs");
     agent.on("tool_start", () => writeFileSync(${
      JSON.stringify(`${broken.config}/settings.json`)
    }, "{ no"));`,
  );
  const ran = await asked(broken, [write("one")], ["a\n"], breaking);
  assert.deepEqual(ran.outcomes, ["success"]);
  assert.match(ran.shown, /the rule .* holds for this run only: Cannot read ".*settings\.json": /);
  assert.equal(readFileSync(path.join(broken.config, "settings.json"), "utf8"), "{ no");
});

test("--no-input asks nothing", { skip }, async () => {
  using scratch = new Scratch();
  const ran = await asked(scratch, [write("one")], [], "--no-input");
  assert.deepEqual(ran.outcomes, ["denied"]);
  assert.equal(ran.questions, 0);
});
