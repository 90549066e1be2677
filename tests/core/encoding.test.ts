/** Encodings: text comes back from its bytes as it was, and a file's encoding is told from its bytes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { concat } from "../../src/core/bytes.ts";
import { decodeAs, encoderFor, isBoundary } from "../../src/core/codec.ts";
import { detectEncoding } from "../../src/core/detect_encoding.ts";
import type { Encoding, EncodingName } from "../../src/core/encoding.ts";
import { FileText } from "../../src/core/file_text.ts";
import { decodeText, isBinary } from "../../src/core/text.ts";
import { TextStream } from "../../src/core/text_stream.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);
const bytesOf = (...bytes: number[]) => Uint8Array.from(bytes);

function encode(name: EncodingName, text: string): Uint8Array {
  const bytes = encoderFor(name)(text);
  assert.ok(bytes instanceof Uint8Array, `${name} has no ${JSON.stringify(bytes)}`);
  return bytes;
}

/** Bytes of a Western text by hand, without the code under test. */
const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

/** Every form of a file, with letters that the encoding has. */
const FORMS: readonly { name: EncodingName; mark: number[]; letters: string[] }[] = [
  { name: "utf-8", mark: [], letters: ["a", "é", "語", "😀", "\uFEFF", "\0"] },
  { name: "utf-8", mark: [0xef, 0xbb, 0xbf], letters: ["a", "é", "語", "😀", "\uFEFF"] },
  { name: "utf-16le", mark: [0xff, 0xfe], letters: ["a", "é", "\u0a0d", "\u0d0a", "😀", "\uFEFF"] },
  { name: "utf-16be", mark: [0xfe, 0xff], letters: ["a", "é", "\u0a0d", "\u0d0a", "😀", "\uFEFF", "\0"] },
  { name: "windows-1252", mark: [], letters: ["ÿ", "a", "é", "ß", "€", "’", "\x81"] },
  { name: "gbk", mark: [], letters: ["a", "中", "文", "丂", "亐", "€", "，"] },
];
const ENDS = ["\n", "\r\n", "\r", "\n\n"];

test("text comes back from its bytes as it was, in every encoding and with every mix of line ends", () => {
  for (const { name, mark, letters } of FORMS) {
    const texts = fc.array(fc.constantFrom(...letters, ...ENDS), { maxLength: 40 }).map((list) =>
      list.join("")
    );
    const encoding: Encoding = { name, mark: mark.length, damaged: false };
    const encoder = encoderFor(name);
    fc.assert(
      fc.property(texts, (text) => {
        const body = encoder(text);
        assert.ok(body instanceof Uint8Array);
        const file = new FileText(concat([bytesOf(...mark), body]), encoding);
        assert.equal(file.text, text);
        assert.deepEqual([...file.mark], mark);
        const crlf = text.split("\r\n").length - 1;
        const lf = text.split("\n").length - 1 - crlf;
        assert.equal(file.ends, crlf === 0 ? "lf" : lf === 0 ? "crlf" : "mixed");
        assert.equal(file.dominantEnd, crlf > lf ? "\r\n" : "\n");
      }),
      { numRuns: 150 },
    );
  }
});

test("each byte of Windows-1252 and each pair of GBK is one character that goes back to a byte or pair read alike", () => {
  const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const western = decodeAs("windows-1252", all);
  assert.equal(western.length, 256);
  assert.equal(western.slice(0x80, 0x8d), "€\x81‚ƒ„…†‡ˆ‰Š‹Œ");
  assert.equal(western.slice(0x91, 0xa1), "‘’“”•–—˜™š›œ\x9džŸ\xa0");
  assert.deepEqual(encode("windows-1252", western), all);
  const encoder = encoderFor("gbk");
  for (let lead = 0x81; lead < 0xff; lead++) {
    const row: number[] = [];
    for (let trail = 0x40; trail < 0xff; trail++) if (trail !== 0x7f) row.push(lead, trail);
    const text = decodeAs("gbk", bytesOf(...row));
    assert.equal([...text].length, row.length / 2, `lead ${lead}`);
    const back = encoder(text);
    assert.ok(back instanceof Uint8Array, `lead ${lead}`);
    assert.equal(decodeAs("gbk", back), text);
  }
  assert.deepEqual([...encode("gbk", "中€")], [0xd6, 0xd0, 0xa2, 0xe3]);
});

