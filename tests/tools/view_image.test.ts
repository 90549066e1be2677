/** Showing an image by its own tool, under each family's name. */
import assert from "node:assert/strict";
import { test } from "node:test";
import sharp from "sharp";
import { PNG } from "../samples.ts";
import { Scratch, textOf } from "../support.ts";

const png = Buffer.from(PNG, "base64");
const view = (path: string, name = "view_image") => ({ name, args: { path } });

test("an image is shown with its kind and size, whatever its name says", async () => {
  using scratch = new Scratch();
  scratch.file("a.png", png);
  const jpeg = await sharp(png).flatten().jpeg().toBuffer();
  scratch.file("b.png", jpeg);
  const { results } = await scratch.batch([
    view("a.png"),
    view("a.png", "ViewImage"),
    view("b.png"),
  ]);
  for (const { content, tool, outcome } of results.slice(0, 2)) {
    assert.equal(outcome, "success");
    assert.equal(tool, "view_image");
    assert.deepEqual(content, [
      { type: "text", text: "[image/png 1x1]" },
      { type: "image", mediaType: "image/png", data: PNG },
    ]);
  }
  assert.deepEqual(results[2]!.content[1], {
    type: "image",
    mediaType: "image/jpeg",
    data: jpeg.toString("base64"),
  });
});

test("what is no image is an error that says what it is, and never an image", async () => {
  using scratch = new Scratch();
  scratch.file("json.png", '{"a": 1}\n');
  scratch.file("empty.png", "");
  scratch.file("random.png", Uint8Array.from([...png.subarray(0, 8), ...new Uint8Array(900).fill(77)]));
  scratch.file("cut.png", png.subarray(0, 60));
  scratch.file("drawing.svg", "<svg/>");
  const names = ["json.png", "empty.png", "random.png", "cut.png", "drawing.svg", "none.png", "."];
  const { results } = await scratch.batch(names.map((name) => view(name)));
  const wanted = [
    /^Cannot show "json\.png": it is no PNG, JPEG, GIF or WebP image\n\nhint: if it is text, read it as a file$/,
    /^Cannot show "empty\.png": it is empty$/,
    /^Cannot show "random\.png": it begins as image\/png and its header is broken/,
    /^Cannot show "cut\.png": its PNG data is broken or cut off/,
    /^Cannot show "drawing\.svg": it is no PNG/,
    /^Cannot read "none\.png": no such file\n\nhint: the path was taken relative to/,
    /^Cannot read "\.": it is a folder\n\nhint: list it/,
  ];
  for (const [index, result] of results.entries()) {
    assert.equal(result.status, "error", names[index]);
    assert.ok(result.content.every(({ type }: { type: string }) => type === "text"));
    assert.match(textOf(result), wanted[index]!);
  }
});

test("what guards reading guards it: rules by path, and hooks for Read", async () => {
  using scratch = new Scratch();
  scratch.file("a.png", png);
  const denied = await scratch.batch([view("a.png")], ["--deny", "Read(a.png)"]);
  assert.equal(denied.results[0]!.outcome, "denied");
  scratch.settings({
    hooks: {
      PreToolUse: [{
        matcher: "Read",
        hooks: [{ type: "command", command: "cat > seen; echo no >&2; exit 2" }],
      }],
    },
  });
  const { results } = await scratch.batch([view("a.png", "ViewImage")]);
  assert.equal(results[0]!.outcome, "denied");
  const { tool_name, tool_input } = JSON.parse(scratch.read("seen"));
  assert.equal(tool_name, "Read");
  assert.match(tool_input.file_path, /\/a\.png$/);
});

test("a name that only looks alike is followed, and the result says whose image it is", async () => {
  using scratch = new Scratch();
  scratch.file("shot\u202f1.png", png);
  const { results } = await scratch.batch([view("shot 1.png")]);
  assert.match(textOf(results[0]!), /^\[image\/png 1x1\]\n\[the file is ".*shot\\u202f1\.png"\]/);
});
