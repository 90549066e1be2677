/** Command hooks that misbehave change nothing but their own answer. */
import assert from "node:assert/strict";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import { AGENT, type Json, processesWith, run, Scratch, textOf } from "../support.ts";
import { hook, onAll, pre, quoted, recorded, records, says } from "./hook_scripts.ts";

/** "Ends at all": far above what anything here takes, far below what the misbehaving hook would like. */
const SOON_MS = 30_000;

async function write(scratch: Scratch, content: string, ...hooks: Json[]) {
  const started = Date.now();
  const args = JSON.stringify({ file_path: "big.txt", content });
  const ran = await scratch.exec(["Write", "-", ...onAll(scratch, "PreToolUse", ...hooks)], { input: args });
  assert.ok(Date.now() - started < SOON_MS, `took ${Date.now() - started} ms`);
  return ran;
}

const MEGABYTE = "x".repeat(1_000_000);

for (
  const [name, ignoring] of [["never reads", hook("exit 0")], [
    "closes",
    hook("exec <&-; sleep 0.1"),
  ]] as const
) {
  test(`a hook that ${name} its 1 MB of input changes nothing`, async () => {
    using scratch = new Scratch();
    const { result, stderr } = await write(scratch, MEGABYTE, ignoring);
    assert.equal(result.outcome, "success", textOf(result));
    assert.equal(stderr, "");
    assert.equal(scratch.read("big.txt").length, 1_000_000);
  });
}

test("a hook that never reads its 1 MB of input can still answer", async () => {
  using scratch = new Scratch();
  const { result } = await write(scratch, MEGABYTE, says({ decision: "block", reason: "too long" }));
  assert.match(textOf(result), /too long/);
});

test("a hook that reads it gets all of a large input, byte for byte", async () => {
  using scratch = new Scratch();
  const content = "é😀\u2028\n".repeat(100_000);
  await write(scratch, content, records(scratch, "seen"));
  assert.equal(recorded(scratch, "seen")[0]!.tool_input.content, content);
});

test("a hook that prints 10 MB changes nothing, and one that prints it after exit 2 still blocks", async () => {
  using scratch = new Scratch();
  const flood = "head -c 10000000 /dev/zero | tr '\\0' '\\n'";
  const open = await write(scratch, "x", hook(`${flood}; ${flood} >&2`));
  assert.equal(open.result.outcome, "success");
  const blocked = await write(scratch, "x", hook(`head -c 10000000 /dev/zero | tr '\\0' x >&2; exit 2`));
  assert.equal(blocked.result.outcome, "denied");
  assert.ok(textOf(blocked.result).length < 10_000);
});

test("a hook that leaves a child holding its output is over when it exits, and the child ends with the session", async () => {
  using scratch = new Scratch();
  const marker = path.join(scratch.root, "left-behind");
  const { result } = await write(
    scratch,
    "x",
    hook(`MARK=${quoted(marker)} sleep 300 & printf '{"decision":"block","reason":"done"}'`),
  );
  assert.match(textOf(result), /done/);
  if (process.platform === "linux") assert.deepEqual(await processesWith(marker), []);
});

test("a hook that ignores TERM is ended at its deadline with all that it started", async () => {
  using scratch = new Scratch();
  const marker = path.join(scratch.root, "stubborn");
  const stubborn = `trap '' TERM; MARK=${
    quoted(marker)
  }; export MARK; (trap '' TERM; sleep 300) & sleep 300; sleep 300`;
  const { result, stderr } = await write(scratch, "x", hook(stubborn, { timeout: 0.5, onFailure: "block" }));
  assert.equal(result.outcome, "denied");
  assert.match(stderr, /out of time/);
  if (process.platform === "linux") assert.deepEqual(await processesWith(marker), []);
});

test("a hook's deadline is counted in seconds", async () => {
  using scratch = new Scratch();
  const { result } = await write(scratch, "x", hook("sleep 0.3; exit 2", { timeout: 20 }));
  assert.equal(result.outcome, "denied");
});

test("a character that is split across writes stays whole", async () => {
  using scratch = new Scratch();
  const { result } = await write(
    scratch,
    "x",
    hook(`printf '{"decision":"block","reason":"caf\\303'; sleep 0.2; printf '\\251"}'`),
  );
  assert.match(textOf(result), /: café$/);
});

