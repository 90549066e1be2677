/** Overflow files: what was cut is somewhere, within its caps, and goes away. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { OverflowFile, OverflowStore, restIn } from "../../src/core/overflow.ts";
import { Scratch, textOf } from "../support.ts";

function storeIn(scratch: Scratch, more: Partial<ConstructorParameters<typeof OverflowStore>[0]> = {}) {
  const folder = path.join(scratch.root, "overflow");
  const usual = { folder, project: scratch.work, enabled: true, fileCap: 1000, totalCap: 10_000 };
  const options = { ...usual, redact: (text: string) => text, ...more };
  return { folder, store: new OverflowStore(options) };
}

/** A file like ours, `hours` old. */
function old(folder: string, name: string, hours: number, size = 10): string {
  const place = path.join(folder, name);
  fs.mkdirSync(path.dirname(place), { recursive: true });
  fs.writeFileSync(place, "x".repeat(size));
  const when = new Date(Date.now() - hours * 3_600_000);
  fs.utimesSync(place, when, when);
  return place;
}

test("a file takes as much as its cap, says so, and ends with a whole character", () => {
  using scratch = new Scratch();
  const { store } = storeIn(scratch, { fileCap: 100 });
  const place = store.save("shell", "é".repeat(30))!.path;
  assert.equal(fs.readFileSync(place, "utf8"), "é".repeat(30));
  const full = store.save("shell", "a" + "é".repeat(300))!;
  assert.equal(restIn(full), `; the first 99 bytes: ${full.path}`);
  const text = fs.readFileSync(full.path, "utf8");
  assert.ok(text.startsWith("a" + "é".repeat(49) + "\n["), text);
  assert.match(text, /cap of 100 bytes/);
  const pieces = store.open("shell")!;
  for (let i = 0; i < 100; i++) pieces.write("0123456789");
  assert.ok(fs.statSync(pieces.close()!.path).size < 200);
});

test("files of two projects lie apart, with plain names, private", () => {
  using scratch = new Scratch();
  const { store, folder } = storeIn(scratch);
  const other = storeIn(scratch, { project: path.join(scratch.root, "else", "work") });
  const a = store.save("mcp__odd/../name", "x")!.path, b = other.store.save("shell", "x")!.path;
  assert.notEqual(path.dirname(a), path.dirname(b));
  assert.equal(path.dirname(path.dirname(a)), folder);
  assert.match(path.basename(path.dirname(a)), /^work-[0-9a-f]{12}$/);
  assert.equal(fs.statSync(a).mode & 0o777, 0o600);
  assert.equal(fs.statSync(path.dirname(a)).mode & 0o777, 0o700);
});

/** A process number that nobody has. */
const GONE = 4_194_303;

test("clean-up takes files older than a day, and leaves younger, foreign and live ones", () => {
  using scratch = new Scratch();
  const { store, folder } = storeIn(scratch);
  const live = store.save("shell", "still named in a result")!.path;
  const yesterday = new Date(Date.now() - 25 * 3_600_000);
  fs.utimesSync(live, yesterday, yesterday);
  const gone = [
    old(folder, `p-1/1700000000000-${GONE}-1-shell.txt`, 25),
    old(folder, `q-2/1700000000000-${GONE}-2-shell.txt`, 9000),
  ];
  const kept = [
    live,
    // Process 1 always runs.
    old(folder, "p-1/1700000000000-1-7-shell.txt", 25),
    old(folder, `p-1/1700000000000-${GONE}-3-shell.txt`, 23),
    old(folder, "p-1/notes.txt", 25),
    old(folder, "stray.txt", 25),
    old(folder, "p-1/sub/1700000000000-${GONE}-4-shell.txt", 25),
  ];
  const outside = old(scratch.root, "outside.txt", 25);
  fs.symlinkSync(outside, path.join(folder, `p-1/1700000000000-${GONE}-5-shell.txt`));
  const odd = path.join(folder, `p-1/1700000000000-${GONE}-6-shell.txt`);
  fs.mkdirSync(odd);
  fs.utimesSync(odd, yesterday, yesterday);
  store.clean();
  for (const place of gone) assert.equal(fs.existsSync(place), false, place);
  for (const place of [...kept, outside, odd]) assert.equal(fs.existsSync(place), true, place);
});

