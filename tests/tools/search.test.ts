/** Searching and listing: what is found, in which order, what is left out, and that it is said. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import { type Json, Scratch } from "../support.ts";

const text = async (
  scratch: Scratch,
  tool: string,
  args: Json,
  more: { env?: Record<string, string> } = {},
) => {
  const { stdout, stderr, code } = await scratch.agent(["exec", tool, JSON.stringify(args)], more);
  return { text: stdout.replace(/\n$/, ""), stderr, code, lines: stdout.trimEnd().split("\n") };
};

function touched(scratch: Scratch, name: string, second: number, content = "needle\n"): void {
  scratch.file(name, content);
  utimesSync(path.join(scratch.work, name), second, second);
}

/** A repository, as far as ripgrep looks. */
function repository(scratch: Scratch, rules: string): void {
  mkdirSync(path.join(scratch.work, ".git"));
  scratch.file(".gitignore", rules);
}

test("files come newest first, those of one moment by name, fully sorted before the cut", async () => {
  using scratch = new Scratch();
  for (let i = 0; i < 30; i++) touched(scratch, `d${i % 7}/f${i}.txt`, 1000 + i);
  touched(scratch, "z/last.txt", 5000);
  touched(scratch, "b.txt", 4000);
  touched(scratch, "a.txt", 4000);
  const found = await text(scratch, "Grep", { pattern: "needle", head_limit: 4 });
  assert.deepEqual(found.lines, [
    "Found 33 files",
    "z/last.txt",
    "a.txt",
    "b.txt",
    "d1/f29.txt",
    "[29 more rows. Use offset=4 to continue]",
  ]);
  const next = await text(scratch, "Grep", { pattern: "needle", head_limit: 100, offset: 4 });
  assert.equal(next.lines.length, 30);
  assert.equal(next.lines[1], "d0/f28.txt");
  assert.doesNotMatch(next.text, /more rows/);
  const globbed = await text(scratch, "Glob", { pattern: "**/*.txt" });
  assert.deepEqual(globbed.lines.slice(0, 4), ["z/last.txt", "a.txt", "b.txt", "d1/f29.txt"]);
});

test("exactly as many as the cap is no cut; one more is told", async () => {
  using scratch = new Scratch();
  for (let i = 0; i < 100; i++) touched(scratch, `f${i}.txt`, 1000 + i);
  const all = await text(scratch, "Glob", { pattern: "*.txt" });
  assert.equal(all.lines.length, 100);
  assert.doesNotMatch(all.text, /more/);
  touched(scratch, "one_more.txt", 1);
  const cut = await text(scratch, "Glob", { pattern: "*.txt" });
  assert.equal(cut.lines.at(-1), "[1 more files. Use offset=100 to continue]");
  const listed = await text(scratch, "ListDir", { dir_path: ".", limit: 101 });
  assert.equal(listed.lines.length, 102);
  assert.doesNotMatch(listed.text, /More entries/);
  const fewer = await text(scratch, "ListDir", { dir_path: ".", limit: 100 });
  assert.equal(fewer.lines.at(-1), "More entries available. Use offset=101 to continue.");
});

test("lines come by path with numbers, lines around them and a mark between groups", async () => {
  using scratch = new Scratch();
  scratch.file("b.txt", "one\ntwo needle\nthree\nfour\nfive\nneedle six\n");
  scratch.file("a/c.txt", "needle\n");
  const found = await text(scratch, "Grep", { pattern: "needle", output_mode: "content", "-B": 1, "-A": 1 });
  assert.deepEqual(found.lines, [
    "a/c.txt:1:needle",
    "--",
    "b.txt-1-one",
    "b.txt:2:two needle",
    "b.txt-3-three",
    "--",
    "b.txt-5-five",
    "b.txt:6:needle six",
  ]);
  const plain = await text(scratch, "Grep", {
    pattern: "NEEDLE",
    output_mode: "content",
    "-n": false,
    "-i": true,
  });
  assert.deepEqual(plain.lines, ["a/c.txt:needle", "b.txt:two needle", "b.txt:needle six"]);
  const counted = await text(scratch, "Grep", { pattern: "needle", output_mode: "count" });
  assert.deepEqual(counted.lines, ["Found 3 lines in 2 files", "a/c.txt:1", "b.txt:2"]);
  const cut = await text(scratch, "Grep", { pattern: "needle", output_mode: "content", head_limit: 2 });
  assert.deepEqual(cut.lines.slice(1), ["b.txt:2:two needle", "[1 more rows. Use offset=2 to continue]"]);
  const over = await text(scratch, "Grep", {
    pattern: "two.*\\nthree",
    output_mode: "content",
    multiline: true,
  });
  assert.deepEqual(over.lines, ["b.txt:2:two needle", "b.txt:3:three"]);
});

