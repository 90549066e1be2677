/** `agent exec --explain` and `agent log explain`: the life of a call, as it happened and from the log. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, Scratch } from "../support.ts";

/** Without what differs from run to run. */
function plain(text: string): string[] {
  return text.trimEnd().split("\n").map((line) =>
    line.replace(/\d+(\.\d+)? ms/g, "N ms").replace(/ {2,}/g, "  ")
  );
}

async function newestId(scratch: Scratch): Promise<string> {
  return JSON.parse((await scratch.agent(["log", "list", "--json", "--limit", "1"])).stdout).id;
}

test("rules, plugins and hooks that had a part in a call are told with what each did, and the log tells the same", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  scratch.plugin(
    "change",
    `agent.on("tool_start", (call) => ({ args: { ...call.args, path: "a.txt", limit: 1 } }));
     agent.on("tool_end", (_, result) => ({ result: result.text + "!" }));`,
  );
  const said = { hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: "a note" } };
  const command = `echo '${JSON.stringify(said)}'`;
  scratch.file(
    "hooks.json",
    JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command }] }] } }),
  );
  const flags = ["--plugins", "p", "--hooks", "hooks.json", "--allow", "Read(a.*)"];
  const ran = await scratch.agent(["exec", "--explain", ...flags, "Read", "file_path=b.txt"]);
  assert.equal(ran.code, 0);
  const told = plain(ran.stderr);
  const has = (line: string) => assert.ok(told.includes(line), `${line} in\n${told.join("\n")}`);
  has('  arguments  {"file_path":"b.txt"}');
  has('  tool_start  rewritten  plugin "change"');
  has('  - "path": "b.txt"');
  has('  + "path": "a.txt"');
  has('  + "limit": 1');
  assert.ok(
    told.some((line) => /^ {2}PreToolUse {2}said {2}hook ".*": the model is told "a note", N ms$/.test(line)),
  );
  has('  permission  allowed by rule: the allow rule "Read(a.*)"');
  has("  run  ran  read_file, N ms");
  has('  result  replaced by plugin "change"');
  has('  heard  plugin "change" tool_start, N ms');
  assert.match(told.at(-1)!, /^ {2}end {2}success, after N ms$/);
  const logged = await scratch.agent(["log", "explain", await newestId(scratch)]);
  assert.equal(logged.stdout, ran.stderr);
});

test("who refused, who failed, and who said nobody is there, is told", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "no",
    `agent.on("tool_start", (call) => call.args.command === "a" ? { deny: "not a" } : undefined);`,
  );
  scratch.plugin("oh", `agent.on("tool_end", () => { throw new Error("oh"); });`);
  const explain = async (flags: string[], command: string) =>
    (await scratch.agent(["exec", "--explain", "--plugins", "p", ...flags, "Bash", `command=${command}`]))
      .stderr;
  assert.match(await explain([], "a"), /tool_start +denied by plugin "no": not a\n/);
  const failed = await explain([], "true");
  assert.match(failed, /tool_end +failed {2}plugin "oh": Plugin "oh" failed in tool_end: oh\n/);
  assert.match(failed, /asked +allowed by the person, whose own call it is\n/);
  assert.match(
    await explain(["--deny", "Bash(true)"], "true"),
    /rules +denied by rule: the deny rule "Bash\(true\)"\n/,
  );
  const input = `{"name": "Bash", "args": {"command": "ls"}}\n`;
  const batch = await scratch.agent(["exec", "-", "--explain", "--no-input"], { input });
  assert.match(batch.stderr, /permission +asked by mode: .*\n +asked +denied by nobody\n/);
});

test("what was cut and redacted is told, with the place of the whole, and no secret is", async () => {
  using scratch = new Scratch();
  scratch.settings({ secrets: ["DEPLOY"] });
  scratch.plugin(
    "tell",
    `agent.on("tool_start", (call) => ({ args: { ...call.args, command: call.args.command + "; echo hunter2hunter2" } }));`,
  );
  const env = { DEPLOY: "hunter2hunter2" };
  const args = ["exec", "--explain", "--plugins", "p", "Bash", "command=seq 20000"];
  const ran = await scratch.agent(args, { env });
  const [, path] = /cut to \d+ characters; the whole is in (\S+)/.exec(ran.stderr)!;
  assert.equal(scratch.exists(path!), true);
  assert.match(ran.stderr, /redacted: DEPLOY/);
  assert.match(ran.stderr, /\+ "command": "seq 20000; echo <redacted:DEPLOY>"/);
  const { stdout } = await scratch.agent(["log", "export"], { env });
  assert.equal((stdout + ran.stderr).includes("hunter2hunter2"), false);
});

test("a secret that stands where a long text of the trail is cut is redacted whole", async () => {
  using scratch = new Scratch();
  const env = { DEPLOY: "sk_live_" + "hunter2".repeat(8) };
  scratch.settings({ secrets: ["DEPLOY"] });
  const filled = (room: number) => `${"x".repeat(room)} ${env.DEPLOY} ${"y".repeat(400)}`;
  scratch.plugin(
    "tell",
    `agent.on("tool_start", (call) => ({
       args: { ...call.args, command: ${JSON.stringify(`echo ${filled(360)}`)} },
     }));`,
  );
  // The texts of hooks are quoted, and errors quote no more than 200 characters.
  const said = { hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: filled(160) } };
  const more = { hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: filled(340) } };
  const hook = (answer: unknown) => [{
    hooks: [{ type: "command", command: `echo '${JSON.stringify(answer)}'` }],
  }];
  scratch.file("hooks.json", JSON.stringify({ hooks: { PreToolUse: hook(said), PostToolUse: hook(more) } }));
  const flags = ["--plugins", "p", "--hooks", "hooks.json"];
  const ran = await scratch.agent(["exec", "--explain", ...flags, "Bash", "command=true"], { env });
  assert.equal(ran.code, 0);
  const { stdout: log } = await scratch.agent(["log", "export"], { env });
  const { trail } = log.trim().split("\n").map((line) => JSON.parse(line))
    .find(({ type }) => type === "tool_end");
  const long = trail.flatMap(({ reason, changed }: Json) => [reason, changed?.command?.to])
    .filter((text: unknown) => typeof text === "string" && text.includes("xxx"));
  assert.equal(long.length, 3);
  for (const text of long) {
    assert.match(text, /x+ <redacted:DEPLOY> y+/);
    assert.match(text, /^.{380,400}… \(\d+ characters\)$/);
  }
  assert.equal((ran.stderr + log).includes("sk_live"), false);
});

test("without the log, --explain tells as much; with log.trails off, the log holds no steps", async () => {
  using scratch = new Scratch();
  const off = await scratch.agent(["exec", "--explain", "Bash", "command=true"], { env: { AGENT_LOG: "0" } });
  assert.match(off.stderr, /permission/);
  scratch.settings({ log: { trails: false } });
  await scratch.agent(["exec", "Bash", "command=true"]);
  const { stdout } = await scratch.agent(["log", "export"]);
  assert.equal(stdout.includes('"trail"'), false);
  const explained = await scratch.agent(["log", "explain", await newestId(scratch)]);
  assert.match(explained.stdout, /end +success/);
  const none = await scratch.agent(["log", "explain"]);
  assert.equal(none.code, 2);
});
