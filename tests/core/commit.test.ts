/** Changes to many files: all or none, whoever else is at work there. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import { AgentError } from "../../src/core/errors.ts";
import type { Change, Snapshot } from "../../src/core/files.ts";
import { sha256 } from "../../src/core/hash.ts";
import { LocalFiles } from "../../src/core/local_files.ts";
import { host } from "../../src/core/runtime.ts";
import { FAULTY, journalFolder, journalOf, journalTree, struck, tree } from "../faults/support.ts";
import { AGENT, ON_DENO, type Ran, run, Scratch, textOf } from "../support.ts";

const ROOT_ONLY = { skip: process.getuid?.() !== 0 && "needs root to become somebody else" };
const bytes = (text: string) => [new TextEncoder().encode(text)];
const call = { id: "call", session: "s", project: "/" };

function filesOf(scratch: Scratch): LocalFiles {
  return new LocalFiles(journalOf(scratch), call);
}

/** Names, contents and modes, and which file each one is. */
function whole({ work }: Scratch): Record<string, string> {
  return Object.fromEntries(
    Object.entries(tree(work)).map(([name, state]) => [
      name,
      `${state} ${fs.lstatSync(path.join(work, name)).ino}`,
    ]),
  );
}

/** Does something at the moment when the file is looked at for the last time. */
function atLastLook(snapshot: Snapshot, work: () => boolean): Snapshot {
  Object.defineProperty(snapshot, "isStill", { value: work });
  return snapshot;
}

function manyChanges(scratch: Scratch, files: LocalFiles): Change[] {
  return Array.from({ length: 500 }, (_, at): Change => {
    const name = `${at % 7}/${at}`;
    // A third is new, in new folders; a third goes.
    const kind = at % 3;
    const place = kind === 0
      ? path.join(scratch.work, "new", name)
      : scratch.file(name, `old ${at}\n`, at % 2 ? 0o640 : 0o751);
    const before = files.snapshot(place);
    return { path: place, shown: name, before, after: kind === 2 ? undefined : bytes(`new ${at}\n`) };
  });
}

test("of 500 changes none stays where the 400th can't be made", () => {
  using scratch = new Scratch();
  const files = filesOf(scratch);
  const changes = manyChanges(scratch, files);
  // Removals come last, so this is one of those that are put before.
  const late = changes.findLast(({ before, after }) => before && after)!;
  fs.writeFileSync(late.path, "a stranger's\n");
  const before = whole(scratch);
  assert.throws(() => files.commit(changes), {
    message: `Cannot write "${late.shown}": it changed since it was read; all changes were taken back`,
  });
  assert.deepEqual(whole(scratch), before);
  assert.deepEqual(journalOf(scratch).list(), []);

  const fresh = changes.map((change) => ({ ...change, before: files.snapshot(change.path) }));
  const blocked = fresh.findLast(({ before }) => !before)!;
  fs.mkdirSync(blocked.path, { recursive: true });
  const blockedTree = whole(scratch);
  assert.throws(() => files.commit(fresh), /it already exists; all changes were taken back$/);
  assert.deepEqual(whole(scratch), blockedTree);
  assert.deepEqual(Object.keys(journalTree(scratch)).filter((name) => name.startsWith("open/")), []);
});

test("the same changes are all made where nothing is in the way", () => {
  using scratch = new Scratch();
  const files = filesOf(scratch);
  const changes = manyChanges(scratch, files);
  files.commit(changes);
  for (const [at, { path: place, after }] of changes.entries()) {
    if (after) assert.equal(fs.readFileSync(place, "utf8"), `new ${at}\n`);
    else assert.ok(!fs.existsSync(place));
  }
  assert.ok(!Object.keys(tree(scratch.work)).some((name) => name.includes(".agent-")));
});

test("a file in place, whose old content nobody has read, is rolled back too", () => {
  using scratch = new Scratch();
  const files = filesOf(scratch);
  const shared = scratch.file("shared", "old\n".repeat(400_000)), other = scratch.file("other", "other");
  fs.linkSync(shared, path.join(scratch.work, "second"));
  const before = whole(scratch);
  const changes = [
    { path: shared, before: files.snapshot(shared), after: bytes("new") },
    { path: other, before: atLastLook(files.snapshot(other)!, () => false), after: bytes("new") },
  ];
  assert.throws(() => files.commit(changes), /all changes were taken back/);
  assert.deepEqual(whole(scratch), before);
});

