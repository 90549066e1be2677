/** Faults that users of such tools have met, each kind through every face that reads or writes. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import { type Json, ON_DENO, Scratch, textOf } from "../support.ts";

const EDITING = ["--mode", "acceptEdits"];
const READERS = ["Read", "ReadFile", "ReadFileGemini", "read_file"];
const EDITORS = ["Edit", "MultiEdit", "replace", "Replace", "edit_file"];
const PATCHERS = ["apply_patch", "ApplyPatch"];
const WRITERS = ["Write", "WriteFileGemini", "write_file"];

const update = (file: string, ...lines: string[]) => ({
  input: `*** Begin Patch\n*** Update File: ${file}\n@@\n${lines.join("\n")}\n*** End Patch`,
});
const add = (file: string, text: string) => ({
  input: `*** Begin Patch\n*** Add File: ${file}\n${
    text.replace(/\n$/, "").split("\n").map((line) => `+${line}`).join("\n")
  }\n*** End Patch`,
});

/** A call that replaces whole lines, which is what a patch can do too. */
function replacing(name: string, file: string, old_string: string, new_string: string): Json {
  const one = { old_string, new_string };
  if (name === "edit_file") return { name, args: { path: file, edits: [one] } };
  if (name === "MultiEdit") return { name, args: { file_path: file, edits: [one] } };
  if (!PATCHERS.includes(name)) return { name, args: { file_path: file, ...one } };
  const lines = (sign: string, text: string) => text.split("\n").map((line) => sign + line);
  return { name, args: update(file, ...lines("-", old_string), ...lines("+", new_string)) };
}

function writing(name: string, file: string, content: string): Json {
  if (PATCHERS.includes(name)) return { name, args: add(file, content) };
  return { name, args: { [name === "write_file" ? "path" : "file_path"]: file, content } };
}

/** `write_file` and `read_file` mean the lean ones only in their own toolset. */
const toolsetOf = (name: string) => /^(?:read|write|edit)_file$/.test(name) ? ["--toolset", "lean"] : [];

/** Runs calls of all faces, with as few starts as the toolsets allow; results in order. */
async function all(
  scratch: Scratch,
  calls: readonly Json[],
  flags: readonly string[] = EDITING,
): Promise<Json[]> {
  const results: Json[] = [];
  for (const lean of [false, true]) {
    const own = [...calls.entries()].filter(([, { name }]) => toolsetOf(name).length > 0 === lean);
    if (own.length === 0) continue;
    const batch = await scratch.batch(own.map(([, call]) => call), [
      ...flags,
      ...(lean ? toolsetOf("read_file") : []),
    ]);
    assert.equal(batch.results.length, own.length, batch.stderr);
    for (const [nth, [index]] of own.entries()) results[index] = batch.results[nth]!;
  }
  return results;
}

const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const utf8 = (text: string) => latin1(Buffer.from(text).toString("latin1"));
const utf16le = (text: string) => Uint8Array.from(Buffer.from(`\uFEFF${text}`, "utf16le"));
const utf16be = (text: string) => Uint8Array.from(Buffer.from(utf16le(text)).swap16());
const shown = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

/** 中文 and 字 in GBK. */
const GBK = "\xd6\xd0\xce\xc4";
const TOKENS = "$& $$ $` $' $1 \\n \\\\ \\0";

