/** Patches against a slow and obvious reference, which works on lists of lines: every encoding, every line end. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { concat } from "../../src/core/bytes.ts";
import { decodeAs, encoderFor } from "../../src/core/codec.ts";
import type { EncodingName } from "../../src/core/encoding.ts";
import { AgentError } from "../../src/core/errors.ts";
import type { Snapshot } from "../../src/core/files.ts";
import { FileText } from "../../src/core/file_text.ts";
import { applyChunks } from "../../src/tools/patch/apply.ts";
import { type Chunk, type Hunk, parsePatch } from "../../src/tools/patch/parse.ts";
import { planPatch } from "../../src/tools/patch/plan.ts";
import { readdirSync, readFileSync } from "node:fs";
import { type Json, Scratch, textOf } from "../support.ts";

/** The reference has no place for a chunk, or the encoding no bytes for a character. */
class Refused extends Error {}

interface Line {
  text: string;
  /** Absent for a new line. */
  end?: string;
}

const plain = (line: string) =>
  line.replace(/[\u2010-\u2015\u2212]/g, "-").replace(/[\u2018-\u201b]/g, "'").replace(
    /[\u201c-\u201f]/g,
    '"',
  )
    .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, " ").trim();
const PASSES = [
  (line: string) => line,
  (line: string) => line.trimEnd(),
  (line: string) => line.trim(),
  plain,
];

function seek(
  lines: readonly Line[],
  wanted: readonly string[],
  from: number,
  atEnd: boolean,
): number | undefined {
  for (const [pass, fold] of PASSES.entries()) {
    const sought = wanted.map(fold).join("\n");
    const places: number[] = [];
    for (let at = from; at + wanted.length <= lines.length; at++) {
      const there = lines.slice(at, at + wanted.length).map(({ text }) => fold(text)).join("\n");
      if (there === sought) places.push(at);
    }
    const last = lines.length - wanted.length;
    if (atEnd && places.includes(last)) return last;
    if (places.length > 1 && pass > 0) throw new Refused("ambiguous");
    if (places.length > 0) return places[0];
  }
  return undefined;
}

function reference(text: string, chunks: readonly Chunk[]): string {
  const lines: Line[] = [...text.matchAll(/([^\r\n]*)(\r\n|\n|\r)|([^\r\n]+)$/g)]
    .map(([, one, end = "", last = ""]) => ({ text: one ?? last, end }));
  const count = (end: string) => lines.filter((line) => line.end === end).length;
  const usual = count("\n") + count("\r\n") > 0
    ? (count("\r\n") > count("\n") ? "\r\n" : "\n")
    : count("\r") > 0
    ? "\r"
    : "\n";
  /** New lines before each old one, and the old ones that go. */
  const added: string[][] = Array.from({ length: lines.length + 1 }, () => []);
  const gone = new Set<number>();
  /** New lines that stand nowhere in particular, so at the end. */
  const tail: string[] = [];
  let from = 0;
  for (const { contexts, changes, atEnd } of chunks) {
    for (const context of contexts) {
      const at = seek(lines, [context], from, false);
      if (at === undefined) throw new Refused("context");
      from = at + 1;
    }
    let own = changes;
    let old = changes.filter(({ kind }) => kind !== "add").map((change) => change.text);
    if (old.length === 0 && contexts.length === 0) {
      tail.push(...changes.map(({ text }) => text));
      continue;
    }
    let start = from;
    if (old.length > 0) {
      let found = seek(lines, old, from, atEnd);
      if (found === undefined && old.length > 1 && old.at(-1) === "") {
        old = old.slice(0, -1);
        const dropped = changes.findLastIndex(({ kind }) => kind !== "add");
        own = changes.filter((_, index) => index !== dropped);
        found = seek(lines, old, from, atEnd);
      }
      if (found === undefined) throw new Refused("lines");
      start = found;
      from = start + old.length;
    }
    let at = start;
    for (const { kind, text } of own) {
      if (kind === "add") added[at]!.push(text);
      else {
        if (kind === "remove") gone.add(at);
        at++;
      }
    }
  }
  const result: Line[] = [];
  for (let at = 0; at <= lines.length; at++) {
    result.push(...added[at]!.map((one) => ({ text: one })));
    if (at < lines.length && !gone.has(at)) result.push(lines[at]!);
  }
  result.push(...tail.map((one) => ({ text: one })));
  return result.map((line, index) => {
    const next = result.slice(index).find(({ end }) => end !== undefined)?.end || usual;
    if (line.end === undefined) return line.text + next;
    return line.text + (line.end === "" && index + 1 < result.length ? usual : line.end);
  }).join("");
}

