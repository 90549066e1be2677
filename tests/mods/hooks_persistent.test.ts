/** Persistent hooks: one process for a session, a line in and a line out for each call. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import { type Json, processesWith, Scratch, textOf } from "../support.ts";
import { hook, hooksFlag, onAll, pre, quoted } from "./hook_scripts.ts";

/** A hook that goes on; `each` is done for every line, which is in `$line`. */
function lines(each: string, { before = "", ...more }: Json = {}): Json {
  return hook(`${before}\nwhile IFS= read -r line; do ${each}; done`, { persistent: true, ...more });
}

const SAYS_NOTHING = "echo '{}'";

async function reads(scratch: Scratch, count: number, flags: string[], more: string[] = []) {
  for (let i = 0; i < count; i++) scratch.file(`${i}.txt`, `${i}\n`);
  const calls = Array.from(
    { length: count },
    (_, i) => ({ id: `c${i}`, name: "Read", args: { file_path: `${i}.txt` } }),
  );
  return await scratch.batch(calls, [...flags, ...more]);
}

function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
}

test("one process answers all calls of a session, line by line in their order", async () => {
  using scratch = new Scratch();
  const out = path.join(scratch.root, "seen");
  const each = `printf '%s\\n' "$line" >> ${quoted(out)}; n=$((n + 1)); ` +
    `printf '{"hookSpecificOutput":{"additionalContext":"%s of %s"}}\\n' $n $$`;
  const { results, stderr } = await reads(scratch, 20, onAll(scratch, "PreToolUse", lines(each)));
  assert.equal(stderr, "");
  const told = results.map((result) => /(\d+) of (\d+)/.exec(textOf(result))!);
  assert.equal(new Set(told.map(([, , pid]) => pid)).size, 1);
  assert.deepEqual(
    told.map(([, n]) => Number(n)).sort((a, b) => a - b),
    Array.from({ length: 20 }, (_, i) => i + 1),
  );
  // The answer that each call got is the one to its own question.
  const ids = linesOf(out).map((line) => JSON.parse(line).tool_use_id);
  assert.deepEqual(
    results.map((result) => ids[Number(/(\d+) of/.exec(textOf(result))![1]) - 1]),
    results.map(({ id }) => id),
  );
});

test("its answers are read like those of other hooks: deny, rewrite, and what is only nearly right", async () => {
  using scratch = new Scratch();
  const answer = (value: Json) => `printf '%s\\n' ${quoted(JSON.stringify(value))}`;
  const each =
    `case "$line" in *'"c0"'*) ${
      answer(pre({ permissionDecision: "deny", permissionDecisionReason: "no 0" }))
    };; ` +
    `*'"c1"'*) ${answer(pre({ updatedInput: { file_path: "2.txt" } }))};; *) ${
      answer({ decision: "ask" })
    };; esac`;
  const { results, stderr } = await reads(scratch, 3, onAll(scratch, "PreToolUse", lines(each)));
  assert.deepEqual(results.map(({ outcome }) => outcome), ["denied", "success", "success"]);
  assert.match(textOf(results[0]!), /no 0/);
  assert.equal(textOf(results[1]!), "1\t2");
  assert.match(stderr, /"ask", not approve or block/);
});

test("the same command under two events is one process", async () => {
  using scratch = new Scratch();
  const each = `printf '{"hookSpecificOutput":{"additionalContext":"by %s"}}\\n' $$`;
  const groups = [{ hooks: [lines(each)] }];
  const { results } = await reads(
    scratch,
    1,
    hooksFlag(scratch, { PreToolUse: groups, PostToolUse: groups }),
  );
  const pids = [...textOf(results[0]!).matchAll(/by (\d+)/g)].map(([, pid]) => pid);
  assert.equal(pids.length, 2);
  assert.equal(pids[0], pids[1]);
});

test("a line without an answer in its time is a failure, and ends the process; the next call starts another", async () => {
  using scratch = new Scratch();
  const marker = path.join(scratch.root, "stuck");
  // Its first process is stuck, and ignores TERM; the second answers.
  const before = `export MARK=${quoted(marker)}; if [ ! -e ${quoted(marker)} ]; then touch ${
    quoted(marker)
  }; trap '' TERM; sleep 300; sleep 300; fi`;
  const flags = onAll(scratch, "PreToolUse", lines(SAYS_NOTHING, { before, timeout: 0.5 }));
  const { results, stderr } = await reads(scratch, 2, flags, ["--concurrency", "1"]);
  assert.deepEqual(results.map(({ outcome }) => outcome), ["success", "success"]);
  assert.equal(stderr.match(/out of time/g)?.length, 1, stderr);
  assert.match(stderr, /it gave no line for a line/);
  if (process.platform === "linux") assert.deepEqual(await processesWith(marker), []);
});

test("one that dies is told with the last line of its standard error, and blocks where it is to", async () => {
  using scratch = new Scratch();
  const dying = lines("echo trace >&2; echo 'KeyError: x' >&2; exit 3", { onFailure: "block" });
  const { results, stderr } = await reads(scratch, 1, onAll(scratch, "PreToolUse", dying));
  assert.equal(results[0]!.outcome, "denied");
  assert.match(stderr, /ended with exit code 3 before it answered: KeyError: x; the call is blocked/);
});

