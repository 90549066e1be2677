/**
 * Redaction of known secrets, in the forms in which a program may print them. It sits at the gate, before
 * anything is cut, stored, shown or given to a hook or mod. Not covered: a value that was rewritten by
 * arithmetic of its own.
 */
import { host } from "./runtime.ts";
import { wellFormed } from "./fit.ts";
import type { LateText } from "./late_text.ts";
import { ByteRedaction } from "./redact_bytes.ts";
import { cleanJson } from "./redact_json.ts";
import { Patterns } from "./redact_patterns.ts";
import { Scanner } from "./redact_scan.ts";
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

/** One stream, as text or as UTF-8 bytes. */
export interface RedactStream {
  push(text: string): string;
  /** What was held back, at the end of the stream. */
  flush(): string;
  /** The same for bytes. What comes back is good until the next call. */
  pushBytes(bytes: Uint8Array): Uint8Array;
  flushBytes(): Uint8Array;
  /**
   * How many bytes of what `pushBytes` gave a terminal wouldn't show; -1 where that isn't known, or it isn't only ASCII
   * text, line ends and colours.
   */
  readonly unseen: number;
  /** And how many line feeds there are in it, where that isn't -1. */
  readonly feeds: number;
  /** Text made of what just came back: another stream of this redactor needn't look at it again. */
  vouch(text: LateText): void;
  /** True for a text that was just vouched for and that nothing of this stream stands before. */
  passes(text: LateText): boolean;
}

/** Any name will do: those of `secrets.env` are the user's. */
const PLACEHOLDER = /<redacted:[^>\r\n]+>/;
/** In a command a `>` may be a redirection, so the name has to look like one. */
const IN_COMMAND = /<redacted:([^>\s"'`]+)>/;

/** True for text that holds a redaction mark: such text is never written to a file. */
export function hasPlaceholder(text: string): boolean {
  return text.includes("<redacted:") && PLACEHOLDER.test(text);
}

/** The name in the first redaction mark of a command. */
export function markIn(command: string): string | undefined {
  return command.includes("<redacted:") ? IN_COMMAND.exec(command)?.[1] : undefined;
}

const EMPTY = new Uint8Array(0);
const PASS: RedactStream = {
  push: (text) => text,
  flush: () => "",
  pushBytes: (bytes) => bytes,
  flushBytes: () => EMPTY,
  unseen: -1,
  feeds: 0,
  vouch: () => {},
  passes: () => true,
};
const NOTHING: Redactor = {
  active: false,
  redact: (text) => text,
  stream: () => PASS,
  redactJson: (value) => cleanJson(value, wellFormed, true) as typeof value,
};

/** A redactor for these secrets; costs nothing where there are none. */
export function redactor(secrets: readonly Secret[]): Redactor {
  return secrets.length === 0 ? NOTHING : new PatternRedactor(secrets);
}

class PatternRedactor implements Redactor {
  readonly active = true;
  readonly #secrets: readonly Secret[];
  readonly #encoder = new TextEncoder();
  #scanner: Scanner | undefined;
  /** For whole texts: nothing is left in it between them. */
  #texts: ByteRedaction | undefined;
  #vouched: LateText = "";

  constructor(secrets: readonly Secret[]) {
    this.#secrets = secrets;
  }

  redact(text: string): string {
    if (text.length < SHORTEST) return text;
    const texts = this.#texts ??= this.#bytes();
    const marked = texts.whole(this.#encoder.encode(text));
    const clean = marked === undefined ? text : this.#text(marked);
    if (text.length > MOST_KEPT) this.#texts = undefined;
    return clean;
  }

  redactJson<T>(value: T): T {
    return cleanJson(value, (text) => wellFormed(this.redact(text)), false) as T;
  }

  stream(): RedactStream {
    const bytes = this.#bytes();
    // A pair that is split over two pieces would be two broken characters as bytes.
    let half = "";
    const push = (piece: string) => {
      let text = half + piece;
      half = "";
      if (isHighSurrogate(text.charCodeAt(text.length - 1))) {
        half = text.slice(-1);
        text = text.slice(0, -1);
      }
      return text === "" ? "" : this.#text(bytes.push(this.#encoder.encode(text)));
    };
    return {
      push,
      flush: () => {
        const last = half === "" ? "" : this.#text(bytes.push(this.#encoder.encode(half)));
        half = "";
        return last + this.#text(bytes.flush());
      },
      pushBytes: (chunk) => bytes.push(chunk),
      flushBytes: () => bytes.flush(),
      get unseen() {
        return bytes.unseen;
      },
      get feeds() {
        return bytes.feeds;
      },
      vouch: (text) => void (this.#vouched = text),
      passes: (text) => half === "" && bytes.isIdle && text === this.#vouched,
    };
  }

  /** Only whole characters come back, since no pattern begins inside one. */
  #text(bytes: Uint8Array): string {
    return bytes.length === 0 ? "" : host.decode(bytes)!;
  }

  #bytes(): ByteRedaction {
    return new ByteRedaction(this.#scanner ??= new Scanner(new Patterns(this.#secrets)));
  }
}

const SHORTEST = 6;
/** Of a longer text the memory isn't kept for the next one. */
const MOST_KEPT = 100_000;

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