for (
  const [language, program, flag, code] of [
    [
      "Python",
      "python3",
      "-c",
      "import json,sys; d=json.load(sys.stdin); print(json.dumps({'decision':'block','reason':'py '+d['tool_name']}))",
    ],
    ["Perl", "perl", "-MJSON::PP=decode_json", "-e"],
    [
      "Node",
      "node",
      "-e",
      "let t='';process.stdin.on('data',c=>t+=c).on('end',()=>{console.error('js '+JSON.parse(t).tool_name);process.exitCode=2})",
    ],
  ] as const
) {
  test(`a hook in ${language} reads the call and blocks it`, async (t) => {
    const perl = "local $/; my $d = decode_json(<STDIN>); print STDERR qq(pl $d->{tool_name}\\n); exit 2";
    const args = program === "perl" ? [flag, code, perl] : [flag, code];
    const there = await run([program, "--version"]).then(({ code }) => code === 0, () => false);
    if (!there) return t.skip(`${program} is not here`);
    using scratch = new Scratch();
    const { result } = await write(scratch, "x", hook(program, { args }));
    assert.match(textOf(result), /(py|pl|js) Write/);
  });
}

test("a hook in the background holds up no call, and is waited for a moment at the end", async () => {
  using scratch = new Scratch();
  const out = path.join(scratch.root, "late");
  const { result } = await write(
    scratch,
    "x",
    hook(`cat > /dev/null; sleep 0.3; echo done > ${quoted(out)}; exit 2`, { async: true }),
  );
  assert.equal(result.outcome, "success");
  assert.equal(scratch.read(out), "done\n");
});

test("a hook in the background that fails is said, one that never ends is ended with the session", async () => {
  using scratch = new Scratch();
  const marker = path.join(scratch.root, "endless");
  const { stderr, result } = await write(
    scratch,
    "x",
    hook("exit 7", { async: true }),
    hook(`export MARK=${quoted(marker)}; sleep 300; :`, { async: true }),
  );
  assert.equal(result.outcome, "success");
  assert.match(stderr, /exit code 7/);
  assert.match(stderr, /still runs in the background/);
  if (process.platform === "linux") assert.deepEqual(await processesWith(marker), []);
});

test("an answer with secrets is redacted before anybody sees it", async () => {
  using scratch = new Scratch();
  scratch.settings({ secrets: ["MY_TOKEN"] });
  scratch.file("a.txt", "one\n");
  const flags = onAll(scratch, "PreToolUse", hook("echo no: $MY_TOKEN >&2; exit 2"));
  const { stdout } = await scratch.exec(["Read", "file_path=a.txt", ...flags], {
    env: { MY_TOKEN: "hunter2-hunter2" },
  });
  assert.match(stdout, /<redacted:MY_TOKEN>/);
  assert.ok(!stdout.includes("hunter2"));
});

test("an interrupt ends a waiting hook, and the call with it", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const marker = path.join(scratch.root, "waiting");
  const self = `kill -INT $PPID; export MARK=${quoted(marker)}; sleep 300; :`;
  const flags = onAll(scratch, "PreToolUse", hook(self));
  const ran = await run([...AGENT, "exec", "--json", "Read", "file_path=a.txt", ...flags], {
    cwd: scratch.work,
    env: scratch.env(),
  });
  assert.equal(ran.code, 130);
  assert.equal(JSON.parse(ran.stdout).outcome, "interrupted");
  if (process.platform === "linux") assert.deepEqual(await processesWith(marker), []);
});

test("hooks still hear of a call that was interrupted", async () => {
  using scratch = new Scratch();
  const flags = onAll(scratch, "PostToolUseFailure", records(scratch, "failed"));
  const { result, code } = await scratch.exec(["Bash", "command=kill -INT $PPID; sleep 300", ...flags]);
  assert.equal(code, 130);
  assert.equal(result.outcome, "interrupted");
  assert.equal(recorded(scratch, "failed")[0]?.is_interrupt, true);
});

test("an answer before a call is kept when the call then fails", async () => {
  using scratch = new Scratch();
  const flags = onAll(scratch, "PreToolUse", says(pre({ additionalContext: "for the record" })));
  const { result } = await scratch.exec(["Read", "file_path=none.txt", ...flags]);
  assert.match(textOf(result), /no such file[^]*for the record/);
});