const LINES: readonly [name: string, before: Uint8Array, old: string, text: string, after: Uint8Array][] = [
  ["CRLF", utf8("a\r\nb\r\nc\r\n"), "a\nb", "A\nB", utf8("A\r\nB\r\nc\r\n")],
  ["a line of a mixed file", utf8("a\r\nb\nc\n"), "b", "B", utf8("a\r\nB\nc\n")],
  ["a lone CR stays", utf8("a\rb\nc\n"), "c", "C", utf8("a\rb\nC\n")],
  ["Latin-1", latin1("caf\xe9\nx=1\n"), "x=1", "x=2", latin1("caf\xe9\nx=2\n")],
  [
    "Latin-1's own letters",
    latin1("caf\xe9\nx=1\n"),
    "café",
    "thé à ’\n€",
    latin1("th\xe9 \xe0 \x92\n\x80\nx=1\n"),
  ],
  ["GBK", latin1(`${GBK}\nx=1\n${GBK}`), "x=1", "x=2", latin1(`${GBK}\nx=2\n${GBK}`)],
  ["GBK's own letters", latin1(`${GBK}\nx=1\n`), "中文", "文中", latin1("\xce\xc4\xd6\xd0\nx=1\n")],
  [
    "damaged UTF-8",
    latin1("\xc3\xa9\xc3\xa9\xc3\xa9\nx=1\n\xff"),
    "x=1",
    "é",
    latin1("\xc3\xa9\xc3\xa9\xc3\xa9\n\xc3\xa9\n\xff"),
  ],
  ["UTF-8 with its mark", utf8("\uFEFFhello\nx\n"), "hello", "bye", utf8("\uFEFFbye\nx\n")],
  ["UTF-16 LE", utf16le("hello\r\nx\r\n"), "hello", "語\n😀", utf16le("語\r\n😀\r\nx\r\n")],
  ["UTF-16 BE", utf16be("hello\nx\n"), "hello", "語", utf16be("語\nx\n")],
  ["literal text", utf8("a\nb\n"), "a", TOKENS, utf8(`${TOKENS}\nb\n`)],
  [
    "literal text in CRLF",
    utf8("a\r\nb\r\n"),
    "a",
    `${TOKENS}\n${TOKENS}`,
    utf8(`${TOKENS}\r\n${TOKENS}\r\nb\r\n`),
  ],
  ["tabs", utf8("all:\n\tcc a\n\tcc b\n"), "\tcc a", "\tcc -g a", utf8("all:\n\tcc -g a\n\tcc b\n")],
  ["backslashes", utf8("x\ny\n"), "x", "\"\\n\" \\title '\\0' \\", utf8("\"\\n\" \\title '\\0' \\\ny\n")],
  ["NUL", utf8("x\ny\n"), "x", "a\0b", utf8("a\0b\ny\n")],
  ["no last newline", utf8("l1\nl2\nl3"), "l1", "L1", utf8("L1\nl2\nl3")],
  ["no last newline, CRLF", utf8("l1\r\nl2"), "l1", "L1\nL1", utf8("L1\r\nL1\r\nl2")],
];

test("B09–B11, B15, B17, B19, B23, B24: a change of lines leaves every other byte, through every tool that edits", async () => {
  using scratch = new Scratch();
  const tools = [...EDITORS, ...PATCHERS];
  const calls = LINES.flatMap(([, before, old, text], index) =>
    tools.map((tool) => {
      const name = `${index}-${tool}`;
      scratch.file(name, before);
      return replacing(tool, name, old, text);
    })
  );
  const results = await all(scratch, calls);
  for (const [index, [name, , , , after]] of LINES.entries()) {
    for (const [nth, tool] of tools.entries()) {
      const said = textOf(results[index * tools.length + nth]!);
      const now = readFileSync(path.join(scratch.work, `${index}-${tool}`));
      assert.equal(shown(now), shown(after), `${name}, ${tool}: ${said}`);
    }
  }
});

test("B10: a character that the file's encoding doesn't have is refused, and the file stays", async () => {
  using scratch = new Scratch();
  const tools = [...EDITORS, ...PATCHERS];
  const files = { latin: latin1("caf\xe9\nx=1\n"), gbk: latin1(`${GBK}\nx=1\n`) };
  const calls = Object.entries(files).flatMap(([kind, bytes]) =>
    tools.map((tool) => {
      scratch.file(`${kind}-${tool}`, bytes);
      return replacing(tool, `${kind}-${tool}`, "x=1", "x=😀");
    })
  );
  const results = await all(scratch, calls);
  for (const [index, result] of results.entries()) {
    const [kind, tool] = [index < tools.length ? "latin" : "gbk", tools[index % tools.length]!] as const;
    assert.match(
      textOf(result),
      /^Cannot \w+ "[^"]+": its encoding, (?:Windows-1252|GBK), has no "😀"\n\nhint: /,
      tool,
    );
    assert.equal(shown(readFileSync(path.join(scratch.work, `${kind}-${tool}`))), shown(files[kind]), tool);
  }
});

