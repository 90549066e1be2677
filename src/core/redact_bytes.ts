/** Redaction of one stream of bytes, whatever the pieces it comes in. */
import type { Span } from "./redact_reading.ts";
import type { Scanner } from "./redact_scan.ts";

/** Memory grows by so much at least. */
const STEP = 4096;
/** A scan reads four bytes at once. */
const SPARE = 4;

export class ByteRedaction {
  readonly #scanner: Scanner;
  /** What is held from earlier pieces stands between `#from` and `#to`. */
  #work = new Uint8Array(0);
  #from = 0;
  #to = 0;
  /** How much of it belongs to a secret whose mark went out already: overlapping ones may go on for ever. */
  #covered = 0;
  /** Letters of an encoding just before it. */
  #letters = 0;
  #marked = new Uint8Array(0);
  /**
   * How many bytes of what came back last a terminal wouldn't show; -1 where it isn't only ASCII text, line ends and
   * colours.
   */
  unseen = -1;

  constructor(scanner: Scanner) {
    this.#scanner = scanner;
  }

  /** Nothing is held, and nothing begun is still going on. */
  get isIdle(): boolean {
    return this.#from === this.#to && this.#covered === 0;
  }

  /** What is certain to be no part of a secret, with marks. The bytes are good until the next call. */
  push(bytes: Uint8Array): Uint8Array {
    this.#append(bytes);
    const spans = this.#spans();
    return this.#take(spans, this.#scanner.heldFrom(this.#letters));
  }

  /** The rest, at the end of the stream. */
  flush(): Uint8Array {
    this.#append(NOTHING);
    return this.#take(this.#spans(), this.#to);
  }

  /** All of a text, marked; `undefined` where there is no secret in it. */
  whole(bytes: Uint8Array): Uint8Array | undefined {
    this.#append(bytes);
    const spans = this.#spans();
    const shown = this.#take(spans, this.#to);
    return spans.length === 0 ? undefined : shown;
  }

  /** Puts a piece behind what is held, at the front of the memory. */
  #append(bytes: Uint8Array): void {
    const held = this.#to - this.#from, length = held + bytes.length;
    if (length + SPARE > this.#work.length) {
      const more = new Uint8Array(Math.ceil((length + SPARE) / STEP) * STEP);
      more.set(this.#work.subarray(this.#from, this.#to));
      this.#work = more;
    } else if (held > 0) this.#work.copyWithin(0, this.#from, this.#to);
    this.#work.set(bytes, held);
    this.#from = 0;
    this.#to = length;
  }

  /** The secret parts; the first of them may have begun before. */
  #spans(): Span[] {
    const spans = this.#scanner.scan(this.#work, this.#to);
    if (this.#covered === 0) return spans;
    const before = { start: -1, end: this.#covered, name: "" };
    let inside = 0;
    for (; inside < spans.length && spans[inside]!.start < before.end; inside++) {
      before.end = Math.max(before.end, spans[inside]!.end);
    }
    return [before, ...spans.slice(inside)];
  }

  /** What stands before `end`; the rest is held. */
  #take(spans: readonly Span[], end: number): Uint8Array {
    this.#letters = this.#scanner.lettersBefore(end, this.#letters);
    const across = spans.find((span) => span.start < end && span.end > end);
    this.#covered = across ? across.end - end : 0;
    this.#from = end;
    this.unseen = this.#scanner.unseenBefore(end, spans);
    return spans.length === 0 ? this.#work.subarray(0, end) : this.#mark(spans, end);
  }

  /** What stands before `end`, with a mark for each span that begins there. */
  #mark(spans: readonly Span[], end: number): Uint8Array {
    const encoder = new TextEncoder();
    const parts: Uint8Array[] = [];
    let at = 0;
    for (const span of spans) {
      if (span.start >= end) break;
      if (span.start >= 0) {
        parts.push(this.#work.subarray(at, span.start), encoder.encode(`<redacted:${span.name}>`));
      }
      at = Math.min(span.end, end);
    }
    parts.push(this.#work.subarray(at, end));
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (length > this.#marked.length) this.#marked = new Uint8Array(Math.ceil(length / STEP) * STEP);
    let to = 0;
    for (const part of parts) {
      this.#marked.set(part, to);
      to += part.length;
    }
    return this.#marked.subarray(0, length);
  }
}

const NOTHING = new Uint8Array(0);
