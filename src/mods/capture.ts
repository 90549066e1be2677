/** What a process printed, as text, up to a cap. */
import type { StreamName } from "../core/tool.ts";

/** Bytes of each stream that are kept; the rest is read and dropped. */
const CAP = 1024 * 1024;

/** Both streams of one process. */
export class Capture {
  readonly #streams = { stdout: new Capped(), stderr: new Capped() };

  push(chunk: Uint8Array, stream: StreamName): void {
    this.#streams[stream].push(chunk);
  }

  /** To be asked once, at the end. */
  text(stream: StreamName): string {
    return this.#streams[stream].text();
  }

  /** Something was dropped. */
  get cut(): boolean {
    return this.#streams.stdout.cut || this.#streams.stderr.cut;
  }
}

class Capped {
  readonly #decoder = new TextDecoder();
  #text = "";
  #room = CAP;
  cut = false;

  push(chunk: Uint8Array): void {
    this.cut ||= chunk.length > this.#room;
    const kept = chunk.subarray(0, this.#room);
    this.#room -= kept.length;
    this.#text += this.#decoder.decode(kept, { stream: true });
  }

  /** A character that the cap cut in two is dropped; one that the process left unfinished shows. */
  text(): string {
    return this.cut ? this.#text : this.#text + this.#decoder.decode();
  }
}
