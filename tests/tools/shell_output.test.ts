/** Long output: cut in the middle with true numbers, kept in a file, in bounded memory. */
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { ON_DENO, Scratch, textOf } from "../support.ts";

const NOTICE = /\n\.\.\. \[(?:\d+ lines?, )?(\d+) characters omitted; (.*): (\S+)\] \.\.\.\n/;

test("both ends of long output stand, with the exit code, a true count and the whole in a private file", async () => {
  using scratch = new Scratch();
  const { result } = await scratch.exec(["Bash", "command=seq 20000; echo FATAL x >&2; exit 1"]);
  const text = textOf(result);
  assert.ok(text.startsWith("1\n2\n3\n") && text.endsWith("\n20000\nFATAL x\n[Exit code: 1]"));
  assert.ok(text.length <= 30_000 && text.length > 29_000, `${text.length}`);
  const whole = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join("");
  const [notice, count, what, file] = NOTICE.exec(text)!;
  assert.equal(what, "all of it");
  assert.equal(file, result.overflow);
  const shown = text.length - notice!.length - "[Exit code: 1]".length;
  assert.equal(Number(count) + shown, `${whole}FATAL x\n`.length);
  assert.equal(readFileSync(file!, "utf8"), `${whole}FATAL x\n`);
  assert.equal(statSync(file!).mode & 0o777, 0o600);
  assert.equal(statSync(path.dirname(file!)).mode & 0o777, 0o700);
  assert.ok(result.stdout[0].startsWith("1\n2\n") && result.stdout[0].endsWith("20000\n"));
  assert.deepEqual(result.stderr, ["FATAL x\n"]);
});

test("a cut says how many lines it left out, however they came", async () => {
  using scratch = new Scratch();
  const colours = "seq -f $'\\e[32m%.0f\\e[m' 1 300000";
  const bars = "for ((i = 0; i < 40000; i++)); do printf 'wait\\r%s\\n' $i; done";
  const calls = [
    "seq 1 20000",
    "seq 1 300000",
    colours,
    bars,
    "seq 1 9000; seq 1 9000 >&2",
    "printf '%040000d' 1",
  ];
  const { results } = await scratch.batch(
    calls.map((command) => ({ name: "Bash", args: { command } })),
    ["--mode", "bypassPermissions", "--concurrency", "1"],
  );
  const lines = [20_000, 300_000, 300_000, 40_000, 18_000, 0];
  for (const [at, result] of results.entries()) {
    const text = textOf(result);
    const [, stated = "0"] = /\n\.\.\. \[(?:(\d+) lines, )?\d+ characters omitted; all of it: /.exec(text)!;
    // The notice brings two ends of lines, and the last of all is taken off.
    const shown = text.split("\n").length - 1 - 2 + (lines[at] === 0 ? 0 : 1);
    assert.equal(Number(stated) + shown, lines[at], calls[at]);
  }
});

test("output of exactly the limit is not cut", async () => {
  using scratch = new Scratch();
  const printing = (count: number) => ({ name: "Bash", args: { command: `printf '%${count}s' x` } });
  const { results } = await scratch.batch([printing(30_000), printing(30_001)], [
    "--mode",
    "bypassPermissions",
  ]);
  assert.equal(textOf(results[0]!).length, 30_000);
  assert.ok(!("overflow" in results[0]!));
  assert.match(textOf(results[1]!), NOTICE);
});

test("without overflow files a cut says that nothing was saved", async () => {
  using scratch = new Scratch();
  const { result } = await scratch.exec(["Bash", "command=seq 20000"], { env: { AGENT_OVERFLOW: "off" } });
  assert.match(textOf(result), /characters omitted; not saved\]/);
  assert.ok(!("overflow" in result));
});

test("a file at its cap is not called all of it", async () => {
  using scratch = new Scratch();
  scratch.settings({ overflow: { fileCapBytes: 50_000 } });
  const { result } = await scratch.exec(["Bash", "command=seq 20000"]);
  const [, , what, file] = NOTICE.exec(textOf(result))!;
  assert.equal(what, "the first 50000 bytes");
  assert.match(
    readFileSync(file!, "utf8").slice(50_000),
    /^\n\[the file's cap of 50000 bytes is reached\]\n$/,
  );
});

test("escape codes are not shown, wherever output is cut", async () => {
  using scratch = new Scratch();
  const colours = (count: number) =>
    `for i in $(seq ${count}); do printf '\\033[38;5;%dm%d\\033[0m\\n' $((i % 200)) $i; done`;
  const { results } = await scratch.batch([
    { name: "Bash", args: { command: colours(3) } },
    { name: "Bash", args: { command: colours(9000) } },
    { name: "Bash", args: { command: "printf '\\033'; sleep .05; printf '[31mred'" } },
  ], ["--mode", "bypassPermissions"]);
  assert.equal(textOf(results[0]!), "1\n2\n3");
  assert.equal(textOf(results[2]!), "red");
  const rows = textOf(results[1]!).split("\n");
  assert.ok(rows.some((row) => NOTICE.test(`\n${row}\n`)));
  assert.ok(rows.every((row) => /^\d*$/.test(row) || row.startsWith("... [")), "digits only");
  assert.match(readFileSync(results[1]!.overflow, "utf8"), /\u001b\[38;5;/);
});

test("600 MB pass through a heap of 256 MB, with the true count", async () => {
  using scratch = new Scratch();
  scratch.settings({ overflow: { fileCapBytes: 1_000_000 } });
  const flag = "--max-old-space-size=256";
  const { result } = await scratch.exec(
    ["Bash", "command=head -c 600000000 /dev/zero | tr '\\0' x", "timeout=300000"],
    { nodeFlags: [ON_DENO ? `--v8-flags=${flag}` : flag] },
  );
  assert.equal(result.outcome, "success");
  const text = textOf(result);
  const [notice, count] = NOTICE.exec(text)!;
  assert.equal(Number(count) + text.length - notice!.length, 600_000_000);
  assert.ok(statSync(result.overflow).size < 1_001_000);
});
