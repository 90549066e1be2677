/** A plugin in a process of its own: the same to calls, and no harm to anything else. */
import assert from "node:assert/strict";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import { ON_DENO, ROOT, Scratch, textOf } from "../support.ts";

const FREE = ["--plugins", "p", "--mode", "bypassPermissions", "--concurrency", "1"];
/** Node can't keep it from the network, and says so where that isn't declared. */
const APART = `isolation: "process", uses: ["net:*"],`;
const bash = (command: string) => ({ name: "Bash", args: { command } });

test("handlers, tools, options and storage work from a process of its own", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "content\n");
  scratch.file(
    "p/apart.ts",
    `import { definePlugin } from "agent";
    import { z } from "zod";
    export default definePlugin({ name: "apart", isolation: "process", uses: ["call", "exec", "net:*", "secrets:KEY", "surface"],
      options: z.object({ word: z.string(), n: z.number().default(2) }),
      async setup(agent, options) {
        agent.log("up " + options.word + options.n + " " + agent.storage.endsWith("storage/apart"));
        agent.on("tool_start", (call) => call.touches("*.md") && call.args.path ? { deny: "no " + call.tool } : undefined);
        agent.on("tool_start", ({ args }) => ({ args: { ...args, command: args.command + " rewritten" } }), { tools: ["Bash"] });
        agent.on("tool_end", (_, result) => ({ result: result.text + " seen" }), { effect: "run" });
        agent.on("surface", () => ({ hide: ["Write"] }));
        agent.tool({ name: "look", description: "", input: z.object({ path: z.string(), n: z.coerce.number().default(3) }),
          traits: ({ path }, place) => ({ effect: "read", keys: ["path:" + place.identify(path)],
            subjects: [{ kind: "path", value: place.identify(path), access: "read" }] }),
          async run({ path, n }, context) {
            context.output("out"); context.log("noted");
            const text = new TextDecoder().decode(await context.files.read(context.resolve(path)));
            const { stdout } = await context.exec("echo from exec");
            const nested = await context.call("Bash", { command: "echo nested" });
            let undeclared;
            try { context.secret("OTHER"); } catch (error) { undeclared = error.message; }
            return [text, n, stdout, nested.content[0].text, context.secret("KEY"), undeclared, await context.identify(path)];
          } });
        return () => agent.log("down");
      } });`,
  );
  scratch.settings({ plugins: { apart: { word: "hi" } }, secrets: ["KEY"] });
  const { results, stderr } = await scratch.batch(
    [
      { name: "look", args: { path: "a.txt" } },
      { name: "look", args: { path: 5 } },
      { name: "Read", args: { file_path: "x.md" } },
      bash("echo it"),
    ],
    [...FREE, "--deny", "look(secret.txt)"],
    { env: { KEY: "key-123456789" } },
  );
  const [look, wrong, denied, ran] = results;
  assert.deepEqual(JSON.parse(textOf(look!)).slice(0, 4), [
    "content\n",
    3,
    "from exec\n",
    "nested rewritten seen",
  ]);
  assert.match(textOf(look!), /<redacted:KEY>[^]*May not use secrets:OTHER[^]*a\.txt/);
  assert.equal(wrong!.outcome, "invalid");
  assert.equal(textOf(denied!), "Cannot run Read: no read_file");
  assert.equal(textOf(ran!), "it rewritten seen");
  assert.equal(stderr, "apart: up hi2 true\napart: down\n");
  const { stdout } = await scratch.agent(["tools", "--plugins", "p"]);
  assert.doesNotMatch(stdout, /^Write/m);
});

