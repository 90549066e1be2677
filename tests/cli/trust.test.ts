/** A repository is a stranger until it is trusted, by its real path and to the byte: the public attacks, acted again. */
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { sha256 } from "../../src/core/hash.ts";
import { type Setting, type SettingName, SETTINGS } from "../../src/core/settings.ts";
import { readContent } from "../../src/core/trust_content.ts";
import { projectLayers } from "../../src/core/trust_project.ts";
import type { Bundle } from "../../src/mods/bundle.ts";
import { findPlugins } from "../../src/mods/places.ts";
import { PluginTrust } from "../../src/mods/trusted_plugins.ts";
import { AGENT, type Json, type Ran, ROOT, run, type RunOptions, Scratch } from "../support.ts";

const mark = (scratch: Scratch) => path.join(scratch.root, "marks");
const marks = (scratch: Scratch) => existsSync(mark(scratch)) ? readFileSync(mark(scratch), "utf8") : "";

/** A plugin that says that it was loaded. */
const plugin = (scratch: Scratch, name: string, word = name, more = "") =>
  `${more}import fs from "node:fs";
   import { definePlugin } from "agent";
   fs.appendFileSync(${JSON.stringify(mark(scratch))}, ${JSON.stringify(`plugin ${word}\n`)});
   export default definePlugin({ name: "${name}", uses: ["exec"], setup() {} });\n`;

const hooks = (scratch: Scratch, word: string) => ({
  PreToolUse: [{ hooks: [{ type: "command", command: `echo hook ${word} >> '${mark(scratch)}'` }] }],
});

/** A repository with a hook and a plugin. */
function repository(scratch: Scratch, folder = "work", settings: Json = {}): string {
  const root = scratch.folder(folder);
  mkdirSync(path.join(root, ".git"), { recursive: true });
  mkdirSync(path.join(root, ".agent/plugins"), { recursive: true });
  writeFileSync(path.join(root, "a.txt"), "one\n");
  const all = { hooks: hooks(scratch, "here"), ...settings };
  writeFileSync(path.join(root, ".agent/settings.json"), JSON.stringify(all));
  writeFileSync(path.join(root, ".agent/plugins/p.ts"), plugin(scratch, "p"));
  return root;
}

const read = (scratch: Scratch, flags: readonly string[] = [], options: RunOptions = {}) =>
  scratch.agent(["exec", "Read", "file_path=a.txt", ...flags], options);
const trust = (scratch: Scratch, cwd = scratch.work) => scratch.agent(["trust", "--yes"], { cwd });

const BOTH = "plugin p\nhook here\n";

/** Nothing of the repository took effect, and one line says so. */
function assertStranger(scratch: Scratch, ran: Ran, why = /is not trusted/): void {
  assert.equal(marks(scratch), "");
  assert.match(ran.stderr, /^warning: [^\n]* left out; agent trust shows them, --trust-project [^\n]*\n$/);
  assert.match(ran.stderr, why);
  assert.deepEqual([ran.stdout, ran.code], ["1\tone\n", 0]);
}

async function assertTrusted(scratch: Scratch, options: RunOptions = {}): Promise<void> {
  const ran = await read(scratch, [], options);
  assert.deepEqual([marks(scratch), ran.stderr, ran.code], [BOTH, "", 0]);
  unlinkSync(mark(scratch));
}

test("hooks and plugins of a cloned repository do nothing, until it is trusted", async () => {
  using scratch = new Scratch();
  const origin = repository(scratch, "origin");
  rmSync(path.join(origin, ".git"), { recursive: true });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@x", ...args], {
      cwd: origin,
      env: scratch.env(),
      stdio: "ignore",
    });
  git("init"), git("add", "."), git("commit", "-m", "x");
  const cwd = path.join(scratch.work, "clone");
  git("clone", origin, cwd);
  assertStranger(scratch, await read(scratch, [], { cwd }), /settings\.json and plugins are left out/);
  const looked = await scratch.agent(["trust"], { cwd });
  assert.equal(looked.code, 1);
  assert.match(
    looked.stdout,
    /never trusted\n {2}hook PreToolUse: echo hook here >> .*\n {2}plugin p: uses exec; /,
  );
  assert.match(
    looked.stdout,
    /imports node:fs {2}\(.*p\.ts\)\n {2}file [0-9a-f]{16} {2}\.agent\/plugins\/p\.ts\n/,
  );
  assert.match(looked.stderr, /so nothing has changed; agent trust --yes/);
  assertStranger(scratch, await read(scratch, [], { cwd }));
  const { code } = await trust(scratch, cwd);
  assert.equal(code, 0);
  await assertTrusted(scratch, { cwd });
  mkdirSync(path.join(cwd, "deep/er"), { recursive: true });
  writeFileSync(path.join(cwd, "deep/er/a.txt"), "one\n");
  await assertTrusted(scratch, { cwd: path.join(cwd, "deep/er") });
});

