/** Base64 as providers take it: the plain alphabet, padded, without line breaks. */
import { host } from "./runtime.ts";

export function toBase64(bytes: Uint8Array): string {
  const { Buffer } = host.builtin<typeof import("node:buffer")>("node:buffer");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** The bytes of base64 that `plainBase64` has let through, or of its first `chars` characters. */
export function fromBase64(data: string, chars = data.length): Uint8Array {
  // Four characters are three bytes.
  const text = atob(data.slice(0, chars - chars % 4));
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** The same data in the form above; `undefined` where it is no base64. */
export function plainBase64(data: string): string | undefined {
  // Nearly always it is in that form, and may be megabytes: one look.
  if (data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data)) return data;
  const joined = /\s/.test(data) ? data.replace(/\s+/g, "") : data;
  let end = joined.length;
  while (joined[end - 1] === "=") end--;
  const body = joined.slice(0, end);
  if (body.length % 4 === 1 || !/^[A-Za-z0-9+/]*$/.test(body)) return undefined;
  return joined.length % 4 === 0 && joined.length - body.length < 3
    ? joined
    : body.padEnd(Math.ceil(body.length / 4) * 4, "=");
}