test("a character that the encoding doesn't have, and half of one, is named", () => {
  assert.deepEqual(encoderFor("windows-1252")("é語"), { missing: "語" });
  assert.deepEqual(encoderFor("gbk")("中😀"), { missing: "😀" });
  for (const { name } of FORMS) assert.deepEqual(encoderFor(name)("a\ud83d"), { missing: "\ud83d" });
});

test("valid UTF-8 is never anything else", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
    const bytes = utf8(text);
    const mark = text.startsWith("\uFEFF") ? 3 : 0;
    assert.deepEqual(detectEncoding(bytes), { name: "utf-8", mark, damaged: false });
    assert.equal(new FileText(bytes).text, mark > 0 ? text.slice(1) : text);
    // A first piece may end within a character.
    for (let end = 0; end <= bytes.length; end++) {
      assert.equal(detectEncoding(bytes.subarray(0, end), true).name, "utf-8");
    }
  }));
});

test("a UTF-8 file with a few bad bytes is UTF-8, and known to be damaged", () => {
  const words = fc.array(fc.constantFrom("é", "語", "😀", "a", " ", "\n"), { minLength: 1, maxLength: 30 });
  const bad = fc.constantFrom([0xff], [0x80], [0xc3], [0xe9, 0x20], [0xc0]);
  fc.assert(fc.property(words, words, bad, (before, after, broken) => {
    // Enough of what only UTF-8 would be, around two bad bytes at most.
    const bytes = concat([utf8("äöüß語é" + before.join("")), bytesOf(...broken, 0x20), utf8(after.join(""))]);
    assert.deepEqual(detectEncoding(bytes), { name: "utf-8", mark: 0, damaged: true });
    assert.equal(new FileText(bytes).text, new TextDecoder().decode(bytes));
  }));
});

/** Real sentences, in bytes of GBK. */
const CHINESE = [
  "请在编辑文件之前先阅读它。",
  "// 计算两个数的和，并返回结果\nfunction add(a, b) { return a + b; }\n",
  "中国的首都是北京，人口超过两千万。\r\n长城很长。\r\n",
  'print("你好，世界")  # 打印问候语\n',
  "这个函数没有副作用；如果参数为空，则抛出异常。",
  "价格：100元（含税）",
  "床前明月光，疑是地上霜。举头望明月，低头思故乡。",
  "name=张伟\ncity=上海\n",
];

/** The same in Windows-1252, by hand: these letters have the same number there and in Unicode. */
const WESTERN = [
  "Voilà un café très fort, où l'on goûte des crêpes à la crème brûlée.\n",
  "garçon",
  "caf\xe9",
  "x = 1 // défini ici\n",
  "Größe",
  "größer als die Straße\n",
  "Die Bäume blühen schön über den Hügeln; äußerst hübsch.\r\n",
  "Ä Ö Ü sind Umlaute, ÄÖÜ auch",
  "AÇÃO E REAÇÃO\n",
  "não há informações sobre a ação, São João\n",
  "El niño comió piñas en España; ¿dónde está?\n",
  "Blåbærsyltetøy på brødskive\n",
  "créée",
  "naïveté à l’œuvre".replace("’", "\x92").replace("œ", "\x9c"),
  "\x93quoted\x94 \x96 5 \x80\n",
];

test("Chinese text in GBK is GBK", () => {
  for (const text of CHINESE) {
    const bytes = encode("gbk", text);
    assert.deepEqual(detectEncoding(bytes), { name: "gbk", mark: 0, damaged: false }, text);
    assert.equal(new FileText(bytes).text, text);
    assert.equal(isBinary(bytes), false);
  }
});

test("a first piece of a GBK file tells GBK wherever it ends", () => {
  const bytes = encode("gbk", CHINESE.join("\n"));
  for (let end = 40; end < bytes.length; end++) {
    assert.equal(detectEncoding(bytes.subarray(0, end), true).name, "gbk", `${end} bytes`);
  }
});

test("French, German and other Western text is Windows-1252", () => {
  for (const text of WESTERN) {
    const bytes = latin1(text);
    assert.equal(detectEncoding(bytes).name, "windows-1252", JSON.stringify(text));
    assert.equal(isBinary(bytes), false);
  }
  assert.equal(new FileText(latin1("\x93a\x94 \x80")).text, "“a” €");
  // Half of a pair is no proof, neither where a file ends nor where its first piece does.
  assert.equal(detectEncoding(latin1("\xc4\xd6 \xc4")).name, "windows-1252");
  assert.equal(detectEncoding(latin1("caf\xe9\xe8"), true).name, "windows-1252");
});

