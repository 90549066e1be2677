/** The lines of a file that fit, of a file that may have any size and be written to meanwhile. */
import { notice } from "../core/fit.ts";
import { restIn, type Saved, WHOLE } from "../core/overflow.ts";
import { host } from "../core/runtime.ts";
import { Lines } from "./lines.ts";

const MOST = Number.MAX_SAFE_INTEGER;
const PIECE = 64 * 1024;
/** Bytes that are read before others have their turn. */
const TURN = 1024 * 1024;

export interface LineQuest {
  fits(line: string): boolean;
  /** Characters that the answer may have. */
  room: number;
  /** Brings what waits to be written into the file. */
  flush(): void;
  signal: AbortSignal;
}

/**
 * Those among the last `newBytes` of the file; `undefined` where it doesn't hold all that was printed. At the end nothing
 * has come that wasn't looked at, but after an abort.
 */
export async function newLinesIn(
  file: () => Saved | undefined,
  newBytes: () => number,
  quest: LineQuest,
): Promise<string | undefined> {
  quest.flush();
  const saved = file();
  if (saved?.holds !== WHOLE) return undefined;
  const from = host.files.stat(saved.path).size - newBytes();
  const lines = await linesFrom(from, saved, quest);
  return file()?.holds === WHOLE ? lines : undefined;
}

async function linesFrom(
  from: number,
  saved: Saved,
  { fits, room, flush, signal }: LineQuest,
): Promise<string> {
  const { setImmediate } = host.builtin<typeof import("node:timers")>("node:timers");
  const few = new FewLines(room, restIn(saved));
  const lines = new Lines((line) => fits(line) && few.push(line));
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(PIECE);
  const file = host.files.open(saved.path, "r");
  try {
    file.seek(Math.max(0, from));
    for (;;) {
      flush();
      let size = 0;
      for (let count = 1; count > 0 && size < TURN; size += count) {
        count = file.read(buffer);
        lines.push(decoder.decode(buffer.subarray(0, count), { stream: true }));
      }
      if (size < TURN || signal.aborted) break;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  } finally {
    file.close();
  }
  lines.push(decoder.decode());
  lines.end();
  return few.text();
}

/** The first and the last of many lines. */
class FewLines {
  readonly #half: number;
  readonly #where: string;
  readonly #head: string[] = [];
  #headRoom: number;
  readonly #tail: string[] = [];
  #tailChars = 0;
  #omitted = 0;
  #omittedLines = 0;

  constructor(room: number, where: string) {
    this.#half = Math.max(0, (room - notice(MOST, where, MOST).length) / 2);
    this.#headRoom = this.#half;
    this.#where = where;
  }

  push(line: string): void {
    if (this.#tail.length === 0 && this.#omitted === 0 && line.length < this.#headRoom) {
      this.#head.push(line);
      this.#headRoom -= line.length + 1;
      return;
    }
    this.#tail.push(line);
    this.#tailChars += line.length + 1;
    while (this.#tailChars > this.#half && this.#tail.length > 0) {
      const length = this.#tail.shift()!.length + 1;
      this.#tailChars -= length;
      this.#omitted += length;
      this.#omittedLines++;
    }
  }

  text(): string {
    const head = this.#head.join("\n"), tail = this.#tail.join("\n");
    if (this.#omitted > 0) return head + notice(this.#omitted, this.#where, this.#omittedLines) + tail;
    return this.#tail.length === 0 ? head : [...this.#head, tail].join("\n");
  }
}
