/** Patches: the Codex project's scenarios, and what we promise beyond them. */
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { concat } from "../../src/core/bytes.ts";
import { FileText } from "../../src/core/file_text.ts";
import { applyChunks as applyToFile } from "../../src/tools/patch/apply.ts";
import { type Change, type Chunk, parsePatch } from "../../src/tools/patch/parse.ts";
import { Seeker } from "../../src/tools/patch/seek.ts";
import { ROOT, Scratch, textOf } from "../support.ts";

const SCENARIOS = path.join(ROOT, "tests/scenarios/patch");

const seek = (lines: readonly string[], wanted: readonly string[], from: number, atEnd: boolean) =>
  new Seeker(lines).seek(wanted, from, atEnd);

function applyChunks(name: string, text: string, chunks: readonly Chunk[]): string {
  const file = new FileText(new TextEncoder().encode(text));
  return new TextDecoder().decode(concat([new Uint8Array(), ...applyToFile(name, file, chunks)]));
}

/** Every file below a folder with its text, but for git's own. */
function tree(folder: string): Record<string, string> {
  const files: Record<string, string> = {};
  if (!fs.existsSync(folder)) return files;
  for (const name of fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    const full = path.join(folder, name);
    if (fs.statSync(full).isFile() && path.basename(name) !== ".gitkeep") {
      files[name] = fs.readFileSync(full, "latin1");
    }
  }
  return files;
}

function patch(scratch: Scratch, input: string) {
  return scratch.exec(["apply_patch", JSON.stringify({ input })]);
}

for (const name of fs.readdirSync(SCENARIOS).filter((one) => /^\d/.test(one)).sort()) {
  test(`scenario ${name}`, async () => {
    using scratch = new Scratch();
    const folder = path.join(SCENARIOS, name);
    if (fs.existsSync(path.join(folder, "input"))) {
      fs.cpSync(path.join(folder, "input"), scratch.work, { recursive: true });
    }
    const before = tree(scratch.work);
    const { result } = await patch(scratch, fs.readFileSync(path.join(folder, "patch.txt"), "utf8"));
    const ours = path.join(folder, "expected-ours");
    const expected = tree(fs.existsSync(ours) ? ours : path.join(folder, "expected"));
    assert.deepEqual(tree(scratch.work), expected, textOf(result));
    assert.equal(
      result.status === "error",
      JSON.stringify(before) === JSON.stringify(expected),
      textOf(result),
    );
  });
}

test("the summary tells replaced and moved files from new ones", async () => {
  using scratch = new Scratch();
  scratch.file("exists.txt", "old\r\nlines\r\n");
  scratch.file("run.sh", "echo a\n", 0o750);
  const { result } = await patch(
    scratch,
    "*** Begin Patch\n*** Add File: new.txt\n+n\n*** Add File: exists.txt\n+a\n+b\n" +
      "*** Update File: run.sh\n*** Move to: bin/go.sh\n@@\n-echo a\n+echo $& $1\n*** End Patch",
  );
  assert.equal(
    textOf(result),
    "Success. Updated the following files:\nA new.txt\nM exists.txt (replaced)\nM bin/go.sh (moved from run.sh)",
  );
  assert.equal(scratch.read("exists.txt"), "a\r\nb\r\n");
  assert.equal(scratch.read("bin/go.sh"), "echo $& $1\n");
  assert.equal(fs.statSync(path.join(scratch.work, "bin/go.sh")).mode & 0o777, 0o750);
  assert.equal(scratch.exists("run.sh"), false);
});

test("hunks of one patch see each other, and a move onto itself is an update", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const { result } = await patch(
    scratch,
    "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** Update File: a.txt\n*** Move to: ./a.txt\n@@\n-two\n+three\n*** End Patch",
  );
  assert.equal(result.status, "success", textOf(result));
  assert.equal(scratch.read("a.txt"), "three\n");
});

