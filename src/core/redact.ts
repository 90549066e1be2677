/**
 * Redaction of known secrets, in the forms in which a program may print them. It sits at the gate, before
 * anything is cut, stored, shown or given to a hook or mod. Not covered: a value that was rewritten by
 * arithmetic of its own.
 */
import type { Secret } from "./secrets.ts";

/** Text in, text out, with every known secret replaced by `<redacted:NAME>`. */
export interface Redactor {
  /** False where there is no secret to look for. */
  readonly active: boolean;
  redact(text: string): string;
  /** For text that comes in pieces: holds back exactly the end that may begin a secret. */
  stream(): RedactStream;
  /** The same for any JSON value; strings and keys are redacted, the rest is left. */
  redactJson<T>(value: T): T;
}

export interface RedactStream {
  push(text: string): string;
  /** What was held back, at the end of the stream. */
  flush(): string;
}

const PLACEHOLDER = /<redacted:[A-Za-z0-9_]+>/;

/** True for text that holds a redaction mark: such text is never written to a file. */
export function hasPlaceholder(text: string): boolean {
  return text.includes("<redacted:") && PLACEHOLDER.test(text);
}

const PASS: RedactStream = { push: (text) => text, flush: () => "" };
const NOTHING: Redactor = {
  active: false,
  redact: (text) => text,
  stream: () => PASS,
  redactJson: (value) => value,
};

/** A redactor for these secrets; costs nothing where there are none. */
export function redactor(secrets: readonly Secret[]): Redactor {
  if (secrets.length === 0) return NOTHING;
  const names = new Map<string, string>();
  for (const { name, value } of secrets) {
    for (const form of formsOf(value)) if (!names.has(form)) names.set(form, name);
  }
  return new PatternRedactor(names);
}

class PatternRedactor implements Redactor {
  readonly active = true;
  readonly #names: Map<string, string>;
  readonly #patterns: string[];
  readonly #expression: RegExp;
  /** All proper prefixes, to know what a chunk's end may begin. */
  readonly #longest: number;

  constructor(names: Map<string, string>) {
    this.#names = names;
    // Longest first, so that a short secret never cuts a longer one in two.
    this.#patterns = [...names.keys()].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
    this.#longest = this.#patterns[0]!.length;
    this.#expression = new RegExp(this.#patterns.map(literal).join("|"), "g");
  }

  redact(text: string): string {
    return text.replace(this.#expression, (found) => `<redacted:${this.#names.get(found)}>`);
  }

  redactJson<T>(value: T): T {
    return this.#visit(value, 0) as T;
  }

  #visit(value: unknown, depth: number): unknown {
    if (typeof value === "string") return this.redact(value);
    if (typeof value !== "object" || value === null || depth > 200) return value;
    if (Array.isArray(value)) return value.map((item) => this.#visit(item, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [this.redact(key), this.#visit(item, depth + 1)]),
    );
  }

  stream(): RedactStream {
    let held = "";
    return {
      push: (chunk) => {
        const text = held + chunk;
        const keep = this.#heldLength(text);
        // A secret may itself end in what looks like the beginning of another: whole ones go first.
        const safe = this.#lastBorder(text, text.length - keep);
        held = text.slice(safe);
        return this.redact(text.slice(0, safe));
      },
      flush: () => {
        const rest = this.redact(held);
        held = "";
        return rest;
      },
    };
  }

  /** The length of the longest end of `text` that is the beginning of a pattern. */
  #heldLength(text: string): number {
    const from = Math.max(0, text.length - this.#longest + 1);
    for (let start = from; start < text.length; start++) {
      const end = text.slice(start);
      if (this.#patterns.some((pattern) => pattern.length > end.length && pattern.startsWith(end))) {
        return end.length;
      }
    }
    return 0;
  }

  /** `index`, moved left out of any whole secret that stands across it. */
  #lastBorder(text: string, index: number): number {
    const from = Math.max(0, index - this.#longest);
    this.#expression.lastIndex = from;
    for (let match = this.#expression.exec(text); match; match = this.#expression.exec(text)) {
      const end = match.index + match[0].length;
      if (match.index < index && end > index) {
        this.#expression.lastIndex = 0;
        return match.index;
      }
      if (match.index >= index) break;
    }
    this.#expression.lastIndex = 0;
    return index;
  }
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** Every form of a value that redaction looks for. Forms that shrink below 6 characters are left out. */
function formsOf(value: string): string[] {
  const bytes = new TextEncoder().encode(value);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"));
  const percent = encodeURIComponent(value.toWellFormed());
  const forms = [
    value,
    ...base64Forms(bytes),
    hex.join(""),
    hex.join("").toUpperCase(),
    percent,
    percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    percent.replaceAll("%20", "+"),
    JSON.stringify(value).slice(1, -1),
    value.replaceAll("'", "'\\''"),
    value.replace(/[^\w@%+=:,./-]/g, "\\$&"),
  ];
  // A value of several lines may be printed with other line ends, or line by line.
  if (value.includes("\n")) {
    forms.push(value.replaceAll("\n", "\r\n"), ...value.split(/\r?\n/).filter((line) => line.length >= 16));
  }
  return [...new Set(forms)].filter((form) => form.length >= 6);
}

/**
 * The middle that any base64 text of data holding the value must contain, for each of the three alignments, in
 * both alphabets: characters that depend on neighbouring bytes are left off.
 */
function base64Forms(bytes: Uint8Array): string[] {
  const forms: string[] = [];
  for (let before = 0; before < 3; before++) {
    const padded = new Uint8Array(before + bytes.length);
    padded.set(bytes, before);
    const encoded = btoa(String.fromCharCode(...padded)).replace(/=+$/, "");
    const skip = before === 0 ? 0 : before + 1;
    const end = padded.length % 3 === 0 ? encoded.length : encoded.length - 1;
    const middle = encoded.slice(skip, end);
    forms.push(middle, middle.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return forms.filter((form) => form.length >= 8);
}
