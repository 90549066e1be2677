/** What the settings say, where they come from, and the lists of plugins and hooks. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, Scratch } from "../support.ts";

async function origins(
  scratch: Scratch,
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<Json> {
  const { stdout, stderr, code } = await scratch.agent(["config", "list", "--origin", "--json", ...args], {
    env,
  });
  assert.equal(stderr, "");
  assert.equal(code, 0);
  return JSON.parse(stdout);
}

test("a flag beats the environment, that the user's file, that the default, and each says where it is from", async () => {
  using scratch = new Scratch();
  const name = "permissions.defaultMode";
  const user = `${scratch.config}/settings.json`;
  assert.deepEqual((await origins(scratch))[name], { value: "default", origin: "default" });
  scratch.settings('// mine\n{ "permissions": { "defaultMode": "plan", }, /* rest */ }');
  assert.deepEqual((await origins(scratch))[name], { value: "plan", origin: user });
  const env = { AGENT_MODE: "acceptEdits" };
  assert.deepEqual((await origins(scratch, [], env))[name], { value: "acceptEdits", origin: "AGENT_MODE" });
  const off = await origins(scratch, [], { AGENT_NO_MODS: "1" });
  assert.deepEqual(off["mods.enabled"], { value: false, origin: "AGENT_NO_MODS" });
  const flags = ["--mode", "dontAsk"];
  assert.deepEqual((await origins(scratch, flags, env))[name], { value: "dontAsk", origin: "command line" });
});

test("what config list says is what holds", async () => {
  using scratch = new Scratch();
  const args = ["exec", "Write", "file_path=x", "content="];
  scratch.settings({ permissions: { defaultMode: "plan" } });
  assert.equal((await scratch.agent(args)).code, 3);
  assert.equal((await scratch.agent(args, { env: { AGENT_MODE: "acceptEdits" } })).code, 0);
  const text = (await scratch.agent(["config", "list", "--origin"])).stdout;
  assert.match(text, /^permissions\.defaultMode = "plan" {2}\(.*settings\.json\)$/m);
  assert.match(text, /^toolset = "default" {2}\(default\)$/m);
});

test("a wrong type or value is a usage error that names the place and the setting, whatever the command", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const cases: [unknown, RegExp][] = [
    [{ toolset: 5 }, /^error: Cannot use ".*settings\.json": toolset must be a string\n$/],
    [{ mods: { required: "guard" } }, /mods\.required must be a list of strings/],
    [
      { permissions: { defaultMode: "yolo" } },
      /"yolo" for permissions\.defaultMode .*\n\nhint: one of default, /,
    ],
    [{ permissions: { deny: ["Read("] } }, /Cannot read the rule "Read\(": /],
    ["{\n  // comment\n  bad }", /^error: Cannot read ".*settings\.json": .* in line 3\n$/],
    [[], /the settings must be an object/],
  ];
  for (const [settings, complaint] of cases) {
    scratch.settings(settings);
    const ran = await scratch.agent(["exec", "Read", "file_path=a.txt"]);
    assert.match(ran.stderr, complaint);
    assert.equal(ran.stdout, "");
    assert.equal(ran.code, 2);
  }
  scratch.settings({});
  const env = await scratch.agent(["config", "list"], { env: { AGENT_SHELL_TIMEOUT_MS: "soon" } });
  assert.match(env.stderr, /Cannot use AGENT_SHELL_TIMEOUT_MS="soon": a number from 0 up is needed/);
  assert.equal(env.code, 2);
});

test("an unknown setting is a warning with the nearest name, and the rest holds", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  scratch.settings({ $schema: "x", mods: { lodTimeoutMs: 1, enabled: false } });
  const ran = await scratch.agent(["exec", "Read", "file_path=a.txt"]);
  assert.match(
    ran.stderr,
    /^warning: .*: there is no setting "mods\.lodTimeoutMs"; did you mean mods\.loadTimeoutMs\?\n$/,
  );
  assert.equal(ran.stdout, "1\tone\n");
  assert.equal(ran.code, 0);
});

