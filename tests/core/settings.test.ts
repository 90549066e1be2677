/** Settings: one table, layers in order, and every wrong value named with its place. */
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { createRuntime } from "../../src/index.ts";
import {
  fileLayer,
  parseJsonc,
  type SettingName,
  SETTINGS,
  Settings,
  variableOf,
} from "../../src/core/settings.ts";
import { Scratch } from "../support.ts";

const layer = (origin: string, values: Partial<Record<SettingName, unknown>>) => ({
  origin,
  values: new Map(Object.entries(values)) as Map<SettingName, unknown>,
});

test("the strongest layer's value counts, its origin is known, and lists can be added up", () => {
  const settings = new Settings([
    layer("command line", { toolset: "lean" }),
    layer("environment", { toolset: "codex", "permissions.deny": ["A"] }),
    layer("/user", { "permissions.deny": ["B"], "resultLimit": 900 }),
  ]);
  assert.deepEqual(settings.origin("toolset"), { value: "lean", origin: "command line" });
  assert.deepEqual(settings.origin("resultLimit"), { value: 900, origin: "/user" });
  assert.deepEqual(settings.origin("log.enabled"), { value: true, origin: "default" });
  assert.deepEqual(settings.all("permissions.deny").map(({ value }) => value), [["A"], ["B"]]);
  assert.equal(settings.mode, "default");
});

test("variables are named after their settings", () => {
  assert.equal(variableOf("mods.loadTimeoutMs"), "AGENT_MODS_LOAD_TIMEOUT_MS");
  assert.equal(variableOf("overflow.enabled"), "AGENT_OVERFLOW");
  assert.equal(
    new Set((Object.keys(SETTINGS) as SettingName[]).map(variableOf)).size,
    Object.keys(SETTINGS).length,
  );
});

test("flag beats variable beats file beats default, and config list says which", async () => {
  using scratch = new Scratch();
  scratch.settings(
    '\ufeff{ // comments and trailing commas are fine\n "toolset": "codex", "resultLimit": 700, "limits": {"shell": 600,},}',
  );
  const origins = async (flags: string[], env: Record<string, string>) => {
    const ran = await scratch.agent(["config", "list", "--origin", "--json", ...flags], { env });
    assert.equal(ran.code, 0, ran.stderr);
    const listed = JSON.parse(ran.stdout) as Record<string, { value: unknown; origin: string }>;
    return Object.fromEntries(
      Object.entries(listed).map(([name, { value, origin }]) => [name, [value, origin]]),
    );
  };
  const file = path.join(scratch.config, "settings.json");
  const both = await origins([], { AGENT_TOOLSET: "lean", AGENT_SHELL_TIMEOUT_MS: "77" });
  assert.deepEqual(both.toolset, ["lean", "AGENT_TOOLSET"]);
  assert.deepEqual(both["shell.timeoutMs"], [77, "AGENT_SHELL_TIMEOUT_MS"]);
  assert.deepEqual(both.resultLimit, [700, file]);
  assert.deepEqual(both["log.enabled"], [true, "default"]);
  const one = await origins([], {});
  assert.deepEqual(one.toolset, ["codex", file]);
});

test("the user's limits hold: of one tool, and of any result", async () => {
  using scratch = new Scratch();
  scratch.settings({ limits: { shell: 500 }, resultLimit: 600 });
  scratch.file("a.txt", "x".repeat(1500) + "\n");
  const { results } = await scratch.batch(
    [
      { name: "Bash", args: { command: "seq 1 1000" } },
      { name: "Read", args: { file_path: "a.txt" } },
    ],
    ["--mode", "bypassPermissions"],
    { env: { AGENT_OVERFLOW: "off" } },
  );
  const lengths = results.map(({ content }) =>
    content.map(({ text }: { text: string }) => text).join("").length
  );
  assert.ok(lengths[0] <= 500 && lengths[1] <= 600, String(lengths));
});

const WRONG: [unknown, RegExp][] = [
  ["{", /Cannot read ".*settings\.json": a closing brace is missing in line 1/],
  ["[]", /the settings must be an object/],
  [{ permissions: null }, /permissions must be an object/],
  [{ mods: { enabled: "yes" } }, /mods\.enabled must be true or false/],
  [{ mods: { loadTimeoutMs: -1 } }, /mods\.loadTimeoutMs must be a number from 0 up/],
  ['{"toolset": lean}', /": an unknown word in line 1/],
  ['{\n"toolset" "lean"}', /": a colon is missing in line 2/],
  [{ limits: { shell: "many" } }, /limits must be an object of numbers from 500 up/],
  [{ limits: { shell: 499 } }, /limits must be an object of numbers from 500 up/],
  [{ resultLimit: 499 }, /resultLimit must be a number from 500 up/],
  [{ permissions: { allow: [1] } }, /permissions\.allow must be a list of strings/],
  [{ permissions: { defaultMode: "yolo" } }, /Cannot use "yolo" for permissions\.defaultMode/],
];

test("a wrong value in the file is named with its setting", async () => {
  using scratch = new Scratch();
  for (const [value, message] of WRONG) {
    scratch.settings(value);
    await assert.rejects(
      fileLayer(path.join(scratch.config, "settings.json"), () => {}),
      message,
      JSON.stringify(value),
    );
  }
  const ran = await scratch.agent(["exec", "Bash", "command=true"]);
  assert.equal(ran.code, 2);
  assert.match(ran.stderr, /^error: Cannot use "yolo".*\n\nhint: one of /);
});

test("unknown names are warned about, with the nearest known one, and names of Object.prototype are unknown", async () => {
  using scratch = new Scratch();
  scratch.settings(
    '{"$schema": "x", "toolst": "lean", "constructor": 1, "__proto__": {"a": 1}, "mods": {"toString": 1, "enabled": false}, "limits": {"constructor": 5000}}',
  );
  const warnings: string[] = [];
  const found = await fileLayer(path.join(scratch.config, "settings.json"), (text) => warnings.push(text));
  assert.deepEqual([...found!.values.keys()], ["mods.enabled", "limits"]);
  assert.equal(warnings.length, 4);
  assert.match(warnings[0]!, /there is no setting "toolst"; did you mean toolset\?/);
  assert.equal(await fileLayer(path.join(scratch.config, "none.json"), () => {}), undefined);
  assert.deepEqual(await parseJsonc("/* x */ [1,]", "x"), [1]);
});

test("a wrong variable is a usage error that names it", async () => {
  using scratch = new Scratch();
  for (
    const [name, value] of [["AGENT_LOG", "constructor"], ["AGENT_SHELL_TIMEOUT_MS", "soon"], [
      "AGENT_RESULT_LIMIT",
      "499",
    ], [
      "AGENT_MODE",
      "yolo",
    ]] as const
  ) {
    const ran = await scratch.agent(["exec", "Bash", "command=true"], { env: { [name]: value } });
    assert.equal(ran.code, 2, name);
    assert.ok(ran.stderr.includes(name) && ran.stderr.includes(value), ran.stderr);
  }
});

test("settings that a host gives are checked like a file's", async () => {
  await assert.rejects(
    createRuntime({ settings: { "log.enabled": "x" } }),
    /log\.enabled must be true or false/,
  );
  await assert.rejects(createRuntime({ settings: { constructor: 1 } as never }), /no such setting/);
  await assert.rejects(
    createRuntime({ session: "../x", settings: { "mods.enabled": false } }),
    /Cannot use the session/,
  );
});