test("ignored files are searched only where they are named, and an answer without matches says so", async () => {
  using scratch = new Scratch();
  repository(scratch, "scripts/*\n*.log\n");
  scratch.file("scripts/x.py", "needle\n");
  scratch.file("a.log", "needle\n");
  scratch.file(".github/w.yml", "hidden_needle\n");
  scratch.file(".git/config", "needle\n");
  const named = await text(scratch, "Grep", { pattern: "needle", path: "scripts" });
  assert.deepEqual(named.lines.slice(0, 2), ["Found 1 file", "scripts/x.py"]);
  assert.match(named.text, /\[Ignore rules of folders above .* because the folder was named\]/);
  assert.equal((await text(scratch, "Grep", { pattern: "^needle", path: "a.log" })).lines[1], "a.log");
  const none = await text(scratch, "Grep", { pattern: "^needle" });
  assert.equal(none.code, 0);
  assert.equal(none.lines[0], 'No matches found for "^needle" in "."');
  assert.match(none.text, /But 2 files \("a\.log", "scripts\/x\.py"\) left out by ignore rules: name/);
  assert.match(
    none.text,
    /left out: \.gitignore, \.ignore .*; folders of version control; binary files; case/,
  );
  assert.deepEqual((await text(scratch, "Grep", { pattern: "hidden_needle" })).lines[1], ".github/w.yml");
  const globbed = await text(scratch, "Glob", { pattern: "**/*.py" });
  assert.match(
    globbed.text,
    /No files found for "\*\*\/\*\.py" in "\."\nBut 1 file left out .*"scripts\/x\.py"/,
  );
  assert.equal((await text(scratch, "Glob", { pattern: "*.py", path: "scripts" })).lines[0], "scripts/x.py");
  assert.equal((await text(scratch, "Glob", { pattern: "**/*.yml" })).lines[0], ".github/w.yml");
});

test("patterns, globs, types and paths are data, whatever they begin with", async () => {
  using scratch = new Scratch();
  scratch.file("-n.txt", "x -77 --pdf-engine -> -e -- (x)\n");
  for (const pattern of ["-77", "--pdf-engine", "-e", "->", "--", "\\(x\\)", "-n", "--files"]) {
    const { code, lines } = await text(scratch, "Grep", { pattern });
    assert.equal(code, 0);
    assert.equal(lines[1], ["-n", "--files"].includes(pattern) ? lines[1] : "-n.txt", pattern);
  }
  assert.deepEqual((await text(scratch, "Glob", { pattern: "-*.txt" })).lines, ["-n.txt"]);
  assert.equal(
    (await text(scratch, "Grep", { pattern: "77", path: "-n.txt", output_mode: "content" })).lines[0],
    "-n.txt:1:x -77 --pdf-engine -> -e -- (x)",
  );
  assert.match(
    (await text(scratch, "Grep", { pattern: "77", glob: "!*.txt" })).text,
    /No matches .*[^]*glob "!\*\.txt"/,
  );
  assert.match((await text(scratch, "Grep", { pattern: "77", glob: "--pre=touch evil" })).text, /No matches/);
  assert.match(
    (await text(scratch, "Grep", { pattern: "77", path: "--pre=x" })).stderr,
    /no such file or folder/,
  );
  const odd = await text(scratch, "Grep", { pattern: "77", type: "--help" });
  assert.match(odd.stderr, /Cannot search for "77": unrecognized file type: --help[^]*by glob/);
  assert.match((await text(scratch, "Grep", { pattern: "a\0b" })).stderr, /holds a NUL character/);
});

