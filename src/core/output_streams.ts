/** A call's output on its way to the stream: redacted across chunks, and counted past the stream's limit. */
import type { RedactStream } from "./redact.ts";
import type { Turn } from "./turn.ts";

export type StreamName = "stdout" | "stderr";

export class OutputStreams {
  readonly #turn: Turn;
  readonly #id: string;
  #redactions: Map<StreamName, RedactStream> | undefined;
  readonly #heard: (clean: string, stream: StreamName) => void;
  #left: number;
  #omitted = 0;

  /** `limit`: characters that the stream carries of this call; `heard` gets all of them, redacted. */
  constructor(
    turn: Turn,
    id: string,
    limit: number,
    heard: (clean: string, stream: StreamName) => void,
  ) {
    this.#turn = turn;
    this.#id = id;
    this.#left = limit;
    this.#heard = heard;
  }

  push(chunk: string, stream: StreamName): void {
    this.#redactions ??= new Map();
    let redaction = this.#redactions.get(stream);
    if (!redaction) this.#redactions.set(stream, redaction = this.#turn.gate.redactor.stream());
    this.#emit(redaction.push(chunk), stream);
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

  #emit(clean: string, stream: StreamName): void {
    if (clean === "") return;
    this.#heard(clean, stream);
    if (clean.length > this.#left) {
      this.#omitted += clean.length;
      this.#left = 0;
      return;
    }
    this.#left -= clean.length;
    this.#turn.emit({ type: "tool_output", id: this.#id, stream, text: clean });
  }
}