test("deleting a link removes the link, changing it changes what it leads to", async () => {
  using scratch = new Scratch();
  scratch.file("target.txt", "one\n");
  fs.symlinkSync("target.txt", path.join(scratch.work, "link"));
  await patch(scratch, "*** Begin Patch\n*** Update File: link\n@@\n-one\n+two\n*** End Patch");
  assert.equal(scratch.read("target.txt"), "two\n");
  const { result } = await patch(scratch, "*** Begin Patch\n*** Delete File: link\n*** End Patch");
  assert.equal(result.status, "success", textOf(result));
  assert.deepEqual(fs.readdirSync(scratch.work), ["target.txt"]);
});

test("a patch that can't be written to its end is taken back", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  scratch.file("z", "a file where a folder is needed");
  const { result } = await patch(
    scratch,
    "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** Add File: z/new.txt\n+x\n*** End Patch",
  );
  assert.equal(result.status, "error");
  assert.equal(scratch.read("a.txt"), "one\n");
});

test("a place is found exactly first, then forgiving, and never where several are alike", () => {
  const lines = ["a", "  b ", "c", " b", "d"];
  assert.deepEqual(seek(lines, ["c"], 0, false), { at: 2 });
  assert.deepEqual(seek(lines, ["b", "c"], 0, false), { at: 1 });
  assert.deepEqual(seek(lines, ["b"], 0, false), { ambiguous: [1, 3] });
  assert.deepEqual(seek(lines, ["x"], 0, false), { missing: true });
  assert.deepEqual(seek(["x – “y”"], ['x - "y"'], 0, false), { at: 0 });
  assert.deepEqual(seek(["k", "m", "k"], ["k"], 0, true), { at: 2 });
});

test("a patch that finds no place says that nothing was written, and shows the nearest one", async () => {
  using scratch = new Scratch();
  scratch.file("m.js", "one();\nconst total = sum(items);\nreturn total;\n");
  scratch.file("rep.txt", "x\n  a\ny\n a\n");
  const update = (name: string, chunk: string) =>
    patch(scratch, `*** Begin Patch\n*** Update File: ${name}\n${chunk}\n*** End Patch`);
  const hints = [];
  for (
    const [name, chunk] of [
      ["m.js", "@@\n-const total = sum(things);\n+x"],
      ["m.js", "@@ const total = add(items)\n-return total;"],
      ["m.js", "@@\n return total;\n+x\n@@\n-one();"],
      ["m.js", "@@\n-zzzz"],
      ["rep.txt", "@@\n-a\n+b"],
    ] as const
  ) hints.push(textOf((await update(name, chunk)).result));
  const near = "the nearest place is line 2:\n2\tconst total = sum(items);\n3\treturn total;";
  assert.deepEqual(hints, [
    "Failed to find expected lines in m.js:\nconst total = sum(things);\n\n" +
    `hint: the hunk on line 3 of the patch; nothing was written; ${near}`,
    "Failed to find context 'const total = add(items)' in m.js\n\n" +
    `hint: the hunk on line 3 of the patch; nothing was written; ${near}`,
    "Failed to find expected lines in m.js:\none();\n\nhint: the hunk on line 6 of the patch; nothing was written; " +
    "line 1 has it, but the hunks and headers before it lead on to line 4",
    "Failed to find expected lines in m.js:\nzzzz\n\n" +
    "hint: the hunk on line 3 of the patch; nothing was written; read the file again",
    'Cannot place the hunk on line 3 of the patch in "rep.txt": no place is the same, and several are alike (lines 2, 4)' +
    "\n\nhint: copy the lines exactly, or add a line of context; nothing was written",
  ]);
});

