/**
 * Edits in order, each on the result of the one before; all or none.
 *
 * Most edits of one call have nothing to do with each other, and then the order makes no difference: as many as
 * possible are looked for in one pass and put in together (a batch). A batch ends before the first edit that one of
 * its own could have an effect on: whose old text overlaps theirs, or stands in, or across the border of, one of the
 * new texts.
 */
import { concat } from "../../core/bytes.ts";
import { AgentError, quote } from "../../core/errors.ts";
import type { FileText } from "../../core/file_text.ts";
import { explainMiss } from "../edit_miss.ts";
import { ManyNeedles } from "./many.ts";
import { placesOf, replacementFor, soughtIn, type Span } from "./places.ts";

export interface Edit {
  old_string: string;
  new_string: string;
  replace_all?: boolean;
  expected_replacements?: number;
}

export interface Edited {
  /** The new content, the mark included. */
  pieces: Uint8Array[];
  replaced: number;
  /** Where the first change begins, in the new content. */
  at: number;
}

/** Throws an error that names the edit that can't be applied. */
export function applyEdits(path: string, file: FileText, edits: readonly Edit[]): Edited {
  let current = file;
  let replaced = 0, at = Infinity;
  let pieces: Uint8Array[] = [file.bytes];
  // After a short batch not all that is left is looked for again: edits that build on each other would cost a look
  // at all of them each.
  let ahead = edits.length;
  for (let done = 0; done < edits.length;) {
    if (done > 0) current = file.with(concat(pieces));
    const batch = new Batch(path, current, edits, done, ahead).apply();
    done += batch.count;
    ahead = batch.count < ahead ? batch.count : 2 * ahead;
    replaced += batch.replaced;
    at = Math.min(at, batch.at);
    pieces = batch.pieces;
  }
  return { pieces, replaced, at };
}

/** A place, and what stands there: the old text, or the new one once its edit's turn has come. */
interface Slot extends Span {
  /** Of its edit in the batch. */
  index: number;
  /** Among all slots of the batch, from left to right. */
  position: number;
  content: Uint8Array;
}

/** Places of all old texts of a batch. */
const MOST_PLACES = 100_000;

class Batch {
  readonly #path: string;
  readonly #file: FileText;
  readonly #edits: readonly Edit[];
  readonly #from: number;
  /** The first edit that is not of this batch. */
  #limit: number;
  #replaced = 0;
  #at = Infinity;

  /** At most `ahead` edits are of the batch. */
  constructor(path: string, file: FileText, edits: readonly Edit[], from: number, ahead: number) {
    this.#path = path;
    this.#file = file;
    this.#edits = edits;
    this.#from = from;
    this.#limit = Math.min(edits.length, from + ahead);
  }

