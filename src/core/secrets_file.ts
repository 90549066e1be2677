/** `secrets.env` as it is shown and changed. How a line is read: `secretIn`. */
import { dirs } from "./dirs.ts";
import { AgentError, fileError, notAFile, quote, UsageError } from "./errors.ts";
import { infoOf, readFile } from "./local_read.ts";
import { withLock } from "./lock.ts";
import { dirname, makeFolder, realPath } from "./paths.ts";
import { host } from "./runtime.ts";
import { isOddlyQuoted, type Secret, secretIn } from "./secrets.ts";
import { writeWhole } from "./write_whole.ts";

/** The file as it is now. */
export interface SecretsFile {
  path: string;
  exists: boolean;
  /** By line, ends included. */
  lines: readonly string[];
  secrets: readonly Secret[];
  /** Who else than the user may read it; nothing starts then. */
  open: "others can read it" | "it belongs to another user" | undefined;
  /** Numbers of lines that are neither `NAME=value`, a comment nor blank. */
  oddLines: readonly number[];
}

/** A name that a command can use as `$NAME`. */
export function isSecretName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

/** Never refused for its mode: whoever shows or mends the file must see it. */
export function readSecretsFile(path = dirs().secretsFile): SecretsFile {
  const info = infoOf(path);
  if (!info) return { path, exists: false, lines: [], secrets: [], open: undefined, oddLines: [] };
  if (info.kind !== "file") throw notAFile("read", path, info);
  const text = host.decode(readFile(path));
  if (text === undefined) throw new AgentError(`Cannot read ${quote(path)}: it is not UTF-8 text`);
  const lines = text.replace(/^\uFEFF/, "").match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const foreign = info.uid !== -1 && info.uid !== host.uid;
  const readable = host.platform !== "win32" && (info.mode & 0o077) !== 0;
  return {
    path,
    exists: true,
    lines,
    secrets: lines.flatMap((line) => secretIn(line) ?? []),
    open: foreign ? "it belongs to another user" : readable ? "others can read it" : undefined,
    oddLines: lines.flatMap((line, at) => isOdd(line) ? [at + 1] : []),
  };
}

/** Such as the lines of a value that was pasted in as it is: they are read as something else than was meant. */
function isOdd(line: string): boolean {
  const text = line.trim();
  if (text === "" || text.startsWith("#")) return false;
  const secret = secretIn(line);
  return secret === undefined || !isSecretName(secret.name) || isOddlyQuoted(line);
}

/**
 * Sets a secret, or removes it where `value` is `undefined`; every other line stays as it is. The file is the user's
 * alone afterwards. Gives back how it was before.
 */
export function changeSecret(name: string, value: string | undefined): SecretsFile {
  const path = realPath(dirs().secretsFile);
  try {
    makeFolder(dirname(path), 0o700);
    return withLock(`${path}.lock`, () => {
      const before = readSecretsFile(path);
      // Its owner could have put lines there, and could read what we add.
      if (before.open === "it belongs to another user") {
        throw new UsageError(
          `Cannot change ${quote(path)}: ${before.open}`,
          "move it away, or make it yours",
        );
      }
      const lines = changed(before.lines, name, value);
      if (lines) writeWhole(path, new TextEncoder().encode(lines.join("")), { mode: 0o600, sync: true });
      return before;
    });
  } catch (error) {
    throw fileError("change", path, error);
  }
}

/** `undefined` where there is nothing to remove. A name that stands there twice stands there once afterwards. */
function changed(lines: readonly string[], name: string, value: string | undefined): string[] | undefined {
  const first = lines.findIndex((line) => secretIn(line)?.name === name);
  if (first < 0 && value === undefined) return undefined;
  // A JSON string holds any text on one line.
  const added = value === undefined ? [] : [`${name}=${JSON.stringify(value)}\n`];
  const others = (some: readonly string[]) => some.filter((line) => secretIn(line)?.name !== name);
  const ended = lines.map((line) => line.endsWith("\n") ? line : `${line}\n`);
  if (first < 0) return [...ended, ...added];
  return [...ended.slice(0, first), ...added, ...others(ended.slice(first + 1))];
}
