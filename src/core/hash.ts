/** SHA-256 as hex, by `node:crypto`, which is loaded at the first use; and random hex digits. */
import { host } from "./runtime.ts";

export function sha256(data: string | Uint8Array): string {
  const { createHash } = host.builtin<typeof import("node:crypto")>("node:crypto");
  return createHash("sha256").update(data).digest("hex");
}

/** `count` random hex digits; for ids, not for keys. */
export function randomHex(count: number): string {
  let text = "";
  while (text.length < count) text += Math.floor(Math.random() * 0x100000000).toString(16).padStart(8, "0");
  return text.slice(0, count);
}
