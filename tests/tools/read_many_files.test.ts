/** Reading many files: which are found, which are left out and why, and that each is guarded like any file. */
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { test } from "node:test";
import { type Json, run, Scratch, textOf } from "../support.ts";
import { external, runtimeIn } from "../core/in_process.ts";

const PNG = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="),
  (unit) => unit.charCodeAt(0),
);

/** Files by name, each with its name's letters as content. */
function files(scratch: Scratch, ...names: string[]): void {
  for (const name of names) scratch.file(name, `in ${name}\n`);
}

/** The texts of several calls, in one start. */
async function texts(scratch: Scratch, calls: Json[], flags: string[] = []): Promise<string[]> {
  const { results } = await scratch.batch(calls.map((args) => ({ name: "ReadManyFiles", args })), flags);
  return results.map(textOf);
}

/** The headings of a result, in order. */
function read(text: string): string[] {
  return [...text.matchAll(/^--- (.*) ---$/gm)].map(([, name]) => name!).filter((name) =>
    name !== "End of content"
  );
}

function lastLine(text: string): string {
  return text.split("\n").at(-1)!;
}

test("both faces show files under headings, without line numbers, sorted by path", async () => {
  using scratch = new Scratch();
  scratch.file("b/2.txt", "two\n\nlines\n");
  files(scratch, "b.txt", "B.txt", "a/z.txt", ".hidden.txt");
  scratch.file("a/empty.txt", "");
  for (const name of ["ReadManyFiles", "read_many_files"]) {
    const { result, code } = await scratch.exec([name, '{"include":["**/*.txt","b"]}']);
    assert.equal(code, 0);
    assert.equal(result.tool, "read_many_files");
    assert.equal(
      textOf(result),
      "--- B.txt ---\n\nin B.txt\n\n--- a/empty.txt ---\n\n[the file is empty]\n\n--- a/z.txt ---\n\nin a/z.txt\n\n" +
        "--- b.txt ---\n\nin b.txt\n\n--- b/2.txt ---\n\ntwo\n\nlines\n\n--- End of content ---\n5 files read, 0 skipped",
    );
  }
});

test("a pattern is a glob, a file or a folder; what is there byte for byte is no glob", async () => {
  using scratch = new Scratch();
  files(
    scratch,
    "app/[id]/p.ts",
    "app/(auth)/p.ts",
    "app/i/p.ts",
    "src/x.ts",
    "src/deep/y.ts",
    ".ci/run.yml",
    "-n.txt",
  );
  files(scratch, "~/home.txt", "odd/a\\b.txt");
  const found = (await texts(scratch, [
    { include: ["app/[id]/p.ts"] },
    { include: ["app/[id]/*"] },
    { include: ["app/(auth)/**"] },
    { include: ["src"] },
    { include: ["src"], recursive: false },
    { include: ["src/**/*.ts"], recursive: false },
    { include: [".ci/*"] },
    { include: ["*"] },
    { include: ["*/home.txt", "odd/*"] },
    { include: ["{src,app}/*/{p,y}.ts", "./src/x.ts", "src/./*"] },
  ])).map(read);
  assert.deepEqual(found, [
    ["app/[id]/p.ts"],
    ["app/[id]/p.ts"],
    ["app/(auth)/p.ts"],
    ["src/deep/y.ts", "src/x.ts"],
    ["src/x.ts"],
    ["src/x.ts"],
    [".ci/run.yml"],
    ["-n.txt"],
    ["odd/a\\b.txt", "~/home.txt"],
    ["app/(auth)/p.ts", "app/[id]/p.ts", "app/i/p.ts", "src/deep/y.ts", "src/x.ts"],
  ]);
});