test("several headers narrow the place, and an addition alone stands after its context", () => {
  const text = "class A\n  def f\n    x\nclass B\n  def f\n    x\n";
  const [hunk] = parsePatch(
    "*** Begin Patch\n*** Update File: a\n@@ class B\n@@   def f\n-    x\n+    y\n@@ class B\n+  # note\n*** End Patch",
  ) as [Extract<ReturnType<typeof parsePatch>[0], { kind: "update" }>];
  assert.throws(() => applyChunks("a", text, hunk.chunks), /Failed to find context 'class B'/);
  assert.equal(
    applyChunks("a", text, hunk.chunks.slice(0, 1)),
    "class A\n  def f\n    x\nclass B\n  def f\n    y\n",
  );
  assert.equal(
    applyChunks("a", text, hunk.chunks.slice(1)),
    "class A\n  def f\n    x\nclass B\n  # note\n  def f\n    x\n",
  );
});

test("the last newline is kept unless the last line changes or text follows it", () => {
  const update = (chunk: string) =>
    (parsePatch(`*** Begin Patch\n*** Update File: a\n${chunk}\n*** End Patch`)[0] as { chunks: Chunk[] })
      .chunks;
  assert.equal(applyChunks("a", "l1\nl2\nl3", update("@@\n-l1\n+L1")), "L1\nl2\nl3");
  assert.equal(applyChunks("a", "l1\nl2\nl3", update("@@\n l3\n+l4")), "l1\nl2\nl3\nl4\n");
  assert.equal(applyChunks("a", "l1\nl2\nl3", update("@@\n-l3")), "l1\nl2\n");
});

test("a random edit written as a patch gives the text that was meant, with every untouched byte as it was", () => {
  const line = fc.string({ unit: fc.constantFrom("a", "b", " ", "é", "$", "*", "@", "+"), maxLength: 6 });
  const end = fc.constantFrom("\n", "\r\n");
  const lines = fc.uniqueArray(line.map((text) => `x${text}`), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(
      lines,
      end,
      fc.nat(),
      fc.nat(3),
      fc.array(line, { maxLength: 3 }),
      (all, eol, at, gone, added) => {
        const start = at % all.length;
        const changes: Change[] = [
          ...all.slice(0, start).map((text) => ({ kind: "keep" as const, text })),
          ...all.slice(start, start + gone).map((text) => ({ kind: "remove" as const, text })),
          ...added.map((text) => ({ kind: "add" as const, text })),
        ];
        const text = all.map((one) => one + eol).join("");
        const meant = [...all.slice(0, start), ...added, ...all.slice(start + gone)].map((one) => one + eol)
          .join("");
        const result = applyChunks("f", text, [{ contexts: [], changes, atEnd: false, line: 1 }]);
        // An addition with nothing around it goes to the end.
        const alone = changes.every(({ kind }) => kind === "add");
        assert.equal(result, alone ? text + added.map((one) => one + eol).join("") : meant);
      },
    ),
  );
});

test("Codex models get the patch tool as free text with its grammar, and a function where asked for", async () => {
  using scratch = new Scratch();
  const ran = await scratch.agent(["tools", "--toolset", "codex_snake", "--json"]);
  const tool = JSON.parse(ran.stdout).find(({ name }: { name: string }) => name === "apply_patch");
  assert.equal(tool.type, "custom");
  assert.match(tool.format.definition, /^start: begin hunk\+ end/);
  const { results } = await scratch.batch([
    {
      type: "custom_tool_call",
      call_id: "c1",
      name: "apply_patch",
      input: "*** Begin Patch\n*** Add File: a\n+b\n*** End Patch",
    },
  ], ["--mode", "acceptEdits"]);
  assert.equal(results[0]!.type, "custom_tool_call_output");
  assert.equal(scratch.read("a"), "b\n");
});

test("a hook sees a patch as one call, which matches Edit and Write too", async () => {
  using scratch = new Scratch();
  const seen = path.join(scratch.root, "seen");
  const hooks = { PreToolUse: [{ matcher: "Edit", hooks: [{ type: "command", command: `cat > ${seen}` }] }] };
  scratch.settings({ hooks });
  await patch(scratch, "*** Begin Patch\n*** Add File: a\n+b\n*** End Patch");
  const { tool_name, tool_input } = JSON.parse(fs.readFileSync(seen, "utf8"));
  assert.equal(tool_name, "apply_patch");
  assert.match(tool_input.command, /Add File: a/);
});

