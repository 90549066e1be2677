/**
 * What a command prints, in bounded memory: the head and the tail of the text, true counts, and the whole of it,
 * redacted, in an overflow file as it comes.
 */
import { cut, notice, takeHead, takeTail } from "../core/fit.ts";
import { type OverflowFile, restIn } from "../core/overflow.ts";
import type { RedactStream } from "../core/redact.ts";
import type { StreamGate, StreamName } from "../core/tool.ts";

/** Head and tail of one text; what lies between is only counted. */
class Window {
  readonly #size: number;
  /** The whole text, as long as it has room. */
  head = "";
  #tail = "";
  length = 0;

  /** `size` characters are kept at each end. */
  constructor(size: number) {
    this.#size = size;
  }

  push(text: string): void {
    this.length += text.length;
    const room = this.#size - this.head.length;
    if (room > 0) {
      this.head += text.slice(0, room);
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

  /** The whole text, cleaned; `undefined` where a part of it is gone. */
  whole(clean: (text: string) => string): string | undefined {
    const tail = this.#tail.slice(-this.#size);
    return this.head.length + tail.length === this.length ? clean(this.head + tail) : undefined;
  }

  /** The text within `limit`, cut in the middle with a true count. `clean` works on each end before. */
  text(limit: number, where: string, clean: (text: string) => string): string {
    const whole = this.whole(clean);
    if (whole !== undefined) return cut(whole, limit, "middle", where);
    const tail = this.#tail.slice(-this.#size);
    const half = Math.max(0, Math.floor((limit - notice(this.length, where).length) / 2));
    const start = takeHead(clean(withoutOpenCode(this.head)), half);
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
  /** The file that holds what was cut. */
  overflow: string | undefined;
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
  /** Something that looks like a terminal's escape code came by. */
  sawEscapes = false;
  /** Opened once it is certain that the text is cut. */
  #file: OverflowFile | undefined;

  /** `show` gets the text as it comes; it redacts for itself, since it may have watchers of its own. */
  constructor(gate: StreamGate, show: (text: string, stream: StreamName) => void) {
    this.#gate = gate;
    this.#show = show;
    this.#redactions = { stdout: gate.redaction(), stderr: gate.redaction() };
    const size = gate.limit;
    this.#windows = { both: new Window(size), stdout: new Window(size), stderr: new Window(size) };
  }

  push(chunk: Uint8Array, stream: StreamName): void {
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
    const { both, [stream]: own } = this.#windows;
    const fitted = both.length <= this.#gate.limit;
    if (fitted && both.length + clean.length > this.#gate.limit) this.#spill();
    this.#file?.write(clean);
    both.push(clean);
    own.push(clean);
  }

  /** Opens the file, with all that came so far. */
  #spill(): void {
    this.#file = this.#gate.overflow();
    this.#file?.write(this.#windows.both.head);
  }

  /** The end: what decoders and redaction held back is let go. `clean` renders terminal text. */
  finish(limit: number, clean: (text: string) => string): Collected {
    for (const stream of ["stdout", "stderr"] as const) {
      this.#take(this.#decoders[stream].decode(), stream);
      this.#keep(this.#redactions[stream].flush(), stream);
    }
    const { both, stdout, stderr } = this.#windows;
    const whole = both.whole(clean);
    const fits = whole !== undefined && whole.length <= limit;
    // Notes take room, so a text may be cut that would fit by itself; one full of codes may fit after all.
    if (fits) this.#file?.discard();
    else if (both.length <= this.#gate.limit) this.#spill();
    const saved = fits ? undefined : this.#file?.close();
    const where = restIn(saved);
    return {
      text: both.text(limit, where, clean),
      stdout: stdout.text(limit, where, clean),
      stderr: stderr.text(limit, where, clean),
      overflow: saved?.path,
    };
  }
}