function outcome<T>(run: () => T): { value: T } | { refused: true } {
  try {
    return { value: run() };
  } catch (error) {
    assert.ok(error instanceof Refused || error instanceof AgentError, String(error));
    assert.notEqual(error.message, "");
    return { refused: true };
  }
}

const gbk = (...bytes: number[]) => decodeAs("gbk", Uint8Array.from(bytes));
const FORMS: readonly { name: EncodingName; mark: number[]; letters: string[]; foreign?: string }[] = [
  { name: "utf-8", mark: [], letters: ["é", "“", '"', "-", "–"] },
  { name: "utf-8", mark: [0xef, 0xbb, 0xbf], letters: ["語", "😀"] },
  { name: "utf-16le", mark: [0xff, 0xfe], letters: ["\u0a0d", "\u0d0a", "\u0a00", "\u2028"] },
  { name: "utf-16be", mark: [0xfe, 0xff], letters: ["\u0a0d", "\u0d0a", "\u0a00", "\u2028"] },
  { name: "windows-1252", mark: [], letters: ["é", "’", "'", "ÿ"], foreign: "語" },
  {
    name: "gbk",
    mark: [],
    letters: [gbk(0x81, 0x61), gbk(0x81, 0x40), gbk(0xd6, 0xd0), "，"],
    foreign: "😀",
  },
];

function textsOf(letters: readonly string[]): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom("a", " ", ...letters), { maxLength: 3 }).map((list) => list.join(""));
}

interface Drafted {
  kind: " " | "-" | "+";
  text: string;
}

/** A chunk's lines in the patch: mostly cut from the file, sometimes with other blanks, or made up. */
function chunkFrom(lines: readonly string[], text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const old = fc.tuple(fc.nat(Math.max(0, lines.length - 1)), fc.integer({ min: 0, max: 3 }))
    .map(([start, length]) => lines.slice(start, start + length));
  const loose = fc.constantFrom<(line: string) => string>(
    ...Array<(line: string) => string>(6).fill((line) => line),
    (line) => ` ${line}`,
    (line) => `${line} `,
    (line) => line.trim(),
  );
  const kinds = fc.array(fc.constantFrom<Drafted["kind"]>(" ", "-"), { minLength: 3, maxLength: 3 });
  const added = fc.array(fc.tuple(fc.nat(3), text), { maxLength: 3 });
  const header = fc.oneof(
    { weight: 4, arbitrary: fc.constant("@@") },
    fc.constantFrom("a", ...lines).map((line) => `@@ ${line}`),
    fc.constantFrom("a", ...lines).map((line) => `@@ ${line}\n@@ ${line}`),
  );
  const end = fc.constantFrom("", "", "", "\n*** End of File");
  return fc.tuple(old, loose, kinds, added, header, end).map(([old, loose, kinds, added, header, end]) => {
    const changes: Drafted[] = old.map((line, index) => ({ kind: kinds[index]!, text: loose(line) }));
    for (const [at, line] of added) {
      changes.splice(Math.min(at, changes.length), 0, { kind: "+", text: line });
    }
    return [header, ...changes.map(({ kind, text }) => kind + text)].join("\n") + end;
  });
}

