/** Redaction: every form of a secret, in one piece or many; what is no secret stays. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import fc from "fast-check";
import { hasPlaceholder, redactor } from "../../src/core/redact.ts";
import { namedBy, type Secret, SecretStore } from "../../src/core/secrets.ts";

const store = (...secrets: Secret[]) => redactor(new SecretStore(secrets).redactable());
const VALUE = "s3cr3t/+value='q\"&\\é€ x";
const MARK = "<redacted:TOKEN>";

function formsOf(value: string): Record<string, string> {
  const bytes = Buffer.from(value);
  const hex = bytes.toString("hex");
  const percent = encodeURIComponent(value);
  return {
    plain: value,
    hex,
    "upper hex": hex.toUpperCase(),
    percent,
    "lower percent": percent.replace(/%../g, (code) => code.toLowerCase()),
    form: percent.replaceAll("%20", "+"),
    JSON: JSON.stringify(value),
    "ASCII JSON": JSON.stringify(value).replace(
      /[^\x00-\x7f]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
    "Go's JSON": JSON.stringify(value).replaceAll("&", "\\u0026"),
    "PHP's JSON": String.raw`"s3cr3t\/+value='q\"&\\\u00e9\u20ac x"`,
    ".NET's JSON": String.raw`"s3cr3t/\u002Bvalue=\u0027q\u0022\u0026\\\u00E9\u20AC x"`,
    ".NET's form": percent.replaceAll("%20", "+").replace(/%../g, (code) => code.toLowerCase()),
    "printf %q in ASCII": String.raw`s3cr3t/+value=\'q"&\\\303\251\342\202\254 x`,
    "Python's ascii": String.raw`'s3cr3t/+value=\'q"&\\\xe9\u20ac x'`,
    "single quotes": `'${value.replaceAll("'", "'\\''")}'`,
    "double quotes": `"${value.replace(/[$`"\\]/g, "\\$&")}"`,
  };
}

test("every form in which a program may print a secret is marked", () => {
  const redacted = store({ name: "TOKEN", value: VALUE });
  for (const [form, printed] of Object.entries(formsOf(VALUE))) {
    const result = redacted.redact(`before ${printed} after`);
    assert.match(result, /^before ['"]?<redacted:TOKEN>['"]? after$/, form);
  }
});

test("what isn't a secret's own is left alone: armour lines, blanks", () => {
  const key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\n-----END PRIVATE KEY-----\n";
  const redacted = store({ name: "KEY", value: key }, { name: "BLANK", value: "       " });
  assert.equal(
    redacted.redact("-----BEGIN PRIVATE KEY-----\n       x\n"),
    "-----BEGIN PRIVATE KEY-----\n       x\n",
  );
  assert.equal(redacted.redact("a MIIEvQIBADANBgkqhkiG9w0BAQ b"), "a <redacted:KEY> b");
});

test("lines of an encoding that are coloured one by one are held until the next one tells", () => {
  const value = "Zq8vKp2LmN4rTy6WbX0dZq8vKp2LmN4rTy6WbX0d";
  const redacted = store({ name: "KEY", value });
  for (const before of [50, 51, 52]) {
    const lines = Buffer.from("u".repeat(before) + value + "u".repeat(40)).toString("base64").match(
      /.{1,76}/g,
    )!;
    const stream = redacted.stream();
    const shown = lines.map((line) => stream.push(`\x1b[32m${line}\x1b[0m\n`)).join("") + stream.flush();
    const letters = shown.replace(/\x1b\[\d+m|\n/g, "");
    assert.ok(letters.includes("<redacted:KEY>"), letters);
    assert.ok(
      !Buffer.from(letters.replace(/<.*?>/g, ""), "base64").toString("latin1").includes(value.slice(0, 12)),
    );
  }
});

test("a number that is a secret's is marked in JSON too", () => {
  const redacted = store({ name: "PIN", value: "8315550199" });
  assert.deepEqual(redacted.redactJson({ pin: 8315550199, other: 7 }), { pin: "<redacted:PIN>", other: 7 });
});

test("base64 is marked in all three alignments and both alphabets, whatever stands around", () => {
  const redacted = store({ name: "TOKEN", value: VALUE });
  for (let before = 0; before < 6; before++) {
    for (let after = 0; after < 3; after++) {
      const bytes = Buffer.from("u".repeat(before) + VALUE + ":".repeat(after));
      for (const encoding of ["base64", "base64url"] as const) {
        const encoded = bytes.toString(encoding);
        const result = redacted.redact(encoded);
        assert.ok(result.includes(MARK), `${encoding} ${before} ${after}: ${encoded}`);
        // Only characters that hold bits of the neighbours are left.
        assert.ok(
          result.replace(MARK, "").length <=
            encoded.length - Math.floor(Buffer.byteLength(VALUE) * 4 / 3) + 4,
        );
      }
    }
  }
});

test("a long secret is found in base64 and hex that is broken into lines", () => {
  const value = Array.from({ length: 150 }, (_, i) => String.fromCharCode(33 + (i * 37) % 90)).join("");
  const redacted = store({ name: "TOKEN", value });
  const wrap = (text: string, width: number) => text.match(new RegExp(`.{1,${width}}`, "g"))!.join("\n");
  for (
    const printed of [
      wrap(Buffer.from(value + "\n").toString("base64"), 76),
      wrap(Buffer.from(value + "\n").toString("base64"), 64),
      wrap(Buffer.from(value + "\n").toString("hex"), 60),
    ]
  ) {
    const left = redacted.redact(printed).replaceAll(MARK, "");
    assert.ok(left.length < 24, left);
  }
});

test("a secret of several lines is found whole, with other line ends, and line by line", () => {
  const key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0\nshort\n-----END KEY-----";
  const redacted = store({ name: "KEY", value: key });
  assert.equal(redacted.redact(`a ${key} b`), "a <redacted:KEY> b");
  assert.equal(redacted.redact(`a ${key.replaceAll("\n", "\r\n")} b`), "a <redacted:KEY> b");
  assert.equal(redacted.redact("1: MIIEvQIBADANBgkqhkiG9w0"), "1: <redacted:KEY>");
  assert.equal(redacted.redact("a short walk"), "a short walk");
});

test("in pieces a secret is marked as in one, wherever it is split", () => {
  const secrets = [{ name: "A", value: "abcabcabd" }, { name: "B", value: "bdefghi" }, {
    name: "C",
    value: "aaaaaaa",
  }];
  const redacted = store(...secrets);
  const part = fc.constantFrom(
    "abcabcabd",
    "abcabcabdefghi",
    "abcabc",
    "bdef",
    "aaaaaaaaaaaa",
    "a",
    "b",
    " ",
    "x",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), fc.array(fc.nat({ max: 9 })), (parts, sizes) => {
      const text = parts.join("");
      const stream = redacted.stream();
      let shown = "", at = 0;
      for (const size of sizes) {
        shown += stream.push(text.slice(at, at + size));
        at += Math.min(size, text.length - at);
      }
      shown += stream.push(text.slice(at)) + stream.flush();
      assert.equal(shown, redacted.redact(text));
      for (const { value } of secrets) assert.ok(!shown.includes(value));
    }),
    { numRuns: 1000 },
  );
});

test("text that begins no secret is shown at once, and held text is let go at the end", () => {
  const stream = store({ name: "TOKEN", value: "secret-value" }).stream();
  assert.equal(stream.push("hello sec"), "hello ");
  assert.equal(stream.push("ond\n"), "second\n");
  assert.equal(stream.push("secret-valu"), "");
  assert.equal(stream.flush(), "secret-valu");
  assert.equal(stream.push("e"), "e", "nothing is left of what was let go");
});

test("an endless run of an overlapping secret is marked once and held in little memory", () => {
  const stream = store({ name: "A", value: "aaaaaaaa" }).stream();
  let shown = "";
  for (let i = 0; i < 200; i++) shown += stream.push("a".repeat(1000));
  assert.equal(shown, "<redacted:A>");
  assert.equal(shown + stream.push(" end") + stream.flush(), "<redacted:A> end");
});

test("of secrets that begin together the longest wins, and overlapping ones leave no rest", () => {
  const redacted = store(
    { name: "USER", value: "secret-user" },
    { name: "URL", value: "secret-user:pass@host" },
    { name: "TAIL", value: "host.example/x" },
  );
  assert.equal(redacted.redact("secret-user:pass@host!"), "<redacted:URL>!");
  assert.equal(redacted.redact("secret-user!"), "<redacted:USER>!");
  assert.equal(redacted.redact("secret-user:pass@host.example/x!"), "<redacted:URL>!");
  assert.equal(redacted.redact("secret-usersecret-user"), "<redacted:USER><redacted:USER>");
});

test("what stands for patterns elsewhere is plain text in names and values", () => {
  const odd = "$& $$ $` $' $1 .*(a|b)[c]^\\d";
  const redacted = store({ name: "N$&$1", value: odd }, { name: "TOKEN", value: "plain-value" });
  assert.equal(redacted.redact(`x${odd}y`), "x<redacted:N$&$1>y");
  assert.equal(redacted.redact("x$&y .* (a"), "x$&y .* (a");
  assert.ok(hasPlaceholder(redacted.redact(odd)), "a mark is known as one, whatever the name");
});

test("short and common values are left alone", () => {
  const redacted = store(
    { name: "SHORT", value: "12345" },
    { name: "WORD", value: "Password" },
    { name: "EMPTY", value: "" },
    { name: "REAL", value: "123456" },
  );
  assert.equal(redacted.redact("12345 password true"), "12345 password true");
  assert.equal(redacted.redact("123456"), "<redacted:REAL>");
  const source = 'token=os.getenv("REAL")';
  assert.equal(redacted.redact(source), source);
});

test("JSON is redacted in keys and values at any depth, and deeper than anyone reads it is left out", () => {
  const redacted = store({ name: "TOKEN", value: "secret-value" });
  const value = JSON.parse('{"__proto__": ["secret-value"], "secret-value": {"n": 1, "t": true, "z": null}}');
  assert.equal(
    JSON.stringify(redacted.redactJson(value)),
    `{"__proto__":["${MARK}"],"${MARK}":{"n":1,"t":true,"z":null}}`,
  );
  let deep: unknown = "secret-value";
  for (let i = 0; i < 10_000; i++) deep = [deep];
  for (const redactor of [redacted, store()]) {
    const printed = JSON.stringify(redactor.redactJson(deep));
    assert.ok(!printed.includes("secret-value") && printed.includes("left out"));
    assert.equal(JSON.stringify(redactor.redactJson({ a: "\ud800" })), '{"a":"\ufffd"}');
  }
});

test("without secrets nothing is copied", () => {
  const nothing = store();
  const value = { a: [1, "x"] };
  assert.equal(nothing.redactJson(value), value);
  assert.equal(nothing.redact("x"), "x");
  assert.equal(nothing.stream().push("x"), "x");
});

test("names of secrets may be patterns, and a command gets those that it names", () => {
  assert.deepEqual(["A_TOKEN", "TOKEN", "A_TOKENS"].map((name) => namedBy(["*_TOKEN"], name)), [
    true,
    false,
    false,
  ]);
  assert.deepEqual(["A.B", "AxB"].map((name) => namedBy(["A.B"], name)), [true, false]);
  const secrets = new SecretStore([{ name: "A", value: "value-a" }, { name: "B_1", value: "value-b" }]);
  assert.deepEqual(secrets.namedIn("echo $A ${B_1:-x} $C A"), { A: "value-a", B_1: "value-b" });
  assert.deepEqual(secrets.namedIn("echo A $AB"), {});
});

test("what has no end or no word in JSON is left out and said, with secrets or without", () => {
  const twice: Record<string, unknown> = { big: 1n, run: () => {}, ok: "sesame-street" };
  twice.a = twice.b = twice;
  const hostile = Object.defineProperty({}, "x", {
    enumerable: true,
    get: () => {
      throw new Error("no");
    },
  });
  for (const secrets of [store(), store({ name: "KEY", value: "sesame-street" })]) {
    const told = JSON.stringify(secrets.redactJson(twice));
    assert.match(told, /"big":"\[left out: a bigint\]","run":"\[left out: a function\]"/);
    assert.match(told, /\[left out: nested more than 200 deep\].*\[left out: too much\]/);
    assert.ok(told.length < 100_000_000);
    assert.equal(secrets.redactJson(hostile), "[left out: it can't be read]");
  }
});