test("ignore files hold below their folder, the nearest one decides, and what is named is read", async () => {
  using scratch = new Scratch();
  files(scratch, "a.log", "a.txt", "sub/b.log", "sub/keep.log", "gen/x.txt", "gen/y.txt", "private.txt");
  scratch.file(".gitignore", "*.log\n/gen/\n");
  scratch.file("sub/.gitignore", "!keep.log\n");
  scratch.file("gen/.gitignore", "!*\n");
  scratch.file(".geminiignore", "private*\n");
  const all = { include: ["**/*.{txt,log}"] };
  const off = { respect_git_ignore: false, respect_gemini_ignore: false };
  const found = (await texts(scratch, [
    all,
    { ...all, file_filtering_options: { respect_git_ignore: false } },
    { ...all, file_filtering_options: off },
    { include: ["a.log", "gen", "private.txt"] },
  ])).map(read);
  assert.deepEqual(found, [
    ["a.txt", "sub/keep.log"],
    ["a.log", "a.txt", "gen/x.txt", "gen/y.txt", "sub/b.log", "sub/keep.log"],
    ["a.log", "a.txt", "gen/x.txt", "gen/y.txt", "private.txt", "sub/b.log", "sub/keep.log"],
    ["a.log", "gen/x.txt", "gen/y.txt"],
  ]);
});

test("the repository's ignore file counts from a folder below it, one above the repository doesn't", async () => {
  using scratch = new Scratch();
  scratch.file("../.gitignore", "*\n");
  scratch.file(".gitignore", "*.log\n");
  scratch.folder("work/.git");
  files(scratch, "pkg/a.log", "pkg/a.txt");
  const { result } = await scratch.exec(["ReadManyFiles", '{"include":["*"]}'], {
    cwd: `${scratch.work}/pkg`,
  });
  assert.deepEqual(read(textOf(result)), ["a.txt"]);
});

test("exclude takes globs, and names anywhere; default excludes are let in by name or by switch", async () => {
  using scratch = new Scratch();
  files(
    scratch,
    "a.txt",
    "a.test.txt",
    "tmp/b.txt",
    "x/tmp/c.txt",
    "x/d.txt",
    "node_modules/m/i.txt",
    "x/dist/o.txt",
  );
  files(scratch, "yarn.lock", "x.zip");
  const include = ["**"];
  const found = (await texts(scratch, [
    { include, exclude: ["tmp", "**/*.test.txt"] },
    { include, exclude: ["tmp/", "*.test.*", "x/d.txt"] },
    { include, exclude: ["**"] },
    { include, useDefaultExcludes: false, exclude: ["x/**", "tmp"] },
    { include: ["node_modules/**", "**/dist/*", "*.lock", "*.zip", "yarn.lock"] },
  ])).map(read);
  assert.deepEqual(found, [
    ["a.txt", "x/d.txt"],
    ["a.txt"],
    [],
    ["a.test.txt", "a.txt", "node_modules/m/i.txt", "x.zip", "yarn.lock"],
    ["node_modules/m/i.txt", "x.zip", "x/dist/o.txt", "yarn.lock"],
  ]);
});

test("a search that finds nothing says which filters may have hidden something", async () => {
  using scratch = new Scratch();
  files(scratch, "a.log", "b.log", "c.log", "node_modules/d.log", "e.log");
  scratch.file(".gitignore", "?.log\n!e.log\n");
  const [text, plain] = await texts(scratch, [
    { include: ["**/*.log"], exclude: ["e.*"] },
    { include: ["*.none"], useDefaultExcludes: false, file_filtering_options: { respect_git_ignore: false } },
  ]);
  assert.match(text!, /^No files to read: nothing matched "\*\*\/\*\.log"\n/);
  assert.match(text!, /\n3 files that matched were left out by \.gitignore\n/);
  assert.match(text!, /\n1 file that matched was left out by exclude\n/);
  assert.match(text!, /\n1 folder was not entered by default\n/);
  assert.match(text!, /\nFilters in force: exclude, \.gitignore, \.geminiignore, the default excludes$/);
  assert.equal(plain, 'No files to read: nothing matched "*.none"\nFilters in force: .geminiignore');
});

test("a file that a rule denies is skipped with the reason, and the others are read", async () => {
  using scratch = new Scratch();
  files(scratch, "a.txt", "secret.txt");
  for (const include of [["*.txt"], ["a.txt", "secret.txt"]]) {
    const args = ["ReadManyFiles", JSON.stringify({ include }), "--deny", "Read(secret.txt)"];
    const { result } = await scratch.exec(args);
    const text = textOf(result);
    assert.deepEqual(read(text), ["a.txt"]);
    assert.doesNotMatch(text, /in secret/);
    assert.match(
      lastLine(text),
      /^1 file read, 1 skipped: secret\.txt \(.*denied \(the deny rule "Read\(secret\.txt\)"\)\)$/,
    );
  }
});

