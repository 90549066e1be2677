/** Reading: what a page shows, how it goes on, and what is no page. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Context } from "../../src/core/tool.ts";
import type { Page } from "../../src/tools/read/pager.ts";
import { readFile } from "../../src/tools/read_file.ts";
import { type Json, Scratch, textOf } from "../support.ts";

const FIVE = "a\nb\nc\nd\ne\n";

/** The texts of several readings, in one start. */
async function reads(scratch: Scratch, calls: Json[], flags: string[] = []): Promise<string[]> {
  const { results } = await scratch.batch(
    calls.map(({ name = "Read", ...args }) => ({ name, args })),
    flags,
  );
  return results.map(textOf);
}

test("each family's reading numbers lines its own way and names the next call in its own counting", async () => {
  using scratch = new Scratch();
  scratch.file("five", FIVE);
  const page = { file_path: "five", offset: 2, limit: 2 };
  const texts = await reads(scratch, [
    page,
    { name: "ReadFile", ...page },
    { name: "ReadFileGemini", ...page },
    { name: "ReadFileGemini", file_path: "five", offset: 4 },
  ]);
  assert.deepEqual(texts, [
    "2\tb\n3\tc\n[lines 2-3 of 5 shown. Use offset=4 to continue]",
    "L2: b\nL3: c\n[lines 2-3 of 5 shown. Use offset=4 to continue]",
    "3\tc\n4\td\n[lines 3-4 of 5 shown. Use offset=4 to continue]",
    "5\te",
  ]);
});

test("the toolset decides whose read_file is meant", async () => {
  using scratch = new Scratch();
  scratch.file("five", FIVE);
  const call = { name: "read_file", file_path: "five", offset: 1, limit: 1 };
  assert.deepEqual(await reads(scratch, [call], ["--toolset", "codex_snake"]), [
    "L1: a\n[lines 1-1 of 5 shown. Use offset=2 to continue]",
  ]);
  assert.deepEqual(await reads(scratch, [call], ["--toolset", "gemini_snake"]), [
    "2\tb\n[lines 2-2 of 5 shown. Use offset=2 to continue]",
  ]);
});

test("pages of 2,000 lines follow each other exactly", async () => {
  using scratch = new Scratch();
  const lines = Array.from({ length: 4321 }, (_, index) => `l${index + 1}`);
  scratch.file("long", lines.join("\n"));
  const texts = await reads(scratch, [1, 2001, 4001].map((offset) => ({ file_path: "long", offset })));
  assert.match(texts[0]!, /\n2000\tl2000\n\[lines 1-2000 of 4321 shown\. Use offset=2001 to continue\]$/);
  assert.match(texts[1]!, /^2001\tl2001\n[^]*Use offset=4001 to continue\]$/);
  assert.match(texts[2]!, /^4001\t[^]*\n4321\tl4321$/);
  const shown = texts.flatMap((text) => text.split("\n")).filter((row) => !row.startsWith("["));
  assert.deepEqual(shown, lines.map((line, index) => `${index + 1}\t${line}`));
});

test("a page ends with a whole line where its characters run out", async () => {
  using scratch = new Scratch();
  scratch.file("wide", `${"x".repeat(1500)}\n`.repeat(50));
  const [first] = await reads(scratch, [{ file_path: "wide" }]);
  const shown = first!.split("\n").slice(0, -1);
  assert.ok(first!.length <= 30_000 && shown.length > 15, `${shown.length} lines`);
  assert.ok(shown.every((row) => /^\d+\tx{1500}$/.test(row)));
  const next = Number(/of 50 shown\. Use offset=(\d+) to continue\]$/.exec(first!)![1]);
  assert.equal(next, shown.length + 1);
  const [second] = await reads(scratch, [{ file_path: "wide", offset: next }]);
  assert.ok(second!.startsWith(`${next}\tx`));
});

test("an empty file, an offset past the end and the last line are told apart", async () => {
  using scratch = new Scratch();
  scratch.file("five", FIVE);
  scratch.file("empty.bat", "");
  scratch.file("one", "a\n");
  const { results } = await scratch.batch([
    { name: "Read", args: { file_path: "five", offset: 5 } },
    { name: "Read", args: { file_path: "five", offset: 6 } },
    { name: "ReadFileGemini", args: { file_path: "five", offset: 100 } },
    { name: "Read", args: { file_path: "five", offset: 1e12 } },
    { name: "Read", args: { file_path: "one", offset: 2 } },
    { name: "Read", args: { file_path: "empty.bat" } },
    { name: "Read", args: { file_path: "five", offset: 0 } },
    { name: "Read", args: { file_path: "five", offset: -1 } },
    { name: "Read", args: { file_path: "five", limit: 0 } },
  ]);
  assert.deepEqual(results.map(({ outcome }) => outcome), [
    "success",
    "error",
    "error",
    "error",
    "error",
    "success",
    "invalid",
    "invalid",
    "invalid",
  ]);
  const texts = results.map(textOf);
  assert.equal(texts[0], "5\te");
  assert.equal(
    texts[1],
    'Cannot read "five" from offset=6: it has 5 lines\n\nhint: the last line is at offset=5',
  );
  assert.equal(
    texts[2],
    'Cannot read "five" from offset=100: it has 5 lines\n\nhint: the last line is at offset=4',
  );
  assert.match(texts[3]!, /it has 5 lines/);
  assert.match(texts[4]!, /it has 1 line\n/);
  assert.equal(texts[5], "[empty.bat: the file is empty]");
});