test("B09–B11: a file that is written over keeps its encoding, its mark and its line ends", async () => {
  const forms: [name: string, before: Uint8Array, content: string, after: Uint8Array][] = [
    ["CRLF", utf8("a\r\nb\r\n"), "c\nd\n", utf8("c\r\nd\r\n")],
    ["a mark", utf8("\uFEFFa\n"), "c\n", utf8("\uFEFFc\n")],
    ["UTF-16 LE", utf16le("a\r\nb\r\n"), "é\n語\n", utf16le("é\r\n語\r\n")],
    ["UTF-16 BE", utf16be("a\n"), "😀\n", utf16be("😀\n")],
    ["Latin-1", latin1("\xe9t\xe9\n"), "è “x”\n", latin1("\xe8 \x93x\x94\n")],
    ["GBK", latin1(`${GBK}${GBK}\n`), "文\n", latin1("\xce\xc4\n")],
    ["no mark gains none", utf8("a\n"), `${TOKENS}\n`, utf8(`${TOKENS}\n`)],
  ];
  using scratch = new Scratch();
  const tools = [...WRITERS, ...PATCHERS];
  const calls = forms.flatMap(([, before, content], index) =>
    tools.flatMap((tool) => {
      scratch.file(`${index}-${tool}`, before);
      const reader = tool === "write_file"
        ? { name: "read_file", args: { path: `${index}-${tool}` } }
        : { name: "Read", args: { file_path: `${index}-${tool}` } };
      return [reader, writing(tool, `${index}-${tool}`, content)];
    })
  );
  const results = await all(scratch, calls);
  for (const [index, [name, , , after]] of forms.entries()) {
    for (const [nth, tool] of tools.entries()) {
      const now = readFileSync(path.join(scratch.work, `${index}-${tool}`));
      const said = textOf(results[2 * (index * tools.length + nth) + 1]!);
      assert.equal(shown(now), shown(after), `${name}, ${tool}: ${said}`);
    }
  }
});

test("B10, B11: every reading hides the mark and the CRs, decodes, and says what is not UTF-8", async () => {
  using scratch = new Scratch();
  const files: Record<string, [Uint8Array, RegExp, note: RegExp | undefined]> = {
    marked: [utf8("\uFEFFhello\r\n\tx\r\n"), /^hello\n\tx$/, undefined],
    le: [utf16le("語\r\nx\r\n"), /^語\nx$/, /UTF-16 LE/],
    be: [utf16be("語\nx\n"), /^語\nx$/, /UTF-16 BE/],
    latin: [latin1("caf\xe9 \x80\n"), /^café €$/, /Windows-1252/],
    gbk: [latin1(`${GBK}\n`), /^中文$/, /GBK/],
    damaged: [latin1("\xc3\xa9\xc3\xa9\xc3\xa9\xff\n"), /^ééé\uFFFD$/, /UTF-8/],
  };
  const calls = Object.entries(files).flatMap(([file, [bytes]]) => {
    scratch.file(file, bytes);
    return READERS.map((name) => ({ name, args: { [name === "read_file" ? "path" : "file_path"]: file } }));
  });
  const results = await all(scratch, calls);
  for (const [index, [file, [, content, note]]] of Object.entries(files).entries()) {
    for (const [nth, name] of READERS.entries()) {
      const rows = textOf(results[index * READERS.length + nth]!).split("\n");
      const notes = rows.filter((row) => row.startsWith("["));
      const text = rows.filter((row) => !row.startsWith("[")).map((row) =>
        row.replace(/^(?:L\d+: |\d+\t)/, "")
      );
      assert.match(text.join("\n"), content, `${name} ${file}`);
      if (note) assert.match(notes.join("\n"), note, `${name} ${file}`);
      else assert.deepEqual(notes, [], `${name} ${file}`);
    }
  }
});

