/**
 * Redaction of known secrets, in the forms in which a program may print them. It sits at the gate, before
 * anything is cut, stored, shown or given to a hook or mod. Not covered: a value that was rewritten by
 * arithmetic of its own.
 */
import { wellFormed } from "./fit.ts";
import { isForeign, MOST_DEPTH, MOST_NODES } from "./json.ts";
import type { Secret } from "./secrets.ts";

/** Text in, text out, with every known secret replaced by `<redacted:NAME>`. */
export interface Redactor {
  /** False where there is no secret to look for. */
  readonly active: boolean;
  redact(text: string): string;
  /** For text that comes in pieces: holds back exactly the end that may begin a secret. */
  stream(): RedactStream;
  /**
   * The same for any JSON value: strings and keys are redacted and well-formed. What nothing behind the gate could
   * take is left out and says so: what is nested deeper than `MOST_DEPTH`, has no end, or isn't JSON.
   */
  redactJson<T>(value: T): T;
}

export interface RedactStream {
  push(text: string): string;
  /** What was held back, at the end of the stream. */
  flush(): string;
}

/** Any name will do: those of `secrets.env` are the user's. */
const PLACEHOLDER = /<redacted:[^>\r\n]+>/;

/** True for text that holds a redaction mark: such text is never written to a file. */
export function hasPlaceholder(text: string): boolean {
  return text.includes("<redacted:") && PLACEHOLDER.test(text);
}

