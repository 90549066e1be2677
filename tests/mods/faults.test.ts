/** A plugin that fails harms itself alone, and is named; at a gate it shuts the gate. */
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { Scratch, textOf } from "../support.ts";

const FREE = ["--plugins", "p", "--mode", "bypassPermissions"];
const SOON = { AGENT_MODS_HANDLER_TIMEOUT_MS: "50", AGENT_MODS_LOAD_TIMEOUT_MS: "300" };
const NEVER = "new Promise(() => {})";

function linesOf(stderr: string): string[] {
  return stderr.trim().split("\n").sort();
}

test("four broken plugins at once: the call works, four named diagnostics, exit 0", async () => {
  using scratch = new Scratch();
  const file = (name: string) => path.join(scratch.work, `p/${name}.ts`);
  scratch.file("p/hangs.ts", `await ${NEVER};\nexport default { name: "hangs", setup() {} };\n`);
  scratch.file("p/syntax.ts", `export default {{\n`);
  scratch.file(
    "p/throws.ts",
    `throw new Error("at import");\nexport default { name: "throws", setup() {} };\n`,
  );
  scratch.plugin("waits", `agent.on("tool_end", () => ${NEVER});`);
  const { result, stderr, code } = await scratch.exec(["Bash", "command=echo hi", ...FREE], { env: SOON });
  assert.deepEqual([textOf(result), result.outcome, code], ["hi", "success", 0]);
  assert.deepEqual(linesOf(stderr), [
    `warning: Plugin "waits" failed in tool_end: it did not answer within 50 ms`,
    `warning: plugin "hangs" is off: import failed: it did not finish within 300 ms (${file("hangs")})`,
    `warning: plugin "syntax" is off: build failed: syntax.ts:1: Expected identifier but found "{" (${
      file("syntax")
    })`,
    `warning: plugin "throws" is off: import failed: at import (${file("throws")})`,
  ]);
});

test("a set-up that throws or hangs takes all of its plugin with it, and nothing else", async () => {
  using scratch = new Scratch();
  const register = `agent.on("tool_start", () => ({ deny: "from a broken plugin" }));
    agent.tool({ name: "Bash", description: "", run: () => "from a broken plugin" });`;
  scratch.plugin("a", `${register} throw new Error("in setup");`);
  scratch.plugin("b", `${register} await ${NEVER};`);
  scratch.plugin("c", `agent.on("tool_end", (_, result) => ({ result: result.text + " c" }));`);
  const { result, stderr, code } = await scratch.exec(["Bash", "command=echo hi", ...FREE], { env: SOON });
  assert.deepEqual([textOf(result), code], ["hi c", 0]);
  const [a, b, ...others] = linesOf(stderr);
  assert.match(a!, /plugin "a" is off: setup failed: in setup \(.*a\.ts\)/);
  assert.match(b!, /plugin "b" is off: setup failed: it did not finish within 300 ms \(.*b\.ts\)/);
  assert.deepEqual(others, []);
});

for (
  const [what, body, says] of [
    ["hangs", NEVER, "it did not answer within 50 ms"],
    ["throws", `{ throw new Error("broken"); }`, "broken"],
    ["rejects", `Promise.reject(new Error("broken later"))`, "broken later"],
    ["throws no error", `{ throw { toString() { throw 1; }, get x() { throw 2; } }; }`, "unprintable"],
  ]
) {
  for (const event of ["tool_start", "permission"]) {
    test(`a ${event} handler that ${what}: the call is refused, exit 3`, async () => {
      using scratch = new Scratch();
      scratch.plugin("gate", `agent.on("${event}", () => ${body});`, `uses: ["permission"],`);
      const { result, stderr, code } = await scratch.exec(["Bash", "command=touch ran", ...FREE], {
        env: SOON,
      });
      assert.deepEqual([result.outcome, code, scratch.exists("ran")], ["denied", 3, false]);
      assert.ok(
        textOf(result).startsWith(`Cannot run Bash: Plugin "gate" failed in ${event}: `),
        textOf(result),
      );
      assert.ok(textOf(result).includes(says!), textOf(result));
      assert.equal(stderr.trim().split("\n").length, 1);
      assert.ok(stderr.startsWith(`warning: Plugin "gate" failed in ${event}: `), stderr);
    });
  }
}