test("B01: a reading takes the exact name first, then a single one that looks like it, and says which", async () => {
  using scratch = new Scratch();
  const odd = "a\u202Fb.txt";
  const decomposed = "caf\u0065\u0301.txt";
  const readers = (file: string) =>
    READERS.map((name) => ({ name, args: { [name === "read_file" ? "path" : "file_path"]: file } }));
  scratch.file(odd, "X\n");
  scratch.file("a b.txt", "Y\n");
  scratch.file(decomposed, "Z\n");
  const exact = await all(scratch, [...readers(odd), ...readers("a b.txt"), ...readers("caf\u00e9.txt")]);
  for (const [nth, name] of READERS.entries()) {
    assert.match(textOf(exact[nth]!), /^(?:L1: |1\t)X$/, name);
    assert.match(textOf(exact[READERS.length + nth]!), /^(?:L1: |1\t)Y$/, name);
    assert.match(textOf(exact[2 * READERS.length + nth]!), /(?:L1: |1\t)Z/, name);
  }
  execFileSync("rm", [path.join(scratch.work, "a b.txt")]);
  for (const result of await all(scratch, readers("a b.txt"))) {
    assert.match(textOf(result), /(?:L1: |1\t)X/);
    assert.match(textOf(result), /a\\u202fb\.txt/i, "the name that was read is told");
  }
  scratch.file("a\u00A0b.txt", "W\n");
  for (const result of await all(scratch, readers("a b.txt"))) {
    assert.notEqual(result.outcome, "success");
    assert.match(
      textOf(result),
      /several look like it\n\nhint: one of .*a\\u(?:202f|00a0)b\.txt.*a\\u(?:202f|00a0)b\.txt/,
    );
  }
  const refused = await all(scratch, [
    ...EDITORS.map((name) => replacing(name, "a b.txt", "X", "!")),
    ...PATCHERS.map((name) => replacing(name, "a b.txt", "X", "!")),
  ]);
  for (const result of refused) assert.match(textOf(result), /no such file/);
  for (const [index, name] of [...WRITERS, ...PATCHERS].entries()) {
    const [result] = await all(scratch, [writing(name, `${index}/../a b.txt`, `${name}\n`)]);
    assert.equal(result!.outcome, "success", textOf(result!));
    assert.equal(scratch.read("a b.txt"), `${name}\n`);
    execFileSync("rm", [path.join(scratch.work, "a b.txt")]);
  }
  assert.deepEqual([scratch.read(odd), scratch.read("a\u00A0b.txt")], ["X\n", "W\n"]);
});

test("B02: what isn't a file is refused by every face before it is opened", async () => {
  using scratch = new Scratch();
  execFileSync("mkfifo", [path.join(scratch.work, "p")]);
  symlinkSync("p", path.join(scratch.work, "q"));
  mkdirSync(path.join(scratch.work, "d"));
  const tools = [...EDITORS, ...PATCHERS];
  const calls = ["p", "q", "d"].flatMap((file) => [
    ...READERS.map((name) => ({ name, args: { [name === "read_file" ? "path" : "file_path"]: file } })),
    ...tools.map((name) => replacing(name, file, "a", "b")),
    ...[...WRITERS, ...PATCHERS].map((name) => writing(name, file, "x\n")),
  ]);
  for (const [index, result] of (await all(scratch, calls)).entries()) {
    const said = `${calls[index]!.name}: ${textOf(result)}`;
    assert.equal(result.outcome, "error", said);
    assert.match(said, /it is a (?:folder|named pipe|pipe|FIFO)/i);
  }
  assert.ok(statSync(path.join(scratch.work, "p")).isFIFO());
  assert.deepEqual(readdirSync(scratch.work).sort(), ["d", "p", "q"]);
});

test("B05: an empty file, the last line and an offset past it are three answers of every face", async () => {
  using scratch = new Scratch();
  scratch.file("five", "a\nb\nc\nd\ne\n");
  scratch.file("empty", "");
  for (const name of READERS) {
    const key = name === "read_file" ? "path" : "file_path";
    // Gemini counts from 0.
    const last = name === "ReadFileGemini" ? 4 : 5;
    const results = await all(
      scratch,
      [
        { [key]: "five", offset: last },
        { [key]: "five", offset: last + 1 },
        { [key]: "five", offset: 1e12 },
        {
          [key]: "empty",
        },
        { [key]: "five", offset: -1 },
      ].map((args) => ({ name, args })),
    );
    const texts = results.map(textOf);
    assert.match(texts[0]!, /^(?:L5: |5\t)e$/, name);
    for (const past of texts.slice(1, 3)) {
      assert.match(past, new RegExp(`it has 5 lines\\n\\nhint: the last line is at offset=${last}$`), name);
    }
    assert.match(texts[3]!, /the file is empty/, name);
    assert.equal(results[4]!.outcome, "invalid", name);
  }
});

