/**
 * What a patch will do, worked out in memory: hunks see what earlier hunks of the same patch made of a file, and
 * nothing is written before all of them fit.
 */
import { concat } from "../../core/bytes.ts";
import type { Encoding } from "../../core/encoding.ts";
import { AgentError } from "../../core/errors.ts";
import type { Change, Snapshot } from "../../core/files.ts";
import { basename, dirname, join } from "../../core/paths.ts";
import { FileText } from "../../core/file_text.ts";
import { inTheFormOf, needText } from "../writing.ts";
import { applyChunks } from "./apply.ts";
import type { Hunk } from "./parse.ts";

/** A file's change. `whole`: the patch holds all of its new content. */
export type FileChange = Change & { shown: string; whole: boolean };

/** What is told of a hunk: `A` added, `M` changed or replaced, `D` deleted. */
export interface Told {
  letter: "A" | "M" | "D";
  path: string;
  note?: string;
}

export interface Plan {
  changes: FileChange[];
  told: Told[];
}

/** `find` takes a file by its full path, a link itself where asked; `identify` makes one, links followed. */
export function planPatch(
  hunks: readonly Hunk[],
  identify: (path: string) => string,
  find: (path: string, shown: string, itself: boolean) => Snapshot | undefined,
): Plan {
  const files = new Map<string, PlannedFile>();
  const open = (path: string, itself = false): PlannedFile => {
    const name = join(identify(dirname(path)), basename(path));
    // A link that goes, goes itself, and not what it leads to; its name is a plain file's from then on.
    const full = itself || files.has(name) ? name : identify(path);
    const known = files.get(full);
    if (known) return known;
    const file = new PlannedFile(full, path, find(full, path, itself));
    files.set(full, file);
    return file;
  };
  const told = hunks.map((hunk) => planHunk(hunk, open));
  return { changes: [...files.values()].flatMap((file) => file.change() ?? []), told };
}

/** A file as the hunks so far leave it. */
class PlannedFile {
  readonly #path: string;
  readonly #shown: string;
  readonly #before: Snapshot | undefined;
  /** The new content; absent while it is as it was found, which is read only where a hunk needs it. */
  #pieces: readonly Uint8Array[] | undefined;
  #whole = false;
  /** As it was found before the first change; what a change leaves might look like another. */
  #encoding: Encoding | undefined;
  exists: boolean;
  mode: number | undefined;

  constructor(path: string, shown: string, before: Snapshot | undefined) {
    this.#path = path;
    this.#shown = shown;
    this.#before = before;
    this.exists = before !== undefined;
    this.mode = before && before.info.mode & 0o7777;
  }

  get bytes(): Uint8Array {
    return this.#pieces ? concat(this.#pieces) : this.#before?.bytes ?? new Uint8Array();
  }

  get text(): FileText {
    return new FileText(this.bytes, this.#encoding);
  }

  put(
    pieces: readonly Uint8Array[],
    encoding: Encoding | undefined,
    mode = this.mode,
    whole = false,
  ): void {
    this.#encoding = encoding;
    this.#pieces = pieces.length > 0 ? pieces : [new Uint8Array()];
    this.exists = true;
    this.mode = mode;
    this.#whole = whole;
  }

  remove(): void {
    this.#pieces = undefined;
    this.exists = false;
  }

  change(): FileChange | undefined {
    if (!this.#before && !this.exists || this.exists && !this.#pieces) return undefined;
    return {
      path: this.#path,
      shown: this.#shown,
      before: this.#before,
      after: this.exists ? this.#pieces : undefined,
      mode: this.mode,
      whole: this.#whole,
    };
  }
}

function planHunk(hunk: Hunk, open: (path: string, itself?: boolean) => PlannedFile): Told {
  const { path } = hunk;
  const file = open(path, hunk.kind === "delete");
  if (hunk.kind === "add") {
    const text = hunk.lines.map((line) => line + "\n").join("");
    const replaced = file.exists;
    const { pieces, encoding } = inTheFormOf(replaced ? file.bytes : undefined, "replace", path, text);
    file.put(pieces, encoding, file.mode, true);
    return replaced ? { letter: "M", path, note: "replaced" } : { letter: "A", path };
  }
  if (!file.exists) {
    const what = hunk.kind === "delete"
      ? `Failed to delete file ${path}`
      : `Failed to read file to update ${path}`;
    throw new AgentError(`${what}: no such file`);
  }
  if (hunk.kind === "delete") {
    file.remove();
    return { letter: "D", path };
  }
  // A move alone doesn't look into the file.
  if (hunk.chunks.length > 0) needText("update", path, file);
  const text = hunk.chunks.length > 0 ? file.text : undefined;
  const pieces = text ? applyChunks(path, text, hunk.chunks) : [file.bytes];
  const target = hunk.moveTo === undefined ? file : open(hunk.moveTo);
  if (target === file) {
    file.put(pieces, text?.encoding);
    return { letter: "M", path };
  }
  const note = `moved from ${path}${target.exists ? ", replacing what was there" : ""}`;
  target.put(pieces, text?.encoding, file.mode);
  open(path, true).remove();
  return { letter: "M", path: hunk.moveTo!, note };
}
