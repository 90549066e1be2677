/** Long texts take a pass of their own, in WebAssembly: it finds what the other one finds. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { redactor } from "../../src/core/redact.ts";
import { ByteRedaction } from "../../src/core/redact_bytes.ts";
import { PASS_SOURCE } from "../../src/core/redact_pass_code.ts";
import { Patterns } from "../../src/core/redact_patterns.ts";
import { Scanner } from "../../src/core/redact_scan.ts";
import { WasmPass } from "../../src/core/redact_wasm_pass.ts";
import { ENCODINGS, holdsSecret } from "../secret_encodings.ts";
import { ROOT } from "../support.ts";

const encode = (text: string) => new TextEncoder().encode(text);
/** More than a long text has. */
const FILLER = "\u001b[32mok\u001b[0m some words of a log, 12345\n".repeat(500);

test("the module is made of the source that stands beside it", () => {
  const source = readFileSync(path.join(ROOT, "src/core/redact_pass.wat"));
  assert.equal(createHash("sha256").update(source).digest("hex"), PASS_SOURCE);
  assert.doesNotThrow(() => new WasmPass(new Patterns([])), "it runs");
});

test("both passes find the same, hold back the same and count the same", () => {
  const secrets = ["abcabcabd", "bdefghi", "aaaaaa", "sk-live-0123456789abcdef", "gehéim-wört", "Zy7$qP"];
  const patterns = new Patterns(secrets.map((value, index) => ({ name: `S${index}`, value })));
  const base64 = Buffer.from("xsk-live-0123456789abcdefx").toString("base64");
  const part = fc.oneof(
    fc.constantFrom(
      ...secrets,
      ...secrets.map((value) => value.slice(0, 4)),
      base64.slice(0, 11),
      base64.slice(11),
    ),
    fc.constantFrom(
      "a",
      "b",
      " ",
      "\n",
      "\r\n",
      "\r",
      "\n\n",
      "\t",
      "\b",
      "é",
      "\u0085",
      "0123456789",
      "    ",
    ),
    fc.constantFrom(
      "\u001b[31m",
      "\u001b[0m",
      "\u001b[38;5;123;48;5;231;1;4;7m",
      "\u001b[K",
      "\u009b1m",
      "\u001b",
    ),
    fc.constantFrom(
      "\u001b]0;title\u0007",
      "\u001b]8;;x\nabcabcabd\u001b\\",
      "\u001b(B",
      "\u001b[",
      "\u001b[3",
      "Â",
    ),
  );
  const seen = ({ start, end, name }: { start: number; end: number; name: string }) => [start, end, name];
  const scanners = [new Scanner(patterns, 0), new Scanner(patterns, Infinity)];
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      const bytes = encode(parts.join(""));
      const [fast, plain] = scanners.map((scanner) => {
        scanner.room(bytes.length).set(bytes);
        const spans = scanner.scan(bytes.length), held = scanner.heldFrom(0);
        const unseen = scanner.unseenBefore(held, spans);
        return [spans.map(seen), held, unseen, unseen < 0 ? 0 : scanner.feedsBefore(held, spans)];
      });
      assert.deepEqual(fast, plain);
    }),
    { numRuns: 3000 },
  );
});

test("of long texts no encoding of a secret is let out, wherever it stands and however it is cut", () => {
  const secret = "sk-live-0123456789abcdefABCDEF+/_-zZ";
  const redact = redactor([{ name: "TOKEN", value: secret }]);
  for (const [name, print] of Object.entries(ENCODINGS)) {
    for (let before = 0; before < 64; before++) {
      const text = print(secret, "x".repeat(before), "yy\n");
      const whole = redact.redact(FILLER + text + FILLER);
      assert.ok(
        !holdsSecret(whole.slice(FILLER.length - 99, 99 - FILLER.length), secret),
        `${name}, ${before}`,
      );
      assert.ok(whole.includes("<redacted:TOKEN>"), `${name}, ${before}: ${text}`);
      const stream = redact.stream(), cut = (before * 7) % text.length;
      const pieces = [FILLER + text.slice(0, cut), text.slice(cut) + FILLER].map((piece) =>
        stream.push(piece)
      );
      assert.equal(pieces.join("") + stream.flush(), whole, `${name}, ${before}, cut at ${cut}`);
    }
  }
});

test("streams of one redactor keep what they hold apart, in texts of any size", () => {
  const redact = redactor([{ name: "TOKEN", value: "correct-horse" }]);
  const streams = [redact.stream(), redact.stream(), redact.stream()];
  const pieces = [FILLER + "cor", "r", `ect-horse ${FILLER} correct-`, "horse", FILLER];
  const out = streams.map(() => "");
  for (const piece of pieces) {
    streams.forEach((stream, index) => {
      const bytes = encode(piece);
      out[index] += new TextDecoder().decode(stream.pushBytes(bytes));
      redact.redact(FILLER + "correct-horse");
    });
  }
  const marked = pieces.join("").replaceAll("correct-horse", "<redacted:TOKEN>");
  assert.deepEqual(out, streams.map(() => marked));
});

test("what a terminal shows and the lines of it are counted, whatever the pieces", () => {
  const scanner = new Scanner(new Patterns([{ name: "TOKEN", value: "correct-horse" }]), 0);
  const text = `${FILLER}cor\u001b[1mrect-horse\n${FILLER}correct-\u001b[0mhorse\u001b[1m!\n`;
  const shown = text.replace(/c.*r.*horse/g, "<redacted:TOKEN>");
  for (const size of [5, 40, 1000, 17_001]) {
    const stream = new ByteRedaction(scanner);
    let unseen = 0, feeds = 0, out = "";
    const take = (bytes: Uint8Array) => {
      out += new TextDecoder().decode(bytes);
      unseen += stream.unseen;
      feeds += stream.feeds;
    };
    for (let at = 0; at < text.length; at += size) take(stream.push(encode(text.slice(at, at + size))));
    take(stream.flush());
    assert.equal(out, shown, `by ${size}`);
    assert.equal(unseen, shown.match(/\u001b\[\d+m/g)!.join("").length, `by ${size}`);
    assert.equal(feeds, 1002);
  }
});

test("where there is no WebAssembly long texts are redacted all the same", () => {
  const global = globalThis as unknown as Record<string, unknown>;
  const wasm = global.WebAssembly;
  try {
    global.WebAssembly = undefined;
    const redact = redactor([{ name: "TOKEN", value: "correct-horse" }]);
    assert.equal(redact.redact(`${FILLER}correct-horse${FILLER}`), `${FILLER}<redacted:TOKEN>${FILLER}`);
  } finally {
    global.WebAssembly = wasm;
  }
});