for (const { name, mark, letters, foreign } of FORMS) {
  test(`patches do what their reference does: ${name}${mark.length > 0 ? " with its mark" : ""}`, () => {
    const encoder = encoderFor(name);
    const encode = (text: string) => {
      const bytes = encoder(text);
      if (!(bytes instanceof Uint8Array)) throw new Refused("encoding");
      return concat([Uint8Array.from(mark), bytes]);
    };
    // The table of an encoding is made once.
    const empty = new FileText(new Uint8Array(), { name, mark: mark.length, damaged: false });
    const line = textsOf(letters);
    const ends = fc.constantFrom(["\n"], ["\r\n"], ["\n", "\r\n"], ["\r"], ["\n", "\r\n", "\r"]);
    const files = fc.tuple(
      fc.array(line, { maxLength: 8 }),
      ends,
      fc.array(fc.nat(2), { minLength: 8, maxLength: 8 }),
      fc.boolean(),
    )
      .map(([lines, ends, picks, bare]) => {
        const text = lines.map((line, index) => line + ends[picks[index]! % ends.length]!).join("");
        return { lines, text: bare ? text.replace(/(?:\r\n|\n|\r)$/, "") : text };
      });
    const cases = files.chain(({ lines, text }) => {
      const chunks = fc.array(chunkFrom(lines, foreign ? textsOf([...letters, foreign]) : line), {
        minLength: 1,
        maxLength: 3,
      });
      return fc.tuple(fc.constant(text), chunks);
    });
    let done = 0;
    fc.assert(
      fc.property(cases, ([text, chunks]) => {
        const parsed = outcome(() =>
          parsePatch(`*** Begin Patch\n*** Update File: f\n${chunks.join("\n")}\n*** End Patch`)
        );
        if ("refused" in parsed) return;
        const [hunk] = parsed.value as [Extract<Hunk, { kind: "update" }>];
        const expected = outcome(() => encode(reference(text, hunk.chunks)));
        const actual = outcome(() =>
          concat([new Uint8Array(), ...applyChunks("f", empty.with(encode(text)), hunk.chunks)])
        );
        assert.deepEqual(actual, expected);
        if ("value" in actual) done++;
      }),
      { numRuns: 2500 },
    );
    assert.ok(done > 500, `${done} patches were applied`);
  });
}

type Tree = Record<string, string>;

/** What a whole patch makes of files of ASCII text, hunk by hunk. */
function applied(tree: Tree, hunks: readonly Hunk[]): Tree {
  const now = { ...tree };
  for (const hunk of hunks) {
    const { path } = hunk;
    const there = now[path];
    if (hunk.kind === "add") {
      const text = hunk.lines.map((line) => line + "\n").join("");
      const crlf = (there?.split("\r\n").length ?? 1) - 1;
      const lf = (there?.split("\n").length ?? 1) - 1 - crlf;
      now[path] = crlf > lf && !text.includes("\r") ? text.replaceAll("\n", "\r\n") : text;
      continue;
    }
    if (there === undefined) throw new Refused("no such file");
    const text = hunk.kind === "update" ? reference(there, hunk.chunks) : "";
    delete now[path];
    if (hunk.kind === "update") now[hunk.moveTo ?? path] = text;
  }
  return now;
}

const NAMES = ["f", "g", "d/h"];
const TREE: Tree = { f: "a\nb\nc\n", g: "a\r\nb\r\nd", "d/h": "" };

/** Something that begins like a patch: whole hunks, and stray lines among them. */
const patches: fc.Arbitrary<string> = (() => {
  const name = fc.constantFrom(...NAMES, "new");
  const added = fc.array(fc.constantFrom("+a", "+b", "+", "+*** End Patch", "+$&"), { maxLength: 3 });
  const chunk = fc.tuple(
    fc.constantFrom("@@", "@@", "@@ a", "@@ b", "@@ x"),
    fc.constantFrom("", " ", " a\n", "-a\n", "-a\n-b\n", " b\n", "-d\n", "-x\n"),
    added,
    fc.constantFrom("", "", "\n*** End of File"),
  ).map(([header, old, added, end]) => `${header}\n${old}${added.join("\n")}${end}`);
  const hunk = fc.oneof(
    fc.tuple(name, added).map(([name, lines]) => [`*** Add File: ${name}`, ...lines].join("\n")),
    name.map((name) => `*** Delete File: ${name}`),
    {
      weight: 3,
      arbitrary: fc.tuple(name, chunk).map(([name, chunk]) => `*** Update File: ${name}\n${chunk}`),
    },
    fc.tuple(name, name, chunk).map(([name, to, chunk]) =>
      `*** Update File: ${name}\n*** Move to: ${to}\n${chunk}`
    ),
    fc.constantFrom("", " ", "@@", "+", "-x", "*** End of File", "*** Move to: g", "*** Begin Patch", "junk"),
  );
  return fc.array(hunk, { minLength: 1, maxLength: 4 }).map((hunks) =>
    ["*** Begin Patch", ...hunks, "*** End Patch"].join("\n")
  );
})();

