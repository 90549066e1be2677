/** Reading what isn't text: images, PDFs and notebooks, told by their bytes. */
import assert from "node:assert/strict";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import sharp from "sharp";
import { picture } from "../../src/tools/read/image.ts";
import { runBounded } from "../../src/tools/read/bounded.ts";
import { pdfText } from "../../src/tools/read/pdf_text.ts";
import { richKind } from "../../src/tools/read/rich.ts";
import { endlessPdf, pdf, PNG } from "../samples.ts";
import { AGENT, type Json, ON_DENO, processesWith, ROOT, run, Scratch, textOf } from "../support.ts";

const png = Buffer.from(PNG, "base64");
const bytesOf = (text: string) => new TextEncoder().encode(text);

function canvas(width: number, height: number) {
  return sharp({ create: { width, height, channels: 3, background: "#336699" } });
}

/** Noise, which no format makes small. */
function noise(width: number, height: number) {
  const pixels = new Uint8Array(width * height * 3);
  for (let at = 0, state = 1; at < pixels.length; at++) {
    state = (state * 48_271) % 2_147_483_647;
    pixels[at] = state;
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

async function reads(scratch: Scratch, calls: readonly (string | Json)[]): Promise<Json[]> {
  const { results } = await scratch.batch(
    calls.map((args) => ({ name: "Read", args: typeof args === "string" ? { file_path: args } : args })),
  );
  return results;
}

const imagesOf = ({ content }: Json): Json[] => content.filter(({ type }: Json) => type === "image");

// ─ Images

test("an image within the limits is passed on byte by byte, marked by its content", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", png);
  const jpeg = await canvas(2000, 10).jpeg().toBuffer();
  scratch.file("b.png", jpeg);
  const [first, second] = await reads(scratch, ["a.txt", "b.png"]);
  assert.deepEqual(first!.content, [
    { type: "text", text: "[image/png 1x1]" },
    { type: "image", mediaType: "image/png", data: PNG },
  ]);
  assert.deepEqual(second!.content, [
    { type: "text", text: "[image/jpeg 2000x10]" },
    { type: "image", mediaType: "image/jpeg", data: jpeg.toString("base64") },
  ]);
});

test("each family's reading shows images", async () => {
  using scratch = new Scratch();
  scratch.file("a.png", png);
  const { results } = await scratch.batch(["ReadFile", "ReadFileGemini"].map((name) => ({
    name,
    args: { file_path: "a.png" },
  })));
  for (const result of results) assert.equal(imagesOf(result)[0]!.data, PNG);
});

test("a file called .png that is none is text, empty or an error, never an image", async () => {
  using scratch = new Scratch();
  scratch.file("json.png", '{"a":1}\n');
  scratch.file("empty.png", "");
  scratch.file("random.png", Uint8Array.from([...png.subarray(0, 8), ...new Uint8Array(5000).fill(99)]));
  const jpeg = await canvas(50, 50).jpeg().toBuffer();
  scratch.file("cut.jpg", jpeg.subarray(0, jpeg.length - 20));
  scratch.file("talk.txt", "GIF89a is how a GIF begins\n");
  const results = await reads(scratch, ["json.png", "empty.png", "random.png", "cut.jpg", "talk.txt"]);
  assert.deepEqual(results.flatMap(imagesOf), []);
  const texts = results.map(textOf);
  assert.equal(texts[0], '1\t{"a":1}');
  assert.equal(texts[1], "[empty.png: the file is empty]");
  assert.match(texts[2]!, /^Cannot show "random\.png": it begins as image\/png and its header is broken/);
  assert.match(texts[3]!, /^Cannot show "cut\.jpg": its JPEG data is broken or cut off/);
  assert.equal(texts[4], "1\tGIF89a is how a GIF begins");
  assert.deepEqual(results.map(({ status }) => status), ["success", "success", "error", "error", "success"]);
});

test("a large image is shown smaller, and both sizes are named", async () => {
  using scratch = new Scratch();
  scratch.file("wide.png", await canvas(4000, 3000).png().toBuffer());
  scratch.file("turned.jpg", await canvas(4000, 1000).withMetadata({ orientation: 6 }).jpeg().toBuffer());
  scratch.file("big.webp", await canvas(2001, 10).webp().toBuffer());
  // Small enough on the screen, and too many bytes.
  scratch.file("noise.png", await noise(1500, 1500).png().toBuffer());
  const results = await reads(scratch, ["wide.png", "turned.jpg", "big.webp", "noise.png"]);
  assert.deepEqual(results.map(textOf).map((text) => text.trim()), [
    "[image/png 4000x3000, shown at 1568x1176]",
    "[image/jpeg 4000x1000, shown at 392x1568, turned upright]",
    "[image/webp 2001x10, shown as image/png at 1568x8]",
    "[image/png 1500x1500, shown as image/jpeg at 1500x1500]",
  ]);
  const sizes = [[1568, 1176], [392, 1568], [1568, 8], [1500, 1500]];
  for (const [index, result] of results.entries()) {
    const [image, ...more] = imagesOf(result);
    assert.equal(more.length, 0);
    assert.ok(image!.data.length <= 5_000_000);
    const { width, height, format } = await sharp(Buffer.from(image!.data, "base64")).metadata();
    assert.deepEqual([width, height, `image/${format}`], [...sizes[index]!, image!.mediaType]);
  }
});

test("an image that claims too many pixels or can't be decoded is an error", async () => {
  using scratch = new Scratch();
  const large = await canvas(3000, 3000).png().toBuffer();
  const bomb = Buffer.from(large);
  bomb.writeUInt32BE(60_000, 16);
  bomb.writeUInt32BE(60_000, 20);
  scratch.file("bomb.png", bomb);
  // Its frame is whole, its pixels aren't.
  const hole = Buffer.from(large);
  hole.fill(0, 200, 20_000);
  scratch.file("hole.png", hole);
  scratch.file("cut.png", large.subarray(0, large.length / 2));
  const results = await reads(scratch, ["bomb.png", "hole.png", "cut.png"]);
  assert.deepEqual(results.flatMap(imagesOf), []);
  const [bombed, holed, cut] = results.map(textOf);
  assert.match(bombed!, /^Cannot show "bomb\.png": 60000x60000 pixels are too many\n\nhint: /);
  assert.match(holed!, /^Cannot show "hole\.png": its PNG data (is broken|can't be decoded)/);
  assert.match(cut!, /^Cannot show "cut\.png": its PNG data is broken or cut off/);
});

test("without sharp a small image is shown as ever, and a large one is an error that names it", async () => {
  const absent = () => Promise.reject(new Error("Cannot find module 'sharp'\nRequire stack: …"));
  const { note } = await picture(png, "a.png", absent);
  assert.equal(note, "[image/png 1x1]");
  const large = await canvas(2001, 1).png().toBuffer();
  await assert.rejects(picture(large, "b.png", absent), {
    message:
      `Cannot show "b.png": 2001x1 pixels in ${large.length} bytes are too many, and the package sharp, ` +
      "which makes a smaller copy, can't be loaded (Cannot find module 'sharp')",
    hint: "install sharp, or make a copy of at most 2000x2000 pixels and read that",
  });
});

test("each quality of a copy is tried once", async () => {
  const tried: string[] = [];
  const copy = (name: string) => ({
    toBuffer: () => {
      tried.push(name);
      return Promise.resolve({ data: Buffer.alloc(4e6), info: { format: name, width: 1, height: 1 } });
    },
  });
  const image: Json = {
    metadata: () => Promise.resolve({}),
    png: () => copy("png"),
    jpeg: ({ quality }: Json) => copy(`${quality}`),
  };
  for (const step of ["timeout", "autoOrient", "resize", "clone", "flatten"]) image[step] = () => image;
  const load = () => Promise.resolve((() => image) as unknown as typeof sharp);
  for (const kind of ["jpeg", "png"] as const) {
    await assert.rejects(
      picture(await canvas(2001, 1)[kind]().toBuffer(), "a", load),
      /no copy is small enough/,
    );
  }
  assert.deepEqual(tried, ["85", "70", "50", "30", "png", "85", "70", "50", "30"]);
});

test("sharp is loaded for large images alone", { skip: ON_DENO && "its loader can't be told" }, async () => {
  using scratch = new Scratch();
  scratch.file("a.png", png);
  scratch.file("b.png", await canvas(2001, 1).png().toBuffer());
  const guard = scratch.file(
    "guard.cjs",
    `const Module = require("node:module"), load = Module._load;
     Module._load = (id, ...rest) => { if (id === "sharp") throw new Error("kept away"); return load(id, ...rest); };`,
  );
  const { results } = await scratch.batch(
    ["a.png", "b.png"].map((file_path) => ({ name: "Read", args: { file_path } })),
    [],
    { nodeFlags: ["--require", guard] },
  );
  assert.equal(imagesOf(results[0]!).length, 1);
  assert.match(
    textOf(results[1]!),
    /package sharp, which makes a smaller copy, can't be loaded \(kept away\)/,
  );
});

// ─ PDFs

test("a PDF is its text, page by page, in pages of lines", async () => {
  using scratch = new Scratch();
  scratch.file("a.pdf", pdf([["Hello world", "second line"], [], ["third page"]]));
  const before = bytesOf("Content-Type: application/pdf\n\n\0\n");
  scratch.file("mailed", Uint8Array.from([...before, ...pdf([["sent"]])]));
  const { stderr, results } = await scratch.batch(
    [{ file_path: "a.pdf" }, { file_path: "a.pdf", offset: 6, limit: 1 }, { file_path: "mailed" }].map((
      args,
    ) => ({
      name: "Read",
      args,
    })),
  );
  assert.equal(stderr, "");
  assert.deepEqual(results.map(textOf), [
    [
      "[PDF of 3 pages, their text]",
      "1\t[page 1 of 3]",
      "2\tHello world",
      "3\tsecond line",
      "4\t[page 2 of 3]",
      "5\t[no text on this page]",
      "6\t[page 3 of 3]",
      "7\tthird page",
    ].join("\n"),
    "[PDF of 3 pages, their text]\n6\t[page 3 of 3]\n[lines 6-6 of 7 shown. Use offset=7 to continue]",
    "[PDF of 1 page, their text]\n1\t[page 1 of 1]\n2\tsent",
  ]);
});

test("a broken or encrypted PDF is a clear error, and ends no process", async () => {
  using scratch = new Scratch();
  scratch.file("broken.pdf", "%PDF-1.4\ngarbage\n");
  scratch.file("none.pdf", pdf([]));
  const id = `<${"01".repeat(16)}>`;
  const encrypt = `<< /Filter /Standard /V 1 /R 2 /O <${"ab".repeat(32)}> /U <${"cd".repeat(32)}> /P -4 >>`;
  scratch.file("secret.pdf", pdf([["x"]], { trailer: `/ID [${id} ${id}] /Encrypt ${encrypt}` }));
  // The library rejects a promise over this that nobody holds.
  const text = new TextDecoder().decode(pdf([["first"], ["second"], ["third"]]));
  scratch.file("hole.pdf", text.replace(/\n([48]) 0 obj/g, "\n$1 0 oXj"));
  const { code, stderr, results } = await scratch.batch(
    ["broken.pdf", "none.pdf", "secret.pdf", "hole.pdf", "broken.pdf"].map((file_path) => ({
      name: "Read",
      args: { file_path },
    })),
  );
  assert.deepEqual([code, stderr, results.length], [1, "", 5]);
  const texts = results.map(textOf);
  assert.match(texts[0]!, /^Cannot read "broken\.pdf": the PDF is broken \(Invalid PDF structure\)$/);
  assert.match(texts[1]!, /^Cannot read "none\.pdf": the PDF is broken \(it has no pages\)$/);
  assert.match(texts[2]!, /^Cannot read "secret\.pdf": the PDF is encrypted and needs a password\n\nhint: /);
  assert.match(texts[3]!, /^\[PDF of 1 page, their text\]/);
});

test("a reading of a PDF that stops says how far it came and why", async () => {
  const five = pdf(Array.from({ length: 5 }, (_, index) => [`text ${index + 1}`]));
  const limits = { pages: 1000, chars: 1e6, ms: 1e6 };
  const read = async (more: Partial<typeof limits>) =>
    await pdfText(five, { ...limits, ...more }) as { note: string; text: string };
  const { note, text } = await read({ pages: 2 });
  assert.equal(note, "[PDF of 5 pages, the text of pages 1-2]");
  assert.match(
    text,
    /^\[page 1 of 5\]\ntext 1\n\[page 2 of 5\]\ntext 2\n\[pages 3-5 left out: more than 2 pages\]$/,
  );
  const short = await read({ chars: 9 });
  assert.match(
    short.text,
    /text 1[^]*tex\n\[the rest of this page is left out\]\n\[pages 3-5 left out: more than 9 ch/,
  );
  const late = await read({ ms: -1000 });
  assert.match(late.text, /\[pages 2-5 left out: more than -1 seconds of reading\]$/);
});

test("the library reads a PDF as the command does, on both runtimes from the build", async () => {
  using scratch = new Scratch();
  scratch.file("a.pdf", pdf([["from the library"]]));
  const code = `const { createRuntime, textOf } = require(${
    JSON.stringify(path.join(ROOT, "dist/index.cjs"))
  });
    (async () => {
      const runtime = await createRuntime({ cwd: process.cwd() });
      const turn = await runtime.prepareTurn({});
      const { content } = await runtime.call(turn, { id: "1", name: "Read", args: { file_path: "a.pdf" } });
      console.log(textOf(content));
      await runtime.close();
    })();`;
  const script = scratch.file("lib.cjs", code);
  const [program, ...flags] = AGENT.slice(0, -1);
  const { stdout, stderr } = await run([program!, ...flags, script], {
    cwd: scratch.work,
    env: scratch.env(),
  });
  assert.match(stdout, /\tfrom the library\n$/, stderr);
});

test("a PDF that would take hours ends with its call, and its process with it", async () => {
  using scratch = new Scratch();
  scratch.file("endless.pdf", endlessPdf());
  const { result, code } = await scratch.exec(["--timeout", "2", "Read", "file_path=endless.pdf"]);
  assert.deepEqual([result.outcome, code], ["timeout", 124]);
  assert.deepEqual(await processesWith(scratch.home), []);
});

test("a process for hostile input is ended where it takes too long, too much memory, or fails", async () => {
  using scratch = new Scratch();
  const { signal } = new AbortController();
  const work = (code: string, ms: number) =>
    runBounded({ script: scratch.file("p.cjs", code), input: bytesOf("given"), ms, signal });
  const echo = 'process.stdin.on("data", (bytes) => process.stdout.write(`got ${bytes}`));';
  assert.deepEqual(await work(echo, 60_000), { why: "done", output: "got given" });
  assert.deepEqual(await work("for (;;);", 500), { why: "time" });
  const failed = await work('console.error("no\\nstack"); process.exit(3);', 60_000);
  assert.deepEqual(failed, { why: "failed", reason: "no" });
  if (process.platform !== "linux") return;
  const greedy = "const all = []; for (;;) all.push(new Uint8Array(5e7).fill(1));";
  assert.deepEqual(await work(greedy, 60_000), { why: "memory" });
});

test("a process for hostile input gets no more of the environment than it needs", async () => {
  using scratch = new Scratch();
  const script = scratch.file("p.cjs", "process.stdout.write(JSON.stringify(Object.keys(process.env)));");
  const { signal } = new AbortController();
  const ended = await runBounded({ script, input: bytesOf(""), ms: 60_000, signal });
  if (ON_DENO) return assert.match(ended.why === "failed" ? ended.reason : "", /Requires env access/);
  assert.ok(ended.why === "done");
  assert.ok(!JSON.parse(ended.output).includes("AGENT_TEST_ROOT"), ended.output);
});

// ─ Notebooks

const notebook = (cells: unknown[], more: Json = {}) =>
  JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5, ...more });

const figure = { output_type: "display_data", data: { "text/plain": ["<Figure>"], "image/png": `${PNG}\n` } };

test("a notebook is its cells with what they printed, and the images after them", async () => {
  using scratch = new Scratch();
  scratch.file(
    "a.ipynb",
    notebook([
      { cell_type: "markdown", source: ["# Title\n", "text"] },
      {
        cell_type: "code",
        source: "run()\n",
        outputs: [
          { output_type: "stream", name: "stdout", text: ["one\n", "two\n"] },
          { output_type: "stream", name: "stderr", text: "careful\n" },
          figure,
          { output_type: "execute_result", data: { "text/html": ["<b>x</b>"] } },
          { output_type: "display_data", data: { "image/svg+xml": "<svg/>" } },
          { output_type: "error", ename: "E", evalue: "v", traceback: ["\x1b[31mE\x1b[0m: v", "  at 1"] },
        ],
      },
      { cell_type: "raw", source: [] },
    ]),
  );
  const [result] = await reads(scratch, ["a.ipynb"]);
  const [{ text }] = result!.content;
  assert.deepEqual(text.split("\n"), [
    "[notebook of 3 cells, shown as text; an edit works on the file's JSON, whose lines are others]",
    ...[
      "[cell 1, markdown]",
      "# Title",
      "text",
      "",
      "[cell 2, code]",
      "run()",
      "[output]",
      "one",
      "two",
      "[output, stderr]",
      "careful",
      "[output]",
      "<Figure>",
      "[image 1: image/png 1x1]",
      "[output left out: text/html]",
      "[image 2, image/svg+xml, left out: only PNG, JPEG, GIF and WebP can be shown]",
      "[error]",
      "E: v",
      "  at 1",
      "",
      "[cell 3, raw]",
    ].map((line, index) => `${index + 1}\t${line}`),
  ]);
  assert.deepEqual(imagesOf(result!), [{ type: "image", mediaType: "image/png", data: PNG }]);
});

test("a notebook's images are checked, made smaller and counted", async () => {
  using scratch = new Scratch();
  const large = (await canvas(2400, 1200).png().toBuffer()).toString("base64");
  const shown = (data: string) => ({ output_type: "display_data", data: { "image/png": data } });
  const code = (outputs: unknown[]) => ({ cell_type: "code", source: "", outputs });
  scratch.file("few.ipynb", notebook([code([shown("AAAA"), shown("!"), shown(large)])]));
  scratch.file("many.ipynb", notebook([code(Array(23).fill(figure))]));
  const [few, many] = await reads(scratch, ["few.ipynb", "many.ipynb"]);
  const text = textOf(few!);
  assert.match(text, /\[image 1, image\/png, left out: it is no PNG, JPEG, GIF or WebP image\]/);
  assert.match(text, /\[image 2, image\/png, left out: it is no base64\]/);
  assert.match(text, /\[image 3: image\/png 2400x1200, shown at 1568x784\]/);
  assert.equal(imagesOf(few!).length, 1);
  assert.equal(imagesOf(many!).length, 20);
  assert.match(textOf(many!), /\[image 23, image\/png, left out: no more than 20 are shown\]/);
});

test("what only looks like a notebook is read as the text it is", async () => {
  using scratch = new Scratch();
  scratch.file("broken.ipynb", '{"cells": [\n');
  scratch.file("other.json", '{"cells": 1, "nbformat": 4}\n');
  scratch.file("named.json", notebook([{ cell_type: "code", source: "x" }]));
  const [broken, other, named] = (await reads(scratch, ["broken.ipynb", "other.json", "named.json"])).map(
    textOf,
  );
  assert.equal(broken, '1\t{"cells": [');
  assert.equal(other, '1\t{"cells": 1, "nbformat": 4}');
  assert.match(named!, /^\[notebook of 1 cell,/);
});

// ─ Telling them apart

test("kinds are told by bytes, and text that speaks of them stays text", () => {
  const kinds: [string | Uint8Array, string, string | undefined][] = [
    [png, "x.txt", "image"],
    ["", "x.png", undefined],
    ["RIFF....WEBP is how it begins", "x", undefined],
    ["%PDF-1.7\n", "x", "pdf"],
    ["%PDF-x\n", "x.pdf", undefined],
    [`a text about %PDF-1.4\nand é more${" ".repeat(40)}\n`, "x", undefined],
    [
      Uint8Array.from([
        0x41,
        0x0a,
        ...bytesOf("%PDF-1.4\n%"),
        0xe2,
        0xe3,
        ...bytesOf(`\n${"x".repeat(40)}\n`),
      ]),
      "x",
      "pdf",
    ],
    [`${" ".repeat(1024)}%PDF-1.4`, "x", undefined],
    ['\uFEFF {"cells": []}', "x.IPYNB", "notebook"],
    ["# cells", "x.ipynb", undefined],
    ['{"cells": [], "nbformat": 4}', "x", "notebook"],
    ['["cells", "nbformat"]', "x", undefined],
  ];
  for (const [content, name, kind] of kinds) {
    const bytes = typeof content === "string" ? bytesOf(content) : content;
    assert.equal(richKind(bytes, name), kind, `${name}: ${String(content).slice(0, 40)}`);
  }
});
