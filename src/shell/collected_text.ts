/**
 * A text that may never end, as a terminal would show it, in bounded memory: its head, its tail, and how many characters
 * there were. It takes bytes and makes text of them late, so that most of a long output is only counted.
 */
import { cut, lineEndsIn, notice, takeHead, takeTail } from "../core/fit.ts";
import { codeEnd, LONGEST_CODE, UNFINISHED } from "../core/redact_escapes.ts";
import { lineEnds, plainLength } from "./plain_text.ts";
import { EndlessScreen, terminalText } from "./terminal_text.ts";
import { decode, partialAtEnd } from "./utf8.ts";

/** Bytes that are looked at together. */
const ROOM = 192 * 1024;
const FIRST_ROOM = 4 * 1024;
/** How far back a program may go to write over what it wrote. */
const OPEN_BYTES = 4096;
const OPEN_LINES = 64;
const MOST_OPEN = ROOM / 3;
/** Bytes that are worth settling by themselves. */
const MARKED = ROOM / 6;
/** Of a longer output the lines aren't counted, which costs time. */
const MOST_COUNTED = 16 * 1024 * 1024;
const LF = 10, ESC = 0x1b;

/** A part of the tail: bytes that are made to text when asked for, or text. */
interface Piece {
  bytes?: Uint8Array<ArrayBuffer>;
  text: string;
  chars: number;
}

export class CollectedText {
  readonly #size: number;
  /** The start, as long as it has room. */
  #head = "";
  #tail: Piece[] = [];
  #tailChars = 0;
  /** Characters of what can't change any more. */
  #settled = 0;
  /** Ends of lines in it; NaN where it is too long for that. */
  #lines = 0;
  /** What may still be written over, as it came. */
  #open = new Uint8Array(FIRST_ROOM);
  #words = new Int32Array(this.#open.buffer);
  #used = 0;
  /** Bytes that aren't seen, up to `#mark` and behind it; NaN where that isn't known without a look. */
  #unseen = { before: 0, behind: 0 };
  /** Line feeds likewise. */
  #feeds = { before: 0, behind: 0 };
  /** The end of what settles next. */
  #mark = 0;
  /** The memory of a piece that is gone, to be used again. */
  #spare: Uint8Array<ArrayBuffer> | undefined;

  /** `size` characters are kept at each end. */
  constructor(size: number) {
    this.#size = size;
  }

  get isEmpty(): boolean {
    return this.#used === 0 && this.#settled === 0;
  }

  /** Characters in all, as they are seen now. */
  get length(): number {
    return this.#settled + this.#openText().length;
  }

