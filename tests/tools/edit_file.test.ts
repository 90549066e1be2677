/** Editing: one place, all places, a stated number of them; all edits or none. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { test } from "node:test";
import { concat } from "../../src/core/bytes.ts";
import { FileText } from "../../src/core/file_text.ts";
import { applyEdits as applyToFile } from "../../src/tools/edit/apply.ts";
import { placesOf, soughtIn } from "../../src/tools/edit/places.ts";
import { type Json, Scratch, textOf } from "../support.ts";

const sha = (text: string) => createHash("sha256").update(text).digest("hex");
const one = (old_string: string, new_string: string, more: Json = {}) => ({
  old_string,
  new_string,
  ...more,
});
const multi = (...edits: Json[]) => ({ name: "MultiEdit", edits });

/** A file before and after; an expression where the edit must be refused and the file must stay. */
type Case = [name: string, before: string, call: Json, after: string | RegExp];

/** Runs every case on a file of its own, in one start. */
async function check(cases: readonly Case[]): Promise<void> {
  using scratch = new Scratch();
  for (const [index, [, before]] of cases.entries()) scratch.file(`f${index}`, before);
  const { results } = await scratch.batch(
    cases.map(([, , { name = "Edit", ...args }], index) => ({
      name,
      args: { file_path: `f${index}`, ...args },
    })),
    ["--mode", "acceptEdits"],
  );
  for (const [index, [name, before, , after]] of cases.entries()) {
    const result = results[index]!;
    if (typeof after === "string") {
      assert.equal(scratch.read(`f${index}`), after, name);
      assert.equal(result.outcome, "success", name);
    } else {
      assert.match(textOf(result), after, name);
      assert.equal(result.outcome, "error", name);
      assert.equal(scratch.read(`f${index}`), before, name);
    }
  }
}

test("an edit needs exactly one place, all of them, or the stated number", () =>
  check([
    ["one place", "a b c", one("b", "x"), "a x c"],
    ["none", "a b c", one("z", "x"), /^Cannot edit "f\d": old_string was not found/],
    ["two", "b\nb\nc", one("b", "x"), /old_string stands in 2 places \(lines 1, 2\), not 1\n\nhint: /],
    ["all", "b b c", one("b", "x", { replace_all: true }), "x x c"],
    ["as many as stated", "b b c", one("b", "x", { expected_replacements: 2 }), "x x c"],
    ["not as many", "b b c", one("b", "x", { expected_replacements: 3 }), /2 places \(lines 1, 1\), not 3/],
    ["Gemini's", "b b", { name: "replace", ...one("b", "x", { expected_replacements: 2 }) }, "x x"],
    ["Gemini's default is one", "b b", { name: "Replace", ...one("b", "x") }, /2 places .* not 1/],
    ["places don't overlap", "aaaa", one("aa", "x", { replace_all: true }), "xx"],
    ["nothing changes", "a", one("a", "a"), /old_string and new_string are the same/],
    ["deleting", "a b", one(" b", ""), "a"],
  ]));

test("an empty old_string creates or fills a file, and is refused on any other", async () => {
  await check([
    ["fills an empty file", "", one("", "new"), "new"],
    ["not on a full one", "abc", one("", "x"), /old_string is empty, and the file is not/],
    ["nor everywhere", "abc", one("", "x", { replace_all: true }), /old_string is empty/],
    [
      "nor behind another edit",
      "abc",
      multi(one("a", "A"), one("", "x")),
      /\(edit 2 of 2\): old_string is empty/,
    ],
  ]);
  using scratch = new Scratch();
  const { results } = await scratch.batch([
    { name: "Edit", args: { file_path: "d/new", ...one("", "text\n") } },
    { name: "Edit", args: { file_path: "none", ...one("a", "b") } },
  ], ["--mode", "acceptEdits"]);
  assert.equal(scratch.read("d/new"), "text\n");
  assert.match(
    textOf(results[1]!),
    /^Cannot edit "none": no such file\n\nhint: the path was taken relative to ".*"; an empty old_string creates it$/,
  );
  assert.ok(!scratch.exists("none"));
});

