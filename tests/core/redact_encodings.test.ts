/** Every encoding of a secret, at every alignment, in pieces of every small size: none comes out to be decoded. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { redactor } from "../../src/core/redact.ts";
import { ENCODINGS, holdsSecret } from "../secret_encodings.ts";

const SECRETS = ["hunter2/+~ 'q\"&\\x$9", "sk-live-0123456789abcdefABCDEF+/_-zZ", "Zy7$qP"];

for (const [name, encode] of Object.entries(ENCODINGS)) {
  test(`a secret as ${name} is never let out, wherever it stands and however it is cut`, () => {
    for (const secret of SECRETS) {
      const redact = redactor([{ name: "TOKEN", value: secret }]);
      for (let before = 0; before < 64; before++) {
        const text = encode(secret, "x".repeat(before), "yy\n");
        const expected = redact.redact(text);
        assert.ok(!holdsSecret(expected, secret), `${name}, ${before} before, whole: ${expected}`);
        assert.ok(expected.includes("<redacted:TOKEN>"), `${name}, ${before} before: ${text}`);
        for (let size = 1; size <= 7; size++) {
          const stream = redact.stream();
          let out = "";
          for (let at = 0; at < text.length; at += size) out += stream.push(text.slice(at, at + size));
          out += stream.flush();
          assert.ok(!holdsSecret(out, secret), `${name}, ${before} before, by ${size}: ${out}`);
        }
      }
    }
  });
}

test("bytes are redacted like text, and characters stay whole", () => {
  const redact = redactor([{ name: "TOKEN", value: "gehéim-wört" }]);
  const text = "ä gehéim-wört ö gehéim-\u001b[31mwört ü";
  const bytes = new TextEncoder().encode(text);
  for (let size = 1; size < 8; size++) {
    const stream = redact.stream();
    const out: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      out.push(stream.pushBytes(bytes.subarray(at, at + size)).slice());
    }
    out.push(stream.flushBytes().slice());
    assert.equal(Buffer.concat(out).toString(), "ä <redacted:TOKEN> ö <redacted:TOKEN> ü");
  }
});

test("ends of lines and prompts are shown at once, though encoded text may go on behind a line break", () => {
  const stream = redactor([{ name: "TOKEN", value: "correct-horse-battery" }]).stream();
  for (const line of ["listening on 3000\n", "Continue? [y/N] ", "y\n", "\u001b[32mok\u001b[0m\n", "Y29\n"]) {
    assert.equal(stream.push(line), line);
  }
  const encoded = Buffer.from("correct-horse-battery").toString("base64");
  const first = `${"A".repeat(64)}${encoded.slice(0, 12)}\n`;
  assert.equal(stream.push(first), "A".repeat(64));
  assert.equal(stream.push(`${encoded.slice(12)}\n`), "<redacted:TOKEN>\n");
});

test("a secret that is found across codes doesn't hide one that overlaps it", () => {
  const redact = redactor([{ name: "A", value: "abcdefgh" }, { name: "B", value: "efghijkl" }]);
  const coloured = [..."abcdefghijkl"].join("\u001b[1m");
  assert.equal(redact.redact(`<${coloured}>`), "<<redacted:A>>");
  assert.equal(redact.redact("<a\u001b[1mbcd\u001b[1mefghijkl>"), "<<redacted:A>>");
});

test("control strings hide nothing, and one without an end swallows nothing", () => {
  const redact = redactor([{ name: "TOKEN", value: "correct-horse" }]);
  assert.equal(redact.redact("\u001b]0;correct-horse\u0007x"), "\u001b]0;<redacted:TOKEN>\u0007x");
  assert.equal(
    redact.redact("\u001b]0;" + "z".repeat(9000) + "correct-\u001b[0mhorse").slice(-16),
    "<redacted:TOKEN>",
  );
  assert.equal(redact.redact("correct\u001b]8;;http://x\u001b\\-horse"), "<redacted:TOKEN>");
  assert.equal(redact.redact("cor\u009b1mrect-\u001b(Bhorse"), "<redacted:TOKEN>");
});
