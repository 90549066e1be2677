/** The gate: the one place where results are redacted, cut and saved. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { Shaped } from "../../src/core/result.ts";
import { Gate } from "../../src/core/gate.ts";
import { OverflowStore } from "../../src/core/overflow.ts";
import { redactor } from "../../src/core/redact.ts";
import { text, textOf } from "../../src/core/result.ts";
import type { Block } from "../../src/core/tool.ts";
import { PNG } from "../samples.ts";
import { Scratch } from "../support.ts";

const SECRET = "secret-value-1234";

function gateIn(scratch: Scratch, limits: Record<string, number> = {}, secret = true): Gate {
  return new Gate({
    redactor: redactor(secret ? [{ name: "S", value: SECRET }] : []),
    overflow: new OverflowStore({
      redact: (text) => text,
      folder: path.join(scratch.root, "overflow"),
      project: scratch.work,
      enabled: true,
      fileCap: 1e6,
      totalCap: 1e6,
    }),
    lastLimit: 1000,
    limits,
  });
}

test("redaction comes before the cut, so a secret on the border leaves no half of itself", () => {
  using scratch = new Scratch();
  const gate = gateIn(scratch);
  for (let pad = 380; pad < 520; pad++) {
    const given = "x".repeat(pad) + SECRET + "y".repeat(2000);
    const shaped = gate.finish<Shaped>(gate.admit(given, "tool", { chars: 1000, keep: "middle" }), "tool");
    const shown = textOf(shaped.content);
    assert.ok(shown.length <= 1000);
    assert.ok(!/secret|value|1234/.test(shown.replaceAll("<redacted:S>", "")), shown);
    if (pad % 50 === 0) assert.ok(!readFileSync(shaped.overflow!, "utf8").includes(SECRET));
  }
});

test("what comes in after the tool, from a mod or a hook, obeys the last limit and is saved as well", () => {
  using scratch = new Scratch();
  const gate = gateIn(scratch);
  const shaped = gate.finish<Shaped>({
    content: text(SECRET + "z".repeat(5000)),
    status: "success",
    stderr: [SECRET],
  }, "tool");
  assert.ok(textOf(shaped.content).length <= 1000);
  assert.match(textOf(shaped.content), /^<redacted:S>z+\n\.\.\. \[\d+ characters omitted; all of it: /);
  assert.deepEqual(shaped.stderr, ["<redacted:S>"]);
  assert.equal(readFileSync(shaped.overflow!, "utf8"), "<redacted:S>" + "z".repeat(5000));
});

test("a result that a tool cut itself keeps the tool's own file, and what is cut later is in another", () => {
  using scratch = new Scratch();
  const cut = { content: text("x".repeat(900)), status: "success", overflow: "/own" } as const;
  assert.equal(gateIn(scratch).finish<Shaped>(cut, "tool").overflow, "/own");
  const noted = gateIn(scratch).finish<Shaped>(
    { ...cut, content: [...cut.content, ...text("note ".repeat(90))] },
    "tool",
  );
  assert.equal(noted.overflow, "/own");
  const [, place] = /omitted; all of it: (.+)\] \.\.\./.exec(textOf(noted.content))!;
  assert.match(readFileSync(place!, "utf8"), /^x{900}\n?(note ){90}$/);
});

test("the user's limit for a tool beats the tool's, and none beats the last one", () => {
  using scratch = new Scratch();
  const gate = gateIn(scratch, { shell: 50, huge: 99_999 });
  assert.deepEqual(gate.limitOf(["shell", "Other"], { chars: 30_000, keep: "head" }), {
    chars: 50,
    keep: "head",
  });
  assert.equal(gate.limitOf(["Other", "huge"], undefined).chars, 1000);
  assert.equal(gate.limitOf(["other"], { chars: 70, keep: "middle" }).chars, 70);
  assert.equal(gate.limitOf(["constructor"], undefined).chars, 1000);
});

test("structured data over the last limit goes to a file, and the text says so", () => {
  using scratch = new Scratch();
  const structured = { line: "x".repeat(5000), key: SECRET };
  const small = gateIn(scratch).finish<Shaped>({
    content: text("a"),
    status: "success",
    structured: { n: 1 },
  }, "t");
  assert.deepEqual([small.structured, small.content.length, small.overflow], [{ n: 1 }, 1, undefined]);
  const shaped = gateIn(scratch).finish<Shaped>({ content: text("a"), status: "success", structured }, "t");
  assert.equal("structured" in shaped, false);
  const [, place] = /^a\n\[\d+ characters of structured data omitted; all of it: (.+)\]$/.exec(
    textOf(shaped.content),
  )!;
  assert.equal(place, shaped.overflow);
  assert.deepEqual(JSON.parse(readFileSync(place!, "utf8")), { ...structured, key: "<redacted:S>" });
});

test("a stream's pieces are within the limit together, and the whole is in a file", () => {
  using scratch = new Scratch();
  const stdout = Array.from({ length: 90 }, (_, index) => `${index}`.padEnd(50, "."));
  const shaped = gateIn(scratch).finish<Shaped>({
    content: [],
    status: "success",
    stdout,
    stderr: ["a", "b"],
  }, "t");
  const shown = shaped.stdout!.join("");
  assert.ok(shown.length <= 1000 && shown.startsWith("0...") && shown.endsWith(stdout[89]!), shown);
  assert.match(shown, /characters omitted; all of it: /);
  assert.deepEqual(shaped.stderr, ["a", "b"]);
  assert.equal(readFileSync(shaped.overflow!, "utf8").replaceAll("\n", ""), stdout.join(""));
});

const image = (data: string, mediaType = "image/png") => ({ type: "image", mediaType, data }) as const;

/** What the gate makes of one image block. */
function imageOut(scratch: Scratch, data: string, mediaType?: string): unknown {
  return gateIn(scratch).finish<Shaped>({ content: [image(data, mediaType)], status: "success" }, "t")
    .content[0];
}