test("a roll-back takes nothing away that somebody else put there meanwhile", () => {
  using scratch = new Scratch();
  const files = filesOf(scratch);
  const at = (name: string) => path.join(scratch.work, name);
  const [changedFile, kept, last] = ["changed", "kept", "last"].map((name) => scratch.file(name, "old"));
  const changes: Change[] = [
    { path: changedFile!, shown: "changed", before: files.snapshot(changedFile!), after: bytes("new") },
    { path: at("made"), shown: "made", before: undefined, after: bytes("new") },
    { path: kept!, before: files.snapshot(kept!), after: bytes("new") },
    {
      path: last!,
      shown: "last",
      before: atLastLook(files.snapshot(last!)!, () => {
        for (const name of ["changed", "made"]) fs.writeFileSync(at(name), "theirs");
        return false;
      }),
      after: bytes("new"),
    },
  ];
  assert.throws(() => files.commit(changes), (error) => {
    assert.ok(error instanceof AgentError);
    assert.match(error.message, /^Cannot write "last": it changed .*; these files stay changed: /);
    assert.deepEqual(error.message.match(/"(changed|made|kept)"/g)!.sort(), ['"changed"', '"made"']);
    return true;
  });
  const now = ["changed", "made", "kept", "last"].map((name) => scratch.read(name));
  assert.deepEqual(now, ["theirs", "theirs", "old", "old"]);
});

test("a stranger's change at any step before the last is not overwritten, and the error names the file", async () => {
  using scratch = new Scratch();
  const log = path.join(scratch.root, "log");
  const edit = ["Write", JSON.stringify({ file_path: "a", content: "new" })];
  const place = scratch.file("a", "old");
  await scratch.exec(edit);
  scratch.file("a", "old");
  // The second run finds the journal's folders made, as all the others will.
  assert.equal((await scratch.exec(edit, struck(scratch, { log }))).code, 0);
  const last = stepOf(log, `renameSync ${place} `);
  assert.ok(last > 5);
  const text = "old, and a stranger's";
  for (let at = 1; at < last; at++) {
    scratch.file("a", "old");
    const how = at % 2 ? "change" : "replace";
    const { result } = await scratch.exec(edit, struck(scratch, { at, do: how, file: place, text }));
    assert.match(textOf(result), /^Cannot write "a": it changed since it was read/, `step ${at} (${how})`);
    assert.equal(scratch.read("a"), text, `step ${at} (${how})`);
    assert.deepEqual(fs.readdirSync(scratch.work), ["a"], `step ${at} (${how})`);
  }
});

test("a change that was killed before its rename is never finished over what a person wrote since", async () => {
  using scratch = new Scratch();
  const log = path.join(scratch.root, "log");
  const place = scratch.file("a", "old");
  const edit = ["Edit", JSON.stringify({ file_path: "a", old_string: "old", new_string: "new" })];
  await scratch.exec(edit, struck(scratch, { log }));
  scratch.file("a", "old");
  fs.rmSync(log);
  await scratch.exec(edit, struck(scratch, { log }));
  const at = stepOf(log, `renameSync ${place} `);
  scratch.file("a", "old");
  const ran = await scratch.agent(["exec", ...edit], struck(scratch, { at, do: "kill" }));
  assert.equal(ran.signal, "SIGKILL");
  assert.deepEqual([scratch.read("a"), fs.readdirSync(scratch.work).length], ["old", 2]);
  // Each byte is the old content's or the new one's, as in a file that is half written.
  scratch.file("a", "ned");
  const next = await scratch.agent(["exec", "Read", "file_path=a"]);
  assert.deepEqual([next.code, next.stderr], [0, ""]);
  assert.equal(scratch.read("a"), "ned");
  assert.deepEqual(fs.readdirSync(scratch.work), ["a"]);
});

