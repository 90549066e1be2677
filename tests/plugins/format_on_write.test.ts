/** The plugin that ships as `plugins/format-on-write.ts`. */
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { ROOT, Scratch, textOf } from "../support.ts";

const FLAGS = ["--plugins", path.join(ROOT, "plugins/format-on-write.ts"), "--mode", "bypassPermissions"];
const IN_TURN = [...FLAGS, "--concurrency", "1"];
const write = (file_path: string, content: string) => ({ name: "Write", args: { file_path, content } });

/** A formatter that makes everything upper case, and writes down how it was called. */
function upper(scratch: Scratch): string[] {
  const program = scratch.file(
    "../upper.sh",
    `#!/bin/sh
      printf '%s|' "$PWD" "$@" "$SECRET_KEY" >> '${scratch.root}/calls'
      for file do :; done
      tr a-z A-Z < "$file" > '${scratch.root}/made' && cat '${scratch.root}/made' > "$file"\n`,
    0o755,
  );
  return [program, "--quiet"];
}

test("format-on-write formats what Write, Edit and patches wrote, by the file's ending", async () => {
  using scratch = new Scratch();
  scratch.settings({ plugins: { "format-on-write": { run: { txt: upper(scratch) } } } });
  const patch = "*** Begin Patch\n*** Add File: p1.txt\n+p\n*** Add File: p2.txt\n+p\n*** End Patch\n";
  const { results, stderr } = await scratch.batch(
    [
      write("a b$(touch x).txt", "one\n"),
      { name: "Edit", args: { file_path: "a b$(touch x).txt", old_string: "ONE", new_string: "two" } },
      { name: "apply_patch", args: { input: patch }, family: "codex" },
      write("c.md", "one\n"),
      write("SAME.txt", "SAME\n"),
      { name: "Read", args: { file_path: "c.md" } },
    ],
    IN_TURN,
    { env: { SECRET_KEY: "value" } },
  );
  assert.equal(stderr, "");
  assert.ok(results.every(({ outcome }) => outcome === "success"), JSON.stringify(results));
  const odd = path.join(scratch.work, "a b$(touch x).txt");
  const changed = (file: string) =>
    `[format-on-write: ${scratch.root}/upper.sh changed ${file}; read it again before you edit it]`;
  assert.equal(scratch.read(odd), "TWO\n");
  assert.deepEqual([scratch.read("p1.txt"), scratch.read("p2.txt"), scratch.read("c.md")], [
    ...["P\n", "P\n", "one\n"],
  ]);
  assert.ok(textOf(results[0]!).endsWith(`\n${changed(odd)}`), textOf(results[0]!));
  assert.ok(
    textOf(results[2]!).endsWith(
      ["p1.txt", "p2.txt"].map((name) => `\n${changed(path.join(scratch.work, name))}`).join(""),
    ),
    textOf(results[2]!),
  );
  assert.ok(results.slice(3).every((result) => !textOf(result).includes("format-on-write")));
  assert.equal(scratch.read("../calls").split("|").slice(0, 4).join("|"), `${scratch.work}|--quiet|${odd}|`);
});

test("a formatter that fails, hangs or isn't there is a note, and the write stands", async () => {
  using scratch = new Scratch();
  const hang = scratch.file("../hang.sh", "#!/bin/sh\nsleep 600\n", 0o755);
  scratch.settings({
    plugins: {
      "format-on-write": {
        run: {
          a: ["sh", "-c", "echo 'line 3: oops' >&2; echo more >&2; exit 2"],
          b: ["no-such-formatter"],
          c: [hang],
          d: ["sh", "-c", 'rm "$0"'],
          e: ["x\0y"],
        },
        timeoutMs: 300,
      },
    },
  });
  const { results, stderr } = await scratch.batch(
    ["x.a", "x.b", "x.c", "x.d", "x.e", "x.constructor"].map((name) => write(name, "kept\n")),
    IN_TURN,
  );
  assert.equal(stderr, "");
  assert.ok(results.every(({ outcome, status }) => outcome === "success" && status === "success"));
  const notes = results.map((result) => /\[format-on-write[^]*|Error: ENOENT/.exec(textOf(result))?.[0]);
  const at = (name: string) => path.join(scratch.work, name);
  assert.equal(notes[0], `[format-on-write: sh failed on ${at("x.a")}: line 3: oops]`);
  assert.match(notes[1]!, /no-such-formatter failed on .*(ENOENT|not found|No such file)/);
  assert.equal(notes[2], `[format-on-write: ${hang} failed on ${at("x.c")}: no end within 300 ms]`);
  assert.match(notes[3]!, /ENOENT/);
  assert.match(notes[4]!, /failed on/);
  assert.equal(notes[5], undefined);
  for (const name of ["x.a", "x.b", "x.c", "x.e"]) assert.equal(scratch.read(name), "kept\n");
});

test("nothing is formatted by a failed write or a dry run; the next Write says that the file has changed", async () => {
  using scratch = new Scratch();
  scratch.settings({ plugins: { "format-on-write": { run: { txt: upper(scratch) } } } });
  scratch.file("a.txt", "one\n");
  const edit = (old_string: string) => ({
    name: "Edit",
    args: { file_path: "a.txt", old_string, new_string: "two" },
  });
  await scratch.batch([edit("missing")], IN_TURN);
  await scratch.batch([edit("one")], [...IN_TURN, "--dry-run"]);
  assert.equal(scratch.exists("../calls"), false);
  const { results } = await scratch.batch([write("b.txt", "one\n"), write("b.txt", "three\n")], IN_TURN);
  assert.deepEqual(results.map(({ outcome }) => outcome), ["success", "error"]);
  assert.match(textOf(results[1]!), /changed/);
});

test("format-on-write with a formatter that isn't a list of words is off and says so", async () => {
  using scratch = new Scratch();
  scratch.settings({ plugins: { "format-on-write": { run: { txt: "fmt -q" } } } });
  const { stderr } = await scratch.agent(["exec", "Write", "file_path=a.txt", "content=x", ...FLAGS]);
  assert.match(stderr, /plugin "format-on-write" is off: .*its options are wrong: run\.txt /);
});