test("--trust-project takes it for one run, whatever stands there", async () => {
  using scratch = new Scratch();
  repository(scratch);
  const ran = await read(scratch, ["--trust-project"]);
  assert.deepEqual([marks(scratch), ran.stderr, ran.code], [BOTH, "", 0]);
  unlinkSync(mark(scratch));
  assertStranger(scratch, await read(scratch));
});

const changes: [what: string, change: (root: string, scratch: Scratch) => void][] = [
  ["a plugin", (root) => appendFileSync(path.join(root, ".agent/plugins/p.ts"), " ")],
  ["the settings", (root) => appendFileSync(path.join(root, ".agent/settings.json"), " ")],
  ["another file", (root) => writeFileSync(path.join(root, ".agent/notes.md"), "x")],
  ["a file that is gone", (root) => unlinkSync(path.join(root, ".agent/plugins/data.json"))],
  [
    "a plugin more",
    (root, scratch) => writeFileSync(path.join(root, ".agent/plugins/q.ts"), plugin(scratch, "q")),
  ],
  ["local settings more", (root) => writeFileSync(path.join(root, ".agent/settings.local.json"), "{}")],
  ["servers more", (root) => writeFileSync(path.join(root, ".mcp.json"), "{}")],
  [
    "a file that a plugin imports from .agent",
    (root) => appendFileSync(path.join(root, ".agent/lib.ts"), " "),
  ],
  [
    "a file that a plugin imports from elsewhere",
    (root) => appendFileSync(path.join(root, "src/lib.ts"), " "),
  ],
  ["a script that a hook runs", (root) => appendFileSync(path.join(root, "check.sh"), "\n")],
  ["a script that was missing", (root) => writeFileSync(path.join(root, "later.sh"), "exit 0")],
  ["a link more", (root) => symlinkSync("p.ts", path.join(root, ".agent/plugins/l.ts"))],
];
for (const [what, change] of changes) {
  test(`changed after trust, it is a stranger again: ${what}`, async () => {
    using scratch = new Scratch();
    const command = `echo hook here >> '${
      mark(scratch)
    }'; sh ./check.sh; "$CLAUDE_PROJECT_DIR"/later.sh || true`;
    const root = repository(scratch, "work", {
      hooks: { PreToolUse: [{ hooks: [{ type: "command", command }] }] },
    });
    scratch.file("check.sh", "exit 0\n");
    scratch.file("src/lib.ts", "export const b = 2;\n");
    scratch.file(".agent/lib.ts", "export const a = 1;\n");
    scratch.file(".agent/plugins/data.json", "{}");
    const imports = `import "../lib.ts"; import "../../src/lib.ts"; import "./data.json";\n`;
    scratch.file(".agent/plugins/p.ts", plugin(scratch, "p", "p", imports));
    await trust(scratch);
    const before = await read(scratch);
    assert.equal(marks(scratch), BOTH, before.stderr);
    unlinkSync(mark(scratch));
    change(root, scratch);
    assertStranger(scratch, await read(scratch), /has changed since it was trusted/);
  });
}

test("agent trust shows what changed since, and unable to steer a terminal", async () => {
  using scratch = new Scratch();
  repository(scratch);
  scratch.file(".agent/plugins/data.json", '{\n"a": 1\n}\n');
  await trust(scratch);
  scratch.file(".agent/plugins/data.json", '{\n"a": 2\n}\n');
  scratch.file(".agent/new.md", "\u001b[2Jhello\u202e\n");
  const { stdout, code } = await scratch.agent(["trust"]);
  assert.equal(code, 1);
  assert.match(stdout, /changed since it was trusted/);
  const name = ".agent/plugins/data.json";
  assert.ok(stdout.includes(`--- ${name}\n+++ ${name}\n@@ -1,3 +1,3 @@\n {\n-"a": 1\n+"a": 2\n }\n`), stdout);
  assert.ok(
    stdout.includes("--- /dev/null\n+++ .agent/new.md\n@@ -1,0 +1,1 @@\n+\\u001b[2Jhello\\u202e\n"),
    stdout,
  );
  const json = JSON.parse((await scratch.agent(["trust", "--json", "--yes"])).stdout);
  assert.deepEqual([json.state, json.trusted, json.plugins[0].uses], ["changed", true, ["exec"]]);
  assert.equal((await scratch.agent(["trust"])).code, 0);
});

