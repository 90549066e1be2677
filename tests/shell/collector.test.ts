/** Collecting output in bounded memory. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { OverflowFile } from "../../src/core/overflow.ts";
import { redactor } from "../../src/core/redact.ts";
import type { StreamName } from "../../src/core/tool.ts";
import { Collector } from "../../src/shell/collector.ts";

const encode = (text: string) => new TextEncoder().encode(text);

/** A collector whose overflow file is a string. */
function collecting(limit: number, meanwhile = () => {}) {
  const file = { written: "", closed: false };
  const shown: string[] = [];
  const saved = { path: "/file", holds: "all of it" };
  const overflow = {
    path: "/file",
    saved,
    write: (bytes: Uint8Array) => void (file.written += new TextDecoder().decode(bytes)),
    close() {
      file.closed = true;
      return saved;
    },
    discard: () => void (file.written = ""),
  } as unknown as OverflowFile;
  const secrets = redactor([{ name: "KEY", value: "sesame-street" }]);
  const gate = {
    limit,
    redaction: () => secrets.stream(),
    overflow: () => overflow,
    secretsNamedIn: () => ({}),
  };
  const collector = new Collector(gate, (text) => {
    shown.push(text.toString());
    meanwhile();
  });
  const push = (text: string, stream: StreamName = "stdout") => collector.push(encode(text), stream);
  return { collector, push, file, shown, secrets };
}

test("short output is kept whole, by stream and together, without a file", () => {
  const { collector, push, file, shown } = collecting(100);
  push("a");
  push("b", "stderr");
  push("c");
  assert.deepEqual(collector.finish(100), {
    text: "abc",
    stdout: "ac",
    stderr: "b",
    overflow: undefined,
  });
  assert.deepEqual(shown, ["a", "b", "c"]);
  assert.deepEqual(file, { written: "", closed: false });
});

test("of long output both ends stand with a true count, and the file has all of it", () => {
  for (const size of [1, 7, 100, 5000]) {
    const { collector, push, file } = collecting(200);
    const whole = Array.from({ length: 1000 }, (_, index) => `${index}\n`).join("");
    for (let at = 0; at < whole.length; at += size) push(whole.slice(at, at + size));
    const { text, overflow } = collector.finish(200);
    const [notice, count] =
      /\n\.\.\. \[(?:\d+ lines?, )?(\d+) characters omitted; all of it: \/file\] \.\.\.\n/.exec(text)!;
    const [head, tail] = text.split(notice!);
    assert.ok(text.length <= 200 && whole.startsWith(head!) && whole.endsWith(tail!), text);
    assert.equal(Number(count) + head!.length + tail!.length, whole.length);
    assert.deepEqual([overflow, file.written, file.closed], ["/file", whole, true]);
  }
});

test("a character and a secret that chunks cut in two come out whole, each stream for itself", () => {
  const { collector, file } = collecting(60);
  const bytes = encode(`你😀 sesame-street ${"z".repeat(100)}`);
  for (const byte of bytes) {
    collector.push(Uint8Array.of(byte), "stdout");
    collector.push(Uint8Array.of(byte), "stderr");
  }
  const { stdout, stderr } = collector.finish(1000);
  assert.equal(stdout, `你😀 <redacted:KEY> ${"z".repeat(100)}`);
  assert.equal(stderr, stdout);
  assert.ok(!file.written.includes("sesame-street"));
});

test("an incomplete last character is one replacement", () => {
  const { collector } = collecting(60);
  collector.push(Uint8Array.of(0x61, 0xf0, 0x9f), "stderr");
  assert.equal(collector.finish(60).stderr, "a\uFFFD");
});

test("a cut never falls into a surrogate pair", () => {
  for (let pad = 0; pad < 4; pad++) {
    const { collector, push } = collecting(120);
    push("x".repeat(pad) + "😀".repeat(500));
    assert.ok(collector.finish(120).text.isWellFormed());
  }
});

