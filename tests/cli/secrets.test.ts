/** `agent secrets`: what is stored is exactly what came, is the user's alone, and is shown nowhere. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import { HiddenLine } from "../../src/cli/commands/secrets_ask.ts";
import { AGENT, type Json, Scratch, textOf } from "../support.ts";

const VALUE = "s3cr3t-value-0123456789";
const fileOf = (scratch: Scratch) => path.join(scratch.config, "secrets.env");
const modeOf = (place: string) => fs.statSync(place).mode & 0o777;
const set = (scratch: Scratch, name: string, input: string | Uint8Array) =>
  scratch.agent(["secrets", "set", name], { input });

/** What a command gets as `$NAME`, in hex: redaction leaves the length alone, so it is compared inside. */
async function holds(scratch: Scratch, name: string, value: string): Promise<boolean> {
  const wanted = scratch.file("wanted", value);
  const command = `printf %s "$${name}" | cmp - '${wanted}'`;
  return (await scratch.agent(["exec", "--exit-status", "Bash", `command=${command}`])).code === 0;
}

test("a value from standard input is stored as it came, but for one last newline", async () => {
  using scratch = new Scratch();
  const values: [string, string][] = [
    ["PLAIN", VALUE],
    ["KEY", `-----BEGIN KEY-----\nabc=\n\n  "quoted" 'single' \\n $HOME \`x\`\r\n\t-----END KEY-----\n`],
    ["ODD", ` # =blank around= \u2028\u0001ä😀"`],
    ["QUOTES", '"in quotes"'],
    ["NEWLINES", "ends with two\n\n"],
  ];
  for (const [name, value] of values) {
    const ran = await set(scratch, name, `${value}\n`);
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal(ran.stdout, "");
    assert.equal(ran.stderr, `${name} is set in ${fileOf(scratch)}\n`);
  }
  for (const [name, value] of values) assert.ok(await holds(scratch, name, value), name);
  await set(scratch, "PLAIN", "without-a-newline");
  assert.ok(await holds(scratch, "PLAIN", "without-a-newline"));
  await set(scratch, "PLAIN", "windows-line\r\n");
  assert.ok(await holds(scratch, "PLAIN", "windows-line"));
});

test("the file is made 0600 in a folder of 0700, and keeps its comments, other lines and links", async () => {
  using scratch = new Scratch();
  const env = { XDG_CONFIG_HOME: path.join(scratch.root, "fresh") };
  await scratch.agent(["secrets", "set", "A"], { env, input: VALUE });
  assert.equal(modeOf(path.join(scratch.root, "fresh/agent/secrets.env")), 0o600);
  assert.equal(modeOf(path.join(scratch.root, "fresh/agent")), 0o700);

  const own = scratch.file(
    "mine.env",
    "# mine\nA=one-one-one\n\nB = two-two-two\nA=three-three\nC=last",
    0o600,
  );
  fs.symlinkSync(own, fileOf(scratch));
  await set(scratch, "A", "new-value");
  await set(scratch, "D", "four-four");
  assert.equal(
    scratch.read("mine.env"),
    '# mine\nA="new-value"\n\nB = two-two-two\nC=last\nD="four-four"\n',
  );
  const removed = await scratch.agent(["secrets", "remove", "B"]);
  assert.equal(removed.stderr, `B is removed from ${own}\n`);
  assert.equal(scratch.read("mine.env"), '# mine\nA="new-value"\n\nC=last\nD="four-four"\n');
  assert.ok(fs.lstatSync(fileOf(scratch)).isSymbolicLink());
  assert.equal(modeOf(own), 0o600);
  assert.deepEqual(fs.readdirSync(scratch.config), ["secrets.env"], "nothing is left beside it");
});