test("edits of one call apply in order, each to the result of the one before, all or none", () =>
  check([
    ["chained", "a b", multi(one("a", "b1"), one("b1", "c")), "c b"],
    ["made ambiguous by the first", "a b", multi(one("a", "b"), one("b", "c")), /\(edit 2 of 2\).*2 places/],
    [
      "the second is missing",
      "a b",
      multi(one("a", "x"), one("z", "y")),
      /\(edit 2 of 2\): old_string was not/,
    ],
    ["built on the old text", "a b", multi(one("a", "x"), one("a b", "y")), /\(edit 2 of 2\)/],
    ["touching", "ab", multi(one("a", "1"), one("b", "2")), "12"],
    ["CRLF", "a\r\nb\r\n", multi(one("a\nb", "A\nB"), one("B\n", "C\n")), "A\r\nC\r\n"],
  ]));

test("line ends are folded for finding and kept in the file", () =>
  check([
    ["CRLF", "a\r\nb\r\nc\r\n", one("a\nb", "A\nB"), "A\r\nB\r\nc\r\n"],
    ["mixed", "a\r\nb\nc\r\n", one("b", "B"), "a\r\nB\nc\r\n"],
    ["across mixed ends", "a\r\nb\nc\r\n", one("a\nb\nc", "x"), "x\r\n"],
    ["a place that starts with a line end", "a\r\nb\r\nc", one("\nb", ""), "a\r\nc"],
    ["and gets one", "a\r\nb\r\nc", one("\nb", "\nB\nB"), "a\r\nB\r\nB\r\nc"],
    ["a place that ends with one", "a\r\nb\r\n", one("b\n", ""), "a\r\n"],
    ["both kinds of a place count", "x\ny\r\nx\r\ny", one("x\ny", "z"), /2 places/],
    ["old text with CRLF", "a\r\nb\r\n", one("a\r\nb", "c"), "c\r\n"],
    ["LF stays LF", "a\nb\n", one("a", "x\ny"), "x\ny\nb\n"],
    ["new lines copy their neighbour", "a\r\nb", one("b", "b\nc"), "a\r\nb\r\nc"],
    ["a lone CR stays", "a\rb\nc\n", one("c", "d"), "a\rb\nd\n"],
    ["the mark stays", "\uFEFFhello\nx\n", one("hello", "bye"), "\uFEFFbye\nx\n"],
    ["and is not part of line 1", "\uFEFFa\r\nb\r\n", one("a\nb", "c"), "\uFEFFc\r\n"],
    ["no last newline is added", "a\nb", one("b", "c"), "a\nc"],
  ]));

const TOKENS = "$& $$ $` $' $1";

test("new text is literal", () =>
  check([
    ["once", "a\n", one("a", TOKENS), `${TOKENS}\n`],
    ["everywhere", "a a", one("a", TOKENS, { replace_all: true }), `${TOKENS} ${TOKENS}`],
    ["CRLF", "a\r\nb\r\n", one("a\nb", `${TOKENS}\n`), `${TOKENS}\r\n\r\n`],
    ["MultiEdit", "a b", multi(one("a", TOKENS), one("b", TOKENS)), `${TOKENS} ${TOKENS}`],
    ["backslashes", "x\n", one("x", "\"\\n\" \\title '\\0' \\\ny"), "\"\\n\" \\title '\\0' \\\ny\n"],
    ["tabs", "all:\n\tcc a\n\tcc b\n", one("\tcc a", "\tcc -g a"), "all:\n\tcc -g a\n\tcc b\n"],
  ]));

