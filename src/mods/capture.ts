/** What a process printed, as text, up to a cap. */
import type { StreamName } from "../core/tool.ts";

const MB = 1024 * 1024;

/** Both streams of one process. What is more than a stream may have is read and dropped. */
export class Capture {
  readonly #streams;

  constructor({ stdoutMb = 1 } = {}) {
    this.#streams = { stdout: new Capped(stdoutMb * MB), stderr: new Capped(MB) };
  }

  push(chunk: Uint8Array, stream: StreamName): void {
    this.#streams[stream].push(chunk);
  }

  /** To be asked once, at the end. */
  text(stream: StreamName): string {
    return this.#streams[stream].text();
  }

  /** Something of a stream was dropped. */
  cut(stream: StreamName): boolean {
    return this.#streams[stream].cut;
  }
}

class Capped {
  readonly #decoder = new TextDecoder();
  #text = "";
  #room: number;
  cut = false;

  constructor(room: number) {
    this.#room = room;
  }

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
