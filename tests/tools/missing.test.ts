/** A file that isn't there: the hint says what the caller may have meant. */
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { test } from "node:test";
import { Scratch, textOf } from "../support.ts";

/** The hints of several readings, by the path that was written. */
async function hints(scratch: Scratch, name: string, paths: string[]): Promise<(string | undefined)[]> {
  const { results } = await scratch.batch(
    paths.map((file_path) => ({
      name,
      args: { file_path, ...(name === "Edit" && { old_string: "a", new_string: "b" }) },
    })),
    ["--mode", "bypassPermissions"],
  );
  return results.map((result) => {
    assert.equal(result.status, "error");
    return textOf(result).split("\n\nhint: ")[1];
  });
}

test("reading what isn't there names what is near, or where it was looked for", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "a\n");
  scratch.file("src/Main.ts", "a\n");
  scratch.file("src/other.ts", "a\n");
  symlinkSync("gone/away.txt", `${scratch.work}/link`);
  const { work, root } = scratch;
  assert.deepEqual(
    await hints(scratch, "Read", [
      "a.tx",
      "src/main.ts",
      "./scr/",
      `${work}/src/othr.ts`,
      "scr/Main.ts",
      "nothing-like-it",
      `${root}/nothing-like-it`,
      `${root}/nowhere-at-all/x`,
      "link",
      "src",
      "a.txt/b",
    ]),
    [
      'did you mean "a.txt"?',
      'did you mean "src/Main.ts"?',
      'did you mean "./src"?',
      `did you mean "${work}/src/other.ts"?`,
      `there is no folder "${work}/scr"; did you mean "${work}/src"?`,
      `the path was taken relative to "${work}"`,
      undefined,
      `there is no folder "${root}/nowhere-at-all"`,
      'it is a link to "gone/away.txt", where nothing is',
      "list it with a shell command, or name a file in it",
      undefined,
    ],
  );
});

test("where several look like it a reading names them, and follows none", async () => {
  using scratch = new Scratch();
  for (const name of ["a\u00a0b.txt", "a\u202fb.txt"]) scratch.file(name, "a\n");
  const [hint] = await hints(scratch, "Read", ["a b.txt"]);
  assert.match(hint!, /^one of ".*a\\u00a0b\.txt", ".*a\\u202fb\.txt"$/);
});

test("editing what isn't there names a look-alike first, in characters that show the difference", async () => {
  using scratch = new Scratch();
  scratch.file("a\u00a0b.txt", "a\n");
  scratch.file("a.b.txt", "a\n");
  symlinkSync("gone", `${scratch.work}/link`);
  const { work } = scratch;
  assert.deepEqual(await hints(scratch, "Edit", ["a b.txt", "a.c.txt", "link"]), [
    `did you mean "${work}/a\\u00a0b.txt"?; an empty old_string creates it`,
    'did you mean "a.b.txt", "a\u00a0b.txt"?; an empty old_string creates it',
    'it is a link to "gone", where nothing is; an empty old_string creates it',
  ]);
});