test("what goes wrong is an error with its reason, or a warning beside what was found", {
  skip: process.getuid?.() === 0 && process.platform === "win32",
}, async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "needle\n");
  const bad = await text(scratch, "Grep", { pattern: "(" });
  assert.equal(bad.code, 1);
  assert.match(bad.stderr, /Cannot search for "\(": regex parse error:[^]*unclosed group/);
  assert.doesNotMatch(bad.stderr, /PCRE2/);
  assert.equal((await text(scratch, "Grep", { pattern: "(?<=need)le" })).lines[1], "a.txt");
  scratch.file("two.txt", "a\nb\n");
  for (const pattern of ["a\nb", "a\\nb"]) {
    assert.equal((await text(scratch, "Grep", { pattern })).lines[1], "two.txt", "it goes over two lines");
  }
  assert.match(
    (await text(scratch, "Grep", { pattern: "x", path: "nope" })).stderr,
    /Cannot search "nope": no such file/,
  );
  assert.match(
    (await text(scratch, "Glob", { pattern: "*", path: "a.txt" })).stderr,
    /Cannot search "a\.txt": it is a file/,
  );
  assert.match(
    (await text(scratch, "ListDir", { dir_path: "a.txt" })).stderr,
    /Cannot list "a\.txt": it is not a folder/,
  );
  scratch.file(".ignore", "a{b\n");
  const warned = await text(scratch, "Grep", { pattern: "needle" });
  assert.deepEqual(warned.lines.slice(0, 2), ["Found 1 file", "a.txt"]);
  assert.match(warned.text, /\[Not searched: "\.ignore": line 1: .*unclosed/);
});

test("a folder that can't be entered is named, and the rest is found", {
  skip: process.getuid?.() === 0 && "the superuser enters every folder",
}, async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "needle\n");
  scratch.file("shut/b.txt", "needle\n");
  chmodSync(path.join(scratch.work, "shut"), 0);
  try {
    assert.match(
      (await text(scratch, "Grep", { pattern: "needle" })).text,
      /a\.txt\n\[Not searched: "shut": Permission denied/,
    );
  } finally {
    chmodSync(path.join(scratch.work, "shut"), 0o700);
  }
});

test("links to folders are not followed, but for one that is named; each file is found once", async () => {
  using scratch = new Scratch();
  scratch.file("a/real.txt", "needle\n");
  mkdirSync(path.join(scratch.work, "b"));
  const link = (target: string, name: string) => symlinkSync(target, path.join(scratch.work, name));
  link("..", "a/loop");
  link("../a", "b/x");
  link("itself", "itself");
  link("nowhere", "dangling");
  assert.deepEqual((await text(scratch, "Glob", { pattern: "**/*.txt" })).lines, ["a/real.txt"]);
  assert.deepEqual((await text(scratch, "Grep", { pattern: "needle" })).lines, [
    "Found 1 file",
    "a/real.txt",
  ]);
  assert.deepEqual(
    (await text(scratch, "Grep", { pattern: "needle", path: "b/x" })).lines[1],
    "b/x/real.txt",
  );
  const listed = await text(scratch, "ListDir", { dir_path: ".", depth: 10 });
  assert.deepEqual(listed.lines.slice(1), [
    ...["a/", "  loop@", "  real.txt", "b/", "  x@", "dangling@", "itself@"],
  ]);
});

test("of a long line what is around the match is shown, and no half of a secret", async () => {
  using scratch = new Scratch();
  const secret = "tok_0123456789abcdefghijklmnopqrstuvwxyz";
  scratch.settings({ secrets: ["TOKEN"] });
  const line = `${"x".repeat(5000)}${secret}${"y".repeat(80)}needle${"z".repeat(400)}${"w".repeat(5000)}`;
  scratch.file("long.txt", `${line}\nshort needle\n`);
  const { lines } = await text(scratch, "Grep", { pattern: "needle", output_mode: "content" }, {
    env: { TOKEN: secret },
  });
  assert.match(lines[0]!, /^long\.txt:1:….*needlez+…$/);
  assert.ok(lines[0]!.length < 700, String(lines[0]!.length));
  for (let at = 0; at + 8 <= secret.length; at++) {
    assert.ok(!lines[0]!.includes(secret.slice(at, at + 8)), lines[0]);
  }
  assert.equal(lines[1], "long.txt:2:short needle");
});

