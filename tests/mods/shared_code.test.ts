/** What a plugin shares with the host, it can neither end nor change. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { AGENT, ON_DENO, run, Scratch, textOf } from "../support.ts";
import { quoted } from "./hook_scripts.ts";

const FREE = ["--plugins", "p", "--mode", "bypassPermissions"];

/** Ways to the end of the process that no bundler sees. */
const ENDS: [name: string, body: string][] = [
  ["process.exit", `at.process.exit(7)`],
  ["process.reallyExit", `at.process.reallyExit(7)`],
  ["process.abort", `at.process.abort()`],
  ["process.kill", `at.process.kill(at.process.pid, "SIGKILL")`],
  ["process.kill", `at.process.kill(0)`],
  ["process.kill", `process.kill(process.pid)`],
  ["process.abort", `process.abort()`],
  ...ON_DENO
    ? [
      ["Deno.exit", `at.Deno.exit(7)`] as [string, string],
      ["Deno.kill", `at.Deno.kill(at.Deno.pid)`] as [string, string],
    ]
    : [],
];

test("a plugin can't end the process by any way through globalThis either", async () => {
  using scratch = new Scratch();
  const tools = ENDS.map(([, body], at) =>
    `agent.tool({ name: "leave${at}", description: "", run: () => { ${body}; return "gone"; } });`
  );
  scratch.plugin("a", `const at = globalThis as any; ${tools.join("\n")}`);
  scratch.plugin("b", `const at = globalThis as any; at.process.exit(7);`);
  scratch.plugin("c", `const at = globalThis as any; agent.on("tool_end", () => at.process.abort());`);
  scratch.plugin(
    "d",
    `agent.tool({ name: "alive", description: "", run: () => String(process.kill(process.pid, 0)) });`,
  );
  const { results, stderr } = await scratch.batch(
    [...ENDS.map((_, at) => ({ name: `leave${at}`, args: {} })), { name: "alive", args: {} }],
    FREE,
  );
  ENDS.forEach(([name, body], at) => {
    assert.ok(
      textOf(results[at]!).startsWith(`${name} was called; a plugin may not end the process`),
      `${body}: ${textOf(results[at]!)}`,
    );
  });
  assert.equal(textOf(results.at(-1)!), "true");
  assert.match(stderr, /plugin "b" is off: setup failed: process\.exit was called/);
  assert.match(stderr, /Plugin "c" failed in tool_end: process\.abort was called/);
});

test("a host that ends itself in a hurry still can while plugins are loaded", async () => {
  using scratch = new Scratch();
  scratch.plugin("a", `(globalThis as any).process.title;`);
  const calls = Array.from(
    { length: 200 },
    () => JSON.stringify({ name: "Bash", args: { command: "echo hi" } }),
  );
  scratch.file("calls.jsonl", calls.join("\n") + "\n");
  // The reader is gone after the first line.
  const agent = [...AGENT, "exec", "-", ...FREE].map(quoted).join(" ");
  const script = `{ ${agent} < calls.jsonl 2>ended; echo "ended with $?" >>ended; } | head -n 1`;
  const { stdout } = await run(["sh", "-c", script], { cwd: scratch.work, env: scratch.env() });
  assert.equal(stdout.trim().split("\n").length, 1);
  assert.equal(scratch.read("ended"), "ended with 0\n");
});

for (const [kind, more] of [["script", ""], ["module", "await Promise.resolve();\n"]]) {
  test(`what a ${kind} adds to prototypes at its import is undone, and it is off by name`, async () => {
    using scratch = new Scratch();
    scratch.file(
      "p/a.ts",
      `${more}for (const key of ["deny", "get", "then", "hide"]) (Object.prototype as any)[key] = "polluted";
      (Array.prototype as any).last = 1;
      export default { name: "polluter", setup() {} };\n`,
    );
    scratch.plugin("b", `agent.on("tool_end", (_, result) => ({ result: result.text + " b" }));`);
    const { result, stderr, code } = await scratch.exec(["Bash", "command=echo hi", ...FREE]);
    assert.deepEqual([textOf(result), code], ["hi b", 0], stderr);
    assert.equal(stderr.trim().split("\n").length, 1, stderr);
    assert.match(stderr, /plugin "a" is off: import failed: it added Object\.prototype\.deny, /);
    assert.match(stderr, /Array\.prototype\.last, which all code shares; that was undone \(.*a\.ts\)/);
  });
}

for (const wait of ["", "await Promise.resolve();"]) {
  const when = wait === "" ? "at once" : "later";
  test(`what a set-up adds to prototypes ${when} is undone, even where it throws, and its plugin is off`, async () => {
    using scratch = new Scratch();
    const add = (key: string) => `(Function.prototype as any).${key} = 1;`;
    scratch.plugin("a", `agent.on("tool_start", () => ({ deny: "no" })); ${wait} ${add("deny")}`);
    scratch.plugin("b", `${wait} ${add("bad")} throw new Error("broken");`);
    scratch.plugin(
      "c",
      `${wait} Object.defineProperty(Object.prototype, Symbol("fixed"), { value: 1 });`,
    );
    scratch.plugin("d", `agent.on("tool_end", (_, result) => ({ result: result.text + " d" }));`);
    const { result, stderr, code } = await scratch.exec(["Bash", "command=echo hi", ...FREE]);
    assert.deepEqual([textOf(result), code], ["hi d", 0], stderr);
    assert.match(stderr, /plugin "a" is off: setup failed: it added Function\.prototype\.deny,/);
    assert.match(stderr, /plugin "b" is off: setup failed: it added Function\.prototype\.bad,/);
    assert.match(stderr, /plugin "c" is off: setup failed: it added Object\.prototype\[Symbol\(fixed\)\]/);
    assert.equal(stderr.trim().split("\n").length, 3, stderr);
  });
}

test("an answer's fields are its own: what a handler puts on Object.prototype denies nothing", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "a",
    `agent.on("tool_start", (call) => {
      (Object.prototype as any).deny = "polluted";
      return { args: { ...call.args, command: "echo rewritten" } };
    });`,
  );
  const { result } = await scratch.exec(["Bash", "command=echo hi", ...FREE]);
  assert.equal(textOf(result), "rewritten");
});
