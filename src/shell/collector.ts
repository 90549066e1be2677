/**
 * What a command prints, in bounded memory: the head and the tail of the text, true counts, and the whole of it,
 * redacted, in an overflow file as it comes.
 */
import { cut, notice, takeHead, takeTail } from "../core/fit.ts";
import type { OverflowFile } from "../core/overflow.ts";
import type { RedactStream } from "../core/redact.ts";
import type { StreamGate } from "../core/tool.ts";

export type StreamName = "stdout" | "stderr";

/** Head and tail of one text; what lies between is only counted. */
class Window {
  readonly #size: number;
  #head = "";
  #tail = "";
  length = 0;

  /** `size` characters are kept at each end. */
  constructor(size: number) {
    this.#size = size;
  }

  push(text: string): void {
    this.length += text.length;
    const room = this.#size - this.#head.length;
    if (room > 0) {
      this.#head += text.slice(0, room);
      text = text.slice(room);
    }
    if (text === "") return;
    if (text.length >= this.#size) this.#tail = text.slice(-this.#size);
    else {
      this.#tail += text;
      // Cut rarely: slicing at each push would copy the whole tail for every chunk.
      if (this.#tail.length > this.#size * 2) this.#tail = this.#tail.slice(-this.#size);
    }
  }

  /** The text within `limit`, cut in the middle with a true count. `clean` works on each end before. */
  text(limit: number, where: string, clean: (text: string) => string): string {
    const tail = this.#tail.slice(-this.#size);
    if (this.#head.length + tail.length === this.length) {
      return cut(clean(this.#head + tail), limit, "middle", where);
    }
    const half = Math.max(0, Math.floor((limit - notice(this.length, where).length) / 2));
    const start = takeHead(clean(withoutOpenCode(this.#head)), half);
    const end = takeTail(clean(fromWholeCode(tail)), half);
    return start + notice(this.length - start.length - end.length, where) + end;
  }
}

/** Where a window's border cut an escape code in two, its half is left out with it. */
function withoutOpenCode(head: string): string {
  return head.replace(/[\u001b\u009b][^\u001b\u009b\n]{0,63}$/, "");
}

function fromWholeCode(tail: string): string {
  const code = tail.search(/[\u001b\u009b]/);
  if (code < 0) return tail;
  const safe = tail.slice(0, Math.min(code, 64)).indexOf("\n");
  return tail.slice(safe < 0 ? Math.min(code, 64) : safe);
}

export interface Collected {
  /** Both streams in order of arrival. */
  text: string;
  stdout: string;
  stderr: string;
  /** Bytes printed, before any cut. */
  bytes: number;
  overflow: string | undefined;
  cut: boolean;
}

/** A mark at the start of a stream is a character that was printed. */
const utf8 = () => new TextDecoder("utf-8", { ignoreBOM: true });

/** Collects one command's output. */
export class Collector {
  readonly #gate: StreamGate;
  readonly #show: (text: string, stream: StreamName) => void;
  readonly #decoders = { stdout: utf8(), stderr: utf8() };
  readonly #redactions: Record<StreamName, RedactStream>;
  readonly #windows: Record<StreamName | "both", Window>;
  #bytes = 0;
  /** Something that looks like a terminal's escape code came by. */
  sawEscapes = false;
  #early = "";
  #file: OverflowFile | undefined;
  #spilling = false;

  /** `show` gets the text as it comes; it redacts for itself, since it may have watchers of its own. */
  constructor(gate: StreamGate, show: (text: string, stream: StreamName) => void) {
    this.#gate = gate;
    this.#show = show;
    this.#redactions = { stdout: gate.redaction(), stderr: gate.redaction() };
    const size = gate.limit;
    this.#windows = { both: new Window(size), stdout: new Window(size), stderr: new Window(size) };
  }

  push(chunk: Uint8Array, stream: StreamName): void {
    this.#bytes += chunk.length;
    this.#take(this.#decoders[stream].decode(chunk, { stream: true }), stream);
  }

  #take(text: string, stream: StreamName): void {
    if (text === "") return;
    this.sawEscapes ||= text.includes("\u001b") || text.includes("\u009b");
    this.#show(text, stream);
    this.#keep(this.#redactions[stream].push(text), stream);
  }

  #keep(clean: string, stream: StreamName): void {
    if (clean === "") return;
    this.#windows.both.push(clean);
    this.#windows[stream].push(clean);
    if (this.#spilling) this.#file?.write(clean);
    else {
      this.#early += clean;
      // A file is made only once it is certain that the text will be cut.
      if (this.#early.length > this.#gate.limit) this.#spill();
    }
  }

  #spill(): void {
    this.#spilling = true;
    this.#file = this.#gate.overflow();
    this.#file?.write(this.#early);
    this.#early = "";
  }

  /** The end: what decoders and redaction held back is let go. `clean` renders terminal text. */
  finish(limit: number, clean: (text: string) => string): Collected {
    for (const stream of ["stdout", "stderr"] as const) {
      this.#take(this.#decoders[stream].decode(), stream);
      this.#keep(this.#redactions[stream].flush(), stream);
    }
    const overflow = this.#file?.close();
    const where = !this.#spilling
      ? ""
      : overflow === undefined
      ? "; not saved"
      : `; ${this.#file!.holds}: ${overflow}`;
    const text = (name: StreamName | "both") => this.#windows[name].text(limit, where, clean);
    return {
      text: text("both"),
      stdout: text("stdout"),
      stderr: text("stderr"),
      bytes: this.#bytes,
      overflow,
      cut: this.#spilling,
    };
  }
}
