/**
 * The chunks of an update, applied in memory. Lines that a chunk doesn't change are copied from the file, byte for
 * byte, also where they were found by a forgiving pass. A new line gets the end that the line after it has.
 */
import { AgentError, quote } from "../../core/errors.ts";
import type { FileText } from "../../core/file_text.ts";
import { nearestPlace } from "../edit_miss.ts";
import { Lines } from "./lines.ts";
import type { Change, Chunk } from "./parse.ts";
import { Seeker, type Sought } from "./seek.ts";

/** The content after all chunks, in pieces. Throws an error that names the first one that finds no place of its own. */
export function applyChunks(path: string, file: FileText, chunks: readonly Chunk[]): Uint8Array[] {
  const lines = new Lines(file);
  const result = new Result(path, lines);
  let at = 0;
  for (const { start, changes } of findPlaces(path, lines.texts, chunks)) {
    result.keep(at, start);
    at = start;
    for (const { kind, text } of changes) {
      if (kind === "add") result.add(text);
      else {
        if (kind === "keep") result.keep(at, at + 1);
        at++;
      }
    }
  }
  result.keep(at, lines.texts.length);
  return result.end();
}

/** The new content as it grows: runs of the file's own lines, and new ones between them. */
class Result {
  readonly #path: string;
  readonly #lines: Lines;
  readonly #pieces: Uint8Array[];
  /** A run of kept lines, and new lines after it, that are not among the pieces yet. */
  #from = 0;
  #to = 0;
  #added: string[] = [];

  constructor(path: string, lines: Lines) {
    this.#path = path;
    this.#lines = lines;
    this.#pieces = [lines.file.mark];
  }

  keep(from: number, to: number): void {
    if (from >= to) return;
    if (this.#added.length > 0) this.#putAdded(this.#lines.endOf(from) || this.#lines.usualEnd);
    if (from !== this.#to) {
      this.#putKept();
      this.#from = from;
    }
    this.#to = to;
  }

  add(text: string): void {
    this.#added.push(text);
  }

  end(): Uint8Array[] {
    if (this.#added.length > 0) this.#putAdded(this.#lines.usualEnd);
    this.#putKept();
    return this.#pieces.filter(({ length }) => length > 0);
  }

  #putKept(): void {
    if (this.#from < this.#to) this.#pieces.push(this.#lines.bytes(this.#from, this.#to));
    this.#from = this.#to;
  }

  /** The file's last line may have no end; where something comes after it, it gets one. */
  #putAdded(end: string): void {
    const bare = this.#from < this.#to && this.#lines.endOf(this.#to - 1) === "";
    this.#putKept();
    const text = this.#added.map((line) => line + end).join("");
    this.#pieces.push(this.#lines.file.encode(bare ? end + text : text, "update", this.#path));
    this.#added = [];
  }
}

interface Placed {
  start: number;
  /** It stands at the end of the file because nothing says where, so after what has its place there. */
  adrift?: true;
  changes: readonly Change[];
}

function findPlaces(path: string, lines: readonly string[], chunks: readonly Chunk[]): Placed[] {
  const places: Placed[] = [];
  const seeker = new Seeker(lines);
  let from = 0;
  for (const chunk of chunks) {
    for (const context of chunk.contexts) {
      const start = from;
      const wanted = () => ({ path, what: `context '${context}' in ${path}`, old: [context], from: start });
      from = placeOf(seeker.seek([context], from, false), seeker, wanted, chunk) + 1;
    }
    const placed = findPlace(path, seeker, lines.length, chunk, from);
    places.push(placed);
    // What is only added takes nothing of the file, so the next chunk is looked for from the same place.
    const taken = placed.changes.filter(isOld).length;
    if (taken > 0) from = placed.start + taken;
  }
  return places.sort((a, b) => a.start - b.start || Number(a.adrift ?? 0) - Number(b.adrift ?? 0));
}

function findPlace(path: string, seeker: Seeker, end: number, chunk: Chunk, from: number): Placed {
  const { changes, contexts, atEnd } = chunk;
  const old = changes.filter(isOld).map(({ text }) => text);
  // An addition alone stands after its context, or at the end.
  if (old.length === 0) {
    return contexts.length > 0 ? { start: from, changes } : { start: end, adrift: true, changes };
  }
  const sought = seeker.seek(old, from, atEnd);
  if ("missing" in sought && old.length > 1 && old.at(-1) === "") {
    // A last empty line in the patch may stand for the file's last newline.
    const shorter = seeker.seek(old.slice(0, -1), from, atEnd);
    if ("at" in shorter) {
      const dropped = changes.findLastIndex(isOld);
      return { start: shorter.at, changes: changes.filter((_, index) => index !== dropped) };
    }
  }
  const wanted = () => ({ path, what: `expected lines in ${path}:\n${old.join("\n")}`, old, from });
  return { start: placeOf(sought, seeker, wanted, chunk), changes };
}

function isOld({ kind }: Change): boolean {
  return kind !== "add";
}

/** What a chunk looks for: the sentence that Codex models know for a miss, and the lines. */
interface Wanted {
  path: string;
  what: string;
  old: readonly string[];
  from: number;
}

function placeOf(sought: Sought, seeker: Seeker, wanted: () => Wanted, chunk: Chunk): number {
  if ("at" in sought) return sought.at;
  const { path, what, old, from } = wanted();
  const hunk = `the hunk on line ${chunk.line} of the patch`;
  if ("missing" in sought) {
    throw new AgentError(
      `Failed to find ${what}`,
      `${hunk}; nothing was written; ${elsewhere(seeker, old, from)}`,
    );
  }
  const lines = sought.ambiguous.slice(0, 5).map((at) => at + 1).join(", ");
  throw new AgentError(
    `Cannot place ${hunk} in ${quote(path)}: no place is the same, and several are alike (lines ${lines})`,
    "copy the lines exactly, or add a line of context; nothing was written",
  );
}

/** Where else the lines, or some that are like them, stand. */
function elsewhere(seeker: Seeker, old: readonly string[], from: number): string {
  const before = from > 0 ? seeker.seek(old, 0, false) : undefined;
  if (before && "at" in before) {
    return `line ${before.at + 1} has it, but the hunks and headers before it lead on to line ${from + 1}`;
  }
  return nearestPlace(seeker.lines, old) || "read the file again";
}
