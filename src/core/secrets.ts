/**
 * The secrets that are known: names in settings taken from the environment, and the user's `secrets.env`.
 * A command names a secret; its value goes into that child's environment alone, and never out again.
 */
import { fileError, UsageError } from "./errors.ts";
import { dirs } from "./dirs.ts";
import { host } from "./runtime.ts";

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

export class SecretStore {
  readonly #values = new Map<string, string>();

  constructor(secrets: Iterable<Secret>) {
    for (const { name, value } of secrets) if (value !== "") this.#values.set(name, value);
  }

  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  names(): string[] {
    return [...this.#values.keys()];
  }

  /** What redaction looks for: all but values that are too short or too common to be told from text. */
  redactable(): Secret[] {
    return [...this.#values].map(([name, value]) => ({ name, value }))
      .filter(({ value }) => value.length >= SHORTEST && !COMMON.has(value.toLowerCase()));
  }

  /** The secrets that a command names as `$NAME` or `${NAME}`, for that child's environment. */
  namedIn(command: string): Record<string, string> {
    const found: Record<string, string> = {};
    if (this.#values.size === 0 || !command.includes("$")) return found;
    for (const match of command.matchAll(/\$(?:\{([A-Za-z_][A-Za-z0-9_]*)|([A-Za-z_][A-Za-z0-9_]*))/g)) {
      const name = match[1] ?? match[2]!;
      const value = this.#values.get(name);
      if (value !== undefined) found[name] = value;
    }
    return found;
  }
}

/** The store from settings (`secrets`: names and patterns such as `*_TOKEN`) and `secrets.env`. */
export function loadSecrets(patterns: readonly string[]): SecretStore {
  const found: Secret[] = [];
  if (patterns.length > 0) {
    const matchers = patterns.map(namePattern);
    for (const [name, value] of Object.entries(host.envAll())) {
      if (matchers.some((matches) => matches(name))) found.push({ name, value });
    }
  }
  return new SecretStore([...found, ...readSecretsFile()]);
}

/** True for names that `pattern` stands for; `*` is any run of characters. */
export function namePattern(pattern: string): (name: string) => boolean {
  if (!pattern.includes("*")) return (name) => name === pattern;
  const source = pattern.split("*").map((part) => part.replace(/[^\w]/g, "\\$&")).join(".*");
  const expression = new RegExp(`^${source}$`);
  return (name) => expression.test(name);
}

function readSecretsFile(): Secret[] {
  const path = dirs().secretsFile;
  let text: string;
  try {
    const file = host.files.open(path, "r");
    try {
      const { mode, uid, size } = file.info();
      const open = (mode & 0o077) !== 0 || (uid !== -1 && uid !== host.uid);
      if (open && host.platform !== "win32") {
        throw new UsageError(`Cannot use "${path}": others can read it`, `chmod 600 ${path}`);
      }
      const bytes = new Uint8Array(size);
      text = new TextDecoder().decode(bytes.subarray(0, file.read(bytes)));
    } finally {
      file.close();
    }
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return [];
    throw fileError("read", path, error);
  }
  return text.split("\n").flatMap((line) => {
    const at = line.indexOf("=");
    if (at < 1 || line.trimStart().startsWith("#")) return [];
    const name = line.slice(0, at).trim();
    return name === "" ? [] : [{ name, value: unquote(line.slice(at + 1).trim()) }];
  });
}

function unquote(value: string): string {
  if (!/^"(.*)"$/s.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value.slice(1, -1);
  }
}
