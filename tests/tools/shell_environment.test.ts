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

test("the first command that fails says what was kept from it, once a session", async () => {
  using scratch = new Scratch();
  const { results } = await scratch.batch([bash("true"), bash("false"), bash("false"), bash("exit 4")], ANY, {
    env: { X_API_KEY: "hidden-value", GH_TOKEN: "hidden-value" },
  });
  assert.deepEqual(results.map(textOf), [
    "",
    "[kept from commands, as they look like secrets: GH_TOKEN, X_API_KEY; " +
    "name one in the command as $GH_TOKEN, or list it in the setting env.keep]\n[Exit code: 1]",
    "[Exit code: 1]",
    "[Exit code: 4]",
  ]);
  const { results: [named, quiet] } = await scratch.batch([bash("test $GH_TOKEN = x"), bash("false")], ANY, {
    env: { GH_TOKEN: "hidden-value" },
  });
  assert.equal(textOf(named!), "[Exit code: 1]");
  assert.match(textOf(quiet!), /GH_TOKEN/);
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