test("an image's media type is taken from its content, and its base64 brought into one form", () => {
  using scratch = new Scratch();
  assert.deepEqual(imageOut(scratch, PNG), image(PNG));
  for (const wrong of ["image/jpeg", "image/svg+xml", "image/bmp"]) {
    assert.deepEqual(imageOut(scratch, PNG, wrong), image(PNG));
  }
  assert.deepEqual(imageOut(scratch, PNG.replace(/.{20}/g, "$&\r\n")), image(PNG));
  assert.deepEqual(imageOut(scratch, PNG.replace(/=+$/, "")), image(PNG));
});

test("an image that has left by the gate is known when it comes back, and can't become another", () => {
  using scratch = new Scratch();
  const gate = gateIn(scratch);
  const pass = (block: Block) => {
    const shaped = gate.admit({ content: [...text("a"), block] }, "t", { chars: 1000, keep: "middle" });
    return gate.finish<Shaped>(shaped, "t").content[1]!;
  };
  const first = pass(image(PNG, "image/jpeg"));
  assert.equal(pass(first), first);
  assert.notEqual(pass({ ...first }), first);
  assert.throws(() => Object.assign(first, { data: "none" }), TypeError);
  assert.deepEqual(pass({ ...first, data: "?" } as Block), text("[image/png left out: it is no base64]")[0]);
});

test("a JPEG whose size stands far behind its notes is an image", () => {
  using scratch = new Scratch();
  const notes = Buffer.concat([Buffer.from([0xff, 0xe1, 0xff, 0xff]), Buffer.alloc(0xfffd)]);
  const frame = Buffer.from([0xff, 0xc0, 0, 11, 8, 0, 2, 0, 3, 1, 1, 0x11, 0, 0xff, 0xda]);
  const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8]), notes, notes, frame]).toString("base64");
  assert.deepEqual(imageOut(scratch, jpeg), image(jpeg, "image/jpeg"));
});

test("what is no image, or none that providers take, leaves as a text that says so", () => {
  using scratch = new Scratch();
  const base64 = (content: string) => Buffer.from(content, "latin1").toString("base64");
  const wide = Buffer.from(PNG, "base64");
  wide.writeUInt32BE(8001, 16);
  const cases: [data: string, mediaType: string, said: string][] = [
    [
      base64("<svg/>"),
      "image/svg+xml",
      "[image/svg+xml left out: only PNG, JPEG, GIF and WebP can be shown]",
    ],
    [base64('{"a": 1}'), "image/png", "[image/png left out: its bytes are not an image]"],
    [
      base64("\x89PNG\r\n\x1a\n" + "random".repeat(9)),
      "image/jpeg",
      "[image/png left out: its header is broken]",
    ],
    [`data:image/png;base64,${PNG}`, "image/png", "[image/png left out: it is no base64]"],
    ["", "image/png", "[image/png left out: it is no base64]"],
    [wide.toString("base64"), "image/png", "[image/png left out: 8001x1 pixels, and 8000 are the most]"],
  ];
  for (const [data, mediaType, said] of cases) {
    assert.deepEqual(imageOut(scratch, data, mediaType), { type: "text", text: said });
  }
});

test("a result has no more than a hundred blocks, and no huge image", () => {
  using scratch = new Scratch();
  const many = {
    content: Array(101).fill({ type: "text", text: "a" }),
    status: "success",
    stdout: Array(101).fill("b"),
  };
  const shaped = gateIn(scratch).finish<Shaped>(many as never, "t");
  assert.deepEqual(shaped.content, text(Array(101).fill("a").join("\n")));
  assert.deepEqual(shaped.stdout, ["b".repeat(101)]);
  const small = image(PNG), huge = image(PNG.padEnd(5_000_001, "A"));
  assert.deepEqual(
    gateIn(scratch).finish<Shaped>({ content: [small, huge], status: "success" }, "t").content,
    [
      small,
      ...text("[image/png omitted: 5000001 characters of base64]"),
    ],
  );
});

test("structured data, both streams and keys are redacted and well-formed, with secrets or without", () => {
  using scratch = new Scratch();
  const value = {
    content: "a\ud800",
    stdout: ["b\ud800"],
    stderr: ["c\udc00"],
    structured: { "k\ud800": ["\udfff"] },
  };
  for (const secret of [true, false]) {
    const shaped = gateIn(scratch, {}, secret).admit(value, "tool", { chars: 1000, keep: "middle" });
    assert.ok(!/\\ud|[\ud800-\udfff]/i.test(JSON.stringify(shaped)), JSON.stringify(shaped));
  }
  const shaped = gateIn(scratch).admit({ content: "", structured: { [SECRET]: SECRET } }, "t", {
    chars: 9,
    keep: "head",
  });
  assert.deepEqual(shaped.structured, { "<redacted:S>": "<redacted:S>" });
});
