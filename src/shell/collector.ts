/**
 * What a command prints: redacted as it comes, shown to whoever watches, kept in bounded memory as a terminal would show
 * it, and written as it came, but for secrets, to an overflow file.
 */
import { restIn } from "../core/overflow.ts";
import type { RedactStream } from "../core/redact.ts";
import type { StreamGate, StreamName } from "../core/tool.ts";
import { CollectedText } from "./collected_text.ts";
import { Spill } from "./spill.ts";
import { decode, partialAtEnd } from "./utf8.ts";

export interface Collected {
  /** Both streams in order of arrival. */
  text: string;
  stdout: string;
  stderr: string;
  /** The file that holds what was cut. */
  overflow: string | undefined;
}

/** Collects one command's output. */
export class Collector {
  readonly #gate: StreamGate;
  readonly #show: (text: string, stream: StreamName) => void;
  readonly #redactions: Record<StreamName, RedactStream>;
  /** The start of a character whose end is still to come. */
  readonly #partial: Record<StreamName, Uint8Array> = { stdout: NOTHING, stderr: NOTHING };
  readonly #spill: Spill;
  readonly #both: CollectedText;
  /** The only stream that printed so far: its text is that of both. */
  #only: StreamName | undefined;
  #each: Record<StreamName, CollectedText> | undefined;
  /** What came since the last `take`; absent before the first, where it is all there is. */
  #since: CollectedText | undefined;

  /** `show` gets the text as it comes, redacted. */
  constructor(gate: StreamGate, show: (text: string, stream: StreamName) => void) {
    this.#gate = gate;
    this.#show = show;
    this.#redactions = { stdout: gate.redaction(), stderr: gate.redaction() };
    this.#both = new CollectedText(gate.limit);
    this.#spill = new Spill(() => gate.overflow());
  }

  push(chunk: Uint8Array, stream: StreamName): void {
    const partial = this.#partial[stream];
    const bytes = partial.length === 0 ? chunk : joined(partial, chunk);
    const end = bytes.length - partialAtEnd(bytes);
    this.#partial[stream] = end === bytes.length ? NOTHING : bytes.slice(end);
    if (end > 0) this.#keep(this.#redactions[stream].pushBytes(bytes.subarray(0, end)), stream);
  }

  #keep(clean: Uint8Array, stream: StreamName): void {
    if (clean.length === 0) return;
    this.#show(this.#redactions[stream].vouch(decode(clean)), stream);
    this.#spill.write(clean);
    this.#only ??= stream;
    if (!this.#each && stream !== this.#only) {
      const before = this.#both.copy(), none = new CollectedText(this.#gate.limit);
      this.#each = stream === "stderr" ? { stdout: before, stderr: none } : { stdout: none, stderr: before };
    }
    const { unseen } = this.#redactions[stream];
    this.#both.push(clean, unseen);
    this.#each?.[stream].push(clean, unseen);
    this.#since?.push(clean, unseen);
  }

  /** Something came that no `take` has given. */
  get hasNew(): boolean {
    return !(this.#since ?? this.#both).isEmpty;
  }

  /** Characters that the next `take` has to give, before it cuts. */
  get newChars(): number {
    return (this.#since ?? this.#both).length;
  }

  /** What came since the last `take`, within `limit`, cut in the middle with a true count. */
  take(limit: number): string {
    const text = this.peek(limit);
    this.#since = new CollectedText(this.#gate.limit);
    return text;
  }

  /** The same, without taking it. */
  peek(limit: number): string {
    const since = this.#since ?? this.#both;
    const whole = since.whole();
    if (whole !== undefined && whole.length <= limit) return whole;
    const path = this.#spill.flush();
    return since.text(limit, restIn(path === undefined ? undefined : { path, holds: "all of it" }));
  }

  /** The streams are at their end: what was held back is let go. What comes later all the same is taken too. */
  end(): void {
    for (const stream of ["stdout", "stderr"] as const) {
      const partial = this.#partial[stream];
      this.#partial[stream] = NOTHING;
      if (partial.length > 0) this.#keep(this.#redactions[stream].pushBytes(partial), stream);
      this.#keep(this.#redactions[stream].flushBytes(), stream);
    }
  }

  /** The end of the output; what came can still be asked for. */
  close(): void {
    this.end();
    this.#spill.close();
  }

  /** The end of the command: all of it within `limit`. */
  finish(limit: number): Collected {
    this.end();
    const both = this.#both;
    const whole = both.whole();
    const fits = whole !== undefined && whole.length <= limit;
    if (fits) this.#spill.discard();
    const saved = fits ? undefined : this.#spill.save();
    const where = restIn(saved);
    const text = both.text(limit, where);
    const each = (stream: StreamName) =>
      this.#each ? this.#each[stream].text(limit, where) : this.#only === stream ? text : "";
    return { text, stdout: each("stdout"), stderr: each("stderr"), overflow: saved?.path };
  }
}

const NOTHING = new Uint8Array(0);

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
