/** What comes from Claude Code's own folders: settings, plugins, and variables of the session's start. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { type Json, Scratch, textOf } from "../support.ts";
import { hook, onAll, recorded, records } from "./hook_scripts.ts";

const READ = ["Read", "file_path=a.txt"];

/** Writes `~/.claude/settings.json`, and user settings that import it. */
function claude(scratch: Scratch, settings: unknown, own: Json = {}): string {
  const place = scratch.file(
    path.join(scratch.home, ".claude/settings.json"),
    typeof settings === "string" ? settings : JSON.stringify(settings),
  );
  scratch.settings({ ...own, hooks: { import: ["claude"], ...own.hooks } });
  return place;
}

test("hooks.import takes the hooks of Claude Code's settings, after the user's own", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const says = (text: string) => ({ matcher: "Read", hooks: [hook(`echo ${text} >&2; exit 2`)] });
  const place = claude(scratch, { model: "opus", hooks: { PreToolUse: [says("theirs")] } }, {
    hooks: { PreToolUse: [says("own")] },
  });
  const { result, stderr } = await scratch.exec(READ);
  assert.equal(result.outcome, "denied");
  assert.match(textOf(result), /own\ntheirs/);
  assert.equal(stderr, "");
  const list = await scratch.agent(["hooks", "list"]);
  assert.ok(list.stdout.includes(place), list.stdout);
});

test("without hooks.import nothing of Claude Code's is read", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  claude(scratch, { hooks: { PreToolUse: [{ hooks: [hook("exit 2")] }] }, permissions: { deny: ["Read"] } });
  scratch.settings({ hooks: {} });
  assert.equal((await scratch.exec(READ)).result.outcome, "success");
});

test("its permission rules count below the user's own, and those for tools that aren't here are quiet", async () => {
  using scratch = new Scratch();
  for (const name of ["a.txt", "b.txt"]) scratch.file(name, "one\n");
  const permissions = {
    allow: ["Bash(echo:*)", "WebFetch(domain:example.com)", "Skill(x)"],
    ask: ["Read(b.txt)"],
    deny: ["Read(a.txt)"],
    defaultMode: "bypassPermissions",
  };
  claude(scratch, { permissions });
  const calls = [
    { name: "Read", args: { file_path: "a.txt" } },
    { name: "Read", args: { file_path: "b.txt" } },
    { name: "Bash", args: { command: "echo hi" } },
    { name: "Bash", args: { command: "touch never" } },
  ];
  const { results, stderr } = await scratch.batch(calls);
  assert.deepEqual(results.map(({ outcome }) => outcome), ["denied", "denied", "success", "denied"]);
  assert.match(textOf(results[0]!), /deny rule "Read\(a\.txt\)"/);
  assert.equal(stderr, "");
  const { stdout } = await scratch.agent(["config", "list", "--origin"]);
  assert.match(stdout, /\.claude\/settings\.json/);
  assert.doesNotMatch(stdout, /bypassPermissions/);
});

test("what can't be used of that file is said in a line and skipped, and the rest counts", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  claude(scratch, {
    permissions: { deny: ["Read(", "Write"], allow: "all" },
    hooks: {
      TeammateIdle: [{ hooks: [hook("exit 2")] }],
      Stop: {},
      PreToolUse: [
        { matcher: "Task|WebFetch", hooks: [hook("exit 2")] },
        { hooks: [{ type: "prompt", prompt: "?" }, { type: "command" }, hook("echo theirs >&2; exit 2")] },
      ],
    },
  });
  const { result, stderr } = await scratch.exec(READ);
  assert.match(textOf(result), /theirs/);
  assert.match(stderr, /Cannot read the rule "Read\("/);
  assert.match(stderr, /permissions\.allow is skipped/);
  assert.match(
    stderr,
    /settings\.json: Stop is not a list; .*type prompt are not there yet; a hook of PreToolUse has no command\n/,
  );
  assert.doesNotMatch(stderr, /TeammateIdle|Task/);
  const bad = await scratch.exec(["Write", "file_path=n.txt", "content=x"]);
  assert.equal(bad.result.outcome, "denied");
});