  /** Applies the first edit at least. */
  apply(): Edited & { count: number } {
    const texts = this.#texts();
    const slots = texts.length > 1 && this.#together(texts) || this.#alone();
    return {
      count: this.#limit - this.#from,
      pieces: piecesOf(this.#file.bytes, slots),
      replaced: this.#replaced,
      at: this.#at,
    };
  }

  /** The old texts that are looked for as they are; one that isn't ends the batch. */
  #texts(): Uint8Array[] {
    const texts: Uint8Array[] = [];
    const loneCr = hasLoneCr(this.#file), mixed = this.#file.ends === "mixed";
    let feeds = false;
    for (const { old_string, new_string } of this.#edits.slice(this.#from, this.#limit)) {
      const sought = old_string === "" || old_string === new_string
        ? undefined
        : soughtIn(this.#file, old_string);
      if (!sought) break;
      // A lone CR may come before an LF when what is between them goes.
      const ownCr = old_string.replaceAll("\r\n", "\n").includes("\r");
      if (texts.length > 0 && (ownCr || loneCr && (old_string + new_string).includes("\n"))) break;
      // Where line ends are mixed, those around a place tell that of a new line, and earlier edits may have changed them.
      const asksAround = new_string.includes("\n") && !old_string.includes("\n");
      if (mixed && texts.length > 0 && (feeds && asksAround || old_string.includes("\r\n"))) break;
      feeds ||= (old_string + new_string).includes("\n");
      texts.push(sought);
      // A new kind of line end changes how the texts after it are looked for.
      if (ownCr || new_string.includes("\r") || loneCr && new_string.includes("\n")) break;
    }
    return texts;
  }

  #alone(): Slot[] {
    const { old_string, new_string } = this.#edits[this.#from]!;
    const name = this.#nameOf(this.#from);
    this.#limit = this.#from + 1;
    if (old_string === "") {
      if (!this.#file.isEmpty) {
        throw new AgentError(`Cannot edit ${name}: old_string is empty, and the file is not`);
      }
      const start = this.#file.encoding.mark;
      return this.#filled(this.#from, [slotAt(this.#file, start, start, 0)]);
    }
    if (old_string === new_string) {
      throw new AgentError(`Cannot edit ${name}: old_string and new_string are the same`);
    }
    const places = placesOf(this.#file, soughtIn(this.#file, old_string));
    const slots = places.map(({ start, end }) => slotAt(this.#file, start, end, 0));
    this.#count(this.#from, slots, slots);
    return this.#filled(this.#from, slots);
  }

  /** `undefined` where edits are better looked for one by one. */
  #together(texts: readonly Uint8Array[]): Slot[] | undefined {
    const needles = new ManyNeedles(texts);
    const slotsOf = this.#find(needles);
    if (!slotsOf) return undefined;
    const all = slotsOf.flat().sort((a, b) => a.start - b.start);
    const count = Math.min(slotsOf.length, firstOverlapping(all));
    this.#limit = this.#from + count;
    const slots = all.filter(({ index }) => index < count);
    for (const [position, slot] of slots.entries()) slot.position = position;
    // Without a last CR LF, new lines end otherwise, and old ones are looked for otherwise.
    let feeds = this.#file.ends === "crlf" ? countFeeds(this.#file) : Infinity;
    // With the CRs that were left out, a text is twice as long at most.
    const reach = (needles.longest - 1) * (this.#file.ends === "lf" ? 1 : 2);
    for (let edit = this.#from; edit < this.#limit; edit++) {
      const own = slotsOf[edit - this.#from]!;
      this.#count(edit, own, slots);
      const { old_string, new_string } = this.#edits[edit]!;
      feeds += own.length * (feedsIn(new_string) - feedsIn(old_string));
      if (feeds === 0) this.#limit = Math.min(this.#limit, edit + 1);
      for (const slot of this.#filled(edit, own)) {
        this.#endBefore(edit, needles, window(this.#file.bytes, slots, slot.position, reach));
      }
    }
    return slots;
  }

  /** The places of each old text, left to right, not overlapping. */
  #find(needles: ManyNeedles): Slot[][] | undefined {
    const found: Slot[][] = needles.texts.map(() => []);
    let count = 0;
    const { bytes, back } = this.#file.folded;
    const done = needles.search(bytes, this.#file.encoding.mark, (id, at) => {
      const slots = found[id]!;
      const last = slots.at(-1), start = back(at);
      if (last && start < last.end || !this.#file.isBoundary(start)) return;
      count++;
      slots.push(slotAt(this.#file, start, back(at + needles.texts[id]!.length), id));
    });
    return done && count <= MOST_PLACES ? found : undefined;
  }

  /** A later edit's old text that stands in the new one, or across its border, ends the batch before that edit. */
  #endBefore(edit: number, needles: ManyNeedles, around: Span & { bytes: Uint8Array }): void {
    const { texts } = needles;
    const { bytes, fold } = this.#file.with(around.bytes).folded;
    const start = fold(around.start), end = fold(around.end);
    const done = needles.search(bytes, 0, (id, at) => {
      const later = this.#from + id;
      const touches = at < end && at + texts[id]!.length > start;
      if (later > edit && touches) this.#limit = Math.min(this.#limit, later);
    });
    if (!done) this.#limit = edit + 1;
  }

  /** Throws where an edit's places are not as many as there must be. `slots`: all of the batch, for the text as it is. */
  #count(edit: number, { length }: readonly Slot[], slots: readonly Slot[]): void {
    const { old_string, replace_all, expected_replacements } = this.#edits[edit]!;
    const now = () => this.#file.with(concat(piecesOf(this.#file.bytes, slots)));
    if (length === 0) throw explainMiss(this.#nameOf(edit), now(), old_string);
    const wanted = expected_replacements ?? (replace_all ? length : 1);
    if (length === wanted) return;
    const file = now();
    const lines = linesOf(file, placesOf(file, soughtIn(file, old_string)).slice(0, 10));
    throw new AgentError(
      `Cannot edit ${
        this.#nameOf(edit)
      }: old_string stands in ${length} places (lines ${lines}), not ${wanted}`,
      "add lines around it until it is unique, or set replace_all or expected_replacements",
    );
  }

  /** The edit's turn has come: its places get their new content. */
  #filled(edit: number, slots: Slot[]): Slot[] {
    const { new_string } = this.#edits[edit]!;
    const encode = (text: string) => this.#file.encode(text, "edit", this.#path);
    for (const slot of slots) slot.content = replacementFor(this.#file, slot, new_string, encode);
    this.#replaced += slots.length;
    this.#at = Math.min(this.#at, slots[0]!.start);
    return slots;
  }

  #nameOf(edit: number): string {
    const { length } = this.#edits;
    return quote(this.#path) + (length === 1 ? "" : ` (edit ${edit + 1} of ${length})`);
  }
}

function hasLoneCr(file: FileText): boolean {
  const { bytes, unit } = file;
  const low = file.encoding.name === "utf-16be" ? 1 : 0;
  for (let at = bytes.indexOf(13); at >= 0; at = bytes.indexOf(13, at + 1)) {
    if (unit === 2 && at % 2 !== low) continue;
    if (file.isAt(at - low, 13) && !file.isAt(at - low + unit, 10)) return true;
  }
  return false;
}

function countFeeds(file: FileText): number {
  let count = 0;
  for (let at = file.lineFeed(0); at >= 0; at = file.lineFeed(at + file.unit)) count++;
  return count;
}

function feedsIn(text: string): number {
  return text.includes("\n") ? text.split("\n").length - 1 : 0;
}

function slotAt({ bytes }: FileText, start: number, end: number, index: number): Slot {
  return { start, end, index, position: 0, content: bytes.subarray(start, end) };
}

/** The lowest index of places, sorted by their start, that overlap those of a lower index. */
function firstOverlapping(sorted: readonly Slot[]): number {
  let lowest = Infinity;
  let active: Slot[] = [];
  for (const slot of sorted) {
    if (active.length > 0) active = active.filter(({ end }) => end > slot.start);
    for (const { index } of active) lowest = Math.min(lowest, Math.max(index, slot.index));
    active.push(slot);
  }
  return lowest;
}

function piecesOf(bytes: Uint8Array, slots: readonly Slot[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const { start, end, content } of slots) {
    pieces.push(bytes.subarray(at, start), content);
    at = end;
  }
  pieces.push(bytes.subarray(at));
  return pieces.filter(({ length }) => length > 0);
}

/** A slot's content with `reach` bytes of what stands on either side of it now; where the content lies in it. */
function window(
  bytes: Uint8Array,
  slots: readonly Slot[],
  position: number,
  reach: number,
): Span & { bytes: Uint8Array } {
  const { content } = slots[position]!;
  const room = new Uint8Array(content.length + 2 * reach);
  let start = reach;
  for (let index = position; start > 0 && index >= 0; index--) {
    if (index < position) start = putBefore(room, start, slots[index]!.content);
    const gapStart = index > 0 ? slots[index - 1]!.end : 0;
    start = putBefore(
      room,
      start,
      bytes.subarray(Math.max(gapStart, slots[index]!.start - start), slots[index]!.start),
    );
  }
  room.set(content, reach);
  let end = reach + content.length;
  for (let index = position; end < room.length && index < slots.length; index++) {
    if (index > position) end = putAfter(room, end, slots[index]!.content);
    const gapEnd = index + 1 < slots.length ? slots[index + 1]!.start : bytes.length;
    end = putAfter(
      room,
      end,
      bytes.subarray(slots[index]!.end, Math.min(gapEnd, slots[index]!.end + room.length)),
    );
  }
  return { bytes: room.subarray(start, end), start: reach - start, end: reach - start + content.length };
}

/** Puts the end of `part` before `start`, as much as there is room for; returns where it begins. */
function putBefore(room: Uint8Array, start: number, part: Uint8Array): number {
  const length = Math.min(part.length, start);
  room.set(part.subarray(part.length - length), start - length);
  return start - length;
}

function putAfter(room: Uint8Array, end: number, part: Uint8Array): number {
  const length = Math.min(part.length, room.length - end);
  room.set(part.subarray(0, length), end);
  return end + length;
}

function linesOf(file: FileText, places: readonly Span[]): string {
  const lines: number[] = [];
  let line = 1, at = 0;
  for (const { start } of places) {
    for (let feed = file.lineFeed(at); feed >= 0 && feed < start; feed = file.lineFeed(at)) {
      line++;
      at = feed + file.unit;
    }
    lines.push(line);
  }
  return lines.join(", ");
}