test("a link that is moved or replaced goes itself, and what it led to stays", async () => {
  using scratch = new Scratch();
  scratch.file("t.txt", "one\n");
  const link = (name: string) => fs.symlinkSync("t.txt", path.join(scratch.work, name));
  link("l");
  await patch(scratch, "*** Begin Patch\n*** Delete File: l\n*** Add File: l\n+own\n*** End Patch");
  assert.deepEqual([scratch.read("l"), scratch.read("t.txt")], ["own\n", "one\n"]);
  assert.ok(fs.lstatSync(path.join(scratch.work, "l")).isFile());
  link("m");
  await patch(scratch, "*** Begin Patch\n*** Update File: m\n*** Move to: n\n@@\n-one\n+two\n*** End Patch");
  assert.deepEqual([scratch.read("n"), scratch.read("t.txt"), scratch.exists("m")], [
    "two\n",
    "one\n",
    false,
  ]);
});

test("a patch reads what it updates or moves, so a rule against reading forbids it", async () => {
  using scratch = new Scratch();
  scratch.file(".env", "TOKEN=abc\n");
  const flags = ["--deny", "Read(.env)", "--mode", "acceptEdits"];
  const call = (input: string) => ({ name: "apply_patch", args: { input } });
  const { results } = await scratch.batch([
    call("*** Begin Patch\n*** Update File: .env\n*** Move to: pub\n@@\n+x\n*** End Patch"),
    call("*** Begin Patch\n*** Update File: .env\n@@\n-TOKEN=abc\n+x\n*** End Patch"),
  ], flags);
  assert.deepEqual(results.map(({ outcome }) => outcome), ["denied", "denied"]);
  assert.deepEqual([scratch.read(".env"), scratch.exists("pub")], ["TOKEN=abc\n", false]);
});

test("a patch of a file that changed since it was read says so", async () => {
  using scratch = new Scratch();
  scratch.file("f", "one\ntwo\n");
  const { results } = await scratch.batch([
    { name: "Read", args: { file_path: "f" } },
    { name: "Bash", args: { command: "echo three >> f" } },
    {
      name: "apply_patch",
      args: { input: "*** Begin Patch\n*** Update File: f\n@@\n-one\n+1\n*** End Patch" },
    },
    { name: "Write", args: { file_path: "f", content: "x" } },
  ], ["--mode", "acceptEdits", "--allow", "Bash"]);
  assert.match(textOf(results[2]!), /^M f\nchanged since they were read: f$/m);
  assert.match(textOf(results[3]!), /it changed since it was read\n\nhint: read it again/);
});

test("what is no text is not edited or patched, and a text that takes its place is UTF-8", async () => {
  using scratch = new Scratch();
  const bytes = Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 0xe9, 0x0a, 0x78, 0x0a);
  scratch.file("b", bytes);
  scratch.file("big", Buffer.alloc(300_000));
  const { results } = await scratch.batch([
    { name: "Edit", args: { file_path: "b", old_string: "ELF", new_string: "FLE" } },
    {
      name: "apply_patch",
      args: { input: "*** Begin Patch\n*** Update File: b\n@@\n-x\n+y\n*** End Patch" },
    },
    { name: "Read", args: { file_path: "b" } },
    { name: "Write", args: { file_path: "b", content: "→\n" } },
    { name: "Read", args: { file_path: "big" } },
    { name: "Write", args: { file_path: "big", content: "small\n" } },
  ], ["--mode", "acceptEdits"]);
  assert.match(textOf(results[0]!), /^Cannot edit "b": it is a binary file of 11 bytes/);
  assert.match(textOf(results[1]!), /^Cannot update "b": it is a binary file of 11 bytes/);
  assert.deepEqual([scratch.read("b"), scratch.read("big")], ["→\n", "small\n"]);
});