test("a file that isn't there or isn't JSON imports nothing, and says so", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  scratch.settings({ hooks: { import: ["claude"] } });
  const none = await scratch.exec(READ);
  assert.equal(none.result.outcome, "success");
  assert.match(none.stderr, /nothing is imported: there is no ".*\.claude\/settings\.json"/);
  claude(scratch, "{");
  const broken = await scratch.exec(READ);
  assert.equal(broken.result.outcome, "success");
  assert.match(broken.stderr, /nothing is imported: Cannot read/);
});

test("disableAllHooks there leaves the hooks out, and not the rules", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  claude(scratch, {
    disableAllHooks: true,
    hooks: { PreToolUse: [{ hooks: [hook("echo hook >&2; exit 2")] }] },
    permissions: { deny: ["Read"] },
  });
  assert.match(textOf((await scratch.exec(READ)).result), /deny rule "Read"/);
});

test("import of anything else is an error", async () => {
  for (
    const [given, message] of [["claude", /import is not a list of texts/], [
      ["cursor"],
      /"cursor", which is not "claude"/,
    ]] as const
  ) {
    using scratch = new Scratch();
    scratch.settings({ hooks: { import: given } });
    const ran = await scratch.agent(["exec", ...READ]);
    assert.equal(ran.code, 2);
    assert.match(ran.stderr, message);
  }
});

/** A Claude plugin in the user's folder for plugins. */
function plugin(
  scratch: Scratch,
  name: string,
  hooks: unknown,
  place = path.join(scratch.config, "plugins"),
) {
  const root = path.join(place, name);
  scratch.file(path.join(root, ".claude-plugin/plugin.json"), JSON.stringify({ name }));
  scratch.file(
    path.join(root, "hooks/hooks.json"),
    typeof hooks === "string" ? hooks : JSON.stringify(hooks),
  );
  return root;
}

for (const place of ["the user's folder", "--plugins", "--plugins of itself"]) {
  test(`the hooks of a Claude plugin in ${place} run with its folders`, async () => {
    using scratch = new Scratch();
    scratch.file("a.txt", "one\n");
    const isUsers = place === "the user's folder";
    const guard = { matcher: "Read", hooks: [hook('"${CLAUDE_PLUGIN_ROOT}/guard.sh"')] };
    const direct = {
      hooks: [hook("${CLAUDE_PLUGIN_ROOT}/guard.sh", { args: ["${CLAUDE_PLUGIN_DATA}/seen"] })],
    };
    const config = { description: "guards", hooks: { PreToolUse: [guard], PostToolUse: [direct] } };
    const root = plugin(
      scratch,
      "guarded",
      config,
      isUsers ? undefined : path.join(scratch.root, "elsewhere"),
    );
    scratch.file(
      path.join(root, "guard.sh"),
      '#!/bin/sh\ncat > "${1:-$CLAUDE_PLUGIN_DATA/pre}"\n' +
        'test -z "$1" && printf \'{"hookSpecificOutput":{"additionalContext":"from %s"}}\' "$CLAUDE_PLUGIN_ROOT" || true\n',
      0o755,
    );
    const flags = isUsers ? [] : ["--plugins", place === "--plugins" ? path.dirname(root) : root];
    const { result, stderr } = await scratch.exec([...READ, ...flags]);
    assert.equal(stderr, "");
    assert.equal(textOf(result), `1\tone\nfrom ${root}`);
    const data = path.join(scratch.state, "storage/guarded");
    assert.deepEqual(readdirSync(data).sort(), ["pre", "seen"]);
    const none = await scratch.exec([...READ, ...flags, "--no-mods"]);
    assert.equal(textOf(none.result), "1\tone");
  });
}

