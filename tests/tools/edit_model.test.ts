/** Edits against a slow and obvious reference, which works on strings: every encoding, every mix of line ends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { concat } from "../../src/core/bytes.ts";
import { decodeAs, encoderFor } from "../../src/core/codec.ts";
import type { EncodingName } from "../../src/core/encoding.ts";
import { AgentError } from "../../src/core/errors.ts";
import { FileText } from "../../src/core/file_text.ts";
import { applyEdits, type Edit } from "../../src/tools/edit/apply.ts";
import { ManyNeedles } from "../../src/tools/edit/many.ts";
import { snippetOf } from "../../src/tools/edit/snippet.ts";

/** The index of the edit that can't be applied; `undefined` where the text has a character too many. */
class Refused extends Error {
  readonly edit: number | undefined;

  constructor(edit: number | undefined) {
    super(`refused: edit ${edit}`);
    this.edit = edit;
  }
}

const CRLF = /\r\n/;

/** In a file that has CR LF each line feed of an old text is any line end as a whole, and each CR none. */
function placesIn(text: string, old: string): [start: number, end: number][] {
  const literal = (part: string) =>
    part.replace(/[^\w\s]/gu, (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`);
  const folds = CRLF.test(text);
  const lines = folds ? old.replaceAll("\r\n", "\n").split("\n") : [old];
  // A CR of a line end is no text.
  const exact = (line: string) => folds ? literal(line).replaceAll("\r", "\\r(?!\\n)") : literal(line);
  const pattern = new RegExp(lines.map(exact).join("(?:\\r\\n|(?<!\\r)\\n)"), "gu");
  return [...text.matchAll(pattern)].map(({ 0: all, index }) => [index, index + all.length]);
}

/** The kind of the first line end from there on, or of the last before it. */
function withEndsOf(text: string, at: number, added: string): string {
  if (!added.includes("\n") || added.includes("\r\n") || !CRLF.test(text)) return added;
  const after = text.indexOf("\n", at);
  const feed = after >= 0 ? after : text.lastIndexOf("\n");
  return text[feed - 1] === "\r" ? added.replaceAll("\n", "\r\n") : added;
}

function reference(text: string, edits: readonly Edit[], has: (text: string) => boolean): string {
  for (const [index, edit] of edits.entries()) {
    const { old_string, new_string, replace_all, expected_replacements } = edit;
    let places: [number, number][];
    if (old_string === "") {
      if (text !== "") throw new Refused(index);
      places = [[0, 0]];
    } else {
      if (old_string === new_string) throw new Refused(index);
      places = placesIn(text, old_string);
      const wanted = expected_replacements ?? (replace_all ? places.length : 1);
      if (places.length === 0 || places.length !== wanted) throw new Refused(index);
    }
    if (!has(new_string)) throw new Refused(undefined);
    const contents = places.map(([start]) => withEndsOf(text, start, new_string));
    for (const [nth, [start, end]] of [...places.entries()].reverse()) {
      text = text.slice(0, start) + contents[nth]! + text.slice(end);
    }
  }
  return text;
}

/** Forms of files, with letters that are mistaken for others where a match isn't on a border of characters. */
const FORMS: readonly { name: EncodingName; mark: number[]; letters: string[]; foreign?: string }[] = [
  { name: "utf-8", mark: [], letters: ["a", "b", "é"] },
  { name: "utf-8", mark: [0xef, 0xbb, 0xbf], letters: ["a", "語", "😀"] },
  { name: "utf-16le", mark: [0xff, 0xfe], letters: ["a", "\u6100", "\u0a00", "\0"] },
  { name: "utf-16be", mark: [0xfe, 0xff], letters: ["a", "\u6100", "\u0a00", "\0"] },
  { name: "windows-1252", mark: [], letters: ["a", "é", "ÿ", "’"], foreign: "語" },
  {
    name: "gbk",
    mark: [],
    letters: ["a", "b", gbk("\x81a"), gbk("\x81\x81"), gbk("\x81@")],
    foreign: "😀",
  },
];

function gbk(pair: string): string {
  return decodeAs("gbk", Uint8Array.from(pair, (character) => character.charCodeAt(0)));
}

const ENDS = ["\n", "\r\n"];

function texts(parts: readonly string[], maxLength: number): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...parts), { maxLength }).map((list) => list.join(""));
}

function editsFrom(parts: readonly string[], text: string): fc.Arbitrary<Edit[]> {
  const cut = fc.tuple(fc.nat(text.length), fc.integer({ min: 1, max: 5 }))
    .map(([start, length]) => text.slice(start, start + length).replaceAll("\r\n", "\n"));
  const edit = fc.record({
    old_string: fc.oneof({ weight: 3, arbitrary: texts(parts, 3) }, { weight: 4, arbitrary: cut }),
    new_string: texts(parts, 3),
    replace_all: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false)),
    expected_replacements: fc.oneof(
      { weight: 12, arbitrary: fc.constant(undefined) },
      fc.integer({ min: 1, max: 3 }),
    ),
  });
  return fc.array(edit, { minLength: 1, maxLength: 6 }).map((edits) =>
    edits.map(({ expected_replacements: count, ...one }) => ({
      ...one,
      ...(count !== undefined && { expected_replacements: count }),
    }))
  );
}

function outcome<T>(run: () => T): { value: T } | { refused: number | undefined } {
  try {
    return { value: run() };
  } catch (error) {
    if (error instanceof Refused) return { refused: error.edit };
    assert.ok(error instanceof AgentError, String(error));
    if (/its encoding/.test(error.message)) return { refused: undefined };
    const named = /\(edit (\d+) of \d+\)/.exec(error.message);
    assert.match(error.message, /^Cannot edit "f"/);
    return { refused: named ? Number(named[1]) - 1 : 0 };
  }
}

for (const { name, mark, letters, foreign } of FORMS) {
  for (
    const [kind, ends] of Object.entries({ LF: ["\n"], CRLF: ["\r\n"], mixed: ENDS, odd: [...ENDS, "\r"] })
  ) {
    test(`edits do what their reference does: ${name}${mark.length > 0 ? " with its mark" : ""}, ${kind}`, () => {
      const encoder = encoderFor(name);
      // The table of an encoding is made once.
      const empty = new FileText(new Uint8Array(), { name, mark: mark.length, damaged: false });
      const encode = (text: string) => {
        const bytes = encoder(text);
        assert.ok(bytes instanceof Uint8Array);
        return concat([Uint8Array.from(mark), bytes]);
      };
      const asked = [
        ...letters,
        "\n",
        ...(kind === "odd" ? ["\r", "\r\n"] : []),
        ...(foreign ? [foreign] : []),
      ];
      const cases = texts([...letters, ...ends], 14).chain((text) =>
        fc.tuple(fc.constant(text), editsFrom(asked, text))
      );
      fc.assert(
        fc.property(cases, ([text, edits]) => {
          const file = empty.with(encode(text));
          const expected = outcome(() => reference(text, edits, (one) => encoder(one) instanceof Uint8Array));
          const actual = outcome(() => {
            const edited = applyEdits("f", file, edits);
            snippetOf(file, edited);
            return concat([new Uint8Array(), ...edited.pieces]);
          });
          if ("refused" in expected) assert.deepEqual(actual, expected);
          else {
            assert.ok("value" in actual, `refused: ${JSON.stringify(actual)}`);
            assert.deepEqual(actual.value, encode(expected.value));
          }
        }),
        { numRuns: 1500 },
      );
    });
  }
}

test("an edit that joins a CR and an LF changes what the next ones find", () => {
  const edits = [{ old_string: "X", new_string: "" }, { old_string: "\nb", new_string: "c" }];
  const text = "a\rX\nb";
  assert.equal(reference(text, edits, () => true), "ac");
  const { pieces } = applyEdits("f", new FileText(new TextEncoder().encode(text)), edits);
  assert.equal(new TextDecoder().decode(concat(pieces)), "ac");
});

test("all bytes around an edit stay as they are, whatever they mean", () => {
  const noise = fc.uint8Array({ maxLength: 40 });
  let done = 0;
  fc.assert(
    fc.property(noise, noise, fc.constantFrom("", "x", "|", "\r\n"), (before, after, new_string) => {
      const mid = new TextEncoder().encode("|mid|");
      const file = new FileText(concat([before, mid, after]));
      const result = outcome(() => applyEdits("f", file, [{ old_string: "|mid|", new_string }]).pieces);
      // Where the bytes before it are half of a character, it isn't there.
      if ("refused" in result) return;
      done++;
      const written = concat([before, new TextEncoder().encode(new_string), after]);
      assert.deepEqual(concat([new Uint8Array(), ...result.value]), written);
    }),
    { numRuns: 1000 },
  );
  assert.ok(done > 900, `${done} edits were made`);
});

test("many texts are found wherever each of them stands", () => {
  const bytes = (maxLength: number) =>
    fc.array(fc.constantFrom(0x61, 0x62), { minLength: 1, maxLength }).map((list) => Uint8Array.from(list));
  const cases = bytes(300).chain((hay) => {
    const cut = fc.tuple(fc.nat(hay.length - 1), fc.integer({ min: 1, max: 80 }))
      .map(([start, length]) => hay.slice(start, start + length));
    const sought = fc.array(fc.oneof(cut, bytes(80), bytes(4)), { minLength: 1, maxLength: 12 });
    return fc.tuple(fc.constant(hay), sought, fc.oneof(fc.constant(0), fc.nat(hay.length)));
  });
  fc.assert(
    fc.property(cases, ([hay, sought, from]) => {
      const found: number[][] = sought.map(() => []);
      new ManyNeedles(sought).search(hay, from, (id, start) => found[id]!.push(start));
      const [text, ...wanted] = [hay, ...sought].map((one) => String.fromCharCode(...one)) as [
        string,
        ...string[],
      ];
      for (const [id, one] of wanted.entries()) {
        const starts: number[] = [];
        for (let at = text.indexOf(one, from); at >= 0; at = text.indexOf(one, at + 1)) starts.push(at);
        assert.deepEqual(found[id], starts, one);
      }
    }),
    { numRuns: 400 },
  );
});