test("trust belongs to a real path: a copy, a move and a link's name have it as far as that", async () => {
  using scratch = new Scratch();
  const root = repository(scratch, "work/a");
  await trust(scratch, root);
  const copy = path.join(scratch.work, "b"), moved = path.join(scratch.work, "c");
  cpSync(root, copy, { recursive: true });
  assertStranger(scratch, await read(scratch, [], { cwd: copy }));
  symlinkSync(root, path.join(scratch.work, "link"));
  await assertTrusted(scratch, { cwd: path.join(scratch.work, "link") });
  renameSync(root, moved);
  assertStranger(scratch, await read(scratch, [], { cwd: moved }));
  renameSync(copy, root);
  // The same bytes at the trusted path are what was trusted.
  await assertTrusted(scratch, { cwd: root });
});

test("a repository within a trusted one is a stranger of its own", async () => {
  using scratch = new Scratch();
  const root = repository(scratch);
  await trust(scratch, root);
  const inner = repository(scratch, "work/vendor/x");
  assertStranger(scratch, await read(scratch, [], { cwd: inner }));
  rmSync(path.join(inner, ".agent"), { recursive: true });
  // It has a `.git`, so what is around it isn't its own.
  const ran = await read(scratch, [], { cwd: inner });
  assert.deepEqual([marks(scratch), ran.stderr], ["", ""]);
});

test("settings that a command made for the next start are not obeyed", async () => {
  using scratch = new Scratch();
  mkdirSync(path.join(scratch.work, ".git"));
  scratch.file("a.txt", "one\n");
  const evil = JSON.stringify({
    hooks: hooks(scratch, "evil"),
    permissions: { defaultMode: "bypassPermissions" },
  });
  const write = (file_path: string) => ({ name: "Write", args: { file_path, content: evil } });
  const { results } = await scratch.batch([
    write(".agent/settings.json"),
    { name: "Bash", args: { command: `mkdir -p .agent && cp evil.json .agent/settings.local.json` } },
  ], ["--mode", "bypassPermissions"]);
  assert.deepEqual(results.map(({ outcome }) => outcome), ["denied", "error"]);
  scratch.file(".agent/settings.json", evil);
  assertStranger(scratch, await read(scratch));
  const next = await scratch.batch([{ name: "Bash", args: { command: "echo hi" } }]);
  assert.equal(next.results[0]!.outcome, "denied");
});

test("what a repository may not set is left out though it is trusted", async () => {
  using scratch = new Scratch();
  scratch.settings({ permissions: { defaultMode: "acceptEdits" } });
  mkdirSync(path.join(scratch.config, "plugins"));
  writeFileSync(
    path.join(scratch.config, "plugins/mine.ts"),
    `export default { name: "mine", setup(agent, options) { agent.log("options " + JSON.stringify(options)); } };\n`,
  );
  repository(scratch, "work", {
    hooks: { ...hooks(scratch, "here"), import: ["claude"] },
    permissions: { defaultMode: "bypassPermissions", allow: ["Bash(echo *)", "Edit(.agent/**)", "Edit"] },
    plugins: { mine: { evil: true, enabled: false }, p: { fine: true } },
    mods: { enabled: false, required: [] },
    env: { keep: ["*"] },
    secrets: ["NOTHING"],
    log: { enabled: false },
    trust: { pinUser: false },
    toolset: "codex",
  });
  await trust(scratch);
  const ran = await read(scratch);
  assert.equal(marks(scratch), BOTH);
  const [left, options] = ran.stderr.split("\n");
  const names = [
    "mods\\.enabled",
    "mods\\.required",
    "env\\.keep",
    "secrets",
    "log\\.enabled",
    "trust\\.pinUser",
  ];
  for (const name of [...names, "hooks\\.import", "permissions\\.defaultMode bypassPermissions"]) {
    assert.match(left!, new RegExp(`what a project may not set is left out: .*${name}`));
  }
  assert.equal(options, "mine: options {}");
  const list = await scratch.agent(["config", "list", "--origin", "--json"]);
  const settings = JSON.parse(list.stdout) as Record<string, Json>;
  const own = path.join(realpathSync(scratch.work), ".agent/settings.json");
  assert.deepEqual(settings.toolset, { value: "codex", origin: own });
  assert.equal(settings["permissions.defaultMode"]!.value, "acceptEdits");
  assert.deepEqual(settings["mods.enabled"], { value: true, origin: "default" });
  const { results } = await scratch.batch([
    { name: "Bash", args: { command: "echo hi" } },
    { name: "Write", args: { file_path: ".agent/x", content: "x" } },
    { name: "Write", args: { file_path: path.join(scratch.config, "x"), content: "x" } },
  ]);
  assert.deepEqual(results.map(({ outcome }) => outcome), ["success", "denied", "denied"]);
});