test("a line of a megabyte is clipped on a whole character, with its true length, and the next lines are there", async () => {
  using scratch = new Scratch();
  scratch.file("blob", `${"x".repeat(1999)}😀${"y".repeat(1_000_000)}\nb\nc\nd\n`);
  const [all, rest] = await reads(scratch, [{ file_path: "blob" }, { file_path: "blob", offset: 2 }]);
  assert.ok(all!.length < 3000 && all!.isWellFormed());
  assert.ok(all!.startsWith(`1\t${"x".repeat(1999)}... [line clipped: 1002001 characters in all]\n2\tb\n`));
  assert.equal(rest, "2\tb\n3\tc\n4\td");
});

test("text and binary are told apart by their bytes, not by their names", async () => {
  using scratch = new Scratch();
  const cjk = "語".repeat(13_500);
  for (const lead of ["", "a", "ab"]) scratch.file(`cjk${lead.length}.png`, lead + cjk);
  scratch.file("script", "#!/bin/sh\n");
  scratch.file("elf.txt", new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0]));
  scratch.file("zip.txt", new Uint8Array([0x50, 0x4b, 3, 4, 20, 0, 0, 0, 8, 0]));
  const texts = await reads(
    scratch,
    ["cjk0.png", "cjk1.png", "cjk2.png", "script", "elf.txt", "zip.txt"].map((file_path) => ({ file_path })),
  );
  for (const [index, lead] of ["", "a", "ab"].entries()) {
    assert.ok(texts[index]!.startsWith(`1\t${lead}語語`) && !texts[index]!.includes("\uFFFD"));
  }
  assert.equal(texts[3], "1\t#!/bin/sh");
  assert.equal(texts[4], "[elf.txt: binary file, 10 bytes; its content is not shown]");
  assert.equal(texts[5], "[zip.txt: binary file, 10 bytes; its content is not shown]");
});

test("line ends and the mark are not shown, tabs are", async () => {
  using scratch = new Scratch();
  scratch.file("crlf", "\uFEFFa\r\n\tb\r\nc\rd\r\n");
  assert.deepEqual(await reads(scratch, [{ file_path: "crlf" }]), ["1\ta\n2\t\tb\n3\tc\rd"]);
});

test("bytes that are no UTF-8 are said to be there", async () => {
  using scratch = new Scratch();
  scratch.file("latin", new Uint8Array([0x63, 0xe9, 0x0a, 0x78, 0x0a]));
  scratch.file("damaged", new Uint8Array([0xc3, 0xa9, 0xc3, 0xa9, 0xc3, 0xa9, 0xff, 0x0a]));
  scratch.file("fine", "\uFFFD is a character of its own\n");
  const paths = ["latin", "damaged", "fine"].map((file_path) => ({ file_path }));
  const [latin, damaged, fine] = await reads(scratch, paths);
  assert.equal(latin, "1\tcé\n2\tx\n[read as Windows-1252]");
  assert.equal(damaged, "1\tééé\uFFFD\n[some bytes are not UTF-8 and show as \uFFFD]");
  assert.equal(fine, "1\t\uFFFD is a character of its own");
});

test("a missing file, a folder and a path through a file are one clear error each", async () => {
  using scratch = new Scratch();
  scratch.file("five", FIVE);
  const texts = await reads(scratch, [{ file_path: "none" }, { file_path: "." }, { file_path: "five/x" }]);
  const work = JSON.stringify(scratch.work);
  assert.equal(
    texts[0]!,
    `Cannot read "none": no such file\n\nhint: the path was taken relative to ${work}`,
  );
  assert.equal(
    texts[1]!,
    'Cannot read ".": it is a folder\n\nhint: list it with a shell command, or name a file in it',
  );
  assert.match(texts[2]!, /^Cannot read "five\/x": a part of the path is not a folder$/);
});

test("a leading tilde is the home folder, and only a leading one", async () => {
  using scratch = new Scratch();
  scratch.file(`${scratch.home}/a.txt`, "home\n");
  scratch.file("~x", "here\n");
  const calls = [{ file_path: "~/a.txt" }, { file_path: "./~x" }];
  assert.deepEqual(await reads(scratch, calls, ["--mode", "bypassPermissions"]), ["1\thome", "1\there"]);
});

