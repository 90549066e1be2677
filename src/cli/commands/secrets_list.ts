/** `agent secrets list`: the names of the secrets that are known, and where each is from; never a value. */
import { printable } from "../../core/errors.ts";
import { storeOf } from "../../core/secrets.ts";
import { readSecretsFile, type SecretsFile } from "../../core/secrets_file.ts";
import { shellQuote } from "../../core/shell_quote.ts";
import type { Invocation } from "../command.ts";
import { settingsOf } from "../open.ts";
import type { Printer } from "../printer.ts";

export async function run(invocation: Invocation): Promise<number> {
  const { flags, printer } = invocation;
  const settings = await settingsOf(invocation);
  const file = readSecretsFile();
  const patterns = settings.all("secrets").flatMap(({ value }) => value);
  const store = storeOf(file.secrets, patterns, settings.get("env.keep"));
  const redacted = new Set(store.redactable().map(({ name }) => name));
  const inFile = new Set(file.secrets.filter(({ value }) => value !== "").map(({ name }) => name));
  const rows = [...new Set([...store.names(), ...redacted])].sort().map((name) => ({
    name,
    from: inFile.has(name) ? "file" : "environment",
    redacted: redacted.has(name),
  }));
  if (flags.has("json")) printer.json(rows);
  else {
    const width = Math.max(0, ...rows.map(({ name }) => printable(name).length));
    for (const { name, from, redacted } of rows) {
      printer.line(`${printable(name).padEnd(width)}  ${from}${redacted ? "" : ", not redacted"}`);
    }
    if (rows.length === 0) printer.note("no secret is known; agent secrets set NAME stores one");
  }
  warnOfFile(file, printer);
  return 0;
}

/** Says what is wrong with the file. */
export function warnOfFile({ path, open, oddLines }: SecretsFile, printer: Printer): void {
  if (open === "others can read it") {
    printer.warn(`${path}: ${open}, so nothing starts; chmod 600 ${shellQuote(path)}`);
  } else if (open !== undefined) printer.warn(`${path}: ${open}, so nothing starts`);
  if (oddLines.length > 0) printer.warn(oddLinesOf(path, oddLines));
}

/** One sentence for lines that can't be read as they were meant. */
export function oddLinesOf(path: string, oddLines: readonly number[]): string {
  return `${path}: not NAME=value: line ${
    oddLines.join(", ")
  }; agent secrets set stores values of several lines`;
}