test("a trusted repository may be stricter, and its rules are relative to it", async () => {
  using scratch = new Scratch();
  const root = repository(scratch, "work", { permissions: { defaultMode: "plan", deny: ["Read(top/**)"] } });
  scratch.file("top/key.txt", "x");
  scratch.file("sub/top/key.txt", "x");
  await trust(scratch);
  const cwd = path.join(root, "sub");
  const { results } = await scratch.batch(
    [
      { name: "Bash", args: { command: "echo hi" } },
      { name: "Read", args: { file_path: path.join(root, "top/key.txt") } },
      { name: "Read", args: { file_path: "top/key.txt" } },
    ],
    ["--allow", "Read"],
    { cwd },
  );
  assert.deepEqual(results.map(({ outcome }) => outcome), ["denied", "denied", "success"]);
});

test("flags and variables beat local settings, those the shared ones, and all of them the user's", async () => {
  using scratch = new Scratch();
  scratch.settings({ toolset: "gemini", resultLimit: 501, shell: { timeoutMs: 1 } });
  repository(scratch, "work", { toolset: "codex", resultLimit: 502 });
  scratch.file(".agent/settings.local.json", `{"toolset": "lean", // mine\n}`);
  await trust(scratch);
  const listed = async (env: Record<string, string> = {}) => {
    const ran = await scratch.agent(["config", "list", "--json"], { env });
    const { toolset, resultLimit, "shell.timeoutMs": timeout } = JSON.parse(ran.stdout);
    return [toolset, resultLimit, timeout];
  };
  assert.deepEqual(await listed(), ["lean", 502, 1]);
  assert.deepEqual(await listed({ AGENT_TOOLSET: "default" }), ["default", 502, 1]);
});

test("a .agent that is a link: inside the project it is what it leads to, elsewhere it is nothing", async () => {
  using scratch = new Scratch();
  const root = repository(scratch);
  const own = path.join(root, ".agent"), inside = path.join(root, "cfg");
  renameSync(own, inside);
  symlinkSync("cfg", own);
  assertStranger(scratch, await read(scratch));
  await trust(scratch);
  await assertTrusted(scratch);
  // What it leads to is guarded as well.
  const { results } = await scratch.batch(
    [{ name: "Write", args: { file_path: "cfg/settings.local.json", content: "{}" } }],
    ["--mode", "bypassPermissions"],
  );
  assert.equal(results[0]!.outcome, "denied");
  unlinkSync(mark(scratch));
  const outside = scratch.folder("outside");
  cpSync(inside, outside, { recursive: true });
  for (const target of [outside, scratch.config, ".", "..", "nowhere"]) {
    unlinkSync(own);
    symlinkSync(target, own);
    const refused = await trust(scratch);
    assert.notEqual(refused.code, 0, target);
    assert.notEqual((await read(scratch, ["--trust-project"])).code, 0, target);
    const ran = await read(scratch);
    assert.deepEqual([marks(scratch), ran.code], ["", 0], target);
  }
});

