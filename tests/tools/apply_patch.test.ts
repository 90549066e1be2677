/** Patches: the Codex project's scenarios, and what we promise beyond them. */
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { concat } from "../../src/core/bytes.ts";
import { FileText } from "../../src/core/text.ts";
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