test("a wrong answer at a gate refuses the call, elsewhere it is passed over; both are said", async () => {
  using scratch = new Scratch();
  const circular = "(() => { const a = {}; a.a = a; return a; })()";
  const answers: Record<string, string> = {
    text: `"no"`,
    list: "[]",
    number: "1",
    empty: "{}",
    odd: `{ denied: "x" }`,
    two: `{ args: {}, deny: "x" }`,
    deny: "{ deny: 1 }",
    args: "{ args: [] }",
    nothing: "{ result: undefined }",
    circular: `{ result: ${circular} }`,
    getter: `{ get result() { throw new Error("a getter"); } }`,
  };
  const table = Object.entries(answers).map(([name, answer]) => `${name}: () => (${answer})`).join(",\n");
  scratch.plugin(
    "a",
    `
    const answers = {\n${table}\n};
    agent.on("tool_start", (call) => call.id.startsWith("start") ? answers[call.id.slice(6)]() : undefined);
    agent.on("tool_end", (call) => call.id.startsWith("end") ? answers[call.id.slice(4)]() : undefined);`,
  );
  scratch.plugin("b", `agent.on("tool_end", (_, result) => ({ result: result.text + " b" }));`);
  const names = Object.keys(answers);
  const { results, stderr } = await scratch.batch(
    ["start", "end"].flatMap((event) =>
      names.map((name) => ({ id: `${event}_${name}`, name: "Bash", args: { command: "echo hi" } }))
    ),
    [...FREE, "--concurrency", "1"],
  );
  for (const result of results) {
    const [event, name] = result.id.split("_");
    if (event === "start") {
      assert.equal(result.outcome, "denied", name);
      assert.match(textOf(result), /^Cannot run Bash: Plugin "a" failed in tool_start: (it|a getter)/);
    } else assert.deepEqual([textOf(result), result.outcome], ["hi b", "success"], name);
  }
  const said = stderr.trim().split("\n");
  assert.equal(said.length, 2 * names.length, stderr);
  const about = (text: string) => said.filter((line) => line.includes(text)).length;
  assert.equal(about("failed in tool_start"), names.length);
  assert.equal(about("it answered a string, not an object"), 2);
  assert.equal(about("it answered a list, not an object"), 2);
  assert.equal(about(`its answer has "denied"; allowed: args, result, deny`), 1);
  assert.equal(about("its deny is not a string"), 1);
  assert.equal(about("its result is not a string, blocks or an object of JSON"), 4);
});

test("a surface handler that breaks the contract changes nothing", async () => {
  using scratch = new Scratch();
  const surface = (answer: string) => `agent.on("surface", () => (${answer}));`;
  scratch.plugin(
    "a",
    surface(`{ hide: "Bash" }`) + surface(`{ describe: { Bash: 5 } }`) + surface(`{ show: [] }`) +
      surface(`(() => { throw new Error("broken"); })()`) + surface(`{ hide: ["Write"] }`),
    `uses: ["surface"],`,
  );
  const ran = await scratch.agent(["tools", ...FREE]);
  const names = ran.stdout.trim().split("\n").map((line) => line.split(" ")[0]);
  assert.deepEqual([names.includes("Bash"), names.includes("Write")], [true, false]);
  assert.equal(linesOf(ran.stderr).length, 4, ran.stderr);
  assert.match(ran.stderr, /its hide is not a list of names/);
});

test("notifications that hang or throw are said and change nothing", async () => {
  using scratch = new Scratch();
  const events = ["session_start", "turn_start", "tool_output", "turn_end", "session_end"];
  scratch.plugin(
    "a",
    events.map((event) => `agent.on("${event}", () => { throw new Error("broken"); });`).join("\n") +
      `agent.on("session_start", () => ${NEVER}); agent.on("turn_end", () => 5);`,
  );
  const { result, stderr, code } = await scratch.exec(["Bash", "command=echo hi", ...FREE], { env: SOON });
  assert.deepEqual([textOf(result), code], ["hi", 0]);
  for (const event of events) assert.ok(stderr.includes(`Plugin "a" failed in ${event}: broken`), event);
  assert.ok(stderr.includes(`failed in session_start: it did not answer`));
  assert.equal(linesOf(stderr).length, 6);
});