test("what only resembles the text is never replaced", () =>
  check([
    [
      "another inside",
      "f {\n x = 1\n y = 2\n}\n",
      one("f {\n x = 1\n y = 99\n}", "g"),
      /not found[^]*line 1/,
    ],
    ["escaped once too often", "a\nb\n", one("a\\nb", "c"), /escaped once too often/],
    ["indented otherwise", "\tx = 1\n", one("    x = 1", "y"), /the file indents with tabs/],
  ]));

test("a result names the places, the first line, both hashes, and shows the text as it is now", async () => {
  using scratch = new Scratch();
  scratch.file("f", "1\n2\n3\n4\r\n5\n6\n");
  const { results } = await scratch.batch([{ name: "Edit", args: { file_path: "f", ...one("4", "four") } }], [
    "--mode",
    "acceptEdits",
  ]);
  const [before, after] = [sha("1\n2\n3\n4\r\n5\n6\n"), sha("1\n2\n3\nfour\r\n5\n6\n")];
  const [head, ...snippet] = textOf(results[0]!).split("\n");
  assert.equal(
    head,
    `Edited "f": 1 place, first in line 4 (sha256 ${before.slice(0, 12)} → ${after.slice(0, 12)})`,
  );
  assert.deepEqual(snippet, ["2\t2", "3\t3", "4\tfour", "5\t5", "6\t6"]);
  assert.deepEqual(results[0]!.structured, { replaced: 1, oldSha256: before, newSha256: after });
});

test("an edit made for other content is refused by its hash", async () => {
  using scratch = new Scratch();
  scratch.file("f", "a");
  const edit = (expected_sha256: string) => ({
    name: "edit_file",
    args: { path: "f", edits: [one("a", "b")], expected_sha256 },
  });
  const { results } = await scratch.batch([edit(sha("other")), edit(sha("a").slice(0, 10))], [
    "--mode",
    "acceptEdits",
    "--toolset",
    "lean",
  ]);
  assert.match(
    textOf(results[0]!),
    /^Cannot edit "f": its content has the sha256 [0-9a-f]{12}, not [0-9a-f]{12}\n\nhint: read it again/,
  );
  assert.equal(results[1]!.outcome, "success");
  assert.equal(scratch.read("f"), "b");
});

const fileOf = (text: string) => new FileText(new TextEncoder().encode(text));
const findAll = (text: string, wanted: string) => placesOf(fileOf(text), soughtIn(fileOf(text), wanted));

function applyEdits(path: string, text: string, edits: Parameters<typeof applyToFile>[2]) {
  const { pieces, replaced } = applyToFile(path, fileOf(text), edits);
  return { text: new TextDecoder().decode(concat([new Uint8Array(), ...pieces])), replaced };
}

const pieces = fc.array(fc.constantFrom("a", "b", "\n", "\r\n"), { maxLength: 30 }).map((list) =>
  list.join("")
);
const folded = (text: string) => text.replaceAll("\r\n", "\n");

test("places are found as in a copy without CR, and none cuts a line end in two", () => {
  const wanteds = pieces.map(folded).filter((wanted) => wanted !== "");
  fc.assert(fc.property(pieces, wanteds, (text, wanted) => {
    const found = findAll(text, wanted);
    assert.equal(found.length, folded(text).split(wanted).length - 1);
    for (const { start, end } of found) {
      assert.equal(folded(text.slice(start, end)), wanted);
      assert.notEqual(text.slice(start - 1, start + 1), "\r\n");
      assert.notEqual(text.slice(end - 1, end + 1), "\r\n");
    }
  }));
});

test("an edit leaves everything outside its place as it is", () => {
  fc.assert(fc.property(pieces, pieces, pieces, (before, after, replacement) => {
    const { text, replaced } = applyEdits("f", `${before}|mid|${after}`, [one("|mid|", replacement)]);
    assert.equal(replaced, 1);
    assert.ok(text.startsWith(before) && text.endsWith(after));
    assert.equal(folded(text), folded(before + replacement + after));
  }));
});
