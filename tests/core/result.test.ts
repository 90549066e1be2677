/** Shaping: blocks from whatever a tool returns, told or hostile; the stamp; what is for display alone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { clip, shape, stamp, text, textOf } from "../../src/core/result.ts";

const said = (value: unknown) => {
  const { content, status } = shape(value);
  return [status, textOf(content)];
};

test("every documented form becomes its text", () => {
  assert.deepEqual(shape(undefined), { content: [], status: "success" });
  assert.deepEqual(shape(null), { content: [], status: "success" });
  assert.deepEqual(shape(""), { content: [], status: "success" });
  assert.deepEqual(said("plain"), ["success", "plain"]);
  assert.deepEqual(said({ content: "c", output: "o" }), ["success", "c"]);
  assert.deepEqual(said({ output: "o", message: "m" }), ["success", "o"]);
  assert.deepEqual(said({ message: "m" }), ["success", "m"]);
  assert.deepEqual(said({ message: "m", status: "error" }), ["error", "m"]);
  assert.deepEqual(said({ files: ["a", "b"] }), ["success", "Found 2 files\na\nb"]);
  assert.deepEqual(said({ todos: [1, 2, 3] }), ["success", "Updated 3 todos"]);
  assert.deepEqual(said({ content: "c", status: "error" }), ["error", "c"]);
  assert.deepEqual(said({ a: 1 }), ["success", '{\n  "a": 1\n}']);
  assert.deepEqual(said({ message: "m", more: 1 })[1], '{\n  "message": "m",\n  "more": 1\n}');
  assert.deepEqual(said(42), ["success", "42"]);
  assert.deepEqual(said(false), ["success", "false"]);
  assert.deepEqual(said([]), ["success", "[]"]);
  assert.deepEqual(shape({ content: [] }), { content: [], status: "success" });
});

test("blocks are taken as they are, with their own fields only", () => {
  const image = { type: "image", mediaType: "image/png", data: "AAAA" };
  const blocks = [{ type: "text", text: "a", secret: 1 }, image];
  assert.deepEqual(shape(blocks).content, [{ type: "text", text: "a" }, image]);
  assert.deepEqual(shape({ content: blocks, exitCode: 3, stdout: ["x"] }), {
    content: [{ type: "text", text: "a" }, image],
    status: "success",
    exitCode: 3,
    stdout: ["x"],
  });
  assert.equal(textOf(shape(blocks).content), "a\n[image image/png]");
  assert.deepEqual(said([{ type: "text" }])[1], '[\n  {\n    "type": "text"\n  }\n]', "no block: JSON");
});

test("optional fields of the wrong type are left out", () => {
  const odd = { content: "c", stdout: "x", stderr: [1], exitCode: 1.5, overflow: 7, outcome: "denied" };
  assert.deepEqual(shape(odd), { content: text("c"), status: "success" });
});

test("a value that can't be told is an error that says so, and never a throw", () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const throwing = {
    get content(): string {
      throw new Error("no");
    },
  };
  const deep = JSON.parse("[".repeat(50_000) + "]".repeat(50_000)) as unknown;
  const hostile = [
    circular,
    throwing,
    deep,
    10n,
    { content: "c", structured: circular },
    {
      toJSON() {
        throw new Error("no");
      },
    },
    new Proxy({}, {
      ownKeys() {
        throw new Error("no");
      },
    }),
  ];
  for (const value of hostile) {
    const { content, status } = shape(value);
    assert.equal(status, "error");
    assert.match(textOf(content), /not JSON/);
  }
  for (const value of [Symbol("s"), () => 1, { toJSON: () => undefined }, new Date(0), new Map(), /x/]) {
    assert.equal(shape(value).status, "success");
  }
  fc.assert(
    fc.property(
      fc.anything({ withBigInt: true, withNullPrototype: true, withSparseArray: true }),
      (value) => {
        const { content } = shape(value);
        assert.ok(content.every((block) => block.type === "image" || typeof block.text === "string"));
      },
    ),
  );
});

test("structured data is a copy without behaviour", () => {
  const structured = { when: new Date(0), gone: undefined, f: () => 1 };
  const shaped = shape({ content: "c", structured });
  assert.deepEqual(shaped.structured, { when: "1970-01-01T00:00:00.000Z" });
});

test("the stamp is local time with its offset, and the weekday of that place", () => {
  const { at, weekday } = stamp(Date.UTC(2026, 10, 30, 12));
  assert.equal(Date.parse(at), Date.UTC(2026, 10, 30, 12));
  assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
  const local = new Date(`${at.slice(0, 10)}T00:00:00Z`).getUTCDay();
  assert.equal(weekday, ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][local]);
});

test("a clipped text says how much follows", () => {
  assert.equal(clip("a\nb", 2), "a\nb");
  assert.equal(clip("a\nb\nc\nd", 2), "a\nb\n… 2 more lines");
});