/** A reading of pieces, as a file of any size comes. */
function readPieces(pieces: Uint8Array[], args: Json = {}): Page {
  const files = {
    *chunks() {
      yield* pieces;
    },
    readUpTo: () => ({ size: Infinity }),
    read: () => assert.fail("the whole file was read"),
  };
  const same = (path: string) => path;
  const reads = { saw: () => {} };
  const traits = { effect: "read", subjects: [{ kind: "path", value: "x" }] };
  const gate = { limit: 30_000, redaction: () => ({ push: same }) };
  const context = { resolve: same, traits, files, reads, gate };
  return readFile.run({ path: "x", ...args }, context as unknown as Context) as Page;
}

test("in mode head nothing is read beyond the lines that are shown", () => {
  function* pieces() {
    yield new TextEncoder().encode("a\nb\nc\nd");
    assert.fail("it was read on");
  }
  const { lines, total, more } = readPieces(pieces() as unknown as Uint8Array[], { mode: "head", limit: 2 });
  assert.deepEqual([lines, total, more], [["a", "b"], 4, true]);
});

test("borders between pieces change nothing, wherever they fall", () => {
  const bytes = new TextEncoder().encode(`\uFEFFé\r\n\n語${"z".repeat(3000)}\r\n😀\r`);
  const whole = readPieces([bytes]);
  assert.deepEqual(whole.lines.slice(0, 2), ["é", ""]);
  assert.match(whole.lines[2]!, /^語z{1999}\.\.\. \[line clipped: 3001 characters in all\]$/);
  assert.equal(whole.lines[3], "😀\r");
  for (const size of [1, 2, 3, 5, 7, 1000]) {
    const pieces: Uint8Array[] = [];
    // The first piece tells the encoding, so it holds the mark.
    for (let at = 0, next; at < bytes.length; at = next) {
      next = at + Math.max(size, at === 0 ? 3 : 1);
      pieces.push(bytes.slice(at, next));
    }
    assert.deepEqual(readPieces(pieces), whole, `pieces of ${size}`);
  }
});

test("a file larger than any string is paged", () => {
  const piece = new TextEncoder().encode(`${"x".repeat(1023)}\n`.repeat(256));
  const { lines, total } = readPieces(Array(2100).fill(piece), { offset: 2100 * 256 });
  assert.equal(total, 2100 * 256);
  assert.deepEqual(lines, ["x".repeat(1023)]);
});

/** One grey pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNoaGgAAAMEAYFL09IQAAAAAElFTkSuQmCC";

test("what is shown as text has pages and blocks like a text, and its images stand with the first page", async () => {
  using scratch = new Scratch();
  const output = { output_type: "display_data", data: { "image/png": PNG }, metadata: {} };
  const cell = { cell_type: "code", source: "a\nb\nc", outputs: [output], metadata: {} };
  scratch.file("n.ipynb", JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 }));
  const file_path = "n.ipynb";
  const { results } = await scratch.batch([
    { name: "ReadFile", args: { file_path, limit: 2 } },
    { name: "ReadFile", args: { file_path, offset: 2, limit: 1 } },
    { name: "ReadFileGemini", args: { file_path, offset: 99 } },
    { name: "ReadFile", args: { file_path, mode: "indentation", offset: 3, limit: 1 } },
  ]);
  const types = results.map(({ content }) => content.map(({ type }: Json) => type));
  assert.deepEqual(types, [["text", "image"], ["text"], ["text"], ["text"]]);
  const texts = results.map(textOf);
  assert.match(
    texts[0]!,
    /^\[notebook [^\n]*\]\nL1: \[cell 1, code\]\nL2: a\n\[lines 1-2 of \d shown\. Use offset=3 /,
  );
  assert.match(
    texts[1]!,
    /^\[notebook [^\n]*\]\n\[images: 1, with the first page\]\nL2: a\n\[lines 2-2 of \d shown/,
  );
  assert.match(texts[2]!, /^Cannot read "n\.ipynb" from offset=99: it has \d lines/);
  assert.match(texts[3]!, /\nL3: b\n\[lines 3-3 of /);
});

test("a secret at the place where a line is clipped shows no part of itself", async () => {
  using scratch = new Scratch();
  const secret = "sk-live-abcdefghijklmnopqrstuvwxyz0123456789ABCD";
  const env = { MY_API_KEY: secret };
  scratch.file("long.txt", `${"x".repeat(1960)} ${secret} tail\nother word here\n`);
  scratch.file("edit.txt", `const alpha = 1; ${"y".repeat(160)} ${"z".repeat(90)} ${secret}\n`);
  const { results } = await scratch.batch(
    [
      { name: "Read", args: { file_path: "long.txt" } },
      { name: "Edit", args: { file_path: "edit.txt", old_string: "const alpha = 2;", new_string: "x" } },
      {
        name: "Edit",
        args: { file_path: "edit.txt", old_string: "const alpha = 1;", new_string: "const alpha = 2;" },
      },
    ],
    ["--mode", "acceptEdits"],
    { env },
  );
  for (const result of results) assert.ok(!JSON.stringify(result).includes("sk-live"), textOf(result));
  assert.match(textOf(results[0]!), /line clipped: 2014 characters/);
});
