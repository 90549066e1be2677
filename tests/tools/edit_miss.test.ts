/** A miss says what differs, and shows the nearest place. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { FileText } from "../../src/core/file_text.ts";
import { explainMiss, lineOf } from "../../src/tools/edit_miss.ts";

const file = (text: string) => new FileText(new TextEncoder().encode(text));
const hintFor = (text: string, wanted: string) => explainMiss('"f"', file(text), wanted).hint!;

test("a miss names the one respect in which the text differs", () => {
  const cases: [text: string, wanted: string, hint: RegExp][] = [
    ["a\nb\n", "a\r\nb", /but for its line ends/],
    ["let a = 1;  \nlet b;\n", "let a = 1;\nlet b;", /but for blanks at the ends of lines/],
    [
      "\tif (x) {\n",
      "    if (x) {",
      /but for its indentation: the file indents with tabs, old_string with spaces/,
    ],
    ["  a\r\n\tb\r\n", "  a\n  b\n", /the file indents with tabs and spaces, old_string with spaces/],
    ["a;\nb;\n", "  a;\n  b;", /its indentation: the file has none there/],
    [
      "0\nif (x) {\n    y;\n",
      "if (x) {\n  y;",
      /by its width: line 3 begins with 4 spaces in the file, with 2 spaces in/,
    ],
    [
      "\tif (x) {\n\t\ty;\n",
      "if (x) {\n\ty;",
      /by its width: line 2 begins with 2 tabs in the file, with 1 tab in/,
    ],
    [
      "one\ntwo\n",
      "1\tone\n2\ttwo\n",
      /but for line numbers: leave out what a reading puts before each line/,
    ],
    ["one\n\n  two\n", "L1: one\nL2: \nL3:   two", /but for line numbers/],
    ["Say HELLO\n", "say hello", /but for upper and lower case/],
    ["say “hello” now\n", 'say "hello" now', /but for straight and curly quotes/],
    ["a\u00a0b – c\n", "a b - c", /but for look-alike characters/],
    ["caf\u00e9\n", "cafe\u0301", /but for look-alike characters/],
    ['print("x")\n', 'print(\\"x\\")', /escaped once too often/],
  ];
  for (const [text, wanted, hint] of cases) {
    assert.ok(!text.includes(wanted));
    assert.match(hintFor(text, wanted), hint);
  }
});

test("a miss shows the line that shares most words, with its number", () => {
  const text = "zero\nconst total = sum(items);\nreturn total;\n";
  assert.equal(
    hintFor(text, "const total = sum(things);"),
    "no exact match; the nearest place is line 2:\n2\tconst total = sum(items);\n3\treturn total;",
  );
});

test("a miss that differs in one respect shows the place that it is about", () => {
  const text = "one word\n\nMAIN\nelse\n";
  assert.equal(
    hintFor(text, "main\nELSE"),
    "it is there but for upper and lower case; the nearest place is line 3:\n3\tMAIN\n4\telse",
  );
});

test("a misspelt line is near to the one that is spelt most like it, in a file that is not too long", () => {
  const near = "no exact match; the nearest place is line 2:\n2\t  alpha\n3\tbeta";
  assert.equal(hintFor("zero\n  alpha\nbeta\n", "alhpa"), near);
  assert.equal(
    hintFor("zero\n  alpha\nbeta\n" + "x\n".repeat(2000), "alhpa"),
    "read the file again and copy the text exactly",
  );
});

test("where nothing is near, a miss says to read again", () => {
  assert.equal(hintFor("alpha\nbeta\n", "gamma delta"), "read the file again and copy the text exactly");
  assert.match(
    explainMiss('"f" (edit 2 of 3)', file("a"), "bcd").message,
    /^Cannot edit "f" \(edit 2 of 3\): /,
  );
});

test("a miss in a long run of blanks is explained in linear time", () => {
  const started = Date.now();
  explainMiss('"f"', file(`x${" ".repeat(300_000)}y\n`), "nothing");
  assert.ok(Date.now() - started < 5000);
});

test("a line's number counts from 1", () => {
  assert.deepEqual([0, 1, 2, 3, 5].map((index) => lineOf("a\nb\nc", index)), [1, 1, 2, 2, 3]);
});
