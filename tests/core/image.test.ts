/** What an image is, from its bytes: kind, size, whether it goes on to its end. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import sharp from "sharp";
import { fromBase64, plainBase64, toBase64 } from "../../src/core/base64.ts";
import { imageInfo, imageType, isWholeImage } from "../../src/core/image.ts";
import { PNG } from "../samples.ts";

const SIGNATURES = ["\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "GIF89a", "GIF87a", "RIFF\0\0\0\0WEBP"];

function canvas(width: number, height: number) {
  return sharp({ create: { width, height, channels: 4, background: { r: 9, g: 99, b: 199, alpha: 0.5 } } });
}

/** Every form of the four kinds, with its size. */
async function samples(): Promise<[name: string, type: string, bytes: Uint8Array][]> {
  const image = canvas(70, 30);
  const notes = { exif: { IFD0: { ImageDescription: "x".repeat(60_000) } } };
  const frames = Buffer.alloc(70 * 60 * 3, 40).fill(200, 70 * 30 * 3);
  const animated = sharp(frames, { raw: { width: 70, height: 60, channels: 3, pageHeight: 30 } });
  return [
    ["png", "image/png", await image.clone().png().toBuffer()],
    ["palette", "image/png", await image.clone().png({ palette: true }).toBuffer()],
    ["jpeg", "image/jpeg", await image.clone().jpeg().toBuffer()],
    ["progressive", "image/jpeg", await image.clone().jpeg({ progressive: true }).toBuffer()],
    ["notes", "image/jpeg", await image.clone().withMetadata(notes).jpeg().toBuffer()],
    ["gif", "image/gif", await image.clone().gif().toBuffer()],
    ["animated gif", "image/gif", await animated.clone().gif().toBuffer()],
    ["lossy", "image/webp", await image.clone().flatten().webp().toBuffer()],
    ["lossless", "image/webp", await image.clone().webp({ lossless: true }).toBuffer()],
    ["alpha", "image/webp", await image.clone().webp().toBuffer()],
    ["animated webp", "image/webp", await animated.clone().webp().toBuffer()],
  ];
}

test("kind and size come from the header of each form of the four kinds", async () => {
  for (const [name, mediaType, bytes] of await samples()) {
    assert.deepEqual(imageInfo(bytes), { mediaType, width: 70, height: 30 }, name);
    assert.equal(isWholeImage(bytes), true, name);
    assert.equal(isWholeImage(Uint8Array.from([...bytes, 0, 0, 0])), true, `${name} with padding`);
  }
});

test("an image that was cut anywhere is not whole, and nothing throws", async () => {
  for (const [name, , bytes] of await samples()) {
    const step = Math.ceil(bytes.length / 500);
    for (let length = bytes.length - 2; length >= 0; length -= step) {
      const part = bytes.subarray(0, length);
      imageInfo(part);
      assert.equal(isWholeImage(part), false, `${name} cut at ${length} of ${bytes.length}`);
    }
  }
});

test("bytes of any kind behind a signature never throw, and no size is zero", () => {
  fc.assert(
    fc.property(fc.constantFrom(...SIGNATURES, ""), fc.uint8Array({ maxLength: 300 }), (begin, rest) => {
      const bytes = Uint8Array.from([...Buffer.from(begin, "latin1"), ...rest]);
      const info = imageInfo(bytes);
      isWholeImage(bytes);
      if (begin !== "") assert.ok(imageType(bytes), "the claim is seen");
      if (info) assert.ok(info.width > 0 && info.height > 0);
    }),
  );
});

test("a header that makes no sense is none", () => {
  const png = fromBase64(PNG);
  const changed = (at: number, ...values: number[]) => {
    const copy = png.slice();
    copy.set(values, at);
    return imageInfo(copy);
  };
  assert.deepEqual(imageInfo(png), { mediaType: "image/png", width: 1, height: 1 });
  assert.equal(changed(8, 0, 0, 0, 14), undefined, "length of the first chunk");
  assert.equal(changed(12, 0x4a), undefined, "its name");
  assert.equal(changed(16, 0, 0, 0, 0), undefined, "no width");
  assert.equal(changed(20, 0x80, 0, 0, 0), undefined, "a height beyond the format's");
  assert.equal(changed(24, 3), undefined, "bits of a sample");
  assert.equal(changed(25, 5), undefined, "kind of colour");
  assert.equal(imageInfo(new TextEncoder().encode('{"a": "image/png"}')), undefined);
});

test("base64 is brought to the one form that providers take, or is none", () => {
  assert.equal(plainBase64("QUJD"), "QUJD");
  assert.equal(plainBase64("QU\r\nJD\n"), "QUJD");
  assert.equal(plainBase64("QUI"), "QUI=");
  assert.equal(plainBase64("QQ="), "QQ==");
  for (const none of ["data:image/png;base64,QUJD", "QUJ-", "Q", "Q=UJ", "é"]) {
    assert.equal(plainBase64(none), undefined, none);
  }
  fc.assert(fc.property(fc.uint8Array(), (bytes) => {
    assert.deepEqual(fromBase64(plainBase64(toBase64(bytes))!), bytes);
  }));
});
