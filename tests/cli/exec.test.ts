/** One call from the command line: how its arguments are written, what is printed, how it ends. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Scratch, textOf } from "../support.ts";

test("exec runs one call and prints its text", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\ntwo\n");
  const ran = await scratch.agent(["exec", "Read", "file_path=a.txt"]);
  assert.equal(ran.stderr, "");
  assert.equal(ran.stdout, "1\tone\n2\ttwo\n");
  assert.equal(ran.code, 0);
});

test("exec --json prints one result", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const { result, code } = await scratch.exec(["Read", "file_path=a.txt"]);
  assert.equal(code, 0);
  assert.equal(result.outcome, "success");
  assert.equal(result.tool, "read_file");
  assert.equal(textOf(result), "1\tone");
  assert.match(result.at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
  assert.match(result.weekday, /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)$/);
});

test("exec takes its arguments as JSON", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\ntwo\n");
  const { result } = await scratch.exec(["Read", '{"file_path": "a.txt", "offset": 2}']);
  assert.equal(textOf(result), "2\ttwo");
});

test("exec types the text of key=value by the tool's schema and takes JSON after :=", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\ntwo\nthree\n");
  const { result } = await scratch.exec(["Read", "file_path=a.txt", "offset=2", "limit:=1"]);
  assert.match(textOf(result), /^2\ttwo\n/);
});

test("exec keeps a value that looks like another type as text where the schema says text", async () => {
  using scratch = new Scratch();
  const ran = await scratch.agent(["exec", "Write", "file_path=n.txt", "content=007=x"]);
  assert.equal(ran.code, 0, ran.stderr);
  assert.equal(scratch.read("n.txt"), "007=x");
});

test("exec reads one value from a file with key=@file, byte for byte", async () => {
  using scratch = new Scratch();
  const text = "\uFEFFü line\r\n\r\nno end";
  scratch.file("draft", text);
  const ran = await scratch.agent(["exec", "Write", "file_path=copy", "content=@draft"]);
  assert.equal(ran.code, 0, ran.stderr);
  assert.equal(scratch.read("copy"), text);
});

test("exec reads all arguments from a file with @file", async () => {
  using scratch = new Scratch();
  scratch.file("args.json", '{"file_path": "a.txt"}');
  scratch.file("a.txt", "from a file\n");
  const { result } = await scratch.exec(["Read", "@args.json"]);
  assert.equal(textOf(result), "1\tfrom a file");
});

test("exec reads all arguments from standard input with -", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "from stdin\n");
  const { result } = await scratch.exec(["Read", "-"], { input: '{"file_path": "a.txt"}' });
  assert.equal(textOf(result), "1\tfrom stdin");
});

test("exec refuses arguments that can't be read, with a hint and exit 2, and runs nothing", async () => {
  using scratch = new Scratch();
  const cases: [string[], RegExp][] = [
    [["Write", "{bad"], /Cannot read the arguments: not JSON\n/],
    [["Write", "file_path=x", "content:={"], /Cannot read content: not JSON\n/],
    [["Write", "file_path=x", "loose"], /Cannot read the argument "loose": not key=value\n\nhint: /],
    [["Write", "file_path=x", "file_path=y"], /Cannot use "file_path" twice/],
    [
      ["Write", "file_path=x", "content=@missing"],
      /Cannot read "missing": no such file\n\nhint: for a text that starts with @: content:='"@missing"'\n$/,
    ],
    [["Read", "README.md"], /"README\.md": not key=value\n\nhint: did you mean file_path=README\.md\?\n$/],
    [["Bash", "ls | wc"], /"ls \| wc": not key=value\n\nhint: did you mean command='ls \| wc'\?\n$/],
    [["Write", "file_path=x", "text"], /hint: did you mean content=text\?\n$/],
    [["Write", "a", "b"], /hint: use key=value, /],
    [["Nope", "a"], /hint: use key=value, /],
    [["-", "calls.jsonl"], /alone\n\nhint: agent exec - < calls\.jsonl\n$/],
    [["--json", "--jsonl", "Write"], /^error: Cannot use --json with --jsonl: /],
    [["--json", "--plain"], /^error: Cannot use --json with --plain: /],
  ];
  for (const [args, complaint] of cases) {
    const ran = await scratch.agent(["exec", ...args]);
    assert.match(ran.stderr, complaint);
    assert.equal(args.includes("--jsonl") ? "" : ran.stdout, "");
    assert.equal(ran.code, 2);
  }
  assert.equal(scratch.exists("x"), false);
});

test("an unknown tool is a usage error that names the nearest one", async () => {
  using scratch = new Scratch();
  const ran = await scratch.agent(["exec", "Raed", "file_path=a.txt"]);
  assert.equal(ran.stderr, 'error: Cannot call "Raed": no such tool\n\nhint: did you mean Read?\n');
  assert.equal(ran.code, 2);
});

test("an argument of the wrong type is a usage error that names the field", async () => {
  using scratch = new Scratch();
  const { result, code } = await scratch.exec(["Read", "file_path=a.txt", "limit=many"]);
  assert.match(textOf(result), /^Cannot call Read: "limit" must be an integer, got "many"/);
  assert.equal(result.outcome, "invalid");
  assert.equal(code, 2);
});

test("a call that fails ends with exit 1 and its error on standard error", async () => {
  using scratch = new Scratch();
  const ran = await scratch.agent(["exec", "Read", "file_path=nope"]);
  assert.match(ran.stderr, /^error: Cannot read ".*nope": no such file\n\nhint: .*\n$/);
  assert.equal(ran.stdout, "");
  assert.equal(ran.code, 1);
});

test("a command that fails keeps its own words, and --exit-status passes on its code", async () => {
  using scratch = new Scratch();
  const command = "command=echo mine; exit 7";
  const plain = await scratch.agent(["exec", "Bash", command]);
  assert.equal(plain.code, 1);
  assert.equal(plain.stderr, "mine\n[Exit code: 7]\n");
});

test("--exit-status prints and ends as the command itself did", async () => {
  using scratch = new Scratch();
  const own = (command: string) => scratch.agent(["exec", "--exit-status", "Bash", `command=${command}`]);
  const failed = await own("echo mine; echo loud >&2; exit 7");
  assert.deepEqual([failed.stdout, failed.stderr, failed.code], ["mine\n", "loud\n", 7]);
  const done = await own("printf bare; echo loud >&2");
  assert.deepEqual([done.stdout, done.stderr, done.code], ["bare", "loud\n", 0]);
  const denied = await scratch.agent(["exec", "--exit-status", "--deny", "Bash", "Bash", "command=true"]);
  assert.equal(denied.code, 3);
});

test("a result that was cut is said on standard error, with the file that holds all of it", async () => {
  using scratch = new Scratch();
  const command = ["Bash", "command=seq 100000"];
  for (const flags of [[], ["--exit-status"]]) {
    const { stderr, code } = await scratch.agent(["exec", ...flags, ...command]);
    const path = /^warning: the result was cut; all of it is in "(.*)"\n$/.exec(stderr)?.[1];
    assert.ok(path !== undefined, stderr);
    assert.match(scratch.read(path), /^1\n2\n[^]*\n100000\n$/);
    assert.equal(code, 0);
  }
  const off = await scratch.agent(["exec", ...command], { env: { AGENT_OVERFLOW: "off" } });
  assert.equal(off.stderr, "");
  assert.equal((await scratch.agent(["exec", "--json", ...command])).stderr, "");
});

test("a file that was cut at its cap is not said to hold all of it, in any form of a result", async () => {
  using scratch = new Scratch();
  scratch.settings({ "overflow.fileCapBytes": 40_000 });
  scratch.plugin(
    "long",
    `agent.tool({ name: "long", description: "d", run: () => "é".repeat(50_000) });`,
  );
  const long = ["--plugins", "p", "long"], seq = ["Bash", "command=seq 100000"];
  for (const flags of [seq, ["--exit-status", ...seq], long]) {
    const { stderr } = await scratch.agent(["exec", ...flags]);
    assert.match(stderr, /^warning: the result was cut; the first 40000 bytes are in "(.*)"\n$/);
  }
  for (const flags of [seq, long]) {
    const { result } = await scratch.exec(flags);
    assert.equal(result.overflowCutAt, 40_000);
    assert.match(scratch.read(result.overflow), /\n\[the file's cap of 40000 bytes is reached\]\n$/);
    const shown = await scratch.agent(["log", "show", result.id]);
    assert.ok(
      shown.stdout.endsWith(`\nthe first 40000 bytes: ${result.overflow}\n`),
      shown.stdout.slice(-300),
    );
  }
  const { result: whole } = await scratch.exec(["Bash", "command=seq 7000"]);
  assert.deepEqual([typeof whole.overflow, "overflowCutAt" in whole], ["string", false]);
  const { stdout } = await scratch.agent(["log", "show", whole.id]);
  assert.ok(stdout.endsWith(`\nall of it: ${whole.overflow}\n`), stdout.slice(-300));
});

test("what a run ends in the background is named on standard error and in the stream", async () => {
  using scratch = new Scratch();
  const ended = /^warning: session 1 \((.*)\) was ended with this run; --detach keeps it\n$/;
  const calls = [
    ["Bash", "command=sleep 600", "run_in_background=true"],
    ["Bash", "command=sleep 600 & echo left"],
    ["exec_command", "cmd=sleep 600", "yield_time_ms=250"],
    ["Monitor", "command=sleep 600", "description=d"],
  ];
  for (const call of calls) {
    const { stderr, code } = await scratch.agent(["exec", "--json", ...call]);
    assert.equal(ended.exec(stderr)?.[1], call[1]!.replace(/^\w+=/, ""), stderr);
    assert.equal(code, 0);
  }
  const { stdout } = await scratch.agent(["exec", "--jsonl", ...calls[0]!]);
  const events = stdout.trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(events.slice(-3).map(({ type }) => type), ["notice", "session_end", "result"]);
  assert.equal(events.at(-3).source, "session 1");
  assert.equal(events.at(-3).text, "[session 1 (sleep 600) was ended, as nothing keeps it]");
});

test("of a batch only what still ran is named, its secrets redacted", async () => {
  using scratch = new Scratch();
  scratch.file(path.join(scratch.config, "secrets.env"), "PH=hunter2-hunter2\n", 0o600);
  const start = (command: string) => ({ name: "Bash", args: { command, run_in_background: true } });
  const wait = { name: "shell_session", args: { action: "wait", session_id: 1, timeout_s: 60 } };
  const kill = { name: "shell_session", args: { action: "kill", session_id: 2 } };
  const any = ["--mode", "bypassPermissions"];
  const over = [start("exit 3"), wait, start("sleep 600"), kill];
  assert.equal((await scratch.batch(over, any)).stderr, "");
  const running = [start("sleep 600; : hunter2-hunter2"), start("sleep 601")];
  assert.equal(
    (await scratch.batch([...over, ...running], any)).stderr,
    "warning: session 3 (sleep 600; : <redacted:PH>), session 4 (sleep 601) were ended with this run; " +
      "agent exec --detach keeps what a single call starts\n",
  );
});

test("a denied call ends with exit 3 and names the rule", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "secret\n");
  const ran = await scratch.agent(["exec", "--deny", "Read(a.txt)", "Read", "file_path=a.txt"]);
  assert.match(ran.stderr, /^error: Cannot run Read: denied \(the deny rule "Read\(a.txt\)"\)/);
  assert.equal(ran.stdout, "");
  assert.equal(ran.code, 3);
});

test("--timeout ends a call with exit 124 and keeps what it printed so far", async () => {
  using scratch = new Scratch();
  const { result, code } = await scratch.exec([
    "--timeout",
    "2",
    "Bash",
    "command=echo early; sleep 300",
  ]);
  assert.equal(code, 124);
  assert.equal(result.outcome, "timeout");
  assert.deepEqual(result.stdout, ["early\n"]);
  assert.match(textOf(result), /^early\n\[out of time; /);
});

test("a command's own time limit is exit 124 too", async () => {
  using scratch = new Scratch();
  const { result, code } = await scratch.exec(["Bash", "command=sleep 300", "timeout=300"]);
  assert.equal(code, 124);
  assert.equal(result.outcome, "timeout");
});

test("--dry-run goes through every step but the running", async () => {
  using scratch = new Scratch();
  const ran = await scratch.agent(["exec", "--dry-run", "Write", "file_path=new.txt", "content=x"]);
  assert.match(ran.stdout, /^Dry run: Write would write ".*new\.txt"; nothing was done\n$/);
  assert.equal(ran.code, 0);
  assert.equal(scratch.exists("new.txt"), false);
  // An edit reads and writes the same file.
  const edit = ["file_path=a.txt", "old_string=a", "new_string=b"];
  const once = await scratch.agent(["exec", "--dry-run", "Edit", ...edit]);
  assert.match(once.stdout, /^Dry run: Edit would write "[^"]*a\.txt"; nothing was done\n$/);
  const denied = await scratch.agent([
    "exec",
    "--dry-run",
    "--deny",
    "Write",
    "Write",
    "file_path=n",
    "content=",
  ]);
  assert.equal(denied.code, 3);
});

test("a call that stands on the command line needs no leave; one from standard input does", async () => {
  using scratch = new Scratch();
  const mine = await scratch.agent(["exec", "Write", "file_path=mine", "content=x"]);
  assert.equal(mine.code, 0, mine.stderr);
  assert.equal(scratch.read("mine"), "x");
  const call = { name: "Write", args: { file_path: "theirs", content: "x" } };
  const refused = await scratch.batch([call]);
  assert.equal(refused.results[0]!.outcome, "denied");
  assert.match(textOf(refused.results[0]!), /--allow 'Write\(.*theirs\)'/);
  assert.equal(scratch.exists("theirs"), false);
  const allowed = await scratch.batch([call], ["--allow", "Write(theirs)"]);
  assert.equal(allowed.code, 0, allowed.stdout);
  assert.equal(scratch.read("theirs"), "x");
});

test("text after -- is not read as flags, and -C changes the folder", async () => {
  using scratch = new Scratch();
  scratch.folder("work/sub");
  scratch.file("sub/a.txt", "below\n");
  const ran = await scratch.agent(["exec", "-C", "sub", "--", "Read", "file_path=a.txt"]);
  assert.equal(ran.stdout, "1\tbelow\n");
  const flag = await scratch.agent(["exec", "Read", "--", "--json"]);
  assert.match(flag.stderr, /Cannot read the argument "--json": not key=value/);
  assert.equal(flag.code, 2);
  const nowhere = await scratch.agent(["-C", "nope", "exec", "Read", "file_path=a.txt"]);
  assert.match(nowhere.stderr, /Cannot change to the folder "nope": no such folder/);
  assert.equal(nowhere.code, 2);
});

test("--tools leaves the other tools out of reach", async () => {
  using scratch = new Scratch();
  const ran = await scratch.agent(["exec", "--tools", "Read", "Bash", "command=echo reached"]);
  assert.equal(ran.stderr, 'error: Cannot call "Bash": --tools leaves it out\n');
  assert.equal(ran.code, 2);
});

test("a wrong value of a flag is said before anything starts", async () => {
  using scratch = new Scratch();
  const ran = await scratch.agent(["exec", "--timeout", "soon", "Write", "file_path=x", "content="]);
  assert.match(ran.stderr, /Cannot use --timeout "soon": not a number above 0/);
  assert.equal(ran.code, 2);
  assert.equal(scratch.exists("x"), false);
  assert.throws(() => readdirSync(`${scratch.state}/log`), "no session was begun");
});