const bytesOf = (text: string) => new TextEncoder().encode(text);

test("hunks of one patch see what the ones before made of the files", () => {
  const snapshot = (bytes: Uint8Array): Snapshot => ({
    info: { kind: "file", size: bytes.length, mode: 0o644 } as Snapshot["info"],
    link: undefined,
    bytes,
    sha256: "",
  });
  let done = 0;
  fc.assert(
    fc.property(patches, (patch) => {
      const parsed = outcome(() => parsePatch(patch));
      if ("refused" in parsed) return;
      const expected = outcome(() => applied(TREE, parsed.value));
      const actual = outcome(() => {
        const { changes, told } = planPatch(
          parsed.value,
          (path) => path,
          (path) => Object.hasOwn(TREE, path) ? snapshot(bytesOf(TREE[path]!)) : undefined,
        );
        assert.equal(told.length, parsed.value.length);
        const now: Tree = { ...TREE };
        for (const { path, after } of changes) {
          if (after === undefined) delete now[path];
          else now[path] = new TextDecoder().decode(concat([new Uint8Array(), ...after as Uint8Array[]]));
        }
        return now;
      });
      assert.deepEqual(actual, expected);
      if ("value" in actual) done++;
    }),
    { numRuns: 3000 },
  );
  assert.ok(done > 100, `${done} patches were applied`);
});

/** Every file below a folder with its text. */
function treeOf(folder: string): Tree {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile()
  );
  return Object.fromEntries(names.map(({ parentPath, name }) => {
    const full = `${parentPath}/${name}`;
    return [full.slice(folder.length + 1), readFileSync(full, "latin1")];
  }));
}

test("a patch through the real agent does all that it says, or nothing", async () => {
  const random = fc.sample(patches, 60);
  const fixed = [
    "",
    "*** Begin Patch",
    "*** Begin Patch\n*** End Patch",
    "\0",
    "*** Begin Patch\n*** Add File: \0\n+x\n*** End Patch",
  ];
  using scratch = new Scratch();
  const calls: Json[] = [];
  const wanted: { tree: Tree | undefined; patch: string }[] = [];
  for (const [index, patch] of [...fixed, ...random].entries()) {
    for (const [name, text] of Object.entries(TREE)) scratch.file(`${index}/${name}`, text);
    const moved = patch.replace(/^(\*\*\* (?:Add|Delete|Update) File: |\*\*\* Move to: )/gm, `$1${index}/`);
    calls.push({ name: "apply_patch", args: { input: moved } });
    const result = outcome(() => applied(TREE, parsePatch(patch)));
    wanted.push({ tree: "value" in result && !patch.includes("\0") ? result.value : undefined, patch });
  }
  const { results } = await scratch.batch(calls, ["--mode", "acceptEdits"]);
  assert.equal(results.length, calls.length);
  for (const [index, { tree, patch }] of wanted.entries()) {
    const said = textOf(results[index]!);
    assert.deepEqual(treeOf(`${scratch.work}/${index}`), tree ?? TREE, `${patch}\n${said}`);
    if (tree) assert.match(said, /^Success\. Updated the following files:\n/, patch);
    else assert.doesNotMatch(said, /^Success|undefined|TypeError|\bat .*:\d+:\d+/, patch);
  }
});
