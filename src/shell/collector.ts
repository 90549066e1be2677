/**
 * What a command prints: redacted as it comes, shown to whoever watches, kept in bounded memory as a terminal would show
 * it, and written as it came, but for secrets, to an overflow file.
 */
import { notice, takeHead, takeTail } from "../core/fit.ts";
import type { LateText } from "../core/late_text.ts";
import { overflowFields, restIn } from "../core/overflow.ts";
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
  /** As in a result. */
  overflowCutAt?: number;
}

/** Collects one command's output. */
export class Collector {
  readonly #gate: StreamGate;
  readonly #show: (text: LateText, stream: StreamName) => void;
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
  constructor(gate: StreamGate, show: (text: LateText, stream: StreamName) => void) {
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
    const { unseen, feeds } = this.#redactions[stream];
    const text = unseen >= 0 ? new AsciiText(clean) : decode(clean);
    this.#spill.write(clean);
    this.#only ??= stream;
    if (!this.#each && stream !== this.#only) {
      const before = this.#both.copy(), none = new CollectedText(this.#gate.limit);
      this.#each = stream === "stderr" ? { stdout: before, stderr: none } : { stdout: none, stderr: before };
    }
    this.#both.push(clean, unseen, feeds);
    this.#each?.[stream].push(clean, unseen, feeds);
    this.#since?.push(clean, unseen, feeds);
    // At last: whoever sees it may have the redactor look at something else, in the same memory.
    this.#redactions[stream].vouch(text);
    this.#show(text, stream);
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
    return since.text(limit, restIn(this.#spill.flush()));
  }

  /** How many characters came in all, as they are seen now. */
  get length(): number {
    return this.#both.length;
  }

  /**
   * At most `limit` characters of all that came, from one on, taken or not. Instead of those that are kept no more stands
   * where they are. `next` is the character behind. What a program may still write over moves those after it.
   */
  from(offset: number, limit: number): { text: string; next: number; total: number } {
    const { head, gone, tail } = this.#both.parts();
    const behind = head.length + gone, total = behind + tail.length;
    const shown = (text: string, start: number) => {
      const rest = takeTail(text, text.length - (offset - start));
      const piece = takeHead(rest, limit);
      return { text: piece, next: start + text.length - rest.length + piece.length, total };
    };
    if (gone === 0) return shown(head + tail, 0);
    if (offset < head.length) return shown(head, 0);
    if (offset >= behind) return shown(tail, behind);
    return { text: notice(behind - offset, restIn(this.#spill.flush())), next: behind, total };
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

  /** The end of the command: all of it within `limit`. With `goesOn` others may still print, and `close` is the end. */
  finish(limit: number, goesOn = false): Collected {
    this.end();
    const both = this.#both;
    const whole = both.whole();
    const fits = whole !== undefined && whole.length <= limit;
    if (fits && !goesOn) this.#spill.discard();
    const saved = fits ? undefined : goesOn ? this.#spill.flush() : this.#spill.save();
    const where = restIn(saved);
    const text = both.text(limit, where);
    const each = (stream: StreamName) =>
      this.#each ? this.#each[stream].text(limit, where) : this.#only === stream ? text : "";
    return {
      text,
      stdout: each("stdout"),
      stderr: each("stderr"),
      overflow: undefined,
      ...overflowFields(saved),
    };
  }
}

/** A byte a character, so that the length is known. */
class AsciiText implements LateText {
  readonly #bytes: Uint8Array;
  #text: string | undefined;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get length(): number {
    return this.#bytes.length;
  }

  toString(): string {
    return this.#text ??= decode(this.#bytes);
  }
}

const NOTHING = new Uint8Array(0);

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