const PASS: RedactStream = { push: (text) => text, flush: () => "" };
const NOTHING: Redactor = {
  active: false,
  redact: (text) => text,
  stream: () => PASS,
  redactJson: (value) => cleanJson(value, wellFormed, true) as typeof value,
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

/** `value` with all texts cleaned and within bounds; itself where `keep` is given and nothing has to change. */
function cleanJson(value: unknown, clean: (text: string) => string, keep: boolean): unknown {
  try {
    return keep && new Bounds().isPlain(value, 0) ? value : new Bounds().visit(value, clean, 0);
  } catch {
    // A getter or a proxy of a stranger's.
    return leftOut("it can't be read");
  }
}

function leftOut(why: string): string {
  return `[left out: ${why}]`;
}

/** Long texts count for several values, so that the whole stays a text that can be written. */
const TEXT_PER_NODE = 64;

/** One walk through a JSON value, of at most `MOST_NODES` steps: an object that holds itself has no end. */
class Bounds {
  #left = MOST_NODES;

  /** True where `visit` would change nothing but secrets: the usual case, which makes no copy. */
  isPlain(value: unknown, depth: number): boolean {
    if (!this.#spend(value)) return false;
    if (typeof value === "string") return wellFormed(value) === value;
    if (typeof value !== "object" || value === null) return !isForeign(value);
    if (depth >= MOST_DEPTH) return false;
    if (Array.isArray(value)) return value.every((item) => this.isPlain(item, depth + 1));
    return Object.entries(value).every(([key, item]) =>
      wellFormed(key) === key && this.isPlain(item, depth + 1)
    );
  }

  visit(value: unknown, clean: (text: string) => string, depth: number): unknown {
    if (!this.#spend(value)) return leftOut("too much");
    if (typeof value === "string") return clean(value);
    if (isForeign(value)) return leftOut(`a ${typeof value}`);
    if (typeof value !== "object" || value === null) return value;
    if (depth >= MOST_DEPTH) return leftOut(`nested more than ${MOST_DEPTH} deep`);
    if (Array.isArray(value)) return value.map((item) => this.visit(item, clean, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [clean(key), this.visit(item, clean, depth + 1)]),
    );
  }

  #spend(value: unknown): boolean {
    this.#left -= 1 + (typeof value === "string" ? Math.floor(value.length / TEXT_PER_NODE) : 0);
    return this.#left >= 0;
  }
}

/** A part of a text that is secret: one form of one secret, or several that overlap. */
interface Span {
  start: number;
  end: number;
  /** Of the secret that begins it. */
  name: string;
}

class PatternRedactor implements Redactor {
  readonly active = true;
  readonly #names: ReadonlyMap<string, string>;
  /** By their first code unit, so that a search looks at few. */
  readonly #byStart = new Map<number, string[]>();
  readonly #expression: RegExp;
  readonly #longest: number;

  constructor(names: ReadonlyMap<string, string>) {
    this.#names = names;
    // Longest first, so that of two secrets that begin in one place the longer is found.
    const patterns = [...names.keys()].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
    this.#longest = patterns[0]?.length ?? 0;
    for (const pattern of patterns) {
      const start = pattern.charCodeAt(0);
      const same = this.#byStart.get(start);
      if (same) same.push(pattern);
      else this.#byStart.set(start, [pattern]);
    }
    this.#expression = new RegExp(patterns.map(literal).join("|"), "g");
  }

  redact(text: string): string {
    return this.#mark(text, this.#spans(text), 0, text.length);
  }

  redactJson<T>(value: T): T {
    return cleanJson(value, (text) => wellFormed(this.redact(text)), false) as T;
  }

  stream(): RedactStream {
    let held = "";
    // How much of `held` belongs to a secret whose mark went out already: overlapping ones may go on for ever.
    let covered = 0;
    const take = (text: string, end: number) => {
      const spans = this.#spans(text, covered);
      const shown = this.#mark(text, spans, covered, end);
      const across = spans.find((span) => span.start < end && span.end > end);
      covered = across ? across.end - end : 0;
      held = text.slice(end);
      return shown;
    };
    return {
      push: (chunk) => {
        const text = held + chunk;
        return take(text, text.length - this.#heldLength(text));
      },
      flush: () => take(held, held.length),
    };
  }

  /** The secret parts, in order. The first `covered` units are one that began before. */
  #spans(text: string, covered = 0): Span[] {
    const spans: Span[] = covered > 0 ? [{ start: -1, end: covered, name: "" }] : [];
    const expression = this.#expression;
    expression.lastIndex = 0;
    for (let found = expression.exec(text); found; found = expression.exec(text)) {
      const start = found.index, end = start + found[0].length;
      const last = spans.at(-1);
      if (last && start < last.end) last.end = Math.max(last.end, end);
      else spans.push({ start, end, name: this.#names.get(found[0])! });
      // One may begin inside another; the next search must not skip it.
      expression.lastIndex = start + 1;
    }
    return spans;
  }

  /** `text` from `from` to `to` with a mark for each span that begins there. */
  #mark(text: string, spans: readonly Span[], from: number, to: number): string {
    const parts: string[] = [];
    let at = from;
    for (const { start, end, name } of spans) {
      if (start >= to) break;
      if (start >= 0) parts.push(text.slice(at, start), `<redacted:${name}>`);
      at = end;
    }
    parts.push(text.slice(Math.min(at, to), to));
    return parts.join("");
  }

  /** The length of the longest end of `text` that is the beginning of a pattern. */
  #heldLength(text: string): number {
    for (let start = Math.max(0, text.length - this.#longest + 1); start < text.length; start++) {
      const patterns = this.#byStart.get(text.charCodeAt(start));
      if (!patterns) continue;
      const end = text.slice(start);
      if (patterns.some((pattern) => pattern.length > end.length && pattern.startsWith(end))) {
        return end.length;
      }
    }
    return 0;
  }
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** Every form of a value that redaction looks for. Forms that shrink below 6 characters are left out. */
function formsOf(value: string): string[] {
  const bytes = new TextEncoder().encode(value);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const percent = encodeURIComponent(value.toWellFormed());
  const json = JSON.stringify(value).slice(1, -1);
  const forms = [
    value,
    ...base64Forms(bytes),
    hex,
    hex.toUpperCase(),
    ...lines(hex, HEX_LINE),
    percent,
    percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    percent.replaceAll("%20", "+"),
    json,
    json.replace(/[^\x00-\x7f]/g, (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0")),
    // In single quotes, in double quotes, and with backslashes alone.
    value.replaceAll("'", "'\\''"),
    value.replace(/[$`"\\]/g, "\\$&"),
    value.replace(/[^\w@%+=:,./-]/g, "\\$&"),
  ];
  // A value of several lines may be printed with other line ends, or line by line.
  if (value.includes("\n")) {
    forms.push(value.replaceAll("\n", "\r\n"), ...value.split(/\r?\n/).filter(isLongLine));
  }
  return [...new Set(forms)].filter((form) => form.length >= 6);
}

/** Where programs break encoded text: `base64`, PEM, `xxd -p`. */
const BASE64_LINES = [76, 64] as const;
const HEX_LINE = 60;

function isLongLine(line: string): boolean {
  return line.length >= 16;
}

/** The lines of an encoded value that is printed by itself; nothing where it fits on one. */
function lines(encoded: string, width: number): string[] {
  const count = encoded.length > width ? Math.ceil(encoded.length / width) : 0;
  return Array.from({ length: count }, (_, line) => encoded.slice(line * width, (line + 1) * width))
    .filter(isLongLine);
}

/**
 * The middle that any base64 text of data holding the value must contain, for each of the three alignments, in
 * both alphabets: characters that depend on neighbouring bytes are left off.
 */
function base64Forms(bytes: Uint8Array): string[] {
  const forms: string[] = [];
  for (let before = 0; before < 3; before++) {
    const padded = "\0".repeat(before) + Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
    const encoded = btoa(padded).replace(/=+$/, "");
    const skip = before === 0 ? 0 : before + 1;
    const middle = encoded.slice(skip, padded.length % 3 === 0 ? encoded.length : -1);
    forms.push(middle, middle.replaceAll("+", "-").replaceAll("/", "_"));
    if (before === 0) forms.push(...BASE64_LINES.flatMap((width) => lines(middle, width)));
  }
  return forms.filter((form) => form.length >= 8);
}
