/** Reading by indentation: the block around a line. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { blockAround, type BlockOptions } from "../../src/tools/read/indentation.ts";
import { type Json, Scratch, textOf } from "../support.ts";

const CODE = `#include <vector>

namespace sample {
class Runner {
  public:
    void setup() {
        if (enabled_) {
            init();
        }
    }

    // Run the code
    // in its mode
    int run() const {

        switch (mode_) {
            case Mode::Fast:
                return fast();
            default:
                return fallback();
        }
    }

    bool enabled_ = false;
};
}
`;

async function reads(scratch: Scratch, calls: Json[], name = "ReadFile"): Promise<string[]> {
  const { results } = await scratch.batch(calls.map((args) => ({ name, args })));
  return results.map(textOf);
}

test("a block is grown from its anchor, level by level, with the header's comment and true numbers", async () => {
  using scratch = new Scratch();
  scratch.file("code", CODE);
  const around = (indentation: Json, more: Json = {}) => ({
    file_path: "code",
    mode: "indentation",
    indentation,
    ...more,
  });
  const texts = await reads(scratch, [
    around({ max_levels: 1 }, { offset: 18 }),
    around({ anchor_line: 18, max_levels: 2 }),
    around({ anchor_line: 16, max_levels: 1 }),
    around({ anchor_line: 16, max_levels: 1, include_header: false }),
    around({ anchor_line: 16, max_levels: 1, include_siblings: true }),
    { file_path: "code", indentation: { anchor_line: 18 } },
  ]);
  assert.equal(
    texts[0],
    "L17:             case Mode::Fast:\nL18:                 return fast();\n" +
      "[lines 17-18 of 26 shown: the block around line 18]",
  );
  assert.match(texts[1]!, /^L16: {9}switch[^]*\nL21: {9}\}\n\[lines 16-21 of 26 shown: /);
  assert.match(texts[2]!, /^L12: {5}\/\/ Run the code\n[^]*\nL15: \n[^]*\nL22: {5}\}\n\[lines 12-22 of 26 /);
  assert.match(texts[3]!, /^L14: {5}int run[^]*\nL22: {5}\}\n\[/);
  assert.match(texts[4]!, /^L6: {5}void setup[^]*\nL24: {5}bool enabled_ = false;\n\[/);
  // No level asked for is the whole outermost block.
  assert.match(texts[5]!, /^L4: class Runner \{\n[^]*\nL25: \};\n\[lines 4-25 of 26 /);
});

test("a limit keeps what is near the anchor, above and below alike, and says what is left out and how to see it", async () => {
  using scratch = new Scratch();
  scratch.file("long", `start() {\n${"  step\n".repeat(5000)}}\n`);
  scratch.file("wide", `start() {\n${`  ${"x".repeat(900)}\n`.repeat(100)}}\n`);
  const args = { file_path: "long", mode: "indentation", indentation: { anchor_line: 100 } };
  const texts = await reads(scratch, [
    { ...args, limit: 5 },
    { ...args, limit: 50, indentation: { anchor_line: 100, max_lines: 1 } },
    { ...args, limit: 4, indentation: { anchor_line: 2 } },
    args,
    { ...args, file_path: "wide", indentation: { anchor_line: 50 } },
    { file_path: "long", mode: "slice", offset: 103, limit: 1, indentation: { anchor_line: 100 } },
  ]);
  assert.equal(
    texts[0],
    "L98:   step\nL99:   step\nL100:   step\nL101:   step\nL102:   step\n[lines 98-102 of 5002 shown; the block " +
      "around line 100 is lines 1-5002. Use mode=slice and offset=1 to see the rest]",
  );
  assert.match(texts[1]!, /^L100: {3}step\n\[lines 100-100 of 5002 shown; /);
  assert.match(
    texts[2]!,
    /^L1: start\(\) \{\n[^]*\nL4: {3}step\n\[lines 1-4 [^\n]* Use mode=slice and offset=5 to see the rest\]$/,
  );
  assert.match(texts[3]!, /^L1: [^]*\nL2000: {3}step\n\[lines 1-2000 of 5002 shown; /);
  const [, first, last] = /\n\[lines (\d+)-(\d+) of 102 shown; /.exec(texts[4]!)!.map(Number);
  assert.ok(texts[4]!.length <= 30_000 && !texts[4]!.includes("omitted"));
  assert.ok(last! - first! >= 29 && Math.abs(50 - first! - (last! - 50)) <= 1, `${first}-${last}`);
  assert.match(texts[5]!, /^L103: {3}step\n\[lines 103-103 of 5002 shown\. Use offset=104 to continue\]$/);
});

test("an anchor past the end, a file that is too large and arguments that are none are errors", async () => {
  using scratch = new Scratch();
  scratch.file("two", "a\nb\n");
  scratch.file("empty", "");
  const { truncateSync } = await import("node:fs");
  truncateSync(scratch.file("huge", "x"), 65 * 1024 * 1024);
  const mode = "indentation";
  const texts = await reads(scratch, [
    { file_path: "two", mode, indentation: { anchor_line: 3 } },
    { file_path: "two", mode, offset: 9 },
    { file_path: "empty", mode },
    { file_path: "huge", mode },
    { file_path: "two", mode, indentation: { anchor_line: 0 } },
    { file_path: "two", mode, indentation: { levels: 1 } },
    { file_path: "two", mode: "tree" },
  ]);
  assert.equal(
    texts[0],
    'Cannot read "two" around line 3: anchor_line exceeds file length, it has 2 lines\n\nhint: the last line is 2',
  );
  assert.match(texts[1]!, /around line 9: anchor_line exceeds file length, it has 2 lines/);
  assert.equal(texts[2], "[empty: the file is empty]");
  assert.match(texts[3]!, /^Cannot read "huge" by indentation: 68157440 bytes[^]*hint: use mode=slice/);
  assert.match(texts[4]!, /anchor_line/);
  assert.match(texts[5]!, /levels/);
  assert.match(texts[6]!, /mode/);
});

test("the canonical tool and Codex' snake face have the mode too, and Claude's doesn't", async () => {
  using scratch = new Scratch();
  scratch.file("two", "a\n\tb\nc\n");
  const args = { mode: "indentation", indentation: { anchor_line: 2, max_levels: 1 } };
  const calls = [{ name: "read_file", args: { path: "two", ...args } }];
  const lean = await scratch.batch(calls, ["--toolset", "lean"]);
  assert.equal(textOf(lean.results[0]!), "1\ta\n2\t\tb\n[lines 1-2 of 3 shown: the block around line 2]");
  const snake = await scratch.batch([{ name: "read_file", args: { file_path: "two", ...args } }], [
    "--toolset",
    "codex_snake",
  ]);
  assert.equal(textOf(snake.results[0]!), "L1: a\nL2: \tb\n[lines 1-2 of 3 shown: the block around line 2]");
  const claude = await scratch.batch([{ name: "Read", args: { file_path: "two", ...args } }]);
  assert.equal(claude.results[0]!.outcome, "invalid");
});

/** First and last line of the block around the line that is marked with a `<`. */
function block(text: string, options: BlockOptions = {}): [number, number] {
  const lines = text.split("\n");
  const anchor = lines.findIndex((line) => line.endsWith("<")) + 1;
  const { shown } = blockAround(lines, anchor, options, { lines: 1000, room: 100_000 });
  return [shown.first, shown.last];
}

