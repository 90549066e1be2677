/** What of the agent's environment a command gets, and what nobody ever sees. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Scratch, textOf } from "../support.ts";

const ANY = ["--mode", "bypassPermissions"];
const bash = (command: string) => ({ name: "Bash", args: { command } });

test("variables that look like secrets stay behind unless the command names them or they are kept", async () => {
  using scratch = new Scratch();
  scratch.settings({ env: { keep: ["KEEP_*"], drop: ["PRIVATE_*"] } });
  const env = {
    X_API_KEY: "v1",
    my_token: "v2",
    DB_PASSWORD: "v3",
    KEEP_SECRET: "v4",
    PRIVATE_URL: "v5",
    PLAIN: "v6",
    "BASH_FUNC_f%%": "() { echo v7; }",
  };
  const { results } = await scratch.batch(
    [
      bash("env | grep -o '=v[0-9]$' | sort | tr -d '\\n'; f 2>/dev/null"),
      bash("echo $X_API_KEY ${my_token} ${DB_PASSWORD:-none} $X_API"),
    ],
    ANY,
    { env },
  );
  assert.deepEqual(results[0]!.stdout, ["=v4=v6"]);
  assert.deepEqual(results[1]!.stdout, ["v1 v2 v3\n"]);
});

test("a command that fails and names a variable which it didn't get is told so, and why it didn't", async () => {
  using scratch = new Scratch();
  scratch.settings({ secrets: ["DSN"], env: { drop: ["FOOBAR"] } });
  scratch.file(path.join(scratch.config, "secrets.env"), "STORED=hunter2-hunter2\n", 0o600);
  const env = {
    DSN: "postgres://u:pa55word@h/db",
    FOOBAR: "v",
    GH_TOKEN: "hidden-value",
    X_KEY: "hidden-value",
  };
  const noteOf = (names: string, way: string) =>
    `[kept from this command: ${names}; name one in it as ${way}]`;
  const keep = ", or list it in the setting env.keep";
  const cases: [command: string, note?: string][] = [
    ["printenv STORED", noteOf("STORED (a secret)", "$STORED")],
    ["printenv DSN", noteOf("DSN (a secret)", "$DSN")],
    ["printenv FOOBAR", noteOf("FOOBAR (in the setting env.drop)", "$FOOBAR" + keep)],
    // By its output alone, on either stream.
    [
      "v=GH; echo ${v}_TOKEN is not set >&2; exit 1",
      noteOf("GH_TOKEN (named like a secret)", "$GH_TOKEN" + keep),
    ],
    [
      "printenv X_KEY STORED GH_TOKEN",
      noteOf(
        "GH_TOKEN (named like a secret), STORED (a secret), X_KEY (named like a secret)",
        "$GH_TOKEN" + keep,
      ),
    ],
    // Neither where nothing is missed, nor where it was given, is part of a name, or stands in a mark.
    ["false"],
    ["test $GH_TOKEN = x"],
    ["echo X_KEYS MY_X_KEY; exit 1"],
    ["cat stored.txt; exit 1"],
    ["printenv X_KEY; true"],
  ];
  scratch.file("stored.txt", "hunter2-hunter2\n");
  const { results } = await scratch.batch(cases.map(([command]) => bash(command)), ANY, { env });
  for (const [index, [command, note]] of cases.entries()) {
    const said = textOf(results[index]!).split("\n").filter((line) => line.startsWith("[kept from"));
    assert.deepEqual(said, note === undefined ? [] : [note], command);
  }
  const { result } = await scratch.exec(["exec_command", "cmd=printenv STORED"]);
  assert.ok(textOf(result).startsWith(cases[0]![1] + "\n"), textOf(result));
});

test("a long output of a command that fails is searched at both ends, and the note fits in", async () => {
  using scratch = new Scratch();
  const command = "seq 20000; v=GH; echo ${v}_TOKEN; exit 5";
  const { result } = await scratch.exec(["Bash", `command=${command}`], {
    env: { GH_TOKEN: "hidden-value" },
  });
  const text = textOf(result);
  assert.ok(text.length <= 30_000, String(text.length));
  assert.match(text, /\nGH_TOKEN\n\[kept from this command: GH_TOKEN .*\]\n\[Exit code: 5\]$/);
});

test("a redaction mark in a command is refused by whatever runs or writes it, with the way to the value", async () => {
  using scratch = new Scratch();
  const args = ["exec", "Bash", 'command=echo "<redacted:PH>" > ph.txt'];
  const { stderr, code } = await scratch.agent(args);
  assert.equal(
    stderr,
    'error: Cannot call Bash: the command holds "<redacted:PH>", a mark that stands for a secret\n\n' +
      'hint: a command that names $PH gets its value; a pattern such as "<redacted[:]" finds marks\n',
  );
  assert.equal(code, 2);
  const { results } = await scratch.batch(
    [
      { name: "Bash", args: { command: "echo <redacted:PH> > ph.txt", run_in_background: true } },
      { name: "shell", args: { command: ["tee", "ph.txt", "<redacted:PH>"] } },
      { name: "Monitor", args: { command: "echo '<redacted:a.b>' > ph.txt", description: "d" } },
      { name: "exec_command", args: { cmd: "cat", yield_time_ms: 250 } },
      { name: "write_stdin", args: { session_id: 1, chars: "K=<redacted:PH>\n" } },
      { name: "shell_session", args: { action: "poll", session_id: 1, chars: "<redacted:PH>\n" } },
    ],
    ANY,
  );
  assert.deepEqual(results.map(({ outcome }) => outcome), [
    ...["invalid", "invalid", "invalid"],
    ...["success", "invalid", "invalid"],
  ]);
  assert.ok(!textOf(results[2]!).includes("$"), "no variable has that name");
  assert.ok(!scratch.exists("ph.txt"));
});

test("a command may look for redaction marks, and redirect", async () => {
  using scratch = new Scratch();
  scratch.file("log.txt", "K=<redacted:PH>\nother\n");
  const { results } = await scratch.batch(
    [bash('grep "<redacted:" log.txt > found.txt'), bash("grep -o '<redacted[:]PH>' log.txt | wc -l")],
    ANY,
  );
  assert.deepEqual(results.map(({ status }) => status), ["success", "success"]);
  assert.equal(scratch.read("found.txt"), "K=<redacted:PH>\n");
  assert.match(textOf(results[1]!), /^\s*1$/);
});

test("a known secret reaches only the command that names it, and its value is never seen", async () => {
  using scratch = new Scratch();
  scratch.settings({ secrets: ["DSN"], env: { keep: ["*"] }, overflow: { enabled: true } });
  scratch.file(path.join(scratch.config, "secrets.env"), 'DEPLOY="hunter2-hunter2"\n', 0o600);
  const DSN = "postgres://u:pa55word@h/db";
  const { results, stdout, stderr } = await scratch.batch(
    [
      bash("printenv DEPLOY; echo $?"),
      bash("echo d:$DEPLOY:${#DEPLOY}; printenv DEPLOY >&2"),
      bash('for i in $(seq 4000); do echo "$DEPLOY $DSN"; done'),
      bash('printf %s "$DEPLOY" | base64; printf %s "$DEPLOY" | od -An -tx1 | tr -d " \\n"'),
    ],
    ANY,
    { env: { DSN } },
  );
  assert.equal(textOf(results[0]!), "1");
  assert.deepEqual(results[1]!.stdout, ["d:<redacted:DEPLOY>:15\n"]);
  assert.deepEqual(results[1]!.stderr, ["<redacted:DEPLOY>\n"]);
  const overflow = readFileSync(results[2]!.overflow, "utf8");
  assert.match(overflow, /^<redacted:DEPLOY> <redacted:DSN>\n/);
  const log = path.join(scratch.state, "log");
  const logged = readdirSync(log, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl")).map((name) => readFileSync(path.join(log, name), "utf8"));
  assert.ok(logged.join("").includes("echo d:$DEPLOY"), "the command is logged by the secret's name");
  for (const text of [stdout, stderr, overflow, ...logged]) {
    for (const form of ["hunter2", "pa55word", btoa("hunter2-hunter2"), "68756e746572322d"]) {
      assert.ok(!text.includes(form), form);
    }
  }
});

test("a secret that settings name is kept from every command that doesn't", async () => {
  using scratch = new Scratch();
  scratch.settings({ secrets: ["DSN"] });
  const { results } = await scratch.batch([bash("printenv DSN; echo $?"), bash('test -n "$DSN"')], ANY, {
    env: { DSN: "postgres://u:pa55word@h/db" },
  });
  assert.deepEqual(results.map(textOf), ["1", ""]);
});

test("programs are told not to ask, page or colour, and the user's own ssh command stands", async () => {
  using scratch = new Scratch();
  const command = 'echo "$PAGER $GIT_TERMINAL_PROMPT $TERM $EDITOR|$GIT_SSH_COMMAND|$LC_CTYPE"';
  const { results: [usual] } = await scratch.batch([bash(command)], ANY, {
    env: { PAGER: "less", EDITOR: "vim", TERM: "xterm", LANG: "C", LC_ALL: "C" },
  });
  assert.equal(textOf(usual!), "cat 0 dumb true|ssh -oBatchMode=yes|C.UTF-8");
  const { results: [own] } = await scratch.batch([bash(command)], ANY, {
    env: { GIT_SSH_COMMAND: "ssh -i key" },
  });
  assert.equal(textOf(own!), "cat 0 dumb true|ssh -i key|");
});
