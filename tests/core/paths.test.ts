/** Paths, folders, and the text of files. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import nodePath from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import {
  basename,
  dirname,
  inside,
  isAbsolute,
  join,
  makeFolder,
  normalize,
  realPath,
  resolvePath,
} from "../../src/core/paths.ts";
import { FileText } from "../../src/core/file_text.ts";
import { decodeText, isBinary, withEnds } from "../../src/core/text.ts";
import { host } from "../../src/core/runtime.ts";
import { Scratch, textOf } from "../support.ts";

const posix = fc.array(fc.constantFrom("a", "b.txt", ".", "..", "", "~", "~x", "a\\b", "é", " "), {
  maxLength: 6,
})
  .chain((parts) => fc.constantFrom(parts.join("/"), "/" + parts.join("/")));

test(
  "path arithmetic agrees with the platform's",
  { skip: host.platform === "win32" && "POSIX paths" },
  () => {
    const trim = (path: string) => path.length > 1 ? path.replace(/\/+$/, "") : path;
    fc.assert(fc.property(posix, posix, (a, b) => {
      assert.equal(normalize(a), trim(nodePath.posix.normalize(a)));
      assert.equal(join(a, b), trim(nodePath.posix.join(a, b)));
      assert.equal(isAbsolute(a), nodePath.posix.isAbsolute(a));
      const plain = normalize(a);
      assert.equal(dirname(plain), nodePath.posix.dirname(plain));
      if (plain !== "/") assert.equal(basename(plain), nodePath.posix.basename(plain));
    }));
  },
);

test("a path is inside a folder by whole parts", () => {
  assert.equal(inside("/a", "/a/b/c"), "b/c");
  assert.equal(inside("/a", "/a"), "");
  assert.equal(inside("/a", "/ab"), undefined);
  assert.equal(inside("/", "/ab"), "ab");
});

test("a leading ~ is the home folder, and any other is a name", () => {
  const home = normalize(host.home());
  assert.equal(resolvePath("/w", "~"), home);
  assert.equal(resolvePath("/w", "~/a/../b"), join(home, "b"));
  for (const name of ["~x", "./~", "./~x", "a/~", "~~"]) {
    assert.equal(resolvePath("/w", name), `/w/${name.replace(/^\.\//, "")}`);
  }
  if (host.platform !== "win32") assert.equal(resolvePath("/w", "a\\b\\..\\c"), "/w/a\\b\\..\\c");
});

test("Write to ~/a/b.txt lands in the home folder, Read of ./~x in the working folder", async () => {
  using scratch = new Scratch();
  scratch.file("~x", "local\n");
  scratch.file("back\\slash", "odd\n");
  const { results } = await scratch.batch([
    { name: "Write", args: { file_path: "~/a/b.txt", content: "hi" } },
    { name: "Read", args: { file_path: "./~x" } },
    { name: "Read", args: { file_path: "~x" } },
    { name: "Read", args: { file_path: "back\\slash" } },
  ], ["--mode", "bypassPermissions"]);
  assert.deepEqual(results.map(({ status }) => status), ["success", "success", "success", "success"]);
  assert.equal(fs.readFileSync(nodePath.join(scratch.home, "a/b.txt"), "utf8"), "hi");
  assert.equal(scratch.exists("~"), false);
  assert.match(textOf(results[1]!), /local/);
  assert.match(textOf(results[3]!), /odd/);
});

test("the identity of a path follows links, also for what isn't there yet", () => {
  using scratch = new Scratch();
  const work = fs.realpathSync(scratch.work);
  scratch.file("real/a.txt", "");
  fs.symlinkSync("real", nodePath.join(work, "link"));
  fs.symlinkSync("real/none/b.txt", nodePath.join(work, "dangling"));
  fs.symlinkSync("dangling", nodePath.join(work, "twice"));
  fs.symlinkSync("round", nodePath.join(work, "round"));
  assert.equal(realPath(join(work, "link/a.txt")), join(work, "real/a.txt"));
  assert.equal(realPath(join(work, "link/new/deep.txt")), join(work, "real/new/deep.txt"));
  assert.equal(realPath(join(work, "dangling")), join(work, "real/none/b.txt"));
  assert.equal(realPath(join(work, "twice")), join(work, "real/none/b.txt"));
  assert.equal(dirname(realPath(join(work, "round"))), work);
});

test("folders are made with their parents, and where none can be made it ends", () => {
  using scratch = new Scratch();
  const deep = join(scratch.work, "a/b/c");
  makeFolder(deep, 0o700);
  makeFolder(deep, 0o700);
  assert.equal(fs.statSync(join(scratch.work, "a")).mode & 0o777, 0o700);
  scratch.file("file", "");
  assert.throws(() => makeFolder(join(scratch.work, "file/x/y")), { code: "ENOTDIR" });
  assert.throws(() => makeFolder(join(scratch.work, "file")), { code: "ENOTDIR" });
  if (host.platform === "linux") assert.throws(() => makeFolder("/proc/none/x/y/z"), { code: "ENOENT" });
});

const encode = (text: string) => new TextEncoder().encode(text);

test("text is text whatever its name: long CJK at any alignment, an empty file, escape codes", () => {
  for (let pad = 0; pad < 3; pad++) {
    const text = "a".repeat(pad) + "字".repeat(14_000);
    const bytes = encode(text);
    assert.equal(isBinary(bytes), false);
    assert.equal(decodeText(bytes).text, text);
  }
  assert.equal(isBinary(new Uint8Array()), false);
  assert.equal(isBinary(encode("\u001b[31mred\u001b[0m\f\t\r\n")), false);
  assert.equal(
    isBinary(Uint8Array.from(Array.from("Grüße", (char) => char.charCodeAt(0)))),
    false,
    "Latin-1 is text",
  );
  assert.equal(isBinary(Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0)), true);
  assert.equal(isBinary(Uint8Array.of(0x50, 0x4b, 3, 4, 20, 1, 2, 3)), true);
});

test("Read shows text of any suffix, and names what is binary", async () => {
  using scratch = new Scratch();
  scratch.file("x.bat", "");
  scratch.file("cjk.bin", "aa" + "字".repeat(14_000 / 8) + "\n");
  scratch.file("a.txt", Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0, 0, 1, 2));
  const { results } = await scratch.batch(
    ["x.bat", "cjk.bin", "a.txt"].map((file_path) => ({ name: "Read", args: { file_path } })),
  );
  assert.equal(results[0]!.status, "success");
  assert.ok(textOf(results[1]!).includes("字") && !textOf(results[1]!).includes("\ufffd"));
  assert.match(textOf(results[2]!), /binary/i);
  assert.ok(textOf(results[2]!).length < 300);
});

test("the byte-order mark, line ends and odd bytes are known and survive", () => {
  const marked = encode("\ufeffa\r\nb\r\n");
  assert.deepEqual([...marked.subarray(0, 3)], [0xef, 0xbb, 0xbf]);
  const { text, encoding } = decodeText(marked);
  assert.deepEqual([text, encoding], ["a\r\nb\r\n", { name: "utf-8", mark: 3, damaged: false }]);
  assert.equal(decodeText(encode("\ufeff\ufeffa")).text, "\ufeffa");
  const endOf = (text: string) => new FileText(encode(text)).dominantEnd;
  assert.equal(endOf("a\r\nb\r\nc\n"), "\r\n");
  assert.equal(endOf("a\r\nb\n"), "\n");
  assert.equal(endOf(""), "\n");
  assert.equal(withEnds("a\nb\r\nc", "\r\n"), "a\r\nb\r\nc");
  assert.equal(withEnds("a\r\nb\n", "\n"), "a\r\nb\n");
});