test("its tools' traits are judged: links are followed for it, and only files that they name are given", async () => {
  using scratch = new Scratch();
  scratch.file("secret.txt", "s\n");
  scratch.file("a.txt", "a\n");
  const { symlinkSync } = await import("node:fs");
  symlinkSync("secret.txt", `${scratch.work}/link.txt`);
  scratch.plugin(
    "apart",
    `agent.tool({ name: "look", description: "", input: { type: "object", properties: { path: {}, other: {} } },
      traits: ({ path }, place) => ({ effect: "read", keys: [], subjects: [{ kind: "path", value: place.resolve(path), access: "read" }] }),
      run: async ({ other }, { files, resolve }) => new TextDecoder().decode(await files.read(resolve(other))) });`,
    APART,
  );
  const look = (path: string, other: string) => ({ name: "look", args: { path, other } });
  const { results } = await scratch.batch(
    [look("link.txt", "link.txt"), look("a.txt", "a.txt"), look("a.txt", "secret.txt")],
    ["--plugins", "p", "--deny", "look(secret.txt)"],
  );
  assert.deepEqual(results.map(({ outcome }) => outcome), ["denied", "success", "error"]);
  assert.match(textOf(results[2]!), /the plugin runs apart, and this call doesn't name that file/);
});

test("a busy loop, an exit and a promise without end refuse one call each, and it is started again", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "gate",
    `agent.on("tool_start", ({ args: { command } }) => {
      if (command.includes("spin")) for (;;);
      if (command.includes("leave")) Reflect.get(globalThis, "process").exit(7);
      if (command.includes("never")) return new Promise(() => {});
      return { args: { command: command + " passed" } };
    }, { tools: ["Bash"] });`,
    APART,
  );
  const { results, stderr } = await scratch.batch(
    [
      bash("echo spin"),
      bash("echo a"),
      bash("echo leave"),
      bash("echo b"),
      bash("echo never"),
      bash("echo c"),
    ],
    FREE,
    { env: { AGENT_MODS_HANDLER_TIMEOUT_MS: "1500" } },
  );
  assert.deepEqual(results.map(({ outcome }) => outcome), [
    ...["denied", "success", "denied", "success", "denied", "success"],
  ]);
  assert.match(textOf(results[0]!), /Plugin "gate" failed in tool_start: it did not answer within 1500 ms/);
  assert.match(textOf(results[2]!), /Plugin "gate" failed in tool_start: its process ended with exit code 7/);
  assert.deepEqual([1, 3, 5].map((at) => textOf(results[at]!)), ["a passed", "b passed", "c passed"]);
  assert.equal(stderr.trim().split("\n").length, 3);
});

test("what it sends unasked has an end", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "flood",
    `agent.tool({ name: "logs", description: "", run: () => { for (;;) agent.log("x".repeat(100_000)); } });
    agent.tool({ name: "forges", description: "", run: () => {
      const line = JSON.stringify({ say: "nothing", text: "x".repeat(100_000) }) + "\\n";
      for (;;) Reflect.get(globalThis, "process").stdout.write(line);
    } });`,
    APART,
  );
  for (const name of ["logs", "forges"]) {
    const { results } = await scratch.batch([{ name, args: {} }], FREE);
    assert.match(
      textOf(results[0]!),
      /it sends more than 32 MB that nobody asked for|its process ended/,
      name,
    );
  }
});

test("a signal to the host opens no debugger to it", {
  skip: (ON_DENO || process.platform === "win32") && "Node alone has that door",
}, async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "knocks",
    `agent.tool({ name: "knock", description: "", async run() {
      const { kill, ppid } = Reflect.get(globalThis, "process");
      kill(ppid, "SIGUSR1");
      return "knocked";
    } });`,
    APART,
  );
  const { results, stderr } = await scratch.batch(
    [{ name: "knock", args: {} }, { name: "knock", args: {} }],
    FREE,
  );
  assert.doesNotMatch(stderr, /[Dd]ebugger/);
  assert.match(textOf(results[1]!), /knocked|kill/);
});

test("a busy loop in a schema's check or in traits fails one call each, and it is started again", async () => {
  using scratch = new Scratch();
  scratch.file(
    "p/slow.ts",
    `import { definePlugin } from "agent";
    import { z } from "zod";
    const odd = (n) => { if (n < 0) for (;;); return true; };
    export default definePlugin({ name: "slow", isolation: "process", setup(agent) {
      agent.tool({ name: "checks", description: "", input: z.object({ n: z.number().refine(odd) }), run: ({ n }) => n });
      agent.tool({ name: "judges", description: "", input: { type: "object", properties: { n: {} } },
        traits: ({ n }) => odd(n) && { effect: "read", keys: [] }, run: ({ n }) => n });
    } });`,
  );
  const call = (name: string, n: number) => ({ name, args: { n } });
  const { results, stderr } = await scratch.batch(
    [call("checks", -1), call("checks", 1), call("judges", -1), call("judges", 2)],
    [...FREE, "--timeout", "60"],
    { env: { AGENT_MODS_HANDLER_TIMEOUT_MS: "1500" } },
  );
  assert.deepEqual(results.map(({ outcome }) => outcome), ["error", "success", "invalid", "success"], stderr);
  for (const at of [0, 2]) {
    assert.match(textOf(results[at]!), /did not answer within 1500 ms, so its process was/);
  }
});