test("config path follows the XDG variables and the home folder without them", async () => {
  using scratch = new Scratch();
  const places = JSON.parse((await scratch.agent(["config", "path", "--json"])).stdout);
  assert.equal(places.config, scratch.config);
  assert.equal(places.state, scratch.state);
  const bare = await scratch.agent(["config", "path"], {
    env: { XDG_CONFIG_HOME: undefined, XDG_STATE_HOME: "relative" },
  });
  assert.match(bare.stdout, new RegExp(`^config +${scratch.home}/\\.config/agent$`, "m"));
  assert.match(bare.stdout, new RegExp(`^state +${scratch.home}/\\.local/state/agent$`, "m"));
});

test("mods list shows what each plugin brings, and why a broken one is off", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "fine",
    'agent.tool({ name: "greet", description: "", run: () => "" });\nagent.on("tool_end", () => {});',
  );
  scratch.plugin("broken", 'throw new Error("no luck");');
  const ran = await scratch.agent(["mods", "list", "--plugins", "p", "--json"]);
  assert.equal(ran.code, 0);
  const mods: Json[] = JSON.parse(ran.stdout);
  const fine = mods.find(({ name }) => name === "fine")!;
  assert.equal(fine.state, "ready");
  assert.deepEqual(fine.tools, ["greet"]);
  assert.deepEqual(fine.handlers, [{ event: "tool_end", order: "normal" }]);
  const broken = mods.find(({ name }) => name === "broken")!;
  assert.equal(broken.state, "failed");
  assert.match(broken.reason, /no luck/);
  const text = await scratch.agent(["mods", "list", "--plugins", "p"]);
  assert.match(text.stdout, /^fine {2}ready\n/m);
  const none = await scratch.agent(["mods", "list", "--plugins", "p", "--no-mods", "--json"]);
  assert.equal(none.stdout, "[]\n");
});

test("hooks list shows the hooks of settings and of files with where they come from", async () => {
  using scratch = new Scratch();
  const hook = (command: string) => ({ hooks: [{ type: "command", command }] });
  scratch.settings({ hooks: { PreToolUse: [{ matcher: "Bash", ...hook("first.sh") }] } });
  scratch.file("hooks.json", JSON.stringify({ hooks: { SessionStart: [hook("second.sh")] } }));
  const ran = await scratch.agent(["hooks", "list", "--hooks", "hooks.json", "--json"]);
  assert.equal(ran.code, 0, ran.stderr);
  const { groups } = JSON.parse(ran.stdout);
  assert.deepEqual(groups.map(({ event, matcher, hooks }: Json) => [event, matcher, hooks[0].command]), [
    ["PreToolUse", "Bash", "first.sh"],
    ["SessionStart", "", "second.sh"],
  ]);
  assert.equal(groups[0].source, `${scratch.config}/settings.json`);
  assert.match(groups[1].source, /hooks\.json$/);
  const text = await scratch.agent(["hooks", "list"]);
  assert.match(text.stdout, /^PreToolUse Bash {2}.*settings\.json\n {2}first\.sh {2}\(600 s\)\n$/);
});

test("doctor says what works, and exits 1 where something doesn't", async () => {
  using scratch = new Scratch();
  const well = await scratch.agent(["doctor"]);
  assert.equal(well.code, 0, well.stdout);
  assert.doesNotMatch(well.stdout, /FAIL/);
  assert.match(well.stdout, /^ok {3}shell: /m);
  scratch.settings("{ broken");
  const ill = await scratch.agent(["doctor", "--json"]);
  assert.equal(ill.code, 1);
  const findings: Json[] = JSON.parse(ill.stdout);
  assert.equal(findings.find(({ name }) => name === "settings")!.ok, false);
  assert.equal(findings.find(({ name }) => name === "shell")!.ok, true);
  assert.equal(findings.filter(({ ok }) => !ok).length, 1, "one fault is said once");
});