test("a text that only the notes below leave no room for has a file too, one that fits once cleaned has none", () => {
  const tight = collecting(200);
  tight.push("x".repeat(190));
  const { text, overflow } = tight.collector.finish(150);
  assert.match(text, /characters omitted; all of it: \/file\]/);
  assert.deepEqual([overflow, tight.file.written.length], ["/file", 190]);
  const coloured = collecting(200);
  coloured.push("\u001b[31mx\u001b[0m".repeat(30));
  assert.deepEqual(coloured.collector.finish(200), {
    text: "x".repeat(30),
    stdout: "x".repeat(30),
    stderr: "",
    overflow: undefined,
  });
  assert.equal(coloured.file.written, "");
});

test("what is taken is what came since, while the whole goes on being collected", () => {
  const { collector, push, file } = collecting(1000);
  assert.equal(collector.hasNew, false);
  push("one\n");
  assert.deepEqual([collector.hasNew, collector.newChars, collector.peek(100)], [true, 4, "one\n"]);
  assert.equal(collector.take(100), "one\n");
  assert.deepEqual([collector.hasNew, collector.take(100)], [false, ""]);
  push("\u001b[31mtwo\u001b[0m\rT");
  push("E", "stderr");
  assert.equal(collector.take(100), "TEo");
  push("x".repeat(3000));
  assert.equal(collector.newChars, 3000);
  const cut = collector.take(300);
  const [, count, path] =
    /^x+\n\.\.\. \[(?:\d+ lines?, )?(\d+) characters omitted; all of it: (.*)\] \.\.\.\nx+$/.exec(cut)!;
  assert.equal(Number(count) + cut.match(/x/g)!.length, 3000);
  assert.ok(path === "/file" && cut.length <= 300 && file.written.endsWith("xxx"));
  push("sesame-");
  assert.equal(collector.hasNew, false);
  push("street sesame");
  assert.equal(collector.take(100), "<redacted:KEY> ");
  collector.end();
  assert.equal(collector.take(100), "sesame");
  assert.match(collector.finish(400).text, /^one\nTEx/);
  assert.ok(
    file.written.startsWith("one\n\u001b[31mtwo\u001b[0m\rTExxx") &&
      file.written.endsWith("<redacted:KEY> sesame"),
  );
});

test("of long coloured output the count is of what is seen, whatever the pieces", () => {
  const line = (index: number) =>
    `\u001b[3${index % 8}mline\u001b[0m ${index}${index % 9 === 0 ? " ses\u001b[1mame-street" : ""}`;
  for (const end of ["\n", "\r\n", "\n\u0007", " é\n"]) {
    const whole = Array.from({ length: 80_000 }, (_, index) => line(index) + end).join("");
    const marked = whole.replaceAll("ses\u001b[1mame-street", "<redacted:KEY>");
    const seen = marked.replace(/\u001b\[\d+m|\u0007|\r/g, "");
    for (const size of [777, 65_536, 150_001]) {
      const { collector, push, file } = collecting(2000);
      for (let at = 0; at < whole.length; at += size) push(whole.slice(at, at + size));
      const { text } = collector.finish(2000);
      const [notice, lines, count] = /\n\.\.\. \[(\d+) lines, (\d+) characters omitted; .*\] \.\.\.\n/.exec(
        text,
      )!;
      const [head, tail] = text.split(notice!) as [string, string];
      assert.equal(Number(lines) + (head + tail).split("\n").length - 1, 80_000);
      assert.ok(seen.startsWith(head) && seen.endsWith(tail) && head.length > 900 && tail.length > 900);
      assert.equal(
        Number(count) + head.length + tail.length,
        seen.length,
        `${JSON.stringify(end)} by ${size}`,
      );
      assert.ok(file.written === marked);
    }
  }
});

test("whoever watches may look at other texts with the same redactor", () => {
  const { collector, file, secrets } = collecting(2000, () => void secrets.redact(other));
  const other = "other sesame-street\n".repeat(2000), line = "\u001b[1mlong\u001b[0m sesame-street ";
  for (let count = 0; count < 9; count++) collector.push(encode(line.repeat(1000)), "stdout");
  const { text } = collector.finish(2000);
  assert.equal(file.written, line.repeat(9000).replaceAll("sesame-street", "<redacted:KEY>"));
  assert.ok(!text.includes("other") && text.startsWith("long <redacted:KEY> long"));
});