test("what rules keep from being read is not found either, and that something was left out is said", async () => {
  using scratch = new Scratch();
  scratch.settings({ permissions: { deny: ["Read(private/**)"] } });
  scratch.file("open.txt", "needle\n");
  scratch.file("private/key.txt", "needle key\n");
  for (const output_mode of ["files_with_matches", "content", "count"]) {
    const found = await text(scratch, "Grep", { pattern: "needle", output_mode });
    assert.match(found.text, /open\.txt/);
    assert.doesNotMatch(found.text, /key|private/);
    assert.match(found.text, /\[1 file left out: permission rules keep/);
  }
  assert.doesNotMatch((await text(scratch, "Grep", { pattern: "needle key" })).text, /private/);
  assert.doesNotMatch((await text(scratch, "Glob", { pattern: "**/*.txt" })).text, /private/);
  const named = await text(scratch, "Grep", { pattern: "needle", path: "private" });
  assert.match(named.text, /^No matches[^]*\[1 file left out: permission rules keep/);
});

test("binary files that match are named, their lines are not shown", async () => {
  using scratch = new Scratch();
  writeFileSync(path.join(scratch.work, "b.bin"), new Uint8Array([110, 101, 101, 100, 108, 101, 0, 1]));
  const none = await text(scratch, "Grep", { pattern: "needle" });
  assert.match(none.text, /^No matches[^]*Binary files match: 1 file \("b\.bin"\)/);
  scratch.file("a.txt", "needle\n");
  const found = await text(scratch, "Grep", { pattern: "needle", output_mode: "content" });
  assert.deepEqual(found.lines, [
    "a.txt:1:needle",
    '[Binary files match, their lines are not shown: 1 file ("b.bin")]',
  ]);
});

test("the search in WebAssembly finds the same", async () => {
  using scratch = new Scratch();
  repository(scratch, "*.log\n");
  scratch.file("a.log", "needle\n");
  touched(scratch, "b/c.txt", 1000, "one\nneedle ä\n");
  touched(scratch, "-d.txt", 2000);
  const portable = { env: { AGENT_SEARCH: "portable" } };
  const calls: [string, Json][] = [
    ["Grep", { pattern: "needle" }],
    ["Grep", { pattern: "needle", output_mode: "content", "-B": 2 }],
    ["Grep", { pattern: "needle", output_mode: "count", path: "b" }],
    ["Grep", { pattern: "nothing" }],
    ["Glob", { pattern: "**/*.txt" }],
  ];
  for (const [tool, args] of calls) {
    const here = await text(scratch, tool, args);
    assert.equal((await text(scratch, tool, args, portable)).text, here.text);
    assert.equal(here.code, 0);
  }
  assert.match((await text(scratch, "Grep", { pattern: "(?<=x)y" }, portable)).stderr, /look-around/);
});

test("families see their own text", async () => {
  using scratch = new Scratch();
  repository(scratch, "*.log\n");
  touched(scratch, "a.txt", 1000, "one\nNeedle\n");
  scratch.file(".geminiignore", "secret.txt\n");
  touched(scratch, "secret.txt", 900);
  scratch.file("b.log", "");
  assert.deepEqual((await text(scratch, "GrepFiles", { pattern: "Needle", include: "*.txt" })).lines, [
    "a.txt",
  ]);
  assert.deepEqual(
    (await text(scratch, "SearchFileContent", { pattern: "needle", include: "*.txt" })).lines,
    [
      'Found 1 match for pattern "needle" in path "." (filter: "*.txt"):',
      ...["---", "File: a.txt", "L2: Needle", "---"],
      "[1 file left out by .geminiignore]",
    ],
  );
  assert.deepEqual((await text(scratch, "GlobGemini", { pattern: "*.TXT" })).lines.slice(0, 2), [
    'Found 1 file matching "*.TXT" within ., sorted by modification time (newest first):',
    "a.txt",
  ]);
  const listed = await text(scratch, "ListDirectory", { dir_path: "." });
  assert.deepEqual(listed.lines.slice(1, 5), ["[DIR] .git", ".geminiignore", ".gitignore", "a.txt"]);
  assert.match(listed.text, /\[1 left out: \.gitignore\]/);
});