test("what comes behind a megabyte of ASCII tells the encoding too", () => {
  const ascii = new Uint8Array(1024 * 1024 + 10).fill(0x61);
  assert.equal(detectEncoding(concat([ascii, latin1(" caf\xe9\n")])).name, "windows-1252");
  assert.equal(detectEncoding(concat([ascii, encode("gbk", CHINESE[0]!)])).name, "gbk");
  assert.equal(detectEncoding(concat([ascii, utf8("ééé"), bytesOf(0xff)])).name, "utf-8");
});

test("a mark decides, and bytes that mean nothing behind it are known", () => {
  const detected = (...bytes: number[]) => detectEncoding(bytesOf(...bytes));
  assert.deepEqual(detected(0xff, 0xfe, 0x61, 0), { name: "utf-16le", mark: 2, damaged: false });
  assert.deepEqual(detected(0xfe, 0xff, 0, 0x61), { name: "utf-16be", mark: 2, damaged: false });
  assert.deepEqual(detected(0xff, 0xfe, 0x61), { name: "utf-16le", mark: 2, damaged: true });
  assert.deepEqual(detected(0xfe, 0xff, 0xd8, 0, 0, 0x61), { name: "utf-16be", mark: 2, damaged: true });
  assert.deepEqual(detected(0xef, 0xbb, 0xbf, 0xff), { name: "utf-8", mark: 3, damaged: true });
  assert.equal(isBinary(bytesOf(0xff, 0xfe, 0x61, 0)), false);
  assert.equal(isBinary(bytesOf(0xff, 0xfe, 0, 0, 0x61, 0, 0, 0)), true, "UTF-32");
});

test("no bytes make detection or decoding fail, and decoding in pieces is the same", () => {
  const some = fc.array(
    fc.constantFrom(0, 10, 13, 0x41, 0x80, 0x81, 0xbb, 0xbf, 0xc3, 0xd6, 0xe4, 0xef, 0xfe, 0xff),
  );
  const bytes = fc.oneof(some.map((list) => bytesOf(...list)), fc.uint8Array({ maxLength: 60 }));
  fc.assert(
    fc.property(bytes, fc.nat(60), (bytes, border) => {
      const encoding = detectEncoding(bytes);
      const file = new FileText(bytes, encoding);
      const { text } = file;
      assert.deepEqual(decodeText(bytes), { text, encoding });
      if (!text.includes("\uFFFD")) assert.equal(encoding.damaged, false);
      else if (!encoding.damaged) assert.ok(decodeAs(encoding.name, bytes).includes("\uFFFD"));
      isBinary(bytes);
      detectEncoding(bytes, true);
      assert.equal(file.isBoundary(encoding.mark), true);
      const stream = new TextStream(bytes);
      const at = Math.min(border, bytes.length);
      const pieces = stream.push(bytes.subarray(0, at)) + stream.push(bytes.subarray(at)) + stream.end();
      const whole = decodeAs(stream.encoding.name, bytes.subarray(stream.encoding.mark));
      assert.equal(pieces, whole);
    }),
    { numRuns: 1000 },
  );
});

test("in GBK a place is a boundary exactly where a character begins", () => {
  const letters = ["a", "@", "~", "0", "\n", "中", "丂", "亐", "亊", "鄀"];
  const encoding: Encoding = { name: "gbk", mark: 0, damaged: false };
  const parts = Object.fromEntries(letters.map((letter) => [letter, encode("gbk", letter)]));
  fc.assert(fc.property(fc.array(fc.constantFrom(...letters), { maxLength: 30 }), (list) => {
    const bytes = concat([new Uint8Array(), ...list.map((letter) => parts[letter]!)]);
    const starts = new Set([0]);
    for (const letter of list) starts.add([...starts].at(-1)! + parts[letter]!.length);
    for (let at = 0; at <= bytes.length; at++) {
      assert.equal(isBoundary(encoding, bytes, at), starts.has(at), `${list.join("")} at ${at}`);
    }
  }));
});

test("a long start in ASCII decides nothing: a stream and the whole file are read alike", () => {
  const ascii = new TextEncoder().encode("plain line\n".repeat(30_000));
  const tail = Uint8Array.of(0x63, 0x61, 0x66, 0xe9, 0x0a);
  const stream = new TextStream(ascii);
  const text = stream.push(ascii) + stream.push(tail) + stream.end();
  assert.equal(stream.encoding.name, "windows-1252");
  assert.equal(text, new FileText(concat([ascii, tail])).text);
  assert.ok(text.endsWith("café\n"));
});
