/** `agent secrets set`: stores a value that comes from standard input, or is typed where nobody sees it. */
import { concat } from "../../core/bytes.ts";
import { EXIT, quote, UsageError } from "../../core/errors.ts";
import { host } from "../../core/runtime.ts";
import { isCommon } from "../../core/secrets.ts";
import { changeSecret, isSecretName, readSecretsFile } from "../../core/secrets_file.ts";
import type { Invocation } from "../command.ts";
import { askHidden } from "./secrets_ask.ts";
import { warnOfFile } from "./secrets_list.ts";

/** Linux gives a process no longer variable: name, `=`, value and a NUL. */
const MOST_BYTES = 128 * 1024 - 2;

export async function run({ flags, args, printer }: Invocation): Promise<number> {
  const name = nameIn(args);
  let value: string | undefined;
  if (!host.isTerminal(0)) value = withoutNewline(await readValue(name));
  else if (flags.has("no-input")) {
    throw new UsageError(
      `Cannot ask for the value of ${quote(name)}: --no-input is given`,
      `agent secrets set ${name} < FILE`,
    );
  } else value = await askHidden(`Value of ${name} (not shown; Enter ends it):`, printer);
  if (value === undefined) {
    printer.note("nothing is set");
    return EXIT.interrupted;
  }
  check(name, value);
  const { path, open } = changeSecret(name, value);
  printer.note(`${name} is set in ${path}`);
  if (open !== undefined) printer.warn(`${path}: others could read it until now`);
  warnOfFile(readSecretsFile(), printer);
  if (isCommon(value)) {
    printer.warn(`${name} is not redacted: fewer than 6 characters, or a common word, stand in any text`);
  }
  return EXIT.done;
}

function nameIn(args: readonly string[]): string {
  const [first] = args;
  if (first === undefined) {
    throw new UsageError("Cannot set a secret: its name is missing", "agent secrets set NAME < FILE");
  }
  const name = first.split("=", 1)[0]!;
  if (!isSecretName(name)) {
    throw new UsageError(
      `Cannot set a secret ${quote(name)}: not a variable's name`,
      "letters, digits and _, no digit first: a command says $NAME",
    );
  }
  // The value is not repeated: errors are kept in more places than the terminal.
  if (args.length > 1 || name !== first) {
    throw new UsageError(
      `Cannot set ${
        quote(name)
      } to a value on the command line: other programs and the shell's history see it`,
      `agent secrets set ${name} < FILE, or without "< FILE" to type it`,
    );
  }
  return name;
}

async function readValue(name: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of host.stdin()) {
    pieces.push(piece);
    // One newline more may come than is kept.
    if ((size += piece.length) > MOST_BYTES + 2) throw tooLong(name);
  }
  const text = host.decode(concat(pieces));
  if (text === undefined) throw new UsageError(`Cannot set ${quote(name)}: its value is not UTF-8 text`);
  return text;
}

/** What `echo` and editors add. */
function withoutNewline(text: string): string {
  return text.replace(/\r?\n$/, "");
}

function check(name: string, value: string): void {
  if (value === "") {
    throw new UsageError(
      `Cannot set ${quote(name)}: its value is empty`,
      `agent secrets remove ${name} removes it`,
    );
  }
  if (value.includes("\0")) {
    throw new UsageError(`Cannot set ${quote(name)}: a variable can't hold a NUL character`);
  }
  if (name.length + new TextEncoder().encode(value).length > MOST_BYTES) throw tooLong(name);
}

function tooLong(name: string): UsageError {
  return new UsageError(
    `Cannot set ${quote(name)}: longer than a variable may be, 128 KB`,
    "keep it in a file of mode 600",
  );
}
