/** Files on this machine: whole or not at all, as they were but for their content, and never a pipe or a device. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { AgentError } from "../../src/core/errors.ts";
import { sha256 } from "../../src/core/hash.ts";
import { Journal } from "../../src/core/journal.ts";
import { LocalFiles } from "../../src/core/local_files.ts";
import { readAll } from "../../src/core/local_read.ts";
import type { OpenFile } from "../../src/core/runtime.ts";
import { AGENT, run, Scratch, textOf } from "../support.ts";

const journalFolder = fs.mkdtempSync(path.join(tmpdir(), "agent-test-journal-"));
const journal = new Journal({
  folder: journalFolder,
  enabled: true,
  totalCap: 1e9,
  keepDays: 1,
  complain: (message) => assert.fail(message),
});
const files = new LocalFiles(journal, { id: "call", session: "s", project: "/" });
after(() => fs.rmSync(journalFolder, { recursive: true }));
const bytes = (text: string) => new TextEncoder().encode(text);
const modeOf = (place: string) => fs.statSync(place).mode & 0o7777;
const leftovers = (folder: string) => fs.readdirSync(folder).filter((name) => name.includes("agent-tmp"));

test("a write keeps the mode and leaves nothing beside the file", () => {
  using scratch = new Scratch();
  for (const mode of [0o644, 0o600, 0o755, 0o640]) {
    const place = scratch.file(`mode-${mode}`, "old", mode);
    const before = fs.statSync(place).ino;
    const written = files.write(place, bytes("new"));
    assert.deepEqual(written, { created: false, oldSha256: sha256("old"), newSha256: sha256("new") });
    assert.equal(fs.readFileSync(place, "utf8"), "new");
    assert.equal(modeOf(place), mode);
    assert.notEqual(fs.statSync(place).ino, before, "a new file took its place in one step");
  }
  assert.deepEqual(leftovers(scratch.work), []);
});

test("root's write keeps the owner", { skip: process.getuid?.() !== 0 && "needs root" }, () => {
  using scratch = new Scratch();
  const place = scratch.file("a", "old", 0o640);
  fs.chownSync(place, 1234, 2345);
  files.write(place, bytes("new"));
  const { uid, gid } = fs.statSync(place);
  assert.deepEqual([uid, gid, modeOf(place)], [1234, 2345, 0o640]);
});

test("a new file gets what the umask leaves, and its missing folders", async () => {
  using scratch = new Scratch();
  const agent = AGENT.map((word) => `'${word}'`).join(" ");
  const command = `umask 027; exec ${agent} exec Write file_path=new/deep/a.txt content=hi`;
  const ran = await run(["bash", "-c", command], { cwd: scratch.work, env: scratch.env() });
  assert.equal(ran.code, 0, ran.stderr);
  assert.equal(modeOf(path.join(scratch.work, "new/deep/a.txt")), 0o640);
  assert.equal(modeOf(path.join(scratch.work, "new/deep")), 0o750);
});

test("a write goes through links, also to what isn't there yet", () => {
  using scratch = new Scratch();
  const real = scratch.file("real/a.txt", "old", 0o600);
  const link = path.join(scratch.work, "link"), second = path.join(scratch.work, "second");
  fs.symlinkSync("real/a.txt", link);
  fs.symlinkSync(link, second);
  files.write(second, bytes("new"));
  assert.equal(fs.readFileSync(real, "utf8"), "new");
  assert.equal(modeOf(real), 0o600);
  assert.ok(fs.lstatSync(second).isSymbolicLink() && fs.lstatSync(link).isSymbolicLink());

  const dangling = path.join(scratch.work, "dangling");
  fs.symlinkSync("real/later/b.txt", dangling);
  assert.equal(files.write(dangling, bytes("made")).created, true);
  assert.equal(fs.readFileSync(path.join(scratch.work, "real/later/b.txt"), "utf8"), "made");
  assert.ok(fs.lstatSync(dangling).isSymbolicLink());
});

test("names that share a file go on sharing it, also where it shrinks", () => {
  using scratch = new Scratch();
  const place = scratch.file("a", "a longer old text");
  const other = path.join(scratch.work, "b");
  fs.linkSync(place, other);
  files.write(place, bytes("new"));
  assert.equal(fs.readFileSync(other, "utf8"), "new");
  assert.equal(fs.statSync(other).ino, fs.statSync(place).ino);
});

test("pipes, sockets, devices and folders are refused at once, through links too, and stay what they are", async () => {
  using scratch = new Scratch();
  const at = (name: string) => path.join(scratch.work, name);
  execFileSync("mkfifo", [at("pipe")]);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(at("socket"), () => resolve()));
  try {
    fs.mkdirSync(at("folder"));
    const kinds = { pipe: "it is a named pipe", socket: "it is a socket", folder: "it is a folder" };
    const cases: [string, string][] = Object.entries(kinds).map(([name, what]) => [at(name), what]);
    cases.push(["/dev/zero", "it is a device"]);
    for (const [target, what] of cases) {
      const link = at(`link-${path.basename(target)}`);
      fs.symlinkSync(target, link);
      for (const place of [target, link]) {
        const failure = (action: string) => ({
          name: "AgentError",
          message: `Cannot ${action} "${place}": ${what}`,
        });
        assert.throws(() => files.read(place), failure("read"));
        assert.throws(() => [...files.chunks(place)], failure("read"));
        assert.throws(() => files.write(place, bytes("x")), failure("write"));
      }
    }
    assert.ok(fs.statSync(at("pipe")).isFIFO() && fs.statSync(at("folder")).isDirectory());
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

test("Read of a pipe, of a link to it and of /dev/zero ends with one error each", async () => {
  using scratch = new Scratch();
  execFileSync("mkfifo", [path.join(scratch.work, "p")]);
  fs.symlinkSync("p", path.join(scratch.work, "q"));
  const paths = ["p", "q", "/dev/zero", "/dev/stdin"];
  const { results } = await scratch.batch(paths.map((file_path) => ({ name: "Read", args: { file_path } })), [
    "--mode",
    "bypassPermissions",
  ]);
  for (const [index, result] of results.entries()) {
    assert.equal(result.outcome, "error", JSON.stringify(result));
    assert.match(textOf(result), /^Cannot read ".*": it is a (named pipe|device|socket)/, paths[index]);
  }
  assert.equal(results.length, paths.length);
});

test("a refused write changes nothing and leaves nothing behind", () => {
  using scratch = new Scratch();
  const place = scratch.file("a", "old");
  const throws = (work: () => unknown, message: RegExp) =>
    assert.throws(work, (error) => error instanceof AgentError && message.test(error.message));
  throws(
    () => files.write(place, bytes("new"), { createOnly: true }),
    /^Cannot create ".*": it already exists$/,
  );
  throws(
    () => files.write(place, bytes("new"), { expectedSha256: sha256("other") }),
    /^Cannot write ".*": its content has the sha256 [0-9a-f]{12}, not [0-9a-f]{12}$/,
  );
  throws(
    () => files.write(path.join(place, "below"), bytes("new")),
    /^Cannot write ".*a\/below": a part of the path is not a folder$/,
  );
  throws(() => files.write(path.join(scratch.work, "x".repeat(300)), bytes("new")), /the name is too long/);
  throws(() => files.write(path.join(scratch.work, "a\0b"), bytes("new")), /NUL/);
  throws(() => files.read(path.join(scratch.work, "none")), /^Cannot read ".*none": no such file$/);
  assert.equal(fs.readFileSync(place, "utf8"), "old");
  assert.deepEqual(fs.readdirSync(scratch.work), ["a"]);
  assert.equal(
    files.write(place, bytes("new"), { expectedSha256: sha256("old").slice(0, 8) }).created,
    false,
  );
  const longest = path.join(scratch.work, "é".repeat(127));
  files.write(longest, bytes("1"));
  files.write(longest, bytes("2"));
  assert.equal(fs.readFileSync(longest, "utf8"), "2");
});

test("a full disk is one clear error, and the old file stays", {
  skip: !fs.existsSync("/dev/shm") && "needs tmpfs",
}, async () => {
  using scratch = new Scratch();
  const mount = scratch.folder("small");
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", mount], { stdio: "ignore" });
  } catch {
    return; // Not allowed to mount here.
  }
  try {
    const place = path.join(mount, "a");
    fs.writeFileSync(place, "old");
    const big = new Uint8Array(1024 * 1024);
    for (
      const [target, options] of [[place, {}], [path.join(mount, "b"), {}], [path.join(mount, "c"), {
        createOnly: true,
      }]] as const
    ) {
      assert.throws(() => files.write(target, big, options), {
        message: `Cannot write "${target}": no space left on the disk`,
      });
    }
    assert.deepEqual(fs.readdirSync(mount), ["a"]);
    assert.equal(fs.readFileSync(place, "utf8"), "old");
  } finally {
    execFileSync("umount", [mount]);
  }
});

test("a file that may not be written stays as it is, though its folder would allow to replace it", {
  skip: process.getuid?.() !== 0 && "needs root to become somebody else",
}, async () => {
  using scratch = new Scratch();
  fs.chmodSync(scratch.root, 0o755);
  fs.chmodSync(scratch.work, 0o777);
  scratch.file("locked.txt", "old", 0o444);
  scratch.file("secret.txt", "hidden", 0o600);
  fs.mkdirSync(path.join(scratch.work, "closed"), { mode: 0o755 });
  const home = scratch.folder("nobody");
  fs.chmodSync(home, 0o777);
  const calls = [
    { name: "Read", args: { file_path: "locked.txt" } },
    { name: "Write", args: { file_path: "locked.txt", content: "new" } },
    { name: "Read", args: { file_path: "secret.txt" } },
    { name: "Write", args: { file_path: "closed/a.txt", content: "new" } },
    { name: "Write", args: { file_path: "mine.txt", content: "new" } },
  ].map((call) => JSON.stringify(call)).join("\n");
  const env = {
    ...scratch.env(),
    HOME: home,
    XDG_CONFIG_HOME: home,
    XDG_STATE_HOME: home,
    XDG_CACHE_HOME: home,
    DENO_DIR: path.join(home, "deno"),
  };
  const ran = await run(
    [
      "setpriv",
      "--reuid=65534",
      "--regid=65534",
      "--clear-groups",
      ...AGENT,
      "exec",
      "-",
      "--allow",
      "Write",
    ],
    { cwd: scratch.work, env },
    calls,
  );
  const results = ran.stdout.trim().split("\n").map((line) => JSON.parse(line)).slice(1);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["error", "error", "error", "success"],
    ran.stderr + ran.stdout,
  );
  assert.match(textOf(results[0]), /^Cannot write ".*locked\.txt": permission denied/);
  assert.match(textOf(results[1]), /^Cannot read ".*secret\.txt": permission denied/);
  assert.match(textOf(results[2]), /^Cannot write ".*closed\/a\.txt": permission denied/);
  assert.equal(scratch.read("locked.txt"), "old");
  assert.deepEqual(leftovers(scratch.work), []);
});

test("a file in /proc, which says it is empty, is read to its end", {
  skip: process.platform !== "linux" && "Linux only",
}, () => {
  const text = new TextDecoder().decode(files.read("/proc/self/status"));
  assert.match(text, /^Name:/);
});

test("one read that brings less than there is, is not a file's end", () => {
  const content = new Uint8Array(1000).map((_, at) => at);
  const inPieces = (most: number) => {
    let at = 0;
    const read = (into: Uint8Array) => {
      const part = content.subarray(at, at + Math.min(most, into.length));
      into.set(part);
      at += part.length;
      return part.length;
    };
    return { read } as OpenFile;
  };
  // The size as it is, none as in /proc, and of a file that shrank or grew since.
  for (const size of [1000, 0, 2000, 10]) {
    for (const most of [1, 7, 999, 1000, 5000]) {
      assert.deepEqual(readAll(inPieces(most), size), content, `${most} at a time, ${size} expected`);
    }
  }
});