test("B08: a leading ~ is the home folder for every face, and no folder of that name is made", async () => {
  using scratch = new Scratch();
  const calls = [...WRITERS, ...PATCHERS].map((name, index) => writing(name, `~/new/${index}`, `${name}\n`));
  for (const result of await all(scratch, calls, ["--mode", "bypassPermissions"])) {
    assert.equal(result.outcome, "success", textOf(result));
  }
  const edits = [...EDITORS, ...PATCHERS].map((name, index) => {
    scratch.file(`${scratch.home}/edit/${index}`, "a\n");
    return replacing(name, `~/edit/${index}`, "a", name);
  });
  await all(scratch, edits, ["--mode", "bypassPermissions"]);
  for (const [index, name] of [...EDITORS, ...PATCHERS].entries()) {
    assert.equal(scratch.read(`${scratch.home}/edit/${index}`), `${name}\n`);
  }
  const readers = READERS.map((name) => ({
    name,
    args: { [name === "read_file" ? "path" : "file_path"]: "~/new/0" },
  }));
  for (const result of await all(scratch, readers, ["--mode", "bypassPermissions"])) {
    assert.match(textOf(result), /(?:L1: |1\t)Write$/);
  }
  assert.deepEqual(readdirSync(scratch.work), []);
});

test("B15: half of a character is refused by every tool that writes, and nothing is changed", async () => {
  using scratch = new Scratch();
  const files: string[] = [];
  const calls = [
    ...[...EDITORS, ...PATCHERS].map((name) => ({ ...replacing(name, `e-${name}`, "a", "x\ud800y") })),
    ...[...WRITERS, ...PATCHERS].map((name) => writing(name, `w-${name}`, "x\udfffy\n")),
  ];
  for (const name of [...EDITORS, ...PATCHERS].map((one) => `e-${one}`)) {
    files.push(name);
    scratch.file(name, "a\n");
  }
  for (const result of await all(scratch, calls)) {
    assert.equal(result.outcome, "error");
    assert.match(textOf(result), /lone surrogate/);
  }
  assert.deepEqual(readdirSync(scratch.work).sort(), files.sort());
  for (const file of files) assert.equal(scratch.read(file), "a\n");
});

test("B16: an empty old text makes a missing file, fills an empty one, and is refused on any other", async () => {
  using scratch = new Scratch();
  const calls = EDITORS.flatMap((name) => {
    scratch.file(`full-${name}`, "abc");
    scratch.file(`empty-${name}`, "");
    return ["full", "empty", "missing"].map((kind) => replacing(name, `${kind}-${name}`, "", TOKENS));
  });
  const results = await all(scratch, calls);
  for (const [index, name] of EDITORS.entries()) {
    assert.match(textOf(results[3 * index]!), /old_string is empty/, name);
    assert.equal(scratch.read(`full-${name}`), "abc");
    assert.equal(scratch.read(`empty-${name}`), TOKENS, name);
    assert.equal(scratch.read(`missing-${name}`), TOKENS, name);
  }
});

test("B17, B19, B20: what only resembles the old text is refused by every tool, with the reason", async () => {
  const near: [name: string, before: string, old: string, hint: RegExp][] = [
    ["tabs", "all:\n\tcc a\n", "    cc b", /not found|Failed to find/],
    [
      "another inside",
      "f {\n  x = 1\n  y = 2\n  z = 3\n}\n",
      "f {\n  x = 1\n  y = 99\n  z = 3\n}",
      /not found|Failed to find/,
    ],
    ["a common end", "if (a) {\n  b\n}\nif (c) {\n  d\n}\n", "  e\n}", /not found|Failed to find/],
    ["escaped twice", 'say("a\nb")\n', 'say("a\\nb")', /not found|Failed to find/],
  ];
  using scratch = new Scratch();
  const tools = [...EDITORS, ...PATCHERS];
  const calls = near.flatMap(([, before, old], index) =>
    tools.map((tool) => {
      scratch.file(`${index}-${tool}`, before);
      return replacing(tool, `${index}-${tool}`, old, "new");
    })
  );
  const results = await all(scratch, calls);
  for (const [index, [name, before, , hint]] of near.entries()) {
    for (const [nth, tool] of tools.entries()) {
      const result = results[index * tools.length + nth]!;
      assert.equal(result.outcome, "error", `${name}, ${tool}`);
      assert.match(textOf(result), hint, `${name}, ${tool}`);
      assert.equal(scratch.read(`${index}-${tool}`), before, `${name}, ${tool}`);
    }
  }
});