  /**
   * `unseen`: how many of them a terminal wouldn't show, where that is known, and `feeds`, how many are line feeds; -1
   * otherwise.
   */
  push(bytes: Uint8Array, unseen = -1, feeds = 0): void {
    // So much comes that nothing before it can be written over any more: it settles without being copied again.
    if (unseen >= 0 && bytes.length >= OPEN_BYTES && this.#used >= MARKED) this.#settleAll();
    if (unseen >= 0 && this.#used + bytes.length > ROOM) this.#settleKnown();
    const known = unseen >= 0 && this.#used + bytes.length <= ROOM;
    this.#unseen.behind += known ? unseen : NaN;
    this.#feeds.behind += feeds;
    let from = 0;
    while (from < bytes.length) {
      if (this.#used === this.#open.length) this.#makeRoom(bytes.length - from);
      const count = Math.min(bytes.length - from, this.#open.length - this.#used);
      this.#open.set(bytes.subarray(from, from + count), this.#used);
      this.#used += count;
      from += count;
    }
    if (this.#mark === 0 && this.#used >= MARKED) this.#setMark();
  }

  #setMark(): void {
    this.#mark = this.#used;
    this.#unseen = { before: this.#unseen.behind, behind: 0 };
    this.#feeds = { before: this.#feeds.behind, behind: 0 };
  }

  /** All settles, where it needs no look. */
  #settleAll(): void {
    const { before, behind } = this.#unseen;
    if (Number.isNaN(before + behind)) return;
    this.#settleBytes(this.#used, this.#used - before - behind, this.#feeds.before + this.#feeds.behind);
    this.#renew(0, 0);
  }

  /** What stands before the mark settles, where it needs no look. */
  #settleKnown(): void {
    const { before, behind } = this.#unseen;
    if (this.#mark === 0 || this.#used - this.#mark < OPEN_BYTES || Number.isNaN(before + behind)) return;
    this.#settleBytes(this.#mark, this.#mark - before, this.#feeds.before);
    this.#renew(behind, this.#feeds.behind);
    if (this.#used >= MARKED) this.#setMark();
  }

  /** What is open now has so many bytes that aren't seen, and so many line feeds. */
  #renew(unseen: number, feeds: number): void {
    this.#mark = 0;
    this.#unseen = { before: 0, behind: unseen };
    this.#feeds = { before: 0, behind: feeds };
  }

  /** The whole text; `undefined` where a part of it is gone. */
  whole(): string | undefined {
    if (this.#head.length + this.#tailChars < this.#settled) return undefined;
    return this.#head + this.#tailText() + this.#openText();
  }

  /** What is kept of it, and how many characters between are gone. */
  parts(): { head: string; gone: number; tail: string } {
    const gone = this.#settled - this.#head.length - this.#tailChars;
    return { head: this.#head, gone, tail: this.#tailText() + this.#openText() };
  }

  /** The text within `limit`, cut in the middle with a true count. `where` is added to the notice. */
  text(limit: number, where: string): string {
    const whole = this.whole();
    if (whole !== undefined) return cut(whole, limit, "middle", where);
    const open = this.#openText();
    const length = this.#settled + open.length;
    const lines = this.#lines + lineEndsIn(open);
    const half = Math.max(0, Math.floor((limit - notice(length, where, lines).length) / 2));
    const start = takeHead(this.#head, half);
    const end = takeTail(this.#tailText() + open, half);
    const left = lines - lineEndsIn(start) - lineEndsIn(end);
    return start + notice(length - start.length - end.length, where, left) + end;
  }

  copy(): CollectedText {
    const other = new CollectedText(this.#size);
    other.#head = this.#head;
    other.#tail = this.#tail.map((piece) => ({
      ...piece,
      ...(piece.bytes && { bytes: piece.bytes.slice() }),
    }));
    other.#tailChars = this.#tailChars;
    other.#settled = this.#settled;
    other.#lines = this.#lines;
    other.#take(this.#open.slice());
    other.#used = this.#used;
    other.#unseen = { ...this.#unseen };
    other.#feeds = { ...this.#feeds };
    other.#mark = this.#mark;
    return other;
  }

  #take(memory: Uint8Array<ArrayBuffer>): void {
    this.#open = memory;
    this.#words = new Int32Array(memory.buffer);
  }

  #openText(): string {
    return terminalText(decode(this.#open.subarray(0, this.#used)));
  }

  #tailText(): string {
    return this.#tail.map(({ bytes, text }) => bytes ? terminalText(decode(bytes)) : text).join("");
  }

  #makeRoom(needed: number): void {
    if (this.#used < ROOM) {
      const more = new Uint8Array(
        Math.min(ROOM, Math.max(this.#used * 2, Math.ceil((this.#used + needed) / 4) * 4)),
      );
      more.set(this.#open);
      this.#take(more);
    } else if (!this.#settlePlain()) this.#settleScreen();
  }

  /** All but the end settles, where nothing but ASCII text and colours came. */
  #settlePlain(): boolean {
    const open = this.#open, end = this.#used;
    const line = open.lastIndexOf(LF, end - OPEN_BYTES) + 1;
    const at = line > 0 ? line : beforeCode(open, end - OPEN_BYTES);
    const chars = plainLength(open, this.#words, 0, at), rest = plainLength(open, this.#words, at, end);
    if (chars < 0 || rest < 0) return false;
    this.#settleBytes(at, chars);
    this.#renew(this.#used - rest, lineEnds(this.#open, this.#words, this.#used));
    return true;
  }

  /**
   * The first bytes settle, of which `chars` are seen: as they are, but for the head and where few of them are seen.
   * `feeds`: line feeds among them, where that is known.
   */
  #settleBytes(at: number, chars: number, feeds?: number): void {
    const open = this.#open, end = this.#used;
    this.#used = end - at;
    if (this.#head.length < this.#size || chars * 4 < at) {
      this.#settle(terminalText(decode(open.subarray(0, at))));
      open.copyWithin(0, at, end);
      return;
    }
    this.#take(this.#spare ?? new Uint8Array(ROOM));
    this.#spare = undefined;
    this.#open.set(open.subarray(at, end));
    this.#lines += feeds ??
      (this.#settled < MOST_COUNTED ? lineEnds(open, new Int32Array(open.buffer), at) : NaN);
    this.#add({ bytes: open.subarray(0, at), text: "", chars });
  }

  /** The rest: what the screen shows now stands for what came. */
  #settleScreen(): void {
    const end = this.#used - unfinishedAtEnd(this.#open, this.#used);
    const rest = this.#open.slice(end, this.#used);
    const screen = new EndlessScreen();
    screen.write(decode(this.#open.subarray(0, end)));
    this.#settle(screen.takeTop(OPEN_LINES, OPEN_BYTES));
    let state = new TextEncoder().encode(screen.state());
    if (state.length > MOST_OPEN) {
      this.#settle(screen.text());
      state = new Uint8Array(0);
    }
    this.#open.set(state);
    this.#open.set(rest, state.length);
    this.#used = state.length + rest.length;
    this.#renew(NaN, 0);
  }

  #settle(text: string): void {
    this.#lines += this.#settled < MOST_COUNTED ? lineEndsIn(text) : NaN;
    const room = Math.max(0, this.#size - this.#head.length);
    this.#settled += Math.min(room, text.length);
    this.#head += text.slice(0, room);
    if (text.length > room) this.#add({ text: text.slice(room), chars: text.length - room });
  }

  /** A piece of the tail; those before it that aren't needed any more go. */
  #add(piece: Piece): void {
    const last = this.#tail.at(-1);
    if (last && !last.bytes && !piece.bytes) {
      last.text += piece.text;
      last.chars += piece.chars;
      // Cut rarely: slicing each time would copy the whole tail for every piece.
      if (last.chars > this.#size * 2) {
        this.#tailChars -= last.chars - this.#size;
        last.text = last.text.slice(-this.#size);
        last.chars = this.#size;
      }
    } else this.#tail.push(piece);
    this.#settled += piece.chars;
    this.#tailChars += piece.chars;
    while (this.#tail.length > 1 && this.#tailChars - this.#tail[0]!.chars >= this.#size) {
      const gone = this.#tail.shift()!;
      this.#tailChars -= gone.chars;
      if (gone.bytes?.buffer.byteLength === ROOM) this.#spare = new Uint8Array(gone.bytes.buffer);
    }
  }
}

/** `at`, or the start of the code or character that may go on there. */
function beforeCode(bytes: Uint8Array, at: number): number {
  const code = bytes.lastIndexOf(ESC, at);
  return code >= 0 && at - code < 64 ? code : at;
}

/** Bytes at the end that are the start of a code or of a character. */
function unfinishedAtEnd(bytes: Uint8Array, end: number): number {
  let from = end - partialAtEnd(bytes, end);
  // The end of a control string is a code too, so the one before it may be what goes on.
  for (let count = 0, code = end; count < 2; count++) {
    code = bytes.lastIndexOf(ESC, code - 1);
    if (code < 0 || end - code > LONGEST_CODE) break;
    if (codeEnd(bytes, code, end) === UNFINISHED) from = Math.min(from, code);
  }
  return end - from;
}
