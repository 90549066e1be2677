/** Redaction of one stream of bytes, whatever the pieces it comes in. */
import type { Span } from "./redact_reading.ts";
import type { Scanner } from "./redact_scan.ts";

/** Memory for marked text grows by so much at least. */
const STEP = 4096;

export class ByteRedaction {
  readonly #scanner: Scanner;
  /** What may be the start of a secret. */
  #held = NOTHING;
  /** What is being scanned, and its end, in the scanner's memory. */
  #text = NOTHING;
  #to = 0;
  /** How much of what is held belongs to a secret whose mark went out already: overlapping ones may go on for ever. */
  #covered = 0;
  /** Letters of an encoding just before it. */
  #letters = 0;
  #marked = new Uint8Array(0);
  /**
   * How many bytes of what came back last a terminal wouldn't show; -1 where it isn't only ASCII text, line ends and
   * colours.
   */
  unseen = -1;
  /** And how many line feeds there are in it, where that isn't -1. */
  feeds = 0;

  constructor(scanner: Scanner) {
    this.#scanner = scanner;
  }

  /** Nothing is held, and nothing begun is still going on. */
  get isIdle(): boolean {
    return this.#held.length === 0 && this.#covered === 0;
  }

  /** What is certain to be no part of a secret, with marks. The bytes are good until the scanner's next text. */
  push(bytes: Uint8Array): Uint8Array {
    const spans = this.#spans(bytes);
    return this.#take(spans, this.#scanner.heldFrom(this.#letters));
  }

  /** The rest, at the end of the stream. */
  flush(): Uint8Array {
    return this.#take(this.#spans(NOTHING), this.#to);
  }

  /** All of a text, marked; `undefined` where there is no secret in it. */
  whole(bytes: Uint8Array): Uint8Array | undefined {
    const spans = this.#spans(bytes);
    const shown = this.#take(spans, this.#to);
    return spans.length === 0 ? undefined : shown;
  }

  /** Puts a piece behind what is held, and scans both. */
  #scan(bytes: Uint8Array): Span[] {
    const held = this.#held.length;
    this.#to = held + bytes.length;
    this.#text = this.#scanner.room(this.#to);
    this.#text.set(this.#held);
    this.#text.set(bytes, held);
    return this.#scanner.scan(this.#to);
  }

  /** The secret parts; the first of them may have begun before. */
  #spans(bytes: Uint8Array): Span[] {
    const spans = this.#scan(bytes);
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
    this.#held = this.#text.slice(end, this.#to);
    this.unseen = this.#scanner.unseenBefore(end, spans);
    this.feeds = this.#scanner.feedsBefore(end, spans);
    return spans.length === 0 ? this.#text.subarray(0, end) : this.#mark(spans, end);
  }

  /** What stands before `end`, with a mark for each span that begins there. */
  #mark(spans: readonly Span[], end: number): Uint8Array {
    // Marks may be longer than what they stand for.
    const marks = spans.reduce((sum, { name }) => sum + this.#scanner.mark(name).length, 0);
    const room = end + marks;
    if (room > this.#marked.length) this.#marked = new Uint8Array(Math.ceil(room / STEP) * STEP);
    const text = this.#text, marked = this.#marked;
    let at = 0, to = 0;
    const copy = (until: number) => {
      marked.set(text.subarray(at, until), to);
      to += until - at;
    };
    for (const span of spans) {
      if (span.start >= end) break;
      if (span.start >= 0) {
        copy(span.start);
        const mark = this.#scanner.mark(span.name);
        marked.set(mark, to);
        to += mark.length;
      }
      at = Math.min(span.end, end);
    }
    copy(end);
    return marked.subarray(0, to);
  }
}

const NOTHING = new Uint8Array(0);