test("B18: spaces are never written where a file has tabs", async () => {
  using scratch = new Scratch();
  scratch.file("Makefile", "all:\n\tcc a\n\tcc b\n");
  const { results } = await scratch.batch([
    { name: "Read", args: { file_path: "Makefile", offset: 2, limit: 1 } },
  ]);
  const line = textOf(results[0]!).split("\n")[0]!.slice("2\t".length);
  assert.equal(line, "\tcc a");
  // A patch may be forgiven its blanks for finding; the line that it keeps is the file's own.
  const patch = { name: "apply_patch", args: update("Makefile", "     cc a", "-\tcc b", "+\tcc c") };
  await scratch.batch([patch], EDITING);
  assert.equal(scratch.read("Makefile"), "all:\n\tcc a\n\tcc c\n");
});

test("B22: edits in order on CRLF and UTF-16 files, all or nothing", async () => {
  using scratch = new Scratch();
  const one = (old_string: string, new_string: string) => ({ old_string, new_string });
  scratch.file("ok", utf16le("a b\r\nc\r\n"));
  scratch.file("half", utf16le("a b\r\nc\r\n"));
  scratch.file("crlf", "a\r\nb\r\n");
  const { results } = await scratch.batch([
    {
      name: "MultiEdit",
      args: { file_path: "ok", edits: [one("a", "b2"), one("b2 b\nc", "x\ny\nz"), one("y\n", "")] },
    },
    { name: "MultiEdit", args: { file_path: "half", edits: [one("a", "b"), one("b", "c")] } },
    {
      name: "MultiEdit",
      args: { file_path: "crlf", edits: [one("a\n", ""), one("b\n", "b"), one("b", "c\nd")] },
    },
  ], EDITING);
  assert.equal(shown(readFileSync(path.join(scratch.work, "ok"))), shown(utf16le("x\r\nz\r\n")));
  assert.equal(shown(readFileSync(path.join(scratch.work, "half"))), shown(utf16le("a b\r\nc\r\n")));
  assert.match(textOf(results[1]!), /\(edit 2 of 2\).*2 places/);
  assert.equal(scratch.read("crlf"), "c\nd", "without a line end left, a new one is LF");
});

test("B23, B24: a patch sent in CRLF, with a move, two hunks and an append keeps the file's own line ends", async () => {
  using scratch = new Scratch();
  scratch.file("sent", "foo\r\nbar\r\n");
  scratch.file("moved", "foo\r\nbar\r\n");
  scratch.file("two", "a\r\nb\r\nc\r\nd\r\n");
  scratch.file("lf", "a\nb\n");
  for (const name of ["bare", "one"]) scratch.file(name, name === "bare" ? "l1\nl2\nl3" : "only");
  const patch = (text: string) => ({
    name: "apply_patch",
    args: { input: `*** Begin Patch\n${text}\n*** End Patch` },
  });
  const { results } = await scratch.batch([
    {
      name: "apply_patch",
      args: { input: update("sent", "-foo", "+FOO", " bar").input.replaceAll("\n", "\r\n") },
    },
    patch("*** Update File: moved\n*** Move to: m/target\n@@\n-foo\n+FOO\n bar"),
    patch("*** Update File: two\n@@\n-a\n+A\n+A2\n b\n@@\n-d\n+D"),
    { name: "apply_patch", args: { input: update("lf", "-a", "+A").input.replaceAll("\n", "\r\n") } },
    patch("*** Update File: bare\n@@\n l3\n+l4"),
    patch("*** Update File: one\n@@\n only\n+more"),
    patch("*** Add File: new\n+n1\n*** Update File: new\n@@\n n1\n+n2"),
  ], EDITING);
  for (const result of results) assert.equal(result.outcome, "success", textOf(result));
  assert.equal(scratch.read("sent"), "FOO\r\nbar\r\n");
  assert.equal(scratch.read("m/target"), "FOO\r\nbar\r\n");
  assert.equal(scratch.read("two"), "A\r\nA2\r\nb\r\nc\r\nD\r\n");
  assert.equal(scratch.read("lf"), "A\nb\n");
  assert.equal(scratch.read("bare"), "l1\nl2\nl3\nl4\n");
  assert.equal(scratch.read("one"), "only\nmore\n");
  assert.equal(scratch.read("new"), "n1\nn2\n");
});