test("what is registered after the set-up comes and goes as in process, also when it was started again", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "grows",
    `const tool = (name, run = () => name) => agent.tool({ name, description: "", run });
    const removeFirst = tool("first");
    tool("wake");
    // Behind the set-up's answer.
    const late = new Promise((resolve) => setTimeout(() => resolve(tool("late"))));
    tool("grow", async () => { await late; tool("grown"); removeFirst(); return "ok"; });
    tool("die", () => Reflect.get(globalThis, "process").exit(7));`,
    APART,
  );
  for (const place of ["config", "state", "cache"]) {
    process.env[`XDG_${place.toUpperCase()}_HOME`] = path.join(scratch.root, place);
  }
  // Not out of the tests' own bundle: the program of the plugin's process stands beside the library.
  const library = path.join(ROOT, ON_DENO ? "src/index.ts" : "dist/index.cjs");
  const { createRuntime }: typeof import("agent-runtime") = await import(library);
  const plugins = [path.join(scratch.work, "p")];
  const runtime = await createRuntime({ cwd: scratch.work, plugins, mode: "bypassPermissions", warn() {} });
  const call = async (name: string) => {
    const result = await runtime.call(await runtime.prepareTurn({ open: true }), { name, args: {} });
    return result.outcome === "success" ? textOf(result) : result.outcome;
  };
  for (let round = 0; round < 2; round++) {
    const said: string[] = [];
    // The process starts again for the first call.
    const names = ["wake", "first", "grown", "grow", "grown", "late", "first", "die"];
    for (const name of names) said.push(await call(name));
    const expected = ["wake", "first", "unknown", "ok", "grown", "late", "unknown", "error"];
    assert.deepEqual(said, expected, `round ${round}`);
  }
  await runtime.close();
});

test("one that ends a fourth time within a minute is off, told once, and its gate stays shut", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "gate",
    `agent.on("tool_start", () => Reflect.get(globalThis, "process").exit(7), { tools: ["Bash"] });
    agent.on("tool_end", () => ({ result: "replaced" }));`,
    APART,
  );
  const { results, stderr } = await scratch.batch(Array(6).fill(bash("touch ran")), FREE);
  assert.ok(results.every(({ outcome }) => outcome === "denied"));
  assert.equal(scratch.exists("ran"), false);
  const off = stderr.split("\n").filter((line) => line.includes(`plugin "gate" is off`));
  assert.equal(off.length, 1, stderr);
  assert.equal(stderr.split("failed in tool_end").length - 1, 0, stderr);
  assert.match(off[0]!, /its process ended 4 times within a minute; the last time: .*exit code 7/);
});

test("answers that are too large, circular or no JSON are refused by name; errors keep their words", async () => {
  using scratch = new Scratch();
  const tool = (name: string, run: string) =>
    `agent.tool({ name: "${name}", description: "", run: ${run} });`;
  scratch.plugin(
    "odd",
    tool("big", `() => "x".repeat(50e6)`) + tool("ring", `() => { const a = {}; a.a = a; return a; }`) +
      tool("fn", "() => ({ a() {} })") +
      tool("fail", `() => { throw Object.assign(new Error("my words"), { hint: "my hint" }); }`) +
      tool("proto", `() => JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 2}')`) +
      tool("fine", `() => "fine"`) +
      `agent.on("tool_end", ({ name }) => name === "fine" ? { result: { content: "y".repeat(50e6) } } : undefined);`,
    APART,
  );
  const names = ["big", "ring", "fn", "fail", "proto", "fine"];
  const { results, stderr } = await scratch.batch(names.map((name) => ({ name, args: {} })), FREE);
  const texts = results.map(textOf);
  assert.equal(texts[0], "its answer is larger than 16 MB");
  assert.match(texts[1]!, /^its answer is nested more than 200 deep, or holds itself/);
  assert.match(texts[2]!, /^its answer holds a function/);
  assert.equal(texts[3], "my words\n\nhint: my hint");
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  assert.equal(texts[5], "fine");
  assert.match(stderr, /Plugin "odd" failed in tool_end: its answer is larger than 16 MB/);
});

test("faults while it loads take it out alone, by name", async () => {
  using scratch = new Scratch();
  scratch.plugin("a", `throw new Error("in setup");`, APART);
  scratch.file(
    "p/b.ts",
    `export default { name: "b", isolation: "process", setup() {} }; throw new Error("at import");`,
  );
  scratch.file("p/c.ts", `const name = "c"; export default { name, isolation: "process", setup() {} };`);
  scratch.file(
    "p/d.ts",
    `const uses = ["exec"]; export default { name: "d", isolation: "process", uses, setup() {} };`,
  );
  scratch.file("p/e.ts", `export default { name: "e", isolation: ["process"][0], setup() {} };`);
  scratch.plugin("f", `agent.on("permission", () => {});`, APART);
  scratch.plugin("g", `agent.on("tool_end", () => ({ result: "fine" }));`, APART);
  scratch.plugin("h", "for (;;);", APART);
  const { results, stderr } = await scratch.batch([bash("true")], FREE, {
    env: { AGENT_MODS_LOAD_TIMEOUT_MS: "5000" },
  });
  assert.equal(textOf(results[0]!), "fine");
  for (
    const words of [
      /"a" is off: setup failed: in setup/,
      /"b" is off: import failed: at import/,
      /"c" is off: import failed: its name can't be read without running it/,
      /"d" is off: import failed: its uses can't be read without running it/,
      /"e" is off: import failed: its isolation can't be read without running it/,
      /"f" is off: setup failed: it listens to permission without declaring it/,
      /"h" is off: setup failed: it did not finish within 5000 ms/,
    ]
  ) assert.match(stderr, words);
});