test("exit 2 of a process isn't an answer", async () => {
  using scratch = new Scratch();
  const { results, stderr } = await reads(scratch, 1, onAll(scratch, "PreToolUse", lines("exit 2")));
  assert.equal(results[0]!.outcome, "success");
  assert.match(stderr, /ended with exit code 2 before it answered/);
});

test("one that dies at each call is started three times again, then each call fails, told once", async () => {
  using scratch = new Scratch();
  const starts = path.join(scratch.root, "starts");
  const dying = lines("exit 1", { before: `echo start >> ${quoted(starts)}`, onFailure: "block" });
  const { results, stderr } = await reads(scratch, 8, onAll(scratch, "PreToolUse", dying), [
    "--concurrency",
    "1",
  ]);
  assert.equal(linesOf(starts).length, 4);
  assert.ok(results.every(({ outcome }) => outcome === "denied"));
  assert.match(textOf(results[7]!), /isn't started again for now/);
  assert.equal(stderr.match(/ended with exit code 1/g)?.length, 4);
  assert.equal(stderr.match(/isn't started again for now/g)?.length, 1, stderr);
});

test("a program that isn't there fails like others", async () => {
  using scratch = new Scratch();
  const gone = hook("/nowhere/guard", { args: [], persistent: true });
  const { results, stderr } = await reads(scratch, 1, onAll(scratch, "PreToolUse", gone));
  assert.equal(results[0]!.outcome, "success");
  assert.match(stderr, /Cannot start "\/nowhere\/guard"/);
});

test("lines that are no JSON are noise, told once, and blank lines are nothing", async () => {
  using scratch = new Scratch();
  const each = `echo; echo checking; printf '{"decision":"block","reason":"noisy"}\\n'`;
  const flags = onAll(scratch, "PreToolUse", lines(each, { before: "echo welcome" }));
  const { results, stderr } = await reads(scratch, 3, flags);
  assert.deepEqual(results.map((result) => /noisy/.test(textOf(result))), [true, true, true]);
  assert.equal(stderr.match(/prints lines that are no answers/g)?.length, 1, stderr);
  assert.match(stderr, /"welcome"/);
});

test("one that says more than it was asked is ended, so that no call gets another's answer", async () => {
  using scratch = new Scratch();
  const starts = path.join(scratch.root, "starts");
  // The second line of the first process would be the second call's answer.
  const each = `if [ $(wc -l < ${
    quoted(starts)
  }) = 1 ]; then printf '{}\\n{"decision":"block"}\\n'; else ${SAYS_NOTHING}; fi`;
  const flags = onAll(scratch, "PreToolUse", lines(each, { before: `echo start >> ${quoted(starts)}` }));
  const { results, stderr } = await reads(scratch, 2, flags, ["--concurrency", "1"]);
  assert.deepEqual(results.map(({ outcome }) => outcome), ["success", "success"]);
  assert.match(stderr, /answered without being asked/);
  assert.equal(linesOf(starts).length, 2);
});

test("an input of a megabyte and an answer that comes in pieces stay whole", async () => {
  using scratch = new Scratch();
  const content = "é😀\u2028".repeat(100_000);
  const out = path.join(scratch.root, "seen");
  const each = `printf '%s' "$line" > ${
    quoted(out)
  }; printf '{"decision":"block","reason":"caf\\303'; sleep 0.1; printf '\\251"}\\n'`;
  const args = JSON.stringify({ file_path: "big.txt", content });
  const { result } = await scratch.exec(["Write", "-", ...onAll(scratch, "PreToolUse", lines(each))], {
    input: args,
  });
  assert.match(textOf(result), /: café$/);
  assert.equal(JSON.parse(readFileSync(out, "utf8")).tool_input.content, content);
});

test("its process sees the end of its input when the session ends, and is ended if that isn't enough", async () => {
  using scratch = new Scratch();
  const marker = path.join(scratch.root, "left");
  const polite = lines(SAYS_NOTHING, { before: `trap 'echo bye > ${marker}.bye' EXIT` });
  const stubborn = lines(SAYS_NOTHING, { before: `export MARK=${quoted(marker)}; trap '' TERM` });
  stubborn.command += "; sleep 300; sleep 300";
  const { stderr } = await reads(scratch, 1, onAll(scratch, "PreToolUse", polite, stubborn));
  assert.equal(stderr, "");
  assert.deepEqual(linesOf(`${marker}.bye`), ["bye"]);
  if (process.platform === "linux") assert.deepEqual(await processesWith(marker), []);
});

test("a flood on standard error holds nobody up", async () => {
  using scratch = new Scratch();
  const each = `head -c 300000 /dev/zero | tr '\\0' x >&2; ${SAYS_NOTHING}`;
  const { results, stderr } = await reads(scratch, 3, onAll(scratch, "PreToolUse", lines(each)));
  assert.deepEqual(results.map(({ outcome }) => outcome), ["success", "success", "success"]);
  assert.equal(stderr, "");
});
