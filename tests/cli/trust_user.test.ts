/** The user's own plugins and hooks: what was done to them behind their user's back shows at the next start. */
import assert from "node:assert/strict";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { type Json, Scratch } from "../support.ts";

/** What a user has who says nothing about it. */
const PINNED = { env: { AGENT_TRUST_PIN_USER: undefined } };

const hook = (command: string, event = "PreToolUse") => ({
  [event]: [{ hooks: [{ type: "command", command }] }],
});
const echo = (scratch: Scratch, word: string) => `echo ${word} >> '${scratch.root}/marks'`;

function marks(scratch: Scratch): string {
  const file = path.join(scratch.root, "marks");
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  rmSync(file, { force: true });
  return text.trim().replaceAll("\n", " ");
}

function plugin(scratch: Scratch, name: string, text: string): string {
  const file = path.join(scratch.config, "plugins", name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const saying = (name: string, word: string) =>
  `export default { name: "${name}", setup(agent) { agent.log("${word}"); } };\n`;

async function start(scratch: Scratch, ...flags: string[]) {
  scratch.file("a.txt", "one\n");
  const ran = await scratch.agent(["exec", "Read", "file_path=a.txt", ...flags], PINNED);
  return { ...ran, lines: ran.stderr.split("\n").filter((line) => line !== "") };
}
const trust = (scratch: Scratch, ...flags: string[]) => scratch.agent(["trust", "--user", ...flags], PINNED);

test("what is there at the first start is taken as it is", async () => {
  using scratch = new Scratch();
  scratch.settings({ hooks: hook(echo(scratch, "own")) });
  plugin(scratch, "u.ts", saying("u", "one"));
  for (let i = 0; i < 2; i++) {
    const { lines, code } = await start(scratch);
    assert.deepEqual([lines, code, marks(scratch)], [["u: one"], 0, "own"]);
  }
  assert.equal(statSync(path.join(scratch.state, "trust.json")).mode & 0o777, 0o600);
});

test("a plugin that was changed is off until it is trusted, with the change shown", async () => {
  using scratch = new Scratch();
  const file = plugin(
    scratch,
    "u.ts",
    `import { word } from "./lib/word.ts";\n${saying("u", "x").replace('"x"', "word")}`,
  );
  const lib = plugin(scratch, "lib/word.ts", `export const word = "one";\n`);
  assert.deepEqual((await start(scratch)).lines, ["u: one"]);
  writeFileSync(lib, `export const word = "two";\n`);
  const changed = await start(scratch);
  assert.equal(changed.lines.length, 1);
  assert.ok(
    changed.lines[0]!.includes(`plugin "u" is off: ${lib} changed since it was trusted; agent trust --user`),
  );
  assert.equal(changed.code, 0);
  const shown = await trust(scratch);
  assert.equal(shown.code, 1);
  assert.ok(
    shown.stdout.includes(`-export const word = "one";\n+export const word = "two";\n`),
    shown.stdout,
  );
  assert.equal((await start(scratch)).lines.length, 1);
  assert.equal((await trust(scratch, "--yes")).code, 0);
  assert.deepEqual((await start(scratch)).lines, ["u: two"]);
  writeFileSync(lib, `export const word = "one";\n`);
  assert.match((await start(scratch)).lines.join(), /is off/);
  writeFileSync(lib, `export const word = "two";\n`);
  assert.deepEqual((await start(scratch)).lines, ["u: two"], "as it was trusted");
  unlinkSync(file);
  assert.match((await start(scratch)).lines.join(), /u\.ts of your plugins is gone; agent trust --user/);
});

test("a bundle that was changed in the cache is not run", async () => {
  using scratch = new Scratch();
  const cache = path.join(scratch.root, "cache/agent/plugins");
  plugin(scratch, "u.ts", saying("u", "one"));
  plugin(scratch, "m.ts", `await 0;\n${saying("m", "one")}`);
  for (let i = 0; i < 2; i++) {
    assert.deepEqual((await start(scratch)).lines.sort(), ["m: one", "u: one"]);
    for (const name of readdirSync(cache)) {
      const file = path.join(cache, name);
      writeFileSync(file, readFileSync(file, "utf8").replaceAll('"one"', '"evil"'));
    }
  }
});

test("a plugin that appears is off until it is trusted, also where there was none before", async () => {
  using scratch = new Scratch();
  assert.deepEqual((await start(scratch)).lines, []);
  plugin(scratch, "evil.ts", saying("evil", "loaded"));
  assert.match(
    (await start(scratch)).lines.join(),
    /^warning: plugin "evil" is off: .*evil\.ts is new; agent trust --user/,
  );
  await trust(scratch, "--yes");
  assert.deepEqual((await start(scratch)).lines, ["evil: loaded"]);
  plugin(scratch, "claude/hooks/hooks.json", JSON.stringify({ hooks: hook(echo(scratch, "evil")) }));
  assert.match(
    (await start(scratch)).lines.join("\n"),
    /hooks of the plugin claude are off: .*hooks\.json is new/,
  );
  // Those that ask hooks without a call hold them against the same.
  const words = [["list", "--json"], ["test", "PreToolUse", "--tool", "Read", "--args", '{"file_path":"a"}']];
  for (const args of words) {
    const looked = await scratch.agent(["hooks", ...args], PINNED);
    assert.match(looked.stderr, /hooks of the plugin claude are off: .*hooks\.json is new/);
    assert.doesNotMatch(looked.stdout, /evil/);
  }
  assert.equal(marks(scratch), "");
  await trust(scratch, "--yes");
  await start(scratch);
  assert.equal(marks(scratch), "evil");
});

test("changed hooks don't run, and those that were trusted stand, until the change is trusted", async () => {
  using scratch = new Scratch();
  const settings = path.join(scratch.config, "settings.json");
  scratch.settings({ hooks: hook(echo(scratch, "guard")) });
  await start(scratch);
  assert.equal(marks(scratch), "guard");
  for (
    const change of [{ hooks: hook(echo(scratch, "evil")) }, {}, { hooks: {} }, { trust: { pinUser: false } }]
  ) {
    scratch.settings(change);
    const { lines } = await start(scratch);
    assert.equal(marks(scratch), "guard", JSON.stringify(change));
    assert.equal(lines.length, 1);
    assert.ok(
      lines[0]!.includes(`of ${settings} changed since it was trusted, so what was trusted stands`),
      lines[0],
    );
  }
  unlinkSync(settings);
  await start(scratch);
  assert.equal(marks(scratch), "guard");
  scratch.settings({ hooks: hook(echo(scratch, "new")) });
  const { stdout } = await trust(scratch, "--yes");
  assert.match(stdout, /-.*echo guard >>[^]*\+.*echo new >>/);
  assert.deepEqual((await start(scratch)).lines, []);
  assert.equal(marks(scratch), "new");
});

test("a script of a hook that was changed is not run", async () => {
  using scratch = new Scratch();
  const script = path.join(scratch.config, "hooks/check.sh");
  mkdirSync(path.dirname(script));
  writeFileSync(script, echo(scratch, "good"));
  const groups = { ...hook(`sh "${script}"`), ...hook(echo(scratch, "other"), "PostToolUse") };
  scratch.settings({ hooks: groups });
  await start(scratch);
  assert.equal(marks(scratch), "good other");
  writeFileSync(script, echo(scratch, "evil"));
  const { lines } = await start(scratch);
  assert.match(
    lines.join(),
    /check\.sh changed since it was trusted, so hooks that run it are off; agent trust --user/,
  );
  assert.equal(marks(scratch), "other");
  await trust(scratch, "--yes");
  await start(scratch);
  assert.equal(marks(scratch), "evil other");
});

test("other settings that say what may are told of once, and count", async () => {
  using scratch = new Scratch();
  await start(scratch);
  scratch.settings({
    permissions: { allow: ["Bash(echo *)"] },
    env: { keep: ["MY_TOKEN"] },
    toolset: "lean",
  });
  const first = await start(scratch);
  assert.match(
    first.lines.join("\n"),
    /settings\.json has changed since the last start: permissions\.allow, env\.keep$/,
  );
  assert.deepEqual((await start(scratch)).lines, []);
  const { results } = await scratch.batch([{ name: "Bash", args: { command: "echo hi" } }], [], PINNED);
  assert.equal(results[0]!.outcome, "success");
});

test("trust.pinUser: false is the user's word, once it is known, and the variable's for a run", async () => {
  using scratch = new Scratch();
  scratch.settings({ trust: { pinUser: false } });
  await start(scratch);
  plugin(scratch, "u.ts", saying("u", "one"));
  assert.deepEqual((await start(scratch)).lines, ["u: one"]);
  plugin(scratch, "u.ts", saying("u", "two"));
  assert.deepEqual((await start(scratch)).lines, ["u: two"]);
  scratch.settings({});
  assert.match((await start(scratch)).lines.join(), /pinUser of .*settings\.json changed/);
  using other = new Scratch();
  await start(other);
  plugin(other, "u.ts", saying("u", "one"));
  other.file("a.txt", "one\n");
  const ran = await other.agent(["exec", "Read", "file_path=a.txt"], {
    env: { AGENT_TRUST_PIN_USER: "off" },
  });
  assert.equal(ran.stderr, "u: one\n");
});

test("a store that can't be used leaves the user's hooks and plugins off, and is made anew", async () => {
  using scratch = new Scratch();
  scratch.settings({ hooks: hook(echo(scratch, "own")) });
  plugin(scratch, "u.ts", saying("u", "one"));
  await start(scratch);
  marks(scratch);
  appendFileSync(path.join(scratch.state, "trust.json"), "x");
  const { lines, code } = await start(scratch);
  assert.match(
    lines.join("\n"),
    /trust\.json can't be used \(it is not JSON\), so your own hooks and plugins are off/,
  );
  assert.deepEqual([marks(scratch), code], ["", 0]);
  await trust(scratch, "--yes");
  assert.deepEqual([(await start(scratch)).lines, marks(scratch)], [["u: one"], "own"]);
});

test("nothing can be kept where the state folder can't be written, and the start goes on", async () => {
  using scratch = new Scratch();
  writeFileSync(path.join(scratch.root, "state"), "a file");
  scratch.settings({ log: { enabled: false }, journal: { enabled: false }, overflow: { enabled: false } });
  const { stdout, lines } = await start(scratch);
  assert.equal(stdout, "1\tone\n");
  assert.match(lines.join("\n"), /your own plugins and hooks can't be watched/);
});

test("what agent trust --user shows as JSON", async () => {
  using scratch = new Scratch();
  scratch.settings({ hooks: hook("true") });
  plugin(
    scratch,
    "u.ts",
    `import { definePlugin } from "agent";\nimport "node:net";\n` +
      `export default definePlugin({ name: "u", uses: ["exec", "secrets:KEY"], setup() {} });\n`,
  );
  plugin(scratch, "v.js", `const uses = ["exec"];\nexport default { name: "v", uses, setup() {} };\n`);
  const { stdout, code } = await trust(scratch, "--json");
  const { plugins, hooks, state, trusted } = JSON.parse(stdout) as Json;
  assert.deepEqual([state, trusted, code], ["new", false, 1]);
  assert.deepEqual(plugins.map(({ name, uses, imports }: Json) => [name, uses, imports]), [
    ["u", ["exec", "secrets:KEY"], ["node:net"]],
    ["v", "computed", []],
  ]);
  assert.deepEqual(hooks.map(({ event, runs }: Json) => [event, runs]), [["PreToolUse", "true"]]);
});

for (
  const [how, settings] of [
    ["its own word", (groups: Json) => {
      groups.PreToolUse[0].hooks[0].onFailure = "block";
      return groups;
    }],
    ["failClosed", (groups: Json) => ({ ...groups, failClosed: true })],
  ] as const
) {
  test(`a hook that blocks when it fails isn't taken away by a change of its script: by ${how}`, async () => {
    using scratch = new Scratch();
    const script = path.join(scratch.config, "guard.sh");
    writeFileSync(script, "exit 0\n");
    scratch.settings({
      hooks: settings(hook(`sh -c '${script.replace(scratch.home, "~")} x' || sh ${script}`)),
    });
    assert.deepEqual((await start(scratch)).code, 0);
    appendFileSync(script, "#\n");
    const { code, stdout, stderr } = await start(scratch);
    assert.equal(code, 3, stderr);
    assert.match(stdout + stderr, /its script changed since it was trusted; agent trust --user shows/);
    await trust(scratch, "--yes");
    assert.equal((await start(scratch)).code, 0);
    appendFileSync(path.join(scratch.state, "trust.json"), "x");
    assert.equal((await start(scratch)).code, 3, "nothing can be held against a broken store");
  });
}

test("a script that stands in the words of a shell of its own is looked at", async () => {
  using scratch = new Scratch();
  const script = path.join(scratch.config, "g.sh");
  writeFileSync(script, echo(scratch, "good"), { mode: 0o755 });
  scratch.settings({ hooks: hook(`sh -c '${script} x'`) });
  await start(scratch);
  assert.equal(marks(scratch), "good");
  writeFileSync(script, echo(scratch, "evil"));
  assert.match((await start(scratch)).lines.join(), /g\.sh changed since it was trusted/);
  assert.equal(marks(scratch), "");
});

/** Claude Code's own settings, imported, with a comment; `space` tells one text of them from another. */
function claude(scratch: Scratch, script: string, space = ""): void {
  const permissions = { deny: ["Read(b.txt)"], ask: ["Read(c.txt)"], allow: ["Bash(echo *)"] };
  mkdirSync(path.join(scratch.home, ".claude"), { recursive: true });
  const text = JSON.stringify({ hooks: hook(`sh ${script}`), permissions });
  writeFileSync(path.join(scratch.home, ".claude/settings.json"), `// mine${space}\n${text}`);
}

test("scripts of imported hooks are looked at, and the rest of the import stands", async () => {
  using scratch = new Scratch();
  const script = path.join(scratch.home, "c.sh");
  writeFileSync(script, echo(scratch, "good"));
  claude(scratch, script);
  scratch.settings({ hooks: { import: ["claude"] } });
  await start(scratch);
  assert.equal(marks(scratch), "good");
  writeFileSync(script, echo(scratch, "evil"));
  const { lines } = await start(scratch);
  assert.match(lines.join(), /c\.sh changed since it was trusted, so hooks that run it are off/);
  const { results } = await scratch.batch([{ name: "Bash", args: { command: "echo hi" } }], [], PINNED);
  assert.deepEqual([results[0]!.outcome, marks(scratch)], ["success", ""]);
});

test("an import that changed runs and allows nothing, and its rules that ask and deny stand", async () => {
  using scratch = new Scratch();
  const script = path.join(scratch.home, "c.sh");
  writeFileSync(script, echo(scratch, "ran"));
  for (const name of ["b.txt", "c.txt"]) scratch.file(name, "x\n");
  claude(scratch, script);
  scratch.settings({ hooks: { import: ["claude"] } });
  const calls = [
    ...["a.txt", "b.txt", "c.txt"].map((file_path) => ({ name: "Read", args: { file_path } })),
    { name: "Bash", args: { command: "echo hi" } },
  ];
  const outcomes = async () => {
    await start(scratch);
    const { results, stderr } = await scratch.batch(calls, [], PINNED);
    return [results.map(({ outcome }) => outcome).join(" "), marks(scratch) !== "", stderr] as const;
  };
  assert.deepEqual(await outcomes(), ["success denied denied success", true, ""]);
  claude(scratch, script, " too");
  const [changed, ran, said] = await outcomes();
  assert.deepEqual([changed, ran], ["success denied denied denied", false]);
  assert.match(
    said,
    /\.claude\/settings\.json changed since it was trusted, so its hooks and allow rules are off/,
  );
  await trust(scratch, "--yes");
  assert.deepEqual(await outcomes(), ["success denied denied success", true, ""]);
  scratch.settings({ hooks: { import: ["claude"], failClosed: true } });
  await trust(scratch, "--yes");
  claude(scratch, script, " again");
  assert.equal((await start(scratch)).code, 3);
});

test("a plugin of Claude Code's is all of its folder, what is installed in it too", async () => {
  using scratch = new Scratch();
  const script = "c/node_modules/x/h.sh";
  plugin(scratch, script, echo(scratch, "good"));
  const groups = hook(`sh "\${CLAUDE_PLUGIN_ROOT}"/node_modules/x/h.sh`);
  plugin(scratch, "c/hooks/hooks.json", JSON.stringify({ hooks: groups }));
  await start(scratch);
  assert.equal(marks(scratch), "good");
  plugin(scratch, script, echo(scratch, "evil"));
  assert.match((await start(scratch)).lines.join(), /hooks of the plugin c are off: .*h\.sh changed since/);
  assert.equal(marks(scratch), "");
  for (let i = 0; i <= 5000; i++) plugin(scratch, `c/many/${i}`, "");
  const { lines } = await start(scratch);
  assert.match(lines.join("\n"), /hooks of the plugin c are off: .* holds more than 5000 files$/);
});
