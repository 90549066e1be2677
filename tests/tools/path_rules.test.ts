/** Paths in permission rules. */
import assert from "node:assert/strict";
import { linkSync, mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import { realPath } from "../../src/core/paths.ts";
import { pathMatches } from "../../src/tools/path_rules.ts";
import { Scratch } from "../support.ts";

const ROOT = "/nowhere/work";

const patterns: { pattern: string; fits: string[]; misses: string[] }[] = [
  {
    pattern: "secret.txt",
    fits: ["secret.txt", "a/b/secret.txt"],
    misses: ["secret.txt.bak", "xsecret.txt"],
  },
  { pattern: "/secret.txt", fits: ["secret.txt"], misses: ["a/secret.txt"] },
  { pattern: "./secret.txt", fits: ["secret.txt"], misses: ["a/secret.txt"] },
  { pattern: "src/**", fits: ["src/a", "src/a/b.ts"], misses: ["a/src/b", "srcx/a"] },
  { pattern: "src", fits: ["src", "src/a", "a/src/b"], misses: ["srcx"] },
  { pattern: "**/*.pem", fits: ["a.pem", "a/b.pem"], misses: ["a.pem.txt"] },
  { pattern: "*.ts", fits: ["a.ts", "a/b.ts"], misses: ["a.tsx"] },
  { pattern: ".env*", fits: [".env", ".env.local", "a/.env"], misses: ["env"] },
  { pattern: "!a", fits: ["!a"], misses: ["a"] },
  { pattern: "#a", fits: ["#a"], misses: ["a"] },
  {
    pattern: "//nowhere/etc",
    fits: ["/nowhere/etc", "/nowhere/etc/passwd"],
    misses: ["/nowhere/etcetera", "/x/nowhere/etc"],
  },
  { pattern: "//nowhere/etc/**", fits: ["/nowhere/etc/a/b"], misses: ["/nowhere/etcetera/a", "etc/a"] },
  { pattern: "//**", fits: ["/x", "a"], misses: [] },
  { pattern: "~/.ssh/**", fits: [path.join(realpathSync(homedir()), ".ssh/none")], misses: [".ssh/none"] },
  { pattern: "**", fits: ["a", "a/b"], misses: ["/nowhere/other"] },
];
for (const { pattern, fits, misses } of patterns) {
  test(`the path pattern ${pattern} fits by parts of the path`, () => {
    for (const file of fits) assert.ok(pathMatches(pattern, path.resolve(ROOT, file), ROOT), file);
    for (const file of misses) assert.ok(!pathMatches(pattern, path.resolve(ROOT, file), ROOT), file);
  });
}

test("names are compared with their case where files are", () => {
  assert.equal(pathMatches("SECRET.txt", `${ROOT}/secret.txt`, ROOT), process.platform !== "linux");
});

test("an absolute pattern reaches through a link to where the files are", () => {
  using scratch = new Scratch();
  mkdirSync(path.join(scratch.root, "real"));
  symlinkSync(path.join(scratch.root, "real"), path.join(scratch.root, "link"));
  assert.ok(pathMatches(`/${scratch.root}/link/**`, realPath(path.join(scratch.root, "link/x")), ROOT));
});

test("a rule that guards a link guards what it leads to, one that allows it doesn't allow that", () => {
  using scratch = new Scratch();
  const root = realpathSync(scratch.work);
  symlinkSync(scratch.folder("elsewhere"), path.join(root, "link"));
  symlinkSync(scratch.file(path.join(scratch.root, "key"), "x"), path.join(root, ".env"));
  for (const [pattern, file] of [["link/**", "link/x"], [".env", ".env"], ["/link/x", "link/x"]] as const) {
    const real = realPath(path.join(root, file));
    assert.ok(pathMatches(pattern, real, root, true), pattern);
    assert.ok(!pathMatches(pattern, real, root, false), pattern);
  }
});

test("a rule that guards a file guards its other names too, and one that allows doesn't", async () => {
  using scratch = new Scratch();
  const secret = scratch.file("secret.txt", "hidden\n");
  linkSync(secret, path.join(scratch.work, "other.txt"));
  const flags = ["--deny", "Read(/secret.txt)", "--deny", "Edit(/secret.txt)", "--mode", "acceptEdits"];
  const { results } = await scratch.batch([
    { name: "Read", args: { file_path: "other.txt" } },
    { name: "Edit", args: { file_path: "other.txt", old_string: "hidden", new_string: "x" } },
  ], flags);
  assert.deepEqual(results.map(({ outcome }) => outcome), ["denied", "denied"]);
  assert.equal(
    pathMatches("/secret.txt", path.join(realPath(scratch.work), "other.txt"), realPath(scratch.work)),
    false,
  );
});