const odd: [what: string, make: (root: string, scratch: Scratch) => void, why: RegExp][] = [
  [
    "a link out of it",
    (root, scratch) => symlinkSync(scratch.file("../out.ts", "x"), path.join(root, ".agent/plugins/l.ts")),
    /leads out of \.agent/,
  ],
  [
    "a link to a folder out of it",
    (root) => symlinkSync("../..", path.join(root, ".agent/plugins/l")),
    /leads out/,
  ],
  ["a link to nowhere", (root) => symlinkSync("nowhere", path.join(root, ".agent/l")), /leads out/],
  ["a pipe", (root) => execFileSync("mkfifo", [path.join(root, ".agent/pipe")]), /it is a fifo/],
  ["settings that are a link", (root) => {
    renameSync(path.join(root, ".agent/settings.json"), path.join(root, ".agent/s.json"));
    symlinkSync("s.json", path.join(root, ".agent/settings.json"));
  }, /must be a file/],
];
for (const [what, make, why] of odd) {
  test(`what can't be looked through can't be trusted: ${what}`, async () => {
    using scratch = new Scratch();
    const root = repository(scratch);
    await trust(scratch);
    await assertTrusted(scratch);
    make(root, scratch);
    const ran = await trust(scratch);
    assert.equal(ran.code, 1);
    assert.match(ran.stderr, /^error: Cannot trust "/);
    assert.match(ran.stderr, why);
    const once = await read(scratch, ["--trust-project"]);
    assert.notEqual(once.code, 0);
    assertStranger(scratch, await read(scratch));
  });
}

test("a plugin that uses what lies outside of its project is off", async () => {
  using scratch = new Scratch();
  repository(scratch);
  const outside = scratch.file("../outside.ts", "export const x = 1;\n");
  scratch.file(".agent/plugins/p.ts", plugin(scratch, "p", "p", `import ${JSON.stringify(outside)};\n`));
  assert.match((await trust(scratch)).stdout, /plugin p: .*outside\.ts, which is outside/);
  for (const flags of [[], ["--trust-project"]]) {
    const ran = await read(scratch, flags);
    assert.match(ran.stderr, /plugin "p" is off: it uses .*outside\.ts, which is outside of its project/);
  }
  assert.equal(marks(scratch), "hook here\nhook here\n");
});

test("what .git is decides nothing and is never opened: a pipe, and a file that points elsewhere", async () => {
  using scratch = new Scratch();
  const evil = repository(scratch, "evil");
  await trust(scratch, evil);
  const cwd = scratch.folder("work/x");
  scratch.file("x/a.txt", "one\n");
  const git = path.join(cwd, ".git");
  writeFileSync(git, `gitdir: ${evil}/.git\n`);
  let ran = await read(scratch, [], { cwd });
  assert.deepEqual([marks(scratch), ran.stderr, ran.code], ["", "", 0]);
  unlinkSync(git);
  execFileSync("mkfifo", [git]);
  // Opening it would wait without end.
  ran = await read(scratch, [], { cwd });
  assert.deepEqual([marks(scratch), ran.stderr, ran.code], ["", "", 0]);
  mkdirSync(path.join(cwd, ".agent"));
  writeFileSync(path.join(cwd, ".agent/settings.json"), JSON.stringify({ hooks: hooks(scratch, "x") }));
  assertStranger(scratch, await read(scratch, [], { cwd }));
});

test("a start runs no program that the repository's git configuration names, and reads no .env or .npmrc", async () => {
  using scratch = new Scratch();
  repository(scratch);
  rmSync(path.join(scratch.work, ".git"), { recursive: true });
  const monitor = scratch.file("monitor.sh", `#!/bin/sh\necho monitor >> '${mark(scratch)}'\n`, 0o755);
  const git = (...args: string[]) => execFileSync("git", args, { cwd: scratch.work, env: scratch.env() });
  git("init", "-q"), git("config", "core.fsmonitor", monitor), git("config", "core.hooksPath", scratch.work);
  execFileSync("mkfifo", [path.join(scratch.work, ".env"), path.join(scratch.work, ".npmrc")]);
  git("status");
  assert.match(marks(scratch), /monitor/, "git itself runs it");
  unlinkSync(mark(scratch));
  assertStranger(scratch, await read(scratch));
  await trust(scratch);
  await assertTrusted(scratch);
});

test("files that are swapped all the time are loaded as they were trusted, or not at all", async () => {
  using scratch = new Scratch();
  const root = repository(scratch);
  await trust(scratch);
  const own = path.join(root, ".agent");
  const evil: [string, string][] = [
    ["plugins/p.ts", plugin(scratch, "p", "EVIL")],
    ["settings.json", JSON.stringify({ hooks: hooks(scratch, "EVIL") })],
  ];
  // Both versions stand beside `.agent`, with old times, and take each other's place by renames.
  const script = `
    const fs = require("node:fs"), own = ${JSON.stringify(own)}, aside = ${
    JSON.stringify(scratch.folder("aside"))
  };
    const files = ${JSON.stringify(evil)}.map(([name, text], i) => {
      const bad = aside + "/bad" + i;
      fs.writeFileSync(bad, text);
      fs.utimesSync(bad, 1e9, 1e9);
      return [own + "/" + name, aside + "/good" + i, bad];
    });
    console.log("ready");
    for (;;) for (const [at, good, bad] of files) {
      fs.renameSync(at, good), fs.renameSync(bad, at);
      fs.renameSync(at, bad), fs.renameSync(good, at);
    }`;
  const child = spawn(process.env.AGENT_TEST_NODE ?? "node", ["-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await new Promise((resolve) => child.stdout.once("data", resolve));
    for (let i = 0; i < 12; i++) {
      // Without the bundle, too.
      if (i % 3 === 0) rmSync(path.join(scratch.root, "cache"), { recursive: true, force: true });
      const ran = await read(scratch);
      assert.equal(ran.code, 0, ran.stderr);
      assert.ok(!marks(scratch).includes("EVIL"), marks(scratch) + ran.stderr);
    }
  } finally {
    child.kill("SIGKILL");
  }
});

test("what is loaded is what was hashed, whatever stands on the disk by then", async () => {
  using scratch = new Scratch();
  const root = realpathSync(repository(scratch));
  scratch.file(".agent/plugins/z/package.json", `{"agent": {"plugin": "main.ts"}}`);
  scratch.file(".agent/plugins/z/main.ts", plugin(scratch, "z"));
  const content = readContent(root);
  const evil = [".agent/settings.json", ".agent/plugins/p.ts", ".agent/plugins/z/package.json"]
    .map((name) => scratch.file(name, "{}"));
  scratch.file(".agent/plugins/new.ts", plugin(scratch, "new"));
  const [layer] = await projectLayers(content, undefined, () => {});
  assert.deepEqual(layer!.values.get("hooks"), hooks(scratch, "here"));
  const found = findPlugins([], path.join(scratch.root, "none"), content);
  assert.deepEqual(found.map(({ name, entry }) => [name, path.relative(root, entry)]), [
    ["p", ".agent/plugins/p.ts"],
    ["z", ".agent/plugins/z/main.ts"],
  ]);
  const trust = new PluginTrust({ project: { content, layers: [] } }, () => {});
  const bundleOf = (...paths: string[]) => {
    const inputs = paths.map((one) => ({ path: one, sha256: sha256(readFileSync(one)) }));
    return { inputs } as unknown as Bundle;
  };
  const main = path.join(root, ".agent/plugins/z/main.ts");
  trust.vouch(found[1]!, bundleOf(main));
  for (const path of evil.slice(1).map((one) => realpathSync(one))) {
    assert.throws(
      () => trust.vouch(found[1]!, bundleOf(main, path)),
      /changed since it was trusted/,
    );
  }
  const added = path.join(root, ".agent/plugins/new.ts");
  assert.throws(() => trust.vouch(found[1]!, bundleOf(main, added)), /was not trusted with it/);
});

test("a bundle's hashes are of the bytes that are in it", async () => {
  using scratch = new Scratch();
  const root = repository(scratch);
  const lib = scratch.file(".agent/plugins/lib/x.ts", `export const x = "good";\n`);
  scratch.file(
    ".agent/plugins/p.ts",
    plugin(scratch, "p", "p", `import { x } from "./lib/x.ts"; console.error(x);\n`),
  );
  await trust(scratch, root);
  // A bundle is in the cache: of the same plugin, changed, which its person ran by name.
  writeFileSync(lib, `export const x = "evil";\n`);
  const named = await read(scratch, ["--plugins", ".agent/plugins/p.ts", "--no-input"]);
  assert.match(named.stderr, /evil/);
  rmSync(mark(scratch), { force: true });
  writeFileSync(lib, `export const x = "good";\n`);
  const ran = await read(scratch);
  assert.deepEqual([ran.stderr, marks(scratch)], ["good\n", BOTH]);
});

test("docs/trust.md names all that a project may set", () => {
  const docs = readFileSync(path.join(ROOT, "docs/trust.md"), "utf8");
  const [, listed] = /It may set ([^]*?)\. Rules/.exec(docs)!;
  const named = [...listed!.matchAll(/`([\w.]+)`/g)].map(([, name]) => name).sort();
  const names = Object.keys(SETTINGS) as SettingName[];
  assert.deepEqual(named, names.filter((name) => (SETTINGS[name] as Setting).project).sort());
});

test("a host's runtime takes a trusted project, and a stranger's by its word", async () => {
  using scratch = new Scratch();
  repository(scratch);
  const host = (more: string) =>
    scratch.file(
      `../host${more.length}.mjs`,
      `import { createRuntime } from ${JSON.stringify(path.join(ROOT, "dist/index.cjs"))};
       const runtime = await createRuntime({ cwd: ${JSON.stringify(scratch.work)}, ${more} });
       const turn = await runtime.prepareTurn();
       const result = await runtime.call(turn, { id: "1", name: "Read", args: { file_path: "a.txt" } });
       await runtime.close();
       console.log(result.outcome);`,
    );
  const start = (more: string) => run(["node", host(more)], { cwd: scratch.work, env: scratch.env() });
  const stranger = await start("");
  assert.match(stranger.stderr, /^warning: .* left out; agent trust/);
  assert.deepEqual([marks(scratch), stranger.stdout], ["", "success\n"]);
  const once = await start("trustProject: true");
  assert.deepEqual([marks(scratch), once.stderr, once.stdout], [BOTH, "", "success\n"]);
});

test("many may trust at once, and what they keep is theirs alone", async () => {
  using scratch = new Scratch();
  const roots = [1, 2, 3, 4, 5, 6].map((i) => repository(scratch, `work/r${i}`));
  const all = await Promise.all(roots.map((root) => trust(scratch, root)));
  assert.deepEqual(all.map(({ code }) => code), Array(6).fill(0));
  const list = async () =>
    JSON.parse((await scratch.agent(["trust", "list", "--json"])).stdout).projects as Json[];
  assert.deepEqual(
    (await list()).map((one) => one.path).sort(),
    roots.map((root) => realpathSync(root)).sort(),
  );
  const store = path.join(scratch.state, "trust.json");
  assert.equal(statSync(store).mode & 0o777, 0o600);
  assert.equal(statSync(path.join(scratch.state, "trust")).mode & 0o777, 0o700);
  const removed = await Promise.all(
    roots.slice(0, 3).map((root) => scratch.agent(["trust", "remove", root], { cwd: scratch.root })),
  );
  assert.deepEqual(removed.map(({ code }) => code), [0, 0, 0]);
  assert.equal((await list()).length, 3);
  assertStranger(scratch, await read(scratch, [], { cwd: roots[0]! }));
  await assertTrusted(scratch, { cwd: roots[5]! });
  assert.match(
    (await scratch.agent(["trust", "remove", roots[0]!])).stderr,
    /it is not trusted\n\nhint: agent trust list/,
  );
});

test("a store that others can write, or that isn't ours, trusts nothing", async () => {
  using scratch = new Scratch();
  repository(scratch);
  await trust(scratch);
  const store = path.join(scratch.state, "trust.json");
  const good = readFileSync(store, "utf8");
  for (
    const [text, mode] of [["{", 0o600], ["[]", 0o600], [`{"version":1}`, 0o600], [good, 0o666]] as const
  ) {
    rmSync(store);
    writeFileSync(store, text);
    execFileSync("chmod", [mode.toString(8), store]);
    assertStranger(scratch, await read(scratch), /is not trusted \(trust\.json: /);
    assert.equal((await scratch.agent(["trust", "list"])).code, 2);
  }
  writeFileSync(store, good);
  execFileSync("chmod", ["600", store]);
  await assertTrusted(scratch);
  // What only saves time may be lost.
  rmSync(path.join(scratch.state, "trust"), { recursive: true });
  await assertTrusted(scratch);
});

test("a command of a session can't trust", async () => {
  using scratch = new Scratch();
  repository(scratch);
  const agent = AGENT.map((word) => `'${word}'`).join(" ");
  const { results } = await scratch.batch(
    [{ name: "Bash", args: { command: `${agent} trust --yes` } }],
    ["--mode", "bypassPermissions"],
  );
  assert.match(results[0]!.content[0].text, /Cannot trust anything from a command of a session/);
  assertStranger(scratch, await read(scratch));
});

const terminal = spawnSync("script", ["-qec", "true", "/dev/null"], { stdio: "ignore" }).status === 0;
test("on a terminal it asks", { skip: !terminal && "no `script` to make a terminal with" }, async () => {
  using scratch = new Scratch();
  repository(scratch);
  const asked = async (answer: string) => {
    const line = `${AGENT.map((word) => `'${word}'`).join(" ")} trust`;
    const child = spawn("script", ["-qec", line, "/dev/null"], {
      cwd: scratch.work,
      env: { ...scratch.env(), SHELL: "/bin/sh" },
      stdio: ["pipe", "pipe", "ignore"],
    });
    let shown = "";
    child.stdout.on("data", (chunk: Uint8Array) => {
      const before = shown.includes("Trust ");
      shown += new TextDecoder().decode(chunk);
      if (!before && shown.includes("Trust ")) child.stdin.write(answer);
    });
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { shown, code };
  };
  const no = await asked("\n");
  assert.deepEqual([no.code, /hook PreToolUse/.test(no.shown)], [1, true], no.shown);
  assertStranger(scratch, await read(scratch));
  assert.equal((await asked("y\n")).code, 0);
  await assertTrusted(scratch);
});

test("a folder without anything to trust, and what can't be a folder", async () => {
  using scratch = new Scratch();
  const none = await scratch.agent(["trust"]);
  assert.deepEqual([none.code, none.stdout], [0, ""]);
  assert.match(none.stderr, /brings no settings, hooks, plugins or servers/);
  const missing = await scratch.agent(["trust", "nowhere"]);
  assert.match(missing.stderr, /^error: Cannot trust ".*nowhere": no such folder\n$/);
  assert.equal(missing.code, 2);
  // Folders named .agent are used for other things as well.
  scratch.file(".agent/rules/style.md", "x");
  scratch.file("a.txt", "one\n");
  assert.equal((await read(scratch)).stderr, "");
  scratch.file(".mcp.json", `{"mcpServers": {"db": {"command": "evil", "args": ["--now"]}}}`);
  const { stdout } = await scratch.agent(["trust", "--yes"]);
  assert.match(stdout, /server db: evil --now {2}\(started by nothing yet\)/);
});

test("agent trust names a change that it can't show, with what was and is", async () => {
  using scratch = new Scratch();
  repository(scratch);
  const pad = `// ${"x".repeat(70_000)}\n`;
  scratch.file(".agent/plugins/p.ts", plugin(scratch, "p", "p", pad));
  scratch.file(".agent/plugins/p.bin", new Uint8Array([0, 1]));
  await trust(scratch);
  scratch.file(".agent/plugins/p.ts", plugin(scratch, "p", "evil", pad));
  scratch.file(".agent/settings.json", JSON.stringify({ toolset: "lean" }));
  const { stdout } = await scratch.agent(["trust"]);
  assert.match(stdout, /\+\{"toolset":"lean"\}/);
  const [, from, to] = /^changed, not shown: \.agent\/plugins\/p\.ts {2}([0-9a-f]{16}) -> ([0-9a-f]{16})$/m
    .exec(stdout)!;
  assert.notEqual(from, to);
  assert.doesNotMatch(stdout, /not shown: .*(?:settings|p\.bin)/);
});

test("a reload takes what was trusted since the start", async () => {
  using scratch = new Scratch();
  repository(scratch);
  await trust(scratch);
  const host = scratch.file(
    "../reload.mjs",
    `import { execFileSync } from "node:child_process";
     import { writeFileSync } from "node:fs";
     import { createRuntime } from ${JSON.stringify(path.join(ROOT, "dist/index.cjs"))};
     const runtime = await createRuntime({ cwd: ${JSON.stringify(scratch.work)} });
     await runtime.prepareTurn();
     writeFileSync(".agent/plugins/p.ts", ${JSON.stringify(plugin(scratch, "p", "new"))});
     await runtime.reloadMods();
     execFileSync("node", [${JSON.stringify(path.join(ROOT, "dist/main.cjs"))}, "trust", "--yes"]);
     await runtime.reloadMods();
     await runtime.close();`,
  );
  const ran = await run(["node", host], { cwd: scratch.work, env: scratch.env() });
  assert.match(
    ran.stderr,
    /plugin "p" stays as it was; its new version is off: .*changed since it was trusted/,
  );
  assert.equal(marks(scratch), "plugin p\nplugin new\n");
});