test("a run that made no file cleans up once an hour, one that made some always", () => {
  using scratch = new Scratch();
  const { store, folder } = storeIn(scratch);
  store.clean();
  assert.equal(fs.existsSync(folder), false, "nothing is made to remember that nothing was there");
  const stale = () => old(folder, `p-1/1700000000000-${GONE}-1-shell.txt`, 25);
  for (const [hours, cleaned] of [[0, true], [0.5, false], [0.9, false], [1.1, true]] as const) {
    const place = stale();
    store.clean(Date.now() + hours * 3_600_000);
    assert.equal(!fs.existsSync(place), cleaned, `after ${hours} hours`);
  }
  const place = stale();
  store.save("shell", "x");
  store.clean();
  assert.equal(fs.existsSync(place), false);
});

test("beyond the total cap the oldest go first", () => {
  using scratch = new Scratch();
  const { store, folder } = storeIn(scratch, { totalCap: 250 });
  const places = [1, 2, 3, 4].map((hours) =>
    old(folder, `p-${hours % 2}/1700000000000-${GONE}-${hours}-shell.txt`, hours, 100)
  );
  store.clean();
  assert.deepEqual(places.map((place) => fs.existsSync(place)), [true, true, false, false]);
});

test("where the disk is full no half of a file stays behind", () => {
  using scratch = new Scratch();
  const place = scratch.file("partial.txt", "");
  const full = {
    write(bytes: Uint8Array) {
      fs.appendFileSync(place, bytes.subarray(0, 3));
      throw new Error("ENOSPC");
    },
    close() {},
  };
  const file = new OverflowFile(
    place,
    full as unknown as ConstructorParameters<typeof OverflowFile>[1],
    1000,
  );
  file.write("some text");
  file.write("more");
  assert.equal(file.close(), undefined);
  assert.equal(fs.existsSync(place), false);
});

test("where the folder can't be used nothing is saved and nothing is thrown", () => {
  using scratch = new Scratch();
  const { store } = storeIn(scratch, { folder: scratch.file("a-file", "") });
  assert.equal(store.save("shell", "x"), undefined);
  store.clean();
  assert.equal(storeIn(scratch, { enabled: false }).store.save("shell", "x"), undefined);
});

const LONG = "command=seq 1 20000; echo the end";

test("a cut result names the file with all of it, and Read opens it", async () => {
  using scratch = new Scratch();
  const { result } = await scratch.exec(["Bash", LONG]);
  const text = textOf(result);
  assert.ok(text.length <= 30_000);
  assert.match(text, /^1\n2\n/);
  assert.match(text, /the end$/);
  const [, count, place] = /\[(?:\d+ lines?, )?(\d+) characters omitted; all of it: (.+)\] \.\.\./.exec(
    text,
  )!;
  assert.equal(place, result.overflow);
  const whole = fs.readFileSync(place!, "utf8");
  assert.equal(whole.length, 108_894 + "the end\n".length);
  const shown = text.replace(/\n\.\.\. \[.*\] \.\.\.\n/, "");
  assert.equal(Number(count), whole.trimEnd().length - shown.length);
  const read = await scratch.exec(["Read", `file_path=${place}`, "offset=20000"]);
  assert.match(textOf(read.result), /^20000\t20000\n20001\tthe end/);
});

test("AGENT_OVERFLOW=off, and a state folder that can't be written, cut all the same and say so", async () => {
  using scratch = new Scratch();
  const off = await scratch.exec(["Bash", LONG], { env: { AGENT_OVERFLOW: "off" } });
  assert.match(textOf(off.result), /characters omitted; not saved\] \.\.\.\n/);
  assert.equal(off.result.overflow, undefined);
  assert.equal(fs.existsSync(path.join(scratch.state, "overflow")), false);
  scratch.file(path.join(scratch.state, "overflow"), "in the way");
  const blocked = await scratch.exec(["Bash", LONG]);
  assert.equal(blocked.code, 0);
  assert.match(textOf(blocked.result), /characters omitted; not saved\] \.\.\.\n/);
});