test("nothing is removed beside a file that isn't there", async () => {
  using scratch = new Scratch();
  const log = path.join(scratch.root, "log");
  const place = scratch.file("a", "old");
  await scratch.exec(
    ["Edit", JSON.stringify({ file_path: "a", old_string: "old", new_string: "new" })],
    struck(scratch, { log }),
  );
  assert.ok(stepOf(log, `renameSync ${place} `) > 0);
  assert.doesNotMatch(fs.readFileSync(log, "utf8"), /(unlink|remove)Sync \S*\/work\//);
});

/** The number of the step whose line in the log starts so. */
function stepOf(log: string, start: string): number {
  const line = fs.readFileSync(log, "utf8").split("\n").find((line) =>
    line.replace(/^\d+ /, "").startsWith(start)
  );
  assert.ok(line, `no step ${start} in the log`);
  return Number(/^\d+/.exec(line)![0]);
}

test("a file that appears while it is created is never replaced, up to the very last step", async () => {
  using scratch = new Scratch();
  const log = path.join(scratch.root, "log");
  const place = path.join(scratch.work, "a");
  const write = ["Write", "file_path=a", "content=mine"];
  await scratch.exec(write, struck(scratch, { log }));
  fs.rmSync(log);
  fs.rmSync(place);
  await scratch.exec(write, struck(scratch, { log }));
  const last = stepOf(log, `linkSync ${place} `);
  for (const at of [last - 2, last]) {
    fs.rmSync(place);
    const { result } = await scratch.exec(
      write,
      struck(scratch, { at, do: "change", file: place, text: "theirs" }),
    );
    assert.match(textOf(result), /^Cannot create "a": it already exists/);
    assert.equal(scratch.read("a"), "theirs");
    assert.deepEqual(fs.readdirSync(scratch.work), ["a"]);
  }
});

test("every tool keeps the mode, and a temporary file is never wider than its file", async () => {
  using scratch = new Scratch();
  const log = path.join(scratch.root, "log");
  const names = ["edit", "multi", "write", "patch", "from"];
  for (const mode of [0o750, 0o600]) {
    for (const name of names) scratch.file(`${mode}/${name}`, "old\nmore\n", mode);
  }
  const calls = [0o750, 0o600].flatMap((mode) => [
    { name: "Edit", args: { file_path: `${mode}/edit`, old_string: "old", new_string: "new" } },
    {
      name: "MultiEdit",
      args: { file_path: `${mode}/multi`, edits: [{ old_string: "old", new_string: "new" }] },
    },
    { name: "Read", args: { file_path: `${mode}/write` } },
    { name: "Write", args: { file_path: `${mode}/write`, content: "new\n" } },
    {
      name: "apply_patch",
      args: {
        input: [
          "*** Begin Patch",
          `*** Update File: ${mode}/patch`,
          "@@",
          "-old",
          "+new",
          `*** Update File: ${mode}/from`,
          `*** Move to: ${mode}/moved/to`,
          "@@",
          "-old",
          "+new",
          "*** End Patch",
        ].join("\n"),
      },
    },
  ]);
  const { results, stderr } = await scratch.batch(
    calls,
    ["--mode", "acceptEdits"],
    struck(scratch, { log }),
  );
  assert.deepEqual(
    results.map(({ status }) => status),
    calls.map(() => "success"),
    stderr + JSON.stringify(results),
  );
  for (const mode of [0o750, 0o600]) {
    for (const name of ["edit", "multi", "write", "patch", "moved/to"]) {
      const place = path.join(scratch.work, String(mode), name);
      assert.equal((fs.statSync(place).mode & 0o7777).toString(8), mode.toString(8), name);
      assert.match(fs.readFileSync(place, "utf8"), /^new\n/);
    }
  }
  const temporary = fs.readFileSync(log, "utf8").split("\n").filter((line) => line.includes(".agent-tmp"));
  assert.ok(temporary.length > 20);
  for (const line of temporary) {
    const [, , place, mode] = line.split(" ");
    if (mode === "" || mode === undefined) continue;
    const allowed = place!.includes(`/${0o600}/`) ? 0o600 : 0o750;
    assert.equal(Number.parseInt(mode, 8) & ~allowed, 0, line);
  }
});

test("a change may be made from any snapshot of the interface, not only from one of these files' own", () => {
  using scratch = new Scratch();
  const files = filesOf(scratch);
  const place = scratch.file("a", "old");
  const handed = (content: string): Snapshot => ({
    info: files.info(place)!,
    link: undefined,
    bytes: bytes(content)[0]!,
    sha256: sha256(content),
  });
  assert.throws(
    () => files.commit([{ path: place, shown: "a", before: handed("odd"), after: bytes("new") }]),
    { message: 'Cannot write "a": it changed since it was read' },
  );
  assert.equal(scratch.read("a"), "old");
  const [written] = files.commit([{ path: place, before: handed("old"), after: bytes("new") }]);
  assert.deepEqual(written, { created: false, oldSha256: sha256("old"), newSha256: sha256("new") });
  assert.equal(scratch.read("a"), "new");
});

test("a file that is mounted by itself is written in place, and taken back", ROOT_ONLY, () => {
  using scratch = new Scratch();
  const files = filesOf(scratch);
  const place = scratch.file("a", "old"), real = scratch.file("../real", "old");
  const other = scratch.file("other", "other");
  try {
    execFileSync("mount", ["--bind", real, place], { stdio: "ignore" });
  } catch {
    return; // Not allowed to mount here.
  }
  try {
    files.write(place, bytes("new, and longer")[0]!);
    assert.equal(fs.readFileSync(real, "utf8"), "new, and longer");
    assert.throws(() =>
      files.commit([
        { path: place, before: files.snapshot(place), after: bytes("newer") },
        { path: other, before: atLastLook(files.snapshot(other)!, () => false), after: bytes("new") },
      ]), /all changes were taken back/);
    assert.equal(fs.readFileSync(real, "utf8"), "new, and longer");
    assert.deepEqual(fs.readdirSync(scratch.work), ["a", "other"]);
    assert.deepEqual(fs.readdirSync(path.join(journalFolder(scratch), "open")), []);
  } finally {
    execFileSync("umount", [place]);
  }
});

test("without second names a roll-back brings the old files back whole", () => {
  using scratch = new Scratch();
  const files = filesOf(scratch);
  const link = host.files.link;
  const [a, gone, last] = ["a", "gone", "last"].map((name) => scratch.file(name, `old ${name}`, 0o640));
  const before = tree(scratch.work);
  host.files.link = () => {
    throw Object.assign(new Error("not here"), { code: "EPERM" });
  };
  try {
    assert.throws(() =>
      files.commit([
        { path: a!, before: files.snapshot(a!), after: bytes("new") },
        { path: path.join(scratch.work, "made"), before: undefined, after: bytes("new") },
        { path: gone!, before: files.snapshot(gone!), after: undefined },
        { path: last!, before: atLastLook(files.snapshot(last!)!, () => false), after: undefined },
      ]), /all changes were taken back/);
  } finally {
    host.files.link = link;
  }
  assert.deepEqual(tree(scratch.work), before);
});

/** The real `agent` as somebody who owns nothing here but a home. */
async function asNobody(
  scratch: Scratch,
  args: readonly string[],
  more: Record<string, string | undefined> = {},
): Promise<Ran> {
  fs.chmodSync(scratch.root, 0o755);
  fs.chmodSync(scratch.folder("nobody"), 0o777);
  const home = path.join(scratch.root, "nobody");
  const [program, ...rest] = AGENT as [string, ...string[]];
  const flagged = ON_DENO ? [rest[0]!, ...FAULTY, ...rest.slice(1)] : [...FAULTY, ...rest];
  const env = scratch.env({
    HOME: home,
    XDG_CONFIG_HOME: home,
    XDG_STATE_HOME: home,
    XDG_CACHE_HOME: home,
    DENO_DIR: path.join(home, "deno"),
    ...more,
  });
  const argv = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", program, ...flagged, ...args];
  return await run(argv, { cwd: scratch.work, env });
}

test(
  "a file in a closed folder is written in place, whole after a kill as well, and a patch there is taken back",
  ROOT_ONLY,
  async () => {
    using scratch = new Scratch();
    fs.chmodSync(scratch.work, 0o777);
    const log = path.join(scratch.root, "nobody", "log");
    const place = scratch.file("closed/a", "1\nold\n3\n", 0o666);
    const { ino } = fs.statSync(place);
    const edit = [
      "exec",
      "Edit",
      JSON.stringify({ file_path: "closed/a", old_string: "old", new_string: "a longer text" }),
    ];
    const done = await asNobody(scratch, edit, { FAULT_ROOTS: scratch.work, FAULT_LOG: log });
    assert.equal(done.code, 0, done.stderr);
    assert.equal(scratch.read("closed/a"), "1\na longer text\n3\n");
    assert.equal(fs.statSync(place).ino, ino);
    const undone = await asNobody(scratch, ["undo"]);
    assert.deepEqual([undone.code, scratch.read("closed/a")], [0, "1\nold\n3\n"], undone.stderr);

    const at = stepOf(log, `write ${place} `) + 1;
    const killed = await asNobody(scratch, edit, {
      FAULT_ROOTS: scratch.work,
      FAULT_DO: "kill",
      FAULT_AT: String(at),
    });
    assert.equal(killed.signal, "SIGKILL");
    const half = scratch.read("closed/a");
    assert.ok(!["1\nold\n3\n", "1\na longer text\n3\n"].includes(half), half);
    assert.equal((await asNobody(scratch, ["exec", "Read", "file_path=closed/a"])).code, 0);
    assert.equal(scratch.read("closed/a"), "1\na longer text\n3\n");
    assert.equal((await asNobody(scratch, ["undo"])).code, 0);
    assert.equal(scratch.read("closed/a"), "1\nold\n3\n");

    scratch.file("open/b", "old\n", 0o666);
    fs.chmodSync(path.join(scratch.work, "open"), 0o777);
    const before = whole(scratch);
    const patch = [
      "*** Begin Patch",
      "*** Add File: open/new/deep/c",
      "+c",
      "*** Update File: open/b",
      "@@",
      "-old",
      "+new",
      "*** Add File: closed/d",
      "+d",
      "*** End Patch",
    ].join("\n");
    const refused = await asNobody(scratch, ["exec", "apply_patch", JSON.stringify({ input: patch })]);
    assert.equal(refused.code, 1);
    assert.match(refused.stdout + refused.stderr, /Cannot write "closed\/d": permission denied/);
    assert.deepEqual(whole(scratch), before);
  },
);
