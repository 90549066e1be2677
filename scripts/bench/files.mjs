/**
 * What file tools cost in one process, through the whole path: run by `bench.ts` on the built library, in a scratch
 * folder. Prints `name<TAB>figure` lines; times are medians in ms.
 */
import { createRequire } from "node:module";
import {
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import process from "node:process";

const [library, scratch, what] = process.argv.slice(2);
const { createRuntime } = createRequire(import.meta.url)(library);
const runtime = await createRuntime({ cwd: scratch, mode: "acceptEdits", warn: () => {} });
const turn = await runtime.prepareTurn({ tools: ["Read", "MultiEdit", "Edit", "apply_patch"] });
const at = (name) => path.join(scratch, name);

async function call(name, args) {
  const result = await runtime.call(turn, { name, args });
  if (result.status === "error") throw new Error(result.content[0].text);
  return result;
}

async function median(rounds, prepare, run) {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    await prepare();
    const started = performance.now();
    await run();
    times.push(performance.now() - started);
  }
  return times.sort((a, b) => a - b)[rounds >> 1];
}

function peak() {
  const kb = Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0);
  return `peak ${(kb / 1024).toFixed(0)} MB`;
}

const works = {
  async reads() {
    const file = at("lines200.txt");
    writeFileSync(
      file,
      Array.from({ length: 200 }, (_, i) => `const value${i} = compute(${i}, "some text here");\n`).join(""),
    );
    const count = 10_000;
    for (let i = 0; i < 2000; i++) await call("Read", { file_path: file });
    const started = performance.now();
    for (let i = 0; i < count; i++) await call("Read", { file_path: file });
    return count / (performance.now() - started) * 1000;
  },
  async edits() {
    const file = at("edits.txt");
    const lines = Array.from(
      { length: 100_000 },
      (_, i) => `line ${i} ${"lorem ipsum dolor sit amet ".repeat(2)}${i * 7}`,
    );
    const text = lines.join("\n") + "\n";
    const edits = Array.from({ length: 10_000 }, (_, i) => ({
      old_string: lines[i * 10],
      new_string: `changed ${i} ${lines[i * 10]}`,
    }));
    return await median(
      9,
      () => writeFileSync(file, text),
      () => call("MultiEdit", { file_path: file, edits }),
    );
  },
  async patch() {
    const file = at("patch.txt");
    const lines = Array.from(
      { length: 100_000 },
      (_, i) => `line ${i} ${"lorem ipsum dolor sit amet ".repeat(2)}${i * 7}`,
    );
    const text = lines.join("\n") + "\n";
    const input = [
      "*** Begin Patch",
      "*** Update File: patch.txt",
      ...Array.from({ length: 10_000 }, (_, i) => `@@\n-${lines[i * 10]}\n+changed ${i} ${lines[i * 10]}`),
      "*** End Patch",
    ].join("\n");
    return await median(9, () => writeFileSync(file, text), () => call("apply_patch", { input }));
  },
  /** One edit in 100 MB against a copy of it. Edited forth and back, so that nothing else fills the memory. */
  async large() {
    const file = at("large.txt");
    const line = Buffer.from(
      "const value = compute(123, 'some text here'); // comment number\n".repeat(1024),
    );
    const open = openSync(file, "w");
    for (let size = 0; size < 100e6; size += line.length) writeSync(open, line);
    writeSync(open, "a unique place here\n", 60_000_000);
    closeSync(open);
    const places = ["a unique place here", "the other place now"];
    let round = 0;
    const ms = await median(6, () => {}, () => {
      const [old_string, new_string] = round++ % 2 === 0 ? places : [...places].reverse();
      return call("Edit", { file_path: file, old_string, new_string });
    });
    const copy = await median(6, () => {}, () => copyFileSync(file, at("copy.txt")));
    return `${ms.toFixed(0)} ms, copy ${copy.toFixed(0)} ms, × ${(ms / copy).toFixed(2)}, ${peak()}`;
  },
  async paging() {
    const file = at("huge.txt");
    const line = Buffer.from(
      "a line of text, as long as lines are in a log file of the usual kind\n".repeat(4096),
    );
    const open = openSync(file, "w");
    for (let size = 0; size < 2e9; size += line.length) writeSync(open, line);
    closeSync(open);
    const ms = await median(
      1,
      () => {},
      () => call("Read", { file_path: file, offset: 1_000_000, limit: 3 }),
    );
    unlinkSync(file);
    return `${ms.toFixed(0)} ms, ${peak()}`;
  },
};

const figure = await works[what]();
console.log(`${what}\t${typeof figure === "number" ? figure.toFixed(1) : figure}`);
await runtime.close();