test("B26, B28: what a patch replaces is said and can be had back; a folder in the way changes nothing", async () => {
  using scratch = new Scratch();
  for (const name of ["exists", "src", "dst"]) scratch.file(name, `${name} old\n`);
  mkdirSync(path.join(scratch.work, "folder"));
  const tree = () =>
    ["exists", "src", "dst"].map((name) => scratch.exists(name) ? scratch.read(name) : undefined);
  const before = tree();
  const refused = await all(
    scratch,
    PATCHERS.flatMap((name) =>
      [
        "*** Update File: src\n*** Move to: folder\n@@\n-src old\n+new",
        "*** Add File: exists\n+x\n*** Delete File: dst\n*** Add File: folder\n+x",
        "*** Add File: exists\n+x\n*** Delete File: dst\n*** Update File: src\n@@\n-not there\n+x",
      ].map((text) => ({ name, args: { input: `*** Begin Patch\n${text}\n*** End Patch` } }))
    ),
  );
  for (const result of refused) assert.equal(result.outcome, "error", textOf(result));
  assert.deepEqual(tree(), before);
  const input =
    "*** Begin Patch\n*** Add File: exists\n+new\n*** Update File: src\n*** Move to: dst\n@@\n-src old\n+src new\n*** End Patch";
  const { results } = await scratch.batch([{ name: "apply_patch", args: { input } }], EDITING);
  assert.match(textOf(results[0]!), /^M exists \(replaced\)$/m);
  assert.match(textOf(results[0]!), /^M dst \(moved from src, replacing what was there\)$/m);
  assert.deepEqual(tree(), ["new\n", undefined, "src new\n"]);
  const { code, stderr } = await scratch.agent(["undo"]);
  assert.equal(code, 0, stderr);
  assert.deepEqual(tree(), before);
});

test("line 1,000,000 of a 200 MB file is read in little memory", async () => {
  using scratch = new Scratch();
  const line = (number: number) => `${String(number).padStart(9, "0")} ${"x".repeat(189)}\n`;
  const file = path.join(scratch.work, "big");
  writeFileSync(file, "");
  for (let from = 1; from <= 1_050_000; from += 50_000) {
    const lines = Array.from({ length: 50_000 }, (_, index) => line(from + index));
    writeFileSync(file, lines.join(""), { flag: "a" });
  }
  assert.ok(statSync(file).size > 200_000_000);
  const peak = path.join(scratch.root, "peak");
  // Asked at the very end, by a module that is loaded first.
  const status = `/VmHWM:\\s*(\\d+)/.exec(read("/proc/self/status", "utf8"))?.[1] ?? ""`;
  const watch = ON_DENO
    ? scratch.file(
      `${scratch.root}/watch.mjs`,
      `const { readTextFileSync: read, writeTextFileSync: write } = Deno;
      addEventListener("unload", () => write(${JSON.stringify(peak)}, ${status}));`,
    )
    : scratch.file(
      `${scratch.root}/watch.cjs`,
      `const { readFileSync: read, writeFileSync: write } = require("node:fs");
      process.on("exit", () => write(${JSON.stringify(peak)}, ${status}));`,
    );
  const { result } = await scratch.exec([
    "Read",
    JSON.stringify({ file_path: "big", offset: 1_000_000, limit: 2 }),
  ], {
    nodeFlags: ON_DENO
      ? ["--v8-flags=--max-old-space-size=64", `--preload=${watch}`]
      : ["--max-old-space-size=64", `--require=${watch}`],
  });
  assert.equal(
    textOf(result),
    `1000000\t${line(1_000_000)}1000001\t${
      line(1_000_001)
    }[lines 1000000-1000001 of 1050000 shown. Use offset=1000002 to continue]`,
  );
  if (process.platform !== "linux") return;
  const mebibytes = Number(readFileSync(peak, "utf8")) / 1024;
  assert.ok(mebibytes > 10 && mebibytes < 130, `${mebibytes} MiB at the peak`);
});