test("of many that set at once none is lost", async () => {
  using scratch = new Scratch();
  const names = Array.from({ length: 6 }, (_, at) => `NAME_${at}`);
  const all = await Promise.all(names.map((name) => set(scratch, name, `value-of-${name}`)));
  assert.deepEqual(all.map(({ code }) => code), names.map(() => 0));
  const listed: Json[] = JSON.parse((await scratch.agent(["secrets", "list", "--json"])).stdout);
  assert.deepEqual(listed.map(({ name }) => name), names);
});

test("a value on the command line, a wrong name and an impossible value are refused and stored nowhere", async () => {
  using scratch = new Scratch();
  const cases: [string[], string | Uint8Array, RegExp][] = [
    [["A", VALUE], "", /^error: Cannot set "A" to a value on the command line: .*history see it\n\nhint: /],
    [[`A=${VALUE}`], "", /^error: Cannot set "A" to a value on the command line: /],
    [["A", "--", `-${VALUE}`], "", /^error: Cannot set "A" to a value on the command line: /],
    [["1A"], VALUE, /^error: Cannot set a secret "1A": not a variable's name\n\nhint: letters, digits/],
    [["A-B"], VALUE, /not a variable's name/],
    [[], VALUE, /its name is missing/],
    [["A"], "\n", /^error: Cannot set "A": its value is empty\n\nhint: agent secrets remove A /],
    [["A"], `${VALUE}\0`, /a variable can't hold a NUL character/],
    [["A"], new Uint8Array([0x61, 0xff, 0x61]), /its value is not UTF-8 text/],
    [["A"], "x".repeat(128 * 1024 - 2), /longer than a variable may be/],
    [["A"], "x".repeat(1024 * 1024), /longer than a variable may be/],
  ];
  for (const [words, input, message] of cases) {
    const ran = await scratch.agent(["secrets", "set", ...words], { input });
    assert.equal(ran.code, 2, words.join(" "));
    assert.match(ran.stderr, message);
    assert.ok(!ran.stderr.includes(VALUE), ran.stderr);
  }
  assert.ok(!fs.existsSync(fileOf(scratch)));
});

test("the longest value that is taken reaches a command", async () => {
  using scratch = new Scratch();
  const value = "xy".repeat(64 * 1024 - 3);
  assert.equal((await set(scratch, "LONG", value)).code, 0);
  assert.ok(await holds(scratch, "LONG", value));
  assert.equal((await set(scratch, "LONG", `${value}x`)).code, 2);
});

test("list shows names and where they are from, and never a value", async () => {
  using scratch = new Scratch();
  const none = await scratch.agent(["secrets", "list"]);
  assert.equal(none.stdout, "");
  assert.match(none.stderr, /^no secret is known; agent secrets set NAME /);
  scratch.settings({ secrets: ["DSN", "BOTH"], env: { keep: ["KEPT_TOKEN"] } });
  await set(scratch, "DEPLOY", VALUE);
  await set(scratch, "BOTH", VALUE);
  const weak = await set(scratch, "SHORT", "abcde");
  assert.match(weak.stderr, /\nwarning: SHORT is not redacted: fewer than 6 characters, or a common word/);
  assert.match((await set(scratch, "WORD", "Password")).stderr, /warning: WORD is not redacted/);
  assert.ok(await holds(scratch, "SHORT", "abcde"));
  const env = {
    DSN: "postgres://u:pa55word@h",
    BOTH: "other-value",
    GH_TOKEN: "gh0-0123456789",
    KEPT_TOKEN: "kept-0123456789",
    MAX_TOKENS: "100000",
    PLAIN: "plain-value",
  };
  const text = await scratch.agent(["secrets", "list"], { env });
  assert.equal(
    text.stdout,
    "BOTH      file\nDEPLOY    file\nDSN       environment\nGH_TOKEN  environment\n" +
      "SHORT     file, not redacted\nWORD      file, not redacted\n",
  );
  assert.equal(text.stderr, "");
  const json = await scratch.agent(["secrets", "list", "--json"], { env });
  assert.deepEqual(JSON.parse(json.stdout)[4], { name: "SHORT", from: "file", redacted: false });
  for (const value of [VALUE, "abcde", ...Object.values(env)]) {
    assert.ok(!(text.stdout + json.stdout).includes(value), value);
  }
});

test("remove takes out what the file holds, and says so where it doesn't", async () => {
  using scratch = new Scratch();
  await set(scratch, "DEPLOY_KEY", VALUE);
  const wrong = await scratch.agent(["secrets", "remove", "DEPLOY_KEI"]);
  assert.equal(wrong.code, 1);
  assert.match(
    wrong.stderr,
    /^error: Cannot remove "DEPLOY_KEI": not in ".*secrets\.env"\n\nhint: did you mean DEPLOY_KEY\?\n$/,
  );
  assert.equal((await scratch.agent(["secrets", "remove"])).code, 2);
  assert.equal((await scratch.agent(["secrets", "remove", "DEPLOY_KEY"])).code, 0);
  assert.equal(fs.readFileSync(fileOf(scratch), "utf8"), "");
  assert.match((await scratch.agent(["secrets", "list"])).stderr, /no secret is known/);
});

test("a file that others can read is listed with a warning, and closed by the next change", async () => {
  using scratch = new Scratch();
  scratch.file(fileOf(scratch), `A=${VALUE}\n`, 0o644);
  const listed = await scratch.agent(["secrets", "list"]);
  assert.equal(listed.stdout, "A  file\n");
  assert.match(
    listed.stderr,
    /^warning: .*secrets\.env: others can read it, so nothing starts; chmod 600 \S+\n$/,
  );
  const ill = await scratch.agent(["doctor"]);
  assert.equal(ill.code, 1);
  assert.match(ill.stdout, /^FAIL secrets: Cannot use ".*secrets\.env": others can read it$/m);
  assert.equal(ill.stdout.match(/FAIL/g)!.length, 1, "one fault is said once");
  const changed = await set(scratch, "B", VALUE);
  assert.match(changed.stderr, /warning: .*secrets\.env: others could read it until now\n$/);
  assert.equal(modeOf(fileOf(scratch)), 0o600);
  assert.equal((await set(scratch, "B", VALUE)).stderr, `B is set in ${fileOf(scratch)}\n`);
});

const notRoot = process.getuid?.() !== 0 && "only root can give files away";

test("another user's file is never added to", { skip: notRoot }, async () => {
  using scratch = new Scratch();
  fs.chownSync(scratch.file(fileOf(scratch), "A=not-mine-1\n", 0o600), 12345, 12345);
  const ran = await set(scratch, "B", VALUE);
  assert.equal(ran.code, 2);
  assert.match(ran.stderr, /^error: Cannot change ".*secrets\.env": it belongs to another user\n\nhint: /);
  assert.equal(fs.readFileSync(fileOf(scratch), "utf8"), "A=not-mine-1\n");
  assert.match(
    (await scratch.agent(["secrets", "list"])).stderr,
    /it belongs to another user, so nothing starts/,
  );
  const call = await scratch.agent(["exec", "Bash", "command=true"]);
  assert.match(
    call.stderr,
    /^error: Cannot use ".*secrets\.env": it belongs to another user\n\nhint: move it away/,
  );
  assert.equal(call.code, 2);
});

test("doctor names the file's state, and lines that can't be read as they were meant", async () => {
  using scratch = new Scratch();
  const doctor = async () => (await scratch.agent(["doctor"])).stdout;
  assert.match(await doctor(), /^ok {3}secrets: no .*secrets\.env; agent secrets set NAME makes it$/m);
  await set(scratch, "A", VALUE);
  assert.match(await doctor(), /^ok {3}secrets: .*secrets\.env, 1 stored, nobody else can read it$/m);
  scratch.file(fileOf(scratch), '# mine\n\nA="first\nsecond"\nB=" x"\nexport C=d\nab/c==\nD=', 0o600);
  const ill = await scratch.agent(["doctor"]);
  assert.equal(ill.code, 1);
  assert.match(ill.stdout, /^FAIL secrets: .*secrets\.env: not NAME=value: line 3, 4, 7; /m);
  assert.match((await set(scratch, "B", VALUE)).stderr, /warning: .*: not NAME=value: line 3, 4, 7; /);
});

test("a hand-written file is read as such files usually are, and what can't be is named by its line", async () => {
  using scratch = new Scratch();
  const lines: [string, string, string][] = [
    ["SINGLE", "SINGLE='one # $two \\n'", "one # $two \\n"],
    ["DOUBLE", 'DOUBLE="one # \\"two\\"\\nthree" # why', 'one # "two"\nthree'],
    ["ODD_ESCAPE", 'ODD_ESCAPE="one\\done\\"\tx"', 'one\\done"\tx'],
    ["PLAIN", " PLAIN = one two # why", "one two"],
    ["HASH", "HASH=#one#two", "#one#two"],
    ["INNER", `INNER=it's "so"`, `it's "so"`],
    ["EXPORTED", "export EXPORTED='exported-value'", "exported-value"],
    ["WINDOWS", "WINDOWS='windows-value'\r", "windows-value"],
    ["BASE64", "BASE64=abcdefgh==", "abcdefgh=="],
  ];
  scratch.file(fileOf(scratch), lines.map(([, line]) => `${line}\n`).join("") + "NONE= # empty\n", 0o600);
  const listed: Json[] = JSON.parse((await scratch.agent(["secrets", "list", "--json"])).stdout);
  assert.deepEqual(listed.map(({ name }) => name), lines.map(([name]) => name).sort());
  for (const [name, , value] of lines) assert.ok(await holds(scratch, name, value), name);
  assert.equal((await scratch.agent(["secrets", "list"])).stderr, "");
  const set = await scratch.agent(["secrets", "remove", "EXPORTED"]);
  assert.equal(set.code, 0, set.stderr);
  assert.doesNotMatch(fs.readFileSync(fileOf(scratch), "utf8"), /EXPORTED/);

  scratch.file(
    fileOf(scratch),
    `A='open-quote\nB='one'two\nC="one" two\nD='fine-value' # so\nE="x\\"\n`,
    0o600,
  );
  const odd = await scratch.agent(["secrets", "list"]);
  assert.match(odd.stderr, /^warning: .*secrets\.env: not NAME=value: line 1, 2, 3, 5; /);
  assert.ok(await holds(scratch, "A", "'open-quote"));
});

test("a file that isn't UTF-8 is an error to whoever reads it, and a mark at its start is none", async () => {
  using scratch = new Scratch();
  scratch.file(
    fileOf(scratch),
    new Uint8Array([0x41, 0x3d, 0x61, 0xff, 0x61, 0x61, 0x61, 0x61, 0x0a]),
    0o600,
  );
  for (const words of [["exec", "Bash", "command=true"], ["secrets", "list"]]) {
    const ran = await scratch.agent(words);
    assert.match(ran.stderr, /^error: Cannot read ".*secrets\.env": it is not UTF-8 text/, words.join(" "));
    assert.ok(ran.code! > 0);
  }
  scratch.file(fileOf(scratch), `\ufeffA=${VALUE}\n`, 0o600);
  assert.ok(await holds(scratch, "A", VALUE));
});

test("a named pipe or a folder in the file's place is an error, and nothing waits for it", async () => {
  using scratch = new Scratch();
  const calls = [["exec", "Bash", "command=true"], ["secrets", "list"], ["secrets", "set", "A"]];
  fs.mkdirSync(fileOf(scratch));
  for (const words of calls) {
    const ran = await scratch.agent(words, { input: VALUE });
    assert.match(
      ran.stderr,
      /^error: Cannot (?:read|change) ".*secrets\.env": it is a folder/,
      words.join(" "),
    );
  }
  fs.rmdirSync(fileOf(scratch));
  if (spawnSync("mkfifo", [fileOf(scratch)]).status !== 0) return;
  for (const words of calls) {
    const ran = await scratch.agent(words, { input: VALUE });
    assert.match(ran.stderr, /^error: Cannot (?:read|change) ".*secrets\.env": it is a named pipe/);
    assert.equal(ran.code, 1);
  }
});

const works = spawnSync("script", ["-qec", "true", "/dev/null"], { stdio: "ignore" }).status === 0;
const skip = !works && "no `script` to make a terminal with";

/** Runs on a terminal; `typed` is typed when the question stands there. */
async function onTerminal(scratch: Scratch, words: string, typed: string) {
  const line = `${AGENT.map((word) => `'${word}'`).join(" ")} ${words}`;
  const child = spawn("script", ["-qec", line, "/dev/null"], {
    cwd: scratch.work,
    env: { ...scratch.env(), SHELL: "/bin/sh" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  let shown = "", asked = false;
  child.stdout.on("data", (chunk: Uint8Array) => {
    shown += new TextDecoder().decode(chunk);
    if (!asked && shown.includes("Enter ends it")) {
      asked = true;
      child.stdin.write(typed);
    }
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { shown, asked, code };
}

test("on a terminal the value is asked for and not shown", { skip }, async () => {
  using scratch = new Scratch();
  const ran = await onTerminal(scratch, "secrets set A", `wrong\x15${VALUE}ä😀x\x7f\x7f\r`);
  assert.equal(ran.code, 0, ran.shown);
  assert.match(ran.shown, /^Value of A \(not shown; Enter ends it\):\r\nA is set in /);
  assert.ok(!ran.shown.includes("s3cr3t") && !ran.shown.includes("wrong"), ran.shown);
  assert.ok(await holds(scratch, "A", `${VALUE}ä`));
  const left = await onTerminal(scratch, "secrets set A", `other\x03`);
  assert.equal(left.code, 130);
  assert.match(left.shown, /nothing is set/);
  assert.ok(await holds(scratch, "A", `${VALUE}ä`));
  const quiet = await onTerminal(scratch, "secrets set A --no-input", "");
  assert.equal(quiet.code, 2);
  assert.ok(!quiet.asked);
  assert.match(quiet.shown, /Cannot ask for the value of "A": --no-input is given/);
});

test("what is typed may be corrected, and more than one line or a key that is no character is refused", () => {
  const typed = (...texts: string[]) => {
    const line = new HiddenLine();
    for (const text of texts) line.type(text);
    return line.value();
  };
  assert.equal(typed("ab\x7fc", "d\b\r"), "ac");
  assert.equal(typed("a\tb\r\n"), "a\tb");
  assert.equal(typed("ab\x04"), "ab");
  assert.equal(typed("\x04"), undefined);
  assert.equal(typed("ab"), undefined, "the terminal's end is no Enter");
  assert.throws(() => typed("one\rtwo\r"), /more than one line/);
  assert.throws(() => typed("one\x1b[D\r"), /a key that is no character/);
});

test("B57: a stored secret of several lines is in no result, event, log or overflow file, wherever it stands", async () => {
  using scratch = new Scratch();
  const lines = ["-----BEGIN PRIVATE KEY-----", "MIIEvQIBADANBgkqhkiG9w0BAQ==", "-----END PRIVATE KEY-----"];
  await set(scratch, "KEY", lines.join("\n") + "\n");
  const command =
    `echo "$KEY"; for i in $(seq 1500); do printf '%*s%s\\n' $((i % 61)) '' "$KEY"; done; echo "end $KEY"`;
  const ran = await scratch.agent(["exec", "--jsonl", "--full", "Bash", `command=${command}`]);
  const events = ran.stdout.trim().split("\n").map((line) => JSON.parse(line) as Json);
  const end = events.find(({ type }) => type === "tool_end")!;
  assert.match(textOf(end), /^<redacted:KEY>\n[^]*end <redacted:KEY>/);
  const files = [scratch.state, scratch.work].flatMap((folder) =>
    fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => path.join(folder, name))
  ).filter((place) => fs.statSync(place).isFile());
  assert.ok(files.includes(end.overflow));
  assert.ok(files.some((place) => place.includes("/log/")));
  for (const text of [ran.stdout, ran.stderr, ...files.map((place) => fs.readFileSync(place, "utf8"))]) {
    for (const line of lines) assert.ok(!text.includes(line), line);
  }
  for (const place of files) {
    assert.equal(modeOf(place), 0o600, place);
    assert.equal(modeOf(path.dirname(place)), 0o700, place);
  }
});

test("a secret that is a folder's name stands in no log, event, path or warning", async () => {
  using scratch = new Scratch();
  const value = "Zq8vKp2LmN4rTy6WbX0d";
  await set(scratch, "KEY", value);
  const cwd = scratch.folder(`work/${value}`);
  const ran = await scratch.agent(["exec", "--jsonl", "Bash", "command=seq 1 20000"], { cwd });
  const short = await scratch.agent(["exec", "Bash", "command=seq 1 20000"], { cwd });
  const names = fs.readdirSync(scratch.state, { recursive: true, encoding: "utf8" });
  const texts = names.map((name) => path.join(scratch.state, name))
    .filter((place) => fs.statSync(place).isFile()).map((place) => fs.readFileSync(place, "utf8"));
  assert.match(short.stderr, /the result was cut/);
  for (const text of [ran.stdout, ran.stderr, short.stderr, ...names, ...texts]) {
    assert.ok(!text.includes(value), text.slice(0, 500));
  }
});

test("B59: a patch never writes a mark over a stored secret, and one around it keeps the secret", async () => {
  using scratch = new Scratch();
  await set(scratch, "REAL", VALUE);
  scratch.file(".env", `K=${VALUE}\nA=1\n`);
  const patch = (...lines: string[]) => ({
    name: "apply_patch",
    args: {
      input: ["*** Begin Patch", "*** Update File: .env", "@@", ...lines, "*** End Patch", ""].join("\n"),
    },
  });
  const { results } = await scratch.batch([
    { name: "Read", args: { file_path: ".env" } },
    patch("-A=1", "+A=<redacted:REAL>"),
    patch("-K=<redacted:REAL>", "+K=x"),
    patch("-A=1", "+A=2"),
  ], ["--mode", "acceptEdits"]);
  assert.deepEqual(results.map(({ status }) => status), ["success", "error", "error", "success"]);
  assert.match(textOf(results[0]!), /K=<redacted:REAL>/);
  assert.match(textOf(results[1]!), /a mark that stands for a redacted secret/);
  assert.equal(scratch.read(".env"), `K=${VALUE}\nA=2\n`);
});

test("B61: no command of any family gets a stored secret or a provider's key that it doesn't name", async () => {
  using scratch = new Scratch();
  await set(scratch, "STORED", VALUE);
  const env = { X_API_KEY: "provider-0123456789" };
  const flags = ["--mode", "bypassPermissions", "--toolset", "codex_snake"];
  const call = (cmd: string) => ({ name: "exec_command", args: { cmd } });
  const { results, stdout } = await scratch.batch(
    [
      call('env | grep -c -e STORED -e X_API_KEY -e 0123456789; test -n "$PATH" && echo path'),
      call("echo $STORED $X_API_KEY; printenv | grep -c 0123456789"),
    ],
    flags,
    { env },
  );
  assert.match(textOf(results[0]!), /^0\npath$/m);
  assert.match(textOf(results[1]!), /^<redacted:STORED> <redacted:X_API_KEY>\n2$/m);
  assert.ok(!stdout.includes("0123456789"), stdout);
});
