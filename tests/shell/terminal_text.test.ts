/** What a terminal would show of a program's output, in one piece or many. */
import assert from "node:assert/strict";
import { test } from "node:test";
import stripAnsi from "strip-ansi";
import { CollectedText } from "../../src/shell/collected_text.ts";
import { terminalText } from "../../src/shell/terminal_text.ts";
import { Scratch, textOf } from "../support.ts";

const ESC = "\u001b";
const encode = (text: string) => new TextEncoder().encode(text);

const SHOWN: readonly (readonly [string, string, string])[] = [
  ["a carriage return writes over", "abcdef\rxy", "xycdef"],
  ["CR LF is a line end", "a\r\nb\r\n", "a\nb\n"],
  ["CR CR LF is one too", "a\r\r\nb", "a\nb"],
  ["a line is erased to its end", `abcdef\rxy${ESC}[K`, "xy"],
  ["a whole line is erased", `abc${ESC}[2K\rx`, "x"],
  ["a line is erased to the cursor", `abcdef\r${ESC}[2C${ESC}[1Kx`, "  xdef"],
  ["a backspace goes back", "abc\b\bX", "aXc"],
  ["backspaces stop at the start", "a\b\b\bb", "b"],
  ["colours go", `${ESC}[1;31mred${ESC}[0m \u009b32mgreen`, "red green"],
  ["a colour between letters goes", `s${ESC}[1me${ESC}[2mc`, "sec"],
  ["titles and links go", `${ESC}]0;title\u0007a${ESC}]8;;http://x${ESC}\\b`, "ab"],
  ["the cursor goes up and writes over", `one\ntwo\n${ESC}[2A${ESC}[2Kuno\n${ESC}[2Kdos\n`, "uno\ndos\n"],
  ["what is below is erased", `one\ntwo\nthree\n${ESC}[2A${ESC}[Jend\n`, "one\nend\n"],
  ["wide characters are one each", "😀😀😀\rx", "x😀😀"],
  ["bells are not seen", "a\u0007b", "ab"],
  ["a code that never ends is not seen", `a${ESC}[31`, "a"],
];

test("what is seen of output is what a terminal shows", () => {
  for (const [name, printed, seen] of SHOWN) assert.equal(terminalText(printed), seen, name);
});

test("the same is seen whatever the pieces, and codes that are cut leave no rubbish", () => {
  for (const [name, printed, seen] of SHOWN) {
    const bytes = encode(printed);
    for (let size = 1; size < 6; size++) {
      const text = new CollectedText(100);
      for (let at = 0; at < bytes.length; at += size) text.push(bytes.subarray(at, at + size));
      assert.equal(text.text(1000, ""), seen, `${name}, by ${size}`);
    }
  }
});

test("of long output codes and frames are gone, and the count is of what is seen", () => {
  const line = (index: number) =>
    `${ESC}[3${index % 8}mline${ESC}[0m ${index} ${index % 50 === 0 ? "ünï 😀" : ""}`;
  for (const end of ["\n", "\r\n"]) {
    const text = new CollectedText(2000);
    let whole = "", batch = "";
    for (let index = 0; index < 60_000; index++) {
      batch += line(index) + end;
      if (index % 997 !== 0) continue;
      text.push(encode(batch));
      whole += batch;
      batch = "";
    }
    const seen = stripAnsi(whole).replaceAll("\r\n", "\n");
    assert.equal(text.length, seen.length);
    const [notice, count] = /\n\.\.\. \[(?:\d+ lines?, )?(\d+) characters omitted\] \.\.\.\n/.exec(
      text.text(2000, ""),
    )!;
    const [head, tail] = text.text(2000, "").split(notice!) as [string, string];
    assert.ok(seen.startsWith(head) && seen.endsWith(tail) && head.length > 900 && tail.length > 900);
    assert.equal(Number(count) + head.length + tail.length, seen.length);
  }
});

test("a progress bar of any length leaves its last frame, of one line or of several", () => {
  const one = new CollectedText(1000), several = new CollectedText(1000);
  one.push(encode("start\n"));
  for (let index = 0; index < 50_000; index++) {
    one.push(encode(`${ESC}[2K\rP ${index} ${"=".repeat(index % 40)}`));
    const frame = Array.from({ length: 5 }, (_, row) => `${ESC}[2Kjob ${row}: ${index}\n`).join("");
    several.push(encode(index === 0 ? frame : `${ESC}[5A${frame}`));
  }
  one.push(encode("\nEND\n"));
  assert.equal(one.text(1000, ""), `start\nP 49999 ${"=".repeat(39)}\nEND\n`);
  assert.equal(several.text(1000, ""), Array.from({ length: 5 }, (_, row) => `job ${row}: 49999\n`).join(""));
});

test("a line without an end is counted, and cut like any other", () => {
  const text = new CollectedText(1000);
  const piece = encode("x".repeat(70_001));
  for (let index = 0; index < 100; index++) text.push(piece);
  assert.equal(text.length, 7_000_100);
  assert.match(text.text(1000, ""), /^x+\n\.\.\. \[(?:\d+ lines?, )?\d+ characters omitted\] \.\.\.\nx+$/);
});

test("what would take memory without end is bounded", () => {
  const text = new CollectedText(1000);
  for (let index = 0; index < 2000; index++) {
    text.push(encode(`${ESC}[999C${ESC}[999C.${"y".repeat(500)}\r${ESC}[99A`));
  }
  assert.ok(text.text(1000, "").length <= 1000);
});

test("a copy goes its own way", () => {
  const text = new CollectedText(10_000);
  for (let index = 0; index < 40_000; index++) text.push(encode(`line ${index}\n`));
  const copy = text.copy(), before = text.text(5000, "");
  for (let index = 0; index < 40_000; index++) copy.push(encode(`more ${index}\n`));
  assert.equal(text.text(5000, ""), before);
  assert.ok(copy.text(5000, "").endsWith("more 39999\n"));
});

test("a command's progress is shown as its end, and its file holds what it printed", async () => {
  using scratch = new Scratch();
  const frames =
    `i=0; while [ $i -lt 5000 ]; do printf '\\033[2K\\rP %d' $i; i=$((i+1)); done; printf '\\nEND\\n'`;
  const { results } = await scratch.batch([
    { name: "Bash", args: { command: frames } },
    { name: "Bash", args: { command: "printf 'abcdef\\rxy\\n'; printf 'a\\r\\nb\\r\\n' >&2" } },
    { name: "Bash", args: { command: `${frames}; seq 20000` } },
  ], ["--mode", "bypassPermissions"]);
  assert.equal(textOf(results[0]!), "P 4999\nEND");
  assert.deepEqual([results[1]!.stdout, results[1]!.stderr], [["xycdef\n"], ["a\nb\n"]]);
  assert.ok(textOf(results[2]!).startsWith("P 4999\nEND\n1\n2\n"));
  const file = scratch.read(results[2]!.overflow);
  assert.ok(file.startsWith(`${ESC}[2K\rP 0${ESC}[2K\rP 1`) && file.endsWith("\n20000\n"));
});
