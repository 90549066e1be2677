/** Cutting: true counts, whole characters, never over the limit. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  cut,
  cutBlocks,
  lineEndsIn,
  notice,
  takeHead,
  takeTail,
  textLength,
  wellFormed,
} from "../../src/core/fit.ts";
import type { Block } from "../../src/core/tool.ts";

const NOTICE = /\n\.\.\. \[(?:\d+ lines?, )?(\d+) characters omitted(.*?)\] \.\.\.\n/;
const block = (text: string): Block => ({ type: "text", text });
const FAMILY = "👩‍👩‍👧‍👦";
const graphemes = fc.array(
  fc.constantFrom("a", "é", "e\u0301", "字", "😀", FAMILY, "🇩🇪", "\r\n", "\n", "👍🏽"),
  { minLength: 30, maxLength: 200 },
);

test("a text at the limit is left alone, and one more character is cut with a notice", () => {
  for (const keep of ["middle", "head"] as const) {
    assert.equal(cut("x".repeat(100), 100, keep), "x".repeat(100));
    const result = cut("x".repeat(101), 100, keep);
    assert.equal(result.length <= 100, true);
    assert.match(result, NOTICE);
  }
});

test("the notice counts what is missing, and both ends are the text's own", () => {
  fc.assert(
    fc.property(
      graphemes,
      fc.integer({ min: 60, max: 400 }),
      fc.constantFrom("middle", "head"),
      (parts, limit, keep) => {
        const text = parts.join("");
        const result = cut(text, limit, keep as "middle" | "head", "; not saved");
        if (text.length <= limit) return assert.equal(result, text);
        assert.ok(result.length <= limit);
        const found = NOTICE.exec(result)!;
        const start = result.slice(0, found.index);
        const end = result.slice(found.index + found[0].length);
        assert.ok(text.startsWith(start) && text.endsWith(end));
        assert.equal(Number(found[1]), text.length - start.length - end.length);
        assert.equal(found[2], "; not saved");
        if (keep === "head") assert.equal(end, "");
      },
    ),
  );
});

test("a cut falls on grapheme borders", () => {
  fc.assert(fc.property(graphemes, fc.nat(), (parts, at) => {
    const text = parts.join("");
    const borders = new Set(
      [...new Intl.Segmenter().segment(text)].map(({ index }) => index).concat(text.length),
    );
    // Long runs of flags alone can't be told apart from their middle.
    fc.pre(!/(?:🇩🇪){8}/u.test(text));
    const count = at % (text.length + 1);
    const head = takeHead(text, count), tail = takeTail(text, count);
    assert.ok(head.length <= count && borders.has(head.length));
    assert.ok(tail.length <= count && borders.has(text.length - tail.length));
  }));
});

test("emoji across any cut leave well-formed text, a huge grapheme too", () => {
  for (const unit of ["😀", FAMILY, "a" + "\u{e0100}".repeat(300), "\u0301".repeat(200)]) {
    for (let pad = 0; pad < 4; pad++) {
      const text = "x".repeat(pad) + unit.repeat(40) + "y".repeat(pad);
      for (let limit = 60; limit < 900; limit += limit === 90 ? 700 : 1) {
        const result = cut(text, limit, "middle");
        assert.ok(result.isWellFormed() && result.length <= limit, `${pad} ${limit}`);
      }
    }
  }
});

test("lone surrogates are replaced", () => {
  assert.equal(wellFormed("a\ud800b"), "a\ufffdb");
});

test("blocks are cut as one text: one notice, the first and the last words stay, images too", () => {
  const image: Block = { type: "image", mediaType: "image/png", data: "A".repeat(1000) };
  const result = cutBlocks(
    [block("first " + "x".repeat(500)), image, block("y".repeat(500)), block("the hook's word")],
    200,
    "middle",
  );
  assert.ok(textLength(result) <= 200);
  assert.ok(result.includes(image));
  const texts = result.map((item) => item.type === "text" ? item.text : "");
  assert.match(texts[0]!, /^first x+\n\.\.\. \[(?:\d+ lines?, )?\d+ characters omitted\]/);
  assert.equal(texts.at(-1), "the hook's word");
  assert.equal(texts.join("").match(/omitted/g)!.length, 1);
});

test("however many blocks there are, together they keep to the limit and the count is true", () => {
  fc.assert(fc.property(
    fc.array(fc.string({ maxLength: 30 }).map(block), { maxLength: 200 }),
    fc.integer({ min: 60, max: 300 }),
    (content, limit) => {
      const total = textLength(content);
      const result = cutBlocks(content, limit, "middle");
      assert.ok(textLength(result) <= limit);
      if (total <= limit) return assert.equal(result, content);
      const joined = result.map((item) => item.type === "text" ? item.text : "").join("");
      const found = NOTICE.exec(joined)!;
      assert.equal(Number(found[1]), total - (joined.length - found[0].length));
    },
  ));
});

test("a limit smaller than the notice is kept all the same", () => {
  for (const limit of [0, 1, 10]) assert.ok(cut("x".repeat(1000), limit, "middle").length <= limit);
  assert.equal(notice(5), "\n... [5 characters omitted] ...\n");
  assert.equal(notice(5, "; there", NaN), "\n... [5 characters omitted; there] ...\n");
});

test("a notice counts the ends of lines that are left out too", () => {
  assert.equal(notice(5, "; there", 1), "\n... [1 line, 5 characters omitted; there] ...\n");
  fc.assert(fc.property(
    fc.array(fc.constantFrom("x", "\n", "é\n", "\r\n"), { minLength: 300, maxLength: 600 }),
    fc.constantFrom<"middle" | "head">("middle", "head"),
    (parts, keep) => {
      const text = parts.join("");
      const cutText = cut(text, 200, keep);
      const [whole, lines = "0"] = /\n\.\.\. \[(?:(\d+) lines?, )?\d+ characters omitted\] \.\.\.\n/.exec(
        cutText,
      )!;
      assert.equal(lineEndsIn(cutText.replace(whole, "")) + Number(lines), lineEndsIn(text));
    },
  ));
});