test("settings put a plugin in a process of its own; what it doesn't declare it doesn't get there", async () => {
  using scratch = new Scratch();
  const secret = scratch.file("outside.txt", "outside");
  scratch.plugin(
    "stranger",
    `const fs = await import("node:fs");
    const { execFileSync } = await import("node:child_process");
    const { Worker } = await import("node:worker_threads");
    agent.tool({ name: "try_it", description: "", run() {
      const tries = { read: () => fs.readFileSync(${JSON.stringify(secret)}, "utf8"),
        write: () => fs.writeFileSync(${JSON.stringify(secret)}, "changed"),
        over: () => fs.readFileSync(agent.storage + "/../../../../work/outside.txt", "utf8"),
        link: () => fs.symlinkSync(${JSON.stringify(secret)}, agent.storage + "/link"),
        run: () => execFileSync("id"),
        report: () => process.report.writeReport(${JSON.stringify(secret)}),
        database: () => new (process.getBuiltinModule("node:sqlite").DatabaseSync)(${JSON.stringify(secret)}),
        thread: () => new Worker("data:text/javascript,", { eval: true }).unref(),
        own: () => { fs.writeFileSync(agent.storage + "/x", "x"); return fs.readFileSync(agent.storage + "/x", "utf8"); },
        key: () => process.env.MY_KEY ?? "none", lang: () => process.env.LANG };
      return Object.fromEntries(Object.entries(tries).map(([name, one]) => {
        try { return [name, one()]; } catch (error) { return [name, "refused"]; }
      }));
    } });`,
    `uses: [],`,
  );
  scratch.settings({ plugins: { stranger: { isolation: "process" } } });
  const { result } = await scratch.exec(["try_it", ...FREE.slice(0, 4)], { env: { MY_KEY: "k" } });
  const tried = JSON.parse(textOf(result));
  assert.deepEqual([tried.own, tried.key, tried.lang], ["x", "none", "C.UTF-8"]);
  // On Deno threads have the permissions of their process, and reports are never written.
  const ways = ["read", "write", "over", "link", "run", "database", ...ON_DENO ? [] : ["thread", "report"]];
  for (const way of ways) assert.equal(tried[way], "refused", way);
  assert.equal(scratch.read("outside.txt"), "outside");
});

test("what the runtime can't keep it from is said when it is loaded, and stands in the list", async () => {
  using scratch = new Scratch();
  const node = process.versions.node;
  const hasFence = ON_DENO || process.allowedNodeEnvironmentFlags.has("--allow-net");
  const cases: [uses: string[], open: string | undefined][] = [
    [[], hasFence ? undefined : "the network"],
    [["net:example.com"], ON_DENO ? undefined : "other hosts than those that it declares"],
    [["net:*"], undefined],
  ];
  for (const [uses, open] of cases) {
    scratch.plugin("stranger", "", `isolation: "process", uses: ${JSON.stringify(uses)},`);
    const { stdout, stderr } = await scratch.agent(["mods", "list", "--plugins", "p"]);
    const but = open && `but Node ${node} can't keep it from ${open}`;
    assert.equal(
      stderr,
      but ? `warning: plugin "stranger" runs in a process of its own, ${but}\n` : "",
    );
    const [first] = stdout.split("\n");
    assert.equal(
      first,
      `stranger  ready, in a process of its own${open ? `, not kept from ${open}` : ""}`,
    );
    const json = await scratch.agent(["mods", "list", "--plugins", "p", "--json"]);
    assert.equal(JSON.parse(json.stdout)[0].unfenced, open);
  }
});

test("a call's end reaches its tool; one that goes on all the same is ended with its process", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "slow",
    `agent.tool({ name: "heeds", description: "", run: (_, { signal, log }) => new Promise((resolve) =>
        signal.addEventListener("abort", () => { agent.log("aborted"); resolve("late"); })) });
     agent.tool({ name: "spins", description: "", run() { for (;;); } });`,
    APART,
  );
  for (const name of ["heeds", "spins"]) {
    const { result, stderr } = await scratch.exec([name, "--timeout", "1", ...FREE.slice(0, 4)]);
    if (name === "spins") assert.equal(result.outcome, "timeout");
    else assert.match(stderr, /slow: aborted/);
  }
});
