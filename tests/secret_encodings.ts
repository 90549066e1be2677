/** The ways in which tests print a secret, and a look for it in all that came out. */
import { Buffer } from "node:buffer";

/** Prints a secret with something before and behind it. */
export type Encode = (secret: string, before: string, after: string) => string;

const base64 = (kind: "base64" | "base64url"): Encode => (secret, before, after) =>
  Buffer.from(before + secret + after).toString(kind) + "\n";

const wrapped = (lineEnd: string): Encode => (secret, before, after) =>
  Buffer.from(before + secret + after + "padding ".repeat(20)).toString("base64").match(/.{1,76}/g)!.join(
    lineEnd,
  ) + lineEnd;

/** `base64` and `base64url` meet all three alignments, since what stands before grows by a byte each time. */
export const ENCODINGS: Readonly<Record<string, Encode>> = {
  "plain text": (secret, before, after) => before + secret + after,
  base64: base64("base64"),
  base64url: base64("base64url"),
  "base64 in lines": wrapped("\n"),
  "base64 in lines of CR LF": wrapped("\r\n"),
  "hex": (secret, before, after) => Buffer.from(before + secret + after).toString("hex") + "\n",
  "upper hex": (secret, before, after) =>
    Buffer.from(before + secret + after).toString("hex").toUpperCase() + "\n",
  percent: (secret, before, after) => encodeURIComponent(before + secret) + after,
  "a JSON string": (secret, before, after) => JSON.stringify(before + secret) + after,
  "single quotes": (secret, before, after) => `'${(before + secret).replaceAll("'", "'\\''")}'${after}`,
  "double quotes": (secret, before, after) => `"${(before + secret).replace(/[$`"\\]/g, "\\$&")}"${after}`,
  "coloured letters": (secret, before, after) =>
    before + [...secret].join("\u001b[3%dm".replace("%d", "1")) + after,
  "two colours": (secret, before, after) =>
    `${before}${secret.slice(0, before.length % secret.length)}\u001b[0m\u001b[38;5;1m${
      secret.slice(before.length % secret.length)
    }${after}`,
};

/** Is the secret in `text`, after any decoding that a reader might try? */
export function holdsSecret(text: string, secret: string): boolean {
  const seen = text.replace(/\u001b\[[\d;]*m/g, "");
  if (seen.includes(secret)) return true;
  const joined = seen.replace(/[\r\n]/g, "");
  for (const [run] of joined.matchAll(/[\w+/-]{6,}/g)) {
    for (let skip = 0; skip < 4; skip++) {
      for (const kind of ["base64", "base64url"] as const) {
        if (Buffer.from(run.slice(skip), kind).includes(secret)) return true;
      }
    }
  }
  for (const [run] of joined.matchAll(/[\da-f]{6,}/gi)) {
    if (Buffer.from(run, "hex").includes(secret) || Buffer.from(run.slice(1), "hex").includes(secret)) {
      return true;
    }
  }
  const percent = seen.replace(
    /(?:%[\da-f]{2})+/gi,
    (codes) => Buffer.from(codes.replaceAll("%", ""), "hex").toString(),
  );
  const unescaped = seen.replace(/\\(.)/g, "$1");
  return [percent, unescaped, seen.replaceAll("'\\''", "'")].some((one) => one.includes(secret));
}
