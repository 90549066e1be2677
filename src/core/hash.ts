/** SHA-256 as hex, by `node:crypto`, which is loaded at the first use; and random hex digits. */
import { host } from "./runtime.ts";

export function sha256(data: string | Uint8Array): string {
  return sha256Of([data]);
}

/** Of pieces in a row. */
export function sha256Of(pieces: readonly (string | Uint8Array)[]): string {
  const hash = sha256Stream();
  for (const piece of pieces) hash.update(piece);
  return hash.digest("hex");
}

interface Hash {
  update(data: string | Uint8Array): unknown;
  /** One that goes on from here by itself. */
  copy(): Hash;
  digest(form: "hex"): string;
}

/** For content that comes in pieces. */
export function sha256Stream(): Hash {
  return host.builtin<typeof import("node:crypto")>("node:crypto").createHash("sha256");
}

/** `count` random hex digits; for ids, not for keys. */
export function randomHex(count: number): string {
  let text = "";
  while (text.length < count) text += Math.floor(Math.random() * 0x100000000).toString(16).padStart(8, "0");
  return text.slice(0, count);
}