test("blocks end where the language says they do", () => {
  const cases: [string, string, [number, number], BlockOptions?][] = [
    ["python", "def a():\n    x\n\n# b's\ndef b():\n    y <\n\n\ndef c():\n    z", [4, 6]],
    ["a header over several lines", "x = 1\ndef a(\n    p,\n):\n    y <\n\nz = 2", [2, 5]],
    ["an end by a word", "def a\n  x <\nend\nend_of = 1", [1, 3]],
    ["both branches", "if (a) {\n  b\n} else {\n  c <\n}\nd", [1, 5]],
    ["an anchor that is the header", "a\n# of f\ndef f():\n    x\nb".replace("f():", "f(): #<"), [2, 4]],
    ["an anchor that is the header's comment", "a\n# of f <\n# more\ndef f():\n    x\nb", [2, 5]],
    ["an anchor that is the end", "a\nf() {\n  x\n} //<\nb", [2, 4]],
    ["tabs", "a:\n\tb:\n\t\tc <\n\td\n", [2, 3], { max_levels: 1 }],
    ["tabs and blanks alike", "a:\n\tb:\n        c <\n\td\n", [2, 3], { max_levels: 1 }],
    ["a directive inside a block", "f() {\n  a\n#if X\n  b <\n#endif\n  c\n}\n", [1, 7]],
    ["siblings", "a:\n  b\nc:\n  d <\n\ne:\n", [1, 6], { include_siblings: true }],
    ["a comment further up", "-- far\n\n-- near\nf\n  x <", [3, 5]],
  ];
  for (const [name, text, expected, options] of cases) assert.deepEqual(block(text, options), expected, name);
});

test("a blank line counts as indented like the line above it", () => {
  const text = "a:\n    b:\n        c\n\n        d <\n\n    e:\n        f\n";
  assert.deepEqual(block(text, { max_levels: 1 }), [2, 5]);
});