test("outside the working folder it needs leave: for the folder, and by rules for each file", async () => {
  using scratch = new Scratch();
  scratch.file("../out/a.txt", "outside\n");
  scratch.file("../out/b.txt", "secret\n");
  scratch.file("in.txt", "inside\n");
  symlinkSync("../out/a.txt", `${scratch.work}/link.txt`);
  const call = [{ include: ["../out/*.txt"] }];
  const [refused] = await texts(scratch, call);
  assert.match(refused!, /^Cannot run ReadManyFiles: nobody said yes \(mode default: reading outside/);
  const rules = [
    "--allow",
    `ReadManyFiles(/${scratch.root}/out)`,
    "--deny",
    `Read(/${scratch.root}/out/b.txt)`,
  ];
  const [allowed] = await texts(scratch, call, rules);
  assert.match(allowed!, /\/out\/a\.txt ---\n\noutside\n/);
  assert.match(lastLine(allowed!), /^1 file read, 1 skipped: .*b\.txt \(.*deny rule/);
  const [linked] = await texts(scratch, [{ include: ["*.txt"] }]);
  assert.deepEqual(read(linked!), ["in.txt"]);
  assert.match(lastLine(linked!), /link\.txt \(.*nobody said yes \(mode default: reading outside/);
});

test("hooks and mods that watch reading see each file, and what they change holds", async () => {
  using scratch = new Scratch();
  files(scratch, "a.txt", "b.txt", "c.txt", "d.txt");
  const hook =
    `f=$(cat); case "$f" in *a.txt*) echo "not a" >&2; exit 2;; esac; printf '%s\\n' "$f" >> "${scratch.root}/seen"`;
  const hooks = scratch.file(
    "../hooks.json",
    JSON.stringify({
      hooks: { PreToolUse: [{ matcher: "Read", hooks: [{ type: "command", command: hook }] }] },
    }),
  );
  scratch.plugin(
    "guard",
    `agent.on("tool_start", (call) => {
       if (call.args.path?.endsWith("b.txt")) return { deny: "not b" };
       if (call.args.path?.endsWith("c.txt")) return { result: "made up" };
     }, { tools: ["Read"] });
     agent.on("tool_end", (call, result) => {
       if (call.args.path?.endsWith("d.txt")) return { result: result.text.toUpperCase() + " " + (call.parent !== undefined) };
     }, { tools: ["read_file"] });`,
  );
  const args = ["ReadManyFiles", '{"include":["*.txt"]}', "--plugins", "p", "--hooks", hooks];
  const { result, stderr } = await scratch.exec(args);
  const text = textOf(result);
  assert.match(text, /^--- c\.txt ---\n\nmade up\n\n--- d\.txt ---\n\nIN D\.TXT true\n\n--- End/, stderr);
  assert.match(lastLine(text), /^2 files read, 2 skipped: a\.txt \(.*not a.*\); b\.txt \(.*not b.*\)$/);
  const seen = scratch.read("../seen").trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(seen.map(({ tool_name }) => tool_name), ["Read"]);
  assert.ok(seen[0].tool_input.file_path.endsWith("/d.txt"));
});

test("a loop of links, a pipe, a dangling link and binary bytes are skipped and said", async () => {
  using scratch = new Scratch();
  files(scratch, "a/x.txt");
  symlinkSync("..", `${scratch.work}/a/loop`);
  symlinkSync("nowhere", `${scratch.work}/dangling`);
  symlinkSync("x.txt", `${scratch.work}/a/same.txt`);
  scratch.file("bytes", new Uint8Array([0, 1, 2, 3]));
  await run(["mkfifo", `${scratch.work}/pipe`]);
  const { result, code } = await scratch.exec(["--timeout", "20", "ReadManyFiles", '{"include":["**"]}']);
  const text = textOf(result);
  assert.equal(code, 0);
  assert.deepEqual(read(text), ["a/same.txt", "a/x.txt"]);
  const last = lastLine(text);
  assert.match(
    last,
    /^2 files read, 4 skipped: a\/loop \(a link to a folder, which is not followed\); bytes \(binary/,
  );
  assert.match(last, /dangling \(.*no such file\); pipe \(.*named pipe\)$/);
  // A link that is named itself is followed once.
  const named = await scratch.exec(["ReadManyFiles", '{"include":["a/loop/*/x.txt"]}']);
  assert.deepEqual(read(textOf(named.result)), ["a/loop/a/x.txt"]);
});

test("patterns that can't be meant are errors with a hint; none leads out of its folder", async () => {
  using scratch = new Scratch();
  scratch.file("../up.txt", "up\n");
  files(scratch, "a/x.txt", "..dots/y.txt");
  const { results } = await scratch.batch(
    [["a\0b"], ["a/*/../../up.txt"], ["!a/*"], ["*a*a*a*a*a"], [""], [], ["..*/*"], ["{..,a}/*.txt"], [
      "[",
      "a/[",
    ]]
      .map((include) => ({ name: "ReadManyFiles", args: { include } })),
    ["--mode", "bypassPermissions"],
  );
  const got = results.map(({ outcome, ...result }) => `${outcome}: ${textOf(result).split("\n")[0]}`);
  assert.match(got[0]!, /^invalid: .*holds a NUL character$/);
  assert.match(got[1]!, /^invalid: .*has "\.\." after a wildcard$/);
  assert.match(got[2]!, /^error: Cannot use the pattern "!a\/\*": it begins with "!"$/);
  assert.match(got[3]!, /^invalid: .*too many wildcards$/);
  assert.match(got[4]!, /^invalid: /);
  assert.match(got[5]!, /^invalid: /);
  assert.deepEqual(got.slice(6), [
    "success: --- ..dots/y.txt ---",
    "success: --- a/x.txt ---",
    'success: No files to read: nothing matched "[", "a/["',
  ]);
  assert.doesNotMatch(JSON.stringify(results), /up\\n/);
});

test("images and documents are shown only where a pattern names them", async () => {
  using scratch = new Scratch();
  files(scratch, "a.txt");
  scratch.file("shot.png", PNG);
  const calls = [["*"], ["*.png"], ["shot.*"], ["*.{jpg,png}", "a.txt"]];
  const { results } = await scratch.batch(
    calls.map((include) => ({ name: "ReadManyFiles", args: { include } })),
  );
  assert.match(lastLine(textOf(results[0]!)), /^1 file read, 1 skipped: shot\.png \(an image/);
  for (const { content } of results.slice(1)) {
    const images = content.filter(({ type }: Json) => type === "image");
    assert.deepEqual(images.map(({ mediaType }: Json) => mediaType), ["image/png"]);
  }
});

test("names that aren't there are said first, also where there is no room for the rest", async () => {
  using scratch = new Scratch();
  for (let at = 0; at < 30; at++) scratch.file(`a${at}.txt`, `${"x".repeat(99)}\n`.repeat(100));
  const [text] = await texts(scratch, [{ include: ["*.txt", "zone.txt"] }]);
  assert.match(
    text!,
    /read, 1 skipped: zone\.txt \(Cannot read ".*zone\.txt": no such file\)\n\d+ files left/,
  );
});

test("each file gets a fair share, and what small ones leave over goes to the large ones", async () => {
  using scratch = new Scratch();
  const large = `${"x".repeat(99)}\n`.repeat(1000);
  for (const name of ["a", "b", "d"]) scratch.file(`${name}.txt`, large);
  scratch.file("c.txt", "small\n");
  scratch.file("e.txt", `${"y".repeat(99)}\n`.repeat(60));
  const [text, alone] = await texts(scratch, [{ include: ["*.txt"] }, { include: ["a.txt", "c.txt"] }]);
  assert.deepEqual(read(text!), ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"]);
  const shown = [
    ...text!.matchAll(/\[lines 1-(\d+) of 1000 shown; read this file by itself from line (\d+)\]/g),
  ];
  assert.equal(shown.length, 3);
  // What e.txt doesn't need of its fifth is theirs.
  for (const [, last, next] of shown) {
    assert.ok(Number(last) >= 60 && Number(last) <= 70, last);
    assert.equal(Number(next), Number(last) + 1);
  }
  assert.equal(text!.match(/^y+$/gm)!.length, 60);
  assert.match(text!, /\n5 files read, 0 skipped$/);
  assert.ok(alone!.match(/^x+$/gm)!.length > 240);
});

test("a file whose first line is longer than its share still shows that line", async () => {
  using scratch = new Scratch();
  for (let at = 10; at < 50; at++) scratch.file(`${at}.txt`, `${"x".repeat(1990)}\nnext\n`.repeat(5));
  const [text] = await texts(scratch, [{ include: ["*.txt"] }]);
  assert.match(
    text!,
    /^--- 10\.txt ---\n\nx{1990}\n\[lines 1-1 of 10 shown; .* from line 2\]\n\n--- 11\.txt/,
  );
});

test("of a huge file no more is read than is shown", async () => {
  using scratch = new Scratch();
  const { openSync, truncateSync, closeSync } = await import("node:fs");
  const huge = scratch.file("huge.log", `${"x".repeat(99)}\n`.repeat(10_000));
  // A terabyte, which nobody reads to its end.
  closeSync(openSync(huge, "r+"));
  truncateSync(huge, 2 ** 40);
  const ran = await scratch.exec(["--timeout", "60", "ReadManyFiles", '{"include":["huge.log"]}']);
  const [, last, total] = /\[lines 1-(\d+) of at least (\d+) shown;/.exec(textOf(ran.result))!;
  assert.ok(Number(last) > 200 && Number(total) < 10_000, `${last} ${total}`);
  const args = '{"path":"huge.log","offset":3,"limit":2,"mode":"head"}';
  const one = await scratch.exec(["--timeout", "60", "--toolset", "lean", "read_file", args]);
  assert.match(textOf(one.result), /\n\[lines 3-4 of at least \d+ shown\. Use offset=5 to continue\]$/);
});

test("where nothing could be read it is an error", async () => {
  using scratch = new Scratch();
  files(scratch, "a.txt", "b.txt");
  const refused = await scratch.exec(["ReadManyFiles", '{"include":["*.txt"]}', "--deny", "Read(*.txt)"]);
  assert.equal(refused.result.status, "error");
  assert.match(textOf(refused.result), /\n0 files read, 2 skipped: a\.txt/);
  const { results } = await scratch.batch(
    [["none.txt"], ["none.txt", "a.txt"], ["*.none"]].map((include) => ({
      name: "ReadManyFiles",
      args: { include },
    })),
  );
  assert.deepEqual(results.map(({ status }) => status), ["error", "success", "success"]);
});

test("a result keeps to its limit: files are cut at a line, the rest is named with true counts", async () => {
  using scratch = new Scratch();
  const lines = Array.from({ length: 1500 }, (_, index) => `line ${index + 1} ${"x".repeat(200)}`);
  scratch.file("a.txt", "short\n");
  scratch.file("b.txt", lines.join("\n"));
  for (let at = 0; at < 40; at++) scratch.file(`c${at + 10}.txt`, `${"rest\n".repeat(500)}`);
  const [text] = await texts(scratch, [{ include: ["*.txt"] }]);
  assert.ok(text!.length <= 30_000);
  assert.doesNotMatch(text!, /omitted/);
  const names = read(text!);
  assert.deepEqual(names.slice(0, 3), ["a.txt", "b.txt", "c10.txt"]);
  const [, shown, next] = /\[lines 1-(\d+) of 1500 shown; read this file by itself from line (\d+)\]/.exec(
    text!,
  )!;
  assert.equal(Number(next), Number(shown) + 1);
  assert.ok(text!.includes(`line ${shown} x`) && !text!.includes(`line ${next} x`));
  assert.ok(Number(shown) > 5 && text!.length > 25_000, `${shown} ${text!.length}`);
  const left = 42 - names.length;
  const first = names.length - 2 + 10;
  assert.ok(
    text!.includes(
      `\n${names.length} files read, 0 skipped\n${left} files left, for which there was no room: c${first}.txt, `,
    ),
  );
  assert.ok(text!.includes(`c${first + 19}.txt, … and ${left - 20} more\n`));
  assert.doesNotMatch(text!, /read_file/);

  scratch.settings({ limits: { read_many_files: 600 } });
  const [small] = await texts(scratch, [{ include: ["*.txt"] }]);
  assert.ok(small!.length <= 600, `${small!.length}`);
  assert.match(small!, /^--- a\.txt ---\n\nshort\n/);
  assert.match(small!, /4[01] files left/);
});

test("ten thousand matches are listed without being opened", async () => {
  using scratch = new Scratch();
  for (let at = 0; at < 10_000; at++) scratch.file(`many/${at}`, "x".repeat(200));
  const runtime = await runtimeIn(scratch);
  const turn = await runtime.prepareTurn({ toolset: "gemini" });
  const result = await runtime.call(turn, { name: "ReadManyFiles", args: { include: ["many"] } });
  await runtime.close();
  const [, opened, left] = /\n(\d+) files read, 0 skipped\n(\d+) files left/.exec(textOf(result as Json))!;
  assert.ok(Number(opened) < 200, opened);
  assert.equal(Number(opened) + Number(left), 10_000);
});

test("it works in a closed turn that doesn't show the reading tool; its calls have it as their parent", async () => {
  using scratch = new Scratch();
  files(scratch, "a.txt", "b.txt");
  const events: Json[] = [];
  const runtime = await runtimeIn(scratch, { onEvent: (event) => events.push(event) });
  const call = { id: "1", name: "read_many_files", args: { include: ["*.txt"] } };
  for (const options of [{ toolset: "gemini_snake" }, { tools: ["read_many_files"] }]) {
    events.length = 0;
    const turn = await runtime.prepareTurn(options);
    const result = await runtime.call(turn, call);
    assert.deepEqual(read(textOf(result as Json)), ["a.txt", "b.txt"]);
    const told = events.filter(({ type }) => type === "tool_start").map(({ name, parent }) => [name, parent]);
    assert.deepEqual(told, [["read_many_files", undefined], ["read_file", "1"], ["read_file", "1"]]);
    assert.equal(events.filter(({ type }) => type === "tool_end").length, 3);
  }
  // A tool of a host's that took the reading tool's name is not asked.
  runtime.addExternal(external("read_file", () => "not the file"));
  const turn = await runtime.prepareTurn({ toolset: "gemini_snake" });
  assert.match(textOf(await runtime.call(turn, call) as Json), /in a\.txt/);
  await runtime.close();
});

test("who can be asked is asked once for a folder, not for each file in it", async () => {
  using scratch = new Scratch();
  for (const name of ["a", "b", "c"]) scratch.file(`../out/${name}.txt`, `${name}\n`);
  const runtime = await runtimeIn(scratch, { mode: "default" });
  const turn = await runtime.prepareTurn({ toolset: "gemini_snake" });
  const asked: string[] = [];
  const ask = ({ name }: { name: string }) => {
    asked.push(name);
    return Promise.resolve(true);
  };
  const call = { name: "read_many_files", args: { include: ["../out/*"] } };
  const result = await runtime.call(turn, call, { origin: "model", ask });
  await runtime.close();
  assert.deepEqual(asked, ["read_many_files"]);
  assert.match(textOf(result as Json), /\n3 files read, 0 skipped$/);
});

test("an abort ends it between two files", async () => {
  using scratch = new Scratch();
  for (let at = 0; at < 20; at++) files(scratch, `${at}.txt`);
  const controller = new AbortController();
  let ended = 0;
  const runtime = await runtimeIn(scratch, {
    onEvent: (event) => {
      if (event.type === "tool_end" && ++ended === 3) controller.abort();
    },
  });
  const turn = await runtime.prepareTurn({ toolset: "gemini_snake" });
  const call = { name: "read_many_files", args: { include: ["*.txt"] } };
  const result = await runtime.call(turn, call, { signal: controller.signal });
  await runtime.close();
  assert.equal(result.outcome, "interrupted");
  assert.ok(ended < 7, `${ended}`);
});
