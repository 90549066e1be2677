/** A call's output on its way to the stream: redacted across chunks, and counted past the stream's limit. */
import { takeHead } from "./fit.ts";
import type { LateText } from "./late_text.ts";
import type { RedactStream } from "./redact.ts";
import type { StreamName } from "./tool.ts";
import type { Turn } from "./turn.ts";

export class OutputStreams {
  readonly #turn: Turn;
  readonly #id: string;
  #redactions: Map<StreamName, RedactStream> | undefined;
  readonly #heard: (clean: LateText, stream: StreamName) => void;
  #left: number;
  #omitted = 0;

  /** `limit`: characters that the stream carries of this call; `heard` gets all of them, redacted. */
  constructor(
    turn: Turn,
    id: string,
    limit: number,
    heard: (clean: LateText, stream: StreamName) => void,
  ) {
    this.#turn = turn;
    this.#id = id;
    this.#left = limit;
    this.#heard = heard;
  }

  push(chunk: LateText, stream: StreamName): void {
    this.#redactions ??= new Map();
    let redaction = this.#redactions.get(stream);
    if (!redaction) this.#redactions.set(stream, redaction = this.#turn.gate.redactor.stream());
    this.#emit(redaction.passes(chunk) ? chunk : redaction.push(chunk.toString()), stream);
  }

  /** What redaction held back is let go; what was left out is counted. */
  end(): void {
    if (!this.#redactions) return;
    for (const [stream, redaction] of this.#redactions) this.#emit(redaction.flush(), stream);
    if (this.#omitted === 0) return;
    this.#turn.emit({
      type: "tool_output",
      id: this.#id,
      stream: "stdout",
      text: "",
      omitted: this.#omitted,
    });
  }

  #emit(clean: LateText, stream: StreamName): void {
    if (clean.length === 0) return;
    this.#heard(clean, stream);
    const text = this.#left > 0 ? takeHead(clean.toString(), this.#left) : "";
    this.#omitted += clean.length - text.length;
    // What comes later stands behind the gap, so it isn't shown either.
    this.#left = this.#omitted > 0 ? 0 : this.#left - text.length;
    if (text !== "") this.#turn.emit({ type: "tool_output", id: this.#id, stream, text });
  }
}