test("a plugin's hooks that can't be read are said and skipped", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  plugin(scratch, "broken", "{");
  mkdirSync(path.join(scratch.config, "plugins/empty/hooks"), { recursive: true });
  const { result, stderr } = await scratch.exec(READ);
  assert.equal(result.outcome, "success");
  assert.match(stderr, /broken\/hooks\/hooks\.json" are skipped/);
});

/** A command after a SessionStart hook that wrote `text` to CLAUDE_ENV_FILE. */
async function after(scratch: Scratch, text: string, command: string, env: Record<string, string> = {}) {
  const place = scratch.file(path.join(scratch.root, "vars.sh"), text);
  const flags = onAll(scratch, "SessionStart", hook(`cat ${place} >> "$CLAUDE_ENV_FILE"`));
  return await scratch.exec(["Bash", `command=${command}`, ...flags], { env });
}

test("what a SessionStart hook writes to CLAUDE_ENV_FILE is in the environment of commands", async () => {
  using scratch = new Scratch();
  const text =
    'export PLAIN=one\nexport QUOTED=\'two words\'\nexport PATH="$PATH:/extra"\ndeclare -x BASHED="a \\"b\\""\nLOCAL=no\n';
  const { result, stderr } = await after(
    scratch,
    text,
    'echo "$PLAIN|$QUOTED|$BASHED|$LOCAL|${PATH##*:}|$CLAUDE_ENV_FILE"',
  );
  assert.equal(textOf(result), 'one|two words|a "b"||/extra|');
  assert.equal(stderr, "");
  assert.deepEqual(readdirSync(path.join(scratch.state, "sessions/env")), []);
});

test("several hooks write to one file, and a line that fails leaves the others", async () => {
  using scratch = new Scratch();
  const flags = onAll(
    scratch,
    "SessionStart",
    hook('echo "export A=1" >> "$CLAUDE_ENV_FILE"'),
    hook('echo "no-such-command; export B=2" >> "$CLAUDE_ENV_FILE"'),
  );
  const { result } = await scratch.exec(["Bash", 'command=echo "$A$B"', ...flags]);
  assert.equal(textOf(result), "12");
});

test("the environment's policy and redaction hold for them: a secret goes to commands that name it, and to no result", async () => {
  using scratch = new Scratch();
  scratch.settings({ secrets: ["MINE_*"], env: { drop: ["DROPPED"] } });
  const text =
    "export API_TOKEN=tok-123456789\nexport MINE_A=hunter2-hunter2\nexport DROPPED=x\nexport OPEN=yes\n";
  const env = await after(scratch, text, "env | sort");
  const names = textOf(env.result).split("\n").map((line) => line.split("=")[0]);
  assert.ok(names.includes("OPEN"));
  for (const name of ["API_TOKEN", "MINE_A", "DROPPED"]) assert.ok(!names.includes(name), name);
  const named = await after(scratch, text, 'echo "$API_TOKEN ${#MINE_A} $MINE_A"');
  assert.equal(textOf(named.result), "<redacted:API_TOKEN> 15 <redacted:MINE_A>");
  assert.doesNotMatch(named.stdout, /tok-123456789|hunter2/);
});

test("a file that never ends is cut off, and counts for nothing", async () => {
  using scratch = new Scratch();
  const { result, stderr } = await after(scratch, "export A=1\nexit 3\n", "echo [$A]");
  assert.equal(textOf(result), "[]");
  assert.match(stderr, /wrote to CLAUDE_ENV_FILE counts for nothing/);
});

test("other events have no CLAUDE_ENV_FILE", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const says = hook('echo "${CLAUDE_ENV_FILE-none}" >&2; exit 2');
  const { result } = await scratch.exec([
    ...READ,
    ...onAll(scratch, "PreToolUse", says, records(scratch, "seen")),
  ]);
  assert.match(textOf(result), /: none$/);
  assert.equal(recorded(scratch, "seen").length, 1);
});
