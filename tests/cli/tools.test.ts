/** `agent tools`: what a model is shown, the same bytes everywhere. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { type Json, type RuntimeName, Scratch } from "../support.ts";

async function tools(scratch: Scratch, args: readonly string[]): Promise<Json[]> {
  const { stdout, stderr, code } = await scratch.agent(["tools", "--json", ...args]);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

const names = (list: readonly Json[]) => list.map(({ name }) => name);

test("the surface is the same bytes on Node and Deno, whatever the language of the environment", async () => {
  using scratch = new Scratch();
  // Names whose order and case a locale would change.
  const tool = (name: string) => `agent.tool({ name: "${name}", description: "İ ı ä", run: () => "" });`;
  scratch.plugin("names", ["iota", "Ilk", "zeta", "Zed", "a_b", "aB", "ab"].map(tool).join("\n"));
  for (const toolset of ["default", "codex_snake", "gemini"]) {
    const seen = new Set<string>();
    for (const on of ["node", "deno"] satisfies RuntimeName[]) {
      for (const lang of ["C", "tr_TR.UTF-8"]) {
        const args = ["tools", "--json", "--plugins", "p", "--toolset", toolset];
        const ran = await scratch.agent(args, { on, env: { LANG: lang, LC_ALL: lang } });
        assert.equal(ran.code, 0, ran.stderr);
        seen.add(ran.stdout);
      }
    }
    assert.equal(seen.size, 1, toolset);
    const own = names(JSON.parse([...seen][0]!)).slice(-7);
    assert.deepEqual(own, ["Ilk", "Zed", "aB", "a_b", "ab", "iota", "zeta"]);
  }
});

test("--toolset and --model choose the faces, in the form that the provider takes", async () => {
  using scratch = new Scratch();
  const claude = await tools(scratch, []);
  assert.deepEqual(names(claude), ["Bash", "BashOutput", "Edit", "KillBash", "Monitor", "Read", "Write"]);
  assert.deepEqual(Object.keys(claude[0]!), ["name", "description", "input_schema"]);
  const codex = await tools(scratch, ["--model", "openai/gpt-5"]);
  assert.ok(names(codex).includes("exec_command"));
  const [custom, fn] = [
    codex.find((one) => one.type === "custom")!,
    codex.find((one) => one.name === "exec_command")!,
  ];
  assert.deepEqual(Object.keys(custom), ["type", "name", "description", "format"]);
  assert.deepEqual(Object.keys(fn), ["type", "name", "description", "parameters"]);
  assert.deepEqual(codex, await tools(scratch, ["--toolset", "codex_snake"]));
  const gemini = await tools(scratch, ["--model", "google/gemini-2.5-pro"]);
  assert.ok(names(gemini).includes("run_shell_command"));
  assert.deepEqual(await tools(scratch, ["--toolset", "none"]), []);
});

test("the order is that of code units", async () => {
  using scratch = new Scratch();
  for (const toolset of ["default", "codex", "gemini_snake", "lean"]) {
    const shown = names(await tools(scratch, ["--toolset", toolset]));
    assert.deepEqual(shown, [...shown].sort());
  }
});

test("--tools shows just these, from all there are, and an unknown one is an error with the nearest name", async () => {
  using scratch = new Scratch();
  assert.deepEqual(names(await tools(scratch, ["--tools", "Read, run_shell_command"])), [
    "Read",
    "run_shell_command",
  ]);
  const ran = await scratch.agent(["tools", "--tools", "Read,Wriet"]);
  assert.equal(
    ran.stderr,
    'error: Cannot show the tool "Wriet": no such tool\n\nhint: did you mean Write?\n',
  );
  assert.equal(ran.code, 2);
});

test("--cost counts the bytes of what a request carries, and its hash", async () => {
  using scratch = new Scratch();
  const request = await tools(scratch, []);
  const cost = JSON.parse((await scratch.agent(["tools", "--cost", "--json"])).stdout);
  const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;
  assert.equal(cost.bytes, bytes(request));
  assert.deepEqual(cost.tools, request.map((tool) => ({ name: tool.name, bytes: bytes(tool) })));
  assert.equal(cost.sha256, createHash("sha256").update(JSON.stringify(request)).digest("hex"));
  const text = await scratch.agent(["tools", "--cost"]);
  assert.match(text.stdout, new RegExp(`^ *${cost.bytes} {2}in all, ${request.length} tools, sha256 `, "m"));
});

test("agent tools says where a tool comes from and what it stands before", async () => {
  using scratch = new Scratch();
  const tool = (name: string) => `agent.tool({ name: "${name}", description: "Mine.", run: () => "" });`;
  scratch.plugin("mine", tool("Read") + tool("extra"));
  scratch.plugin(
    "wordy",
    `agent.tool({ name: "wordy", description: "${"word ".repeat(40)}", run: () => "" });`,
  );
  const { stdout } = await scratch.agent(["tools", "--plugins", "p"]);
  assert.match(stdout, /^wordy +(word ){19}word… {2}\[mod: /m);
  assert.match(stdout, /^Read +Mine\. {2}\[mod: .*mine\.ts, before: built in\]$/m);
  assert.match(stdout, /^extra +Mine\. {2}\[mod: .*mine\.ts\]$/m);
  assert.match(stdout, /^Write +[^[]+$/m);
  // A shadowing tool keeps the built-in's place.
  assert.deepEqual(stdout.trimEnd().split("\n").map((line) => line.split(" ")[0]), [
    "Bash",
    "BashOutput",
    "Edit",
    "KillBash",
    "Monitor",
    "Read",
    "Write",
    "extra",
    "wordy",
  ]);
});
