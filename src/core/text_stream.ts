/** The text of a file that is read in pieces. */
import { concat } from "./bytes.ts";
import { decodeAs, decoderFor, lastWholeCharacter, mended } from "./codec.ts";
import { markedEncoding, unmarkedEncoding } from "./detect_encoding.ts";
import { type Encoding, UTF8 } from "./encoding.ts";
import { host } from "./runtime.ts";

/** The text of bytes that come in pieces; nothing is held back but a character that a border cut in two. */
export class TextStream {
  /** As far as it is known: ASCII alone tells nothing. */
  #encoding: Encoding = UTF8;
  #decided = false;
  #damaged = false;
  /** The start of a character that a border cut. */
  #carried = new Uint8Array(0);
  /** For what isn't UTF-8: one that shows all, and one that fails where bytes have no meaning. */
  #decoders: { shown: Decoder; strict: Decoder } | undefined;

  /** `first` is the first piece, where a mark would be; it's still to be pushed. */
  constructor(first: Uint8Array) {
    const marked = markedEncoding(first);
    if (marked) this.#decide(marked);
  }

  get encoding(): Encoding {
    return this.#encoding;
  }

  /** Some bytes so far have no meaning in the encoding. */
  get damaged(): boolean {
    return this.#damaged;
  }

  /** The text of the next piece, without the file's mark. */
  push(bytes: Uint8Array): string {
    if (this.#decoders) return this.#decode(bytes);
    const piece = this.#carried.length === 0 ? bytes : concat([this.#carried, bytes]);
    const end = lastWholeCharacter(piece);
    this.#carried = piece.slice(end);
    return this.#utf8(piece.subarray(0, end), true);
  }

  /** What is left at the end: a replacement where the last character is incomplete. */
  end(): string {
    if (this.#decoders) return this.#decode();
    return this.#carried.length === 0 ? "" : this.#utf8(this.#carried, false);
  }

  #utf8(bytes: Uint8Array, more: boolean): string {
    const text = host.decode(bytes);
    if (text !== undefined) {
      // As many characters as bytes: ASCII, which any other encoding would read alike.
      if (!this.#decided && text.length !== bytes.length) this.#decide(UTF8);
      return this.#unmarked(text);
    }
    if (!this.#decided) this.#decide(unmarkedEncoding(bytes, more));
    this.#damaged ||= this.#encoding.name === "utf-8";
    if (!this.#decoders) return this.#unmarked(decodeAs("utf-8", bytes));
    const carried = this.#carried;
    return this.#decode(bytes) + (more ? this.#decode(carried) : this.#decode());
  }

  #decide(encoding: Encoding): void {
    this.#decided = true;
    this.#encoding = encoding;
    const { name, mark } = encoding;
    this.#toSkip = name === "utf-8" ? 0 : mark;
    if (name !== "utf-8") this.#decoders = { shown: decoderFor(name), strict: decoderFor(name, true) };
  }

  /** Bytes of another mark that are still to come. */
  #toSkip = 0;
  #started = false;

  #unmarked(text: string): string {
    if (this.#started || text === "") return text;
    this.#started = true;
    return this.#encoding.mark > 0 ? text.slice(1) : text;
  }

  #decode(bytes?: Uint8Array): string {
    const { shown, strict } = this.#decoders!;
    const body = bytes?.subarray(this.#toSkip);
    if (bytes) this.#toSkip -= bytes.length - body!.length;
    const stream = bytes !== undefined;
    try {
      if (!this.#damaged) strict.decode(body, { stream });
    } catch {
      this.#damaged = true;
    }
    return mended(this.#encoding.name, shown.decode(body, { stream }));
  }
}

type Decoder = ReturnType<typeof decoderFor>;