for (const [kind, more] of [["script", ""], ["module", "await Promise.resolve();\n"]]) {
  test(`a late rejection and a throw in a timer are pinned on their ${kind}, and nothing ends`, async () => {
    using scratch = new Scratch();
    const file = scratch.file(
      "p x/stray.ts",
      `${more}export default { name: "stray", setup(agent) {
      void Promise.reject(new Error("while loading"));
      agent.tool({ name: "wait", description: "", async run() {
        setTimeout(() => { throw new Error("in a timer"); });
        setTimeout(() => void Promise.reject(new Error("a late rejection")));
        setTimeout(() => void Promise.reject("no stack"));
        await new Promise((resolve) => setTimeout(resolve, 50));
        return "waited";
      } });
    } };`,
    );
    scratch.file("p x/quiet.ts", `export default { name: "quiet", setup() {} };`);
    const ran = await scratch.agent(["exec", "wait", "--plugins", "p x"]);
    assert.deepEqual([ran.stdout, ran.code], ["waited\n", 0], ran.stderr);
    const from = `warning: plugin "stray" (${file}) failed late: `;
    assert.deepEqual(linesOf(ran.stderr), [
      "warning: a plugin, or a library of one, failed late: no stack",
      ...[`${from}a late rejection`, `${from}in a timer`, `${from}while loading`],
    ]);
  });
}

test("a plugin can't end the process, nor keep it from ending", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "a",
    `setInterval(() => {}, 1000);
    agent.tool({ name: "leave", description: "", run: () => process.exit(7) });`,
  );
  scratch.plugin("b", "process.exit(7);");
  const { result, stderr, code } = await scratch.exec(["leave", ...FREE]);
  assert.deepEqual([result.outcome, code], ["error", 1]);
  assert.match(textOf(result), /^process\.exit was called; a plugin may not end the process/);
  assert.match(stderr, /plugin "b" is off: setup failed: process\.exit was called/);
});

for (const [kind, more] of [["script", ""], ["module", "await Promise.resolve();\n"]]) {
  test(`a gate in a ${kind} that assigns to the call it was given refuses it by name`, async () => {
    using scratch = new Scratch();
    scratch.file(
      "p/sloppy.js",
      `${more}export default { name: "sloppy", setup(agent) {
        agent.on("tool_start", (call) => { call.args.command = "true"; });
      } };`,
    );
    const { result, code } = await scratch.exec(["Bash", "command=touch ran", ...FREE]);
    assert.deepEqual([result.outcome, code, scratch.exists("ran")], ["denied", 3, false]);
    assert.match(textOf(result), /^Cannot run Bash: Plugin "sloppy" failed in tool_start: .*command/);
  });
}

test("what plugins say on standard error is redacted", async () => {
  using scratch = new Scratch();
  scratch.settings({ secrets: ["MY_TOKEN"] });
  scratch.plugin(
    "a",
    `agent.log("it is " + process.env.MY_TOKEN);
    agent.on("tool_end", () => { throw new Error("bad token " + process.env.MY_TOKEN); });`,
  );
  const env = { MY_TOKEN: "tok-123456789" };
  const { stderr } = await scratch.agent(["exec", "Bash", "command=true", ...FREE], { env });
  assert.match(stderr, /a: it is <redacted:MY_TOKEN>\n/);
  assert.match(stderr, /failed in tool_end: bad token <redacted:MY_TOKEN>\n/);
});

test("a complaint of the runtime's own is redacted as well", async () => {
  using scratch = new Scratch();
  scratch.settings({ secrets: ["MY_TOKEN"] });
  const blocked = scratch.file("tok-123456789", "a file where a folder is needed");
  const env = { MY_TOKEN: "tok-123456789", XDG_STATE_HOME: blocked };
  const { stderr } = await scratch.agent(["exec", "Bash", "command=true", "--no-mods"], { env });
  assert.match(stderr, /Cannot write the call log ".*<redacted:MY_TOKEN>/);
  assert.doesNotMatch(stderr, /tok-123456789/);
});
