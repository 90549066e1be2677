/**
 * The secrets that are known: names in settings taken from the environment, and the user's `secrets.env`.
 * A command names a secret; its value goes into that child's environment alone, and never out again.
 */
import { fileError, notAFile, quote, UsageError } from "./errors.ts";
import { dirs } from "./dirs.ts";
import { infoOf, readAll } from "./local_read.ts";
import { host } from "./runtime.ts";
import { shellQuote } from "./shell_quote.ts";
import { variablesIn } from "./variables.ts";
import { wildcardMatches } from "./wildcard.ts";

export interface Secret {
  name: string;
  value: string;
}

/** Values that would take ordinary text apart: too short, or words that stand in any output. */
const COMMON = new Set(
  "true false null none undefined password secret localhost production development default"
    .split(" "),
);
const SHORTEST = 6;
/** Letters alone are a word, up to this length. */
const LONGEST_WORD = 15;

export class SecretStore {
  readonly #values = new Map<string, string>();
  /** Values that a later one of the same name took the place of: what has them still may print them. */
  readonly #replaced: Secret[] = [];
  readonly #guessed: readonly Secret[];

  /** `guessed`: variables that only look like secrets by their names. They are redacted, and nothing else. */
  constructor(secrets: Iterable<Secret>, guessed: Iterable<Secret> = []) {
    for (const { name, value } of secrets) {
      if (value === "") continue;
      const before = this.#values.get(name);
      if (before !== undefined && before !== value) this.#replaced.push({ name, value: before });
      this.#values.set(name, value);
    }
    this.#guessed = [...guessed].filter(({ name, value }) => this.#values.get(name) !== value);
  }

  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  names(): string[] {
    return [...this.#values.keys()];
  }

  /** What redaction looks for: all but values that are too short or too common to be told from text. */
  redactable(): Secret[] {
    const known = [...this.#values].map(([name, value]) => ({ name, value }));
    return [...known, ...this.#replaced, ...this.#guessed.filter(({ value }) => !isOrdinary(value))]
      .filter(({ value }) => !isCommon(value));
  }

  /** The secrets that a command names, for that child's environment. */
  namedIn(command: string): Record<string, string> {
    const found: Record<string, string> = {};
    for (const name of this.#values.size === 0 ? [] : variablesIn(command)) {
      const value = this.#values.get(name);
      if (value !== undefined) found[name] = value;
    }
    return found;
  }
}

/** Is a value too short or too common to be told from text, so that it isn't redacted? */
export function isCommon(value: string): boolean {
  return value.trim().length < SHORTEST || COMMON.has(value.toLowerCase());
}

/** What a value often is though its variable's name has `KEY` or `TOKEN` in it: a number, a word, a path, an address. */
function isOrdinary(value: string): boolean {
  if (/^[\d.,:_+-]+$/.test(value)) return true;
  if (value.length <= LONGEST_WORD && /^[a-z_-]+$/i.test(value)) return true;
  if (/^(~|\.\.?)?\/|^[a-z]:[\\/]/i.test(value)) return !value.startsWith("/") || isPath(value);
  return /^[a-z][a-z\d+.-]*:\/\/[^@?]*$/i.test(value);
}

/** An encoded key may start with a slash too, but no folder has the name of its first part. */
function isPath(value: string): boolean {
  const first = value.indexOf("/", 1);
  try {
    host.files.stat(first < 0 ? value : value.slice(0, first));
    return true;
  } catch {
    return false;
  }
}

/**
 * The store from settings (`secrets`: names and patterns such as `*_TOKEN`), `secrets.env`, and the environment's
 * variables that commands don't get for their names; `keep`: patterns of those that they get all the same.
 */
export function loadSecrets(patterns: readonly string[], keep: readonly string[] = []): SecretStore {
  return storeOf(readSecretsFile(), patterns, keep);
}

/** The same from what `secrets.env` holds, which beats the environment. */
export function storeOf(
  file: Iterable<Secret>,
  patterns: readonly string[],
  keep: readonly string[],
): SecretStore {
  const { found, guessed } = split(host.envAll(), patterns, keep);
  return new SecretStore([...found, ...file], guessed);
}

/** Those of these variables that are secrets, or look like some, by the same rules as the environment's. */
export function secretsAmong(
  variables: Readonly<Record<string, string>>,
  patterns: readonly string[],
  keep: readonly string[],
): SecretStore {
  const { found, guessed } = split(variables, patterns, keep);
  return new SecretStore(found, guessed);
}

function split(
  variables: Readonly<Record<string, string>>,
  patterns: readonly string[],
  keep: readonly string[],
): { found: Secret[]; guessed: Secret[] } {
  const found: Secret[] = [], guessed: Secret[] = [];
  for (const [name, value] of Object.entries(variables)) {
    if (namedBy(patterns, name)) found.push({ name, value });
    else if (looksSecret(name) && !namedBy(keep, name)) guessed.push({ name, value });
  }
  return { found, guessed };
}

/** Is `name` one that a pattern stands for? */
export function namedBy(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => wildcardMatches(pattern, name));
}

/** Does a variable look like a secret by its name? */
export function looksSecret(name: string): boolean {
  return /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i.test(name);
}

function readSecretsFile(): Secret[] {
  const path = dirs().secretsFile;
  const found = infoOf(path);
  if (!found) return [];
  // To open a pipe would wait for somebody to write.
  if (found.kind !== "file") throw notAFile("read", path, found);
  let text: string;
  try {
    const file = host.files.open(path, "r");
    try {
      const { mode, uid } = file.info();
      if (uid !== -1 && uid !== host.uid) {
        throw new UsageError(
          `Cannot use ${quote(path)}: it belongs to another user`,
          "move it away, or make it yours",
        );
      }
      if ((mode & 0o077) !== 0 && host.platform !== "win32") {
        throw new UsageError(
          `Cannot use ${quote(path)}: others can read it`,
          `chmod 600 ${shellQuote(path)}`,
        );
      }
      const decoded = host.decode(readAll(file));
      // Read in part, a secret would be known by another value than it has.
      if (decoded === undefined) throw new UsageError(`Cannot read ${quote(path)}: it is not UTF-8 text`);
      text = decoded.replace(/^\uFEFF/, "");
    } finally {
      file.close();
    }
  } catch (error) {
    throw fileError("read", path, error);
  }
  return text.split("\n").flatMap((line) => secretIn(line) ?? []);
}

/** A value in quotes, and a comment behind it. */
const QUOTED = /^(?:"((?:[^"\\]|\\.)*)"|'([^']*)')(?:\s+#.*)?$/s;

/** The secret that a line of `secrets.env` holds, read as such files are: `export` before it, quotes, a comment. */
export function secretIn(line: string): Secret | undefined {
  const at = line.indexOf("=");
  if (at < 1 || line.trimStart().startsWith("#")) return undefined;
  const name = line.slice(0, at).trim().replace(/^export\s+/, "");
  return name === "" ? undefined : { name, value: valueIn(line.slice(at + 1)) };
}

/** Is there a quote before its value that isn't closed, or text behind the closed one? It is read as it stands then. */
export function isOddlyQuoted(line: string): boolean {
  const value = line.slice(line.indexOf("=") + 1).trim();
  return /^["']/.test(value) && !QUOTED.test(value);
}

function valueIn(text: string): string {
  const value = text.trim();
  const [, double, single] = QUOTED.exec(value) ?? [];
  if (double !== undefined) return unescaped(double);
  if (single !== undefined) return single;
  return /^["']/.test(value) ? value : text.replace(/\s#.*$/s, "").trim();
}

function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`);
  } catch {
    const known: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };
    return text.replace(/\\(["\\nrt])/g, (_, char: string) => known[char] ?? char);
  }
}
