/** Replaces exact text in a file: one place, all places, or a stated number of them; several edits in order. */
import { AgentError, quote } from "../core/errors.ts";
import { decode, encode } from "../core/text.ts";
import { type Context, defineTool } from "../core/tool.ts";
import { sha256 } from "../core/hash.ts";
import { explainMiss, lineOf } from "./edit_miss.ts";
import { pathTraits } from "./path_traits.ts";
import { refuseUnwritable } from "./writing.ts";

export interface Edit {
  old_string: string;
  new_string: string;
  replace_all?: boolean;
  expected_replacements?: number;
}

export interface EditArgs {
  path: string;
  edits: Edit[];
  expected_sha256?: string;
}

export interface EditData {
  created: boolean;
  replaced: number;
  /** The first changed line, and the text around it as it is now. */
  line: number;
  snippet: string;
  oldSha256: string | undefined;
  newSha256: string;
}

export const editFile = defineTool<EditArgs, EditData>({
  name: "edit_file",
  toolsets: ["lean"],
  covers: "write",
  aliases: ["str_replace", "str_replace_editor"],
  input: (z) =>
    z.strictObject({
      path: z.string().min(1).describe("absolute, relative to the working folder, or ~/…"),
      edits: z.array(z.strictObject({
        old_string: z.string().describe("the exact text to replace; empty creates the file"),
        new_string: z.string().describe("what stands in its place, taken literally"),
        replace_all: z.boolean().optional().describe("replace every place"),
        expected_replacements: z.int().min(1).optional().describe("how many places there must be"),
      })).min(1).describe("applied in order, each to the result of the one before; all or nothing"),
      expected_sha256: z.string().regex(/^[0-9a-f]{8,64}$/).optional()
        .describe("hash of the content that the edits were made for; its first 8 digits will do"),
    }),
  // A failed edit shows the nearest place, so an edit is a reading too.
  traits: ({ path }, place) => pathTraits(place, path, "write", "write", "read"),
  run: edit,
  present({ created, replaced, line, snippet, oldSha256, newSha256 }, { path }) {
    const hashes = `sha256 ${oldSha256 === undefined ? "" : `${oldSha256.slice(0, 12)} → `}${
      newSha256.slice(0, 12)
    }`;
    const head = created
      ? `Created ${quote(path)} (${hashes})`
      : `Edited ${quote(path)}: ${replaced} ${
        replaced === 1 ? "place" : "places"
      }, first in line ${line} (${hashes})`;
    return {
      content: snippet === "" ? head : `${head}\n${snippet}`,
      structured: { replaced, oldSha256, newSha256 },
    };
  },
});

function edit({ path, edits, expected_sha256 }: EditArgs, context: Context): EditData {
  refuseUnwritable("edit", path, ...edits.map((one) => one.new_string));
  const full = context.resolve(path);
  const exists = context.files.info(full, path) !== undefined;
  if (!exists && edits[0]!.old_string !== "") {
    throw new AgentError(`Cannot edit ${quote(path)}: no such file`, "an empty old_string creates it");
  }
  const bytes = exists ? context.files.read(full, path) : new Uint8Array();
  const { text, mark, undecodable } = decode(bytes);
  if (undecodable) {
    throw new AgentError(`Cannot edit ${quote(path)}: it is not UTF-8, and other bytes would be lost`);
  }
  const before = exists ? sha256(bytes) : undefined;
  if (expected_sha256 !== undefined && !(before ?? "").startsWith(expected_sha256)) {
    throw new AgentError(`Cannot edit ${quote(path)}: it changed since it was read`, "read it again");
  }
  const result = applyEdits(path, text, edits);
  if (exists && result.text === text) {
    throw new AgentError(`Cannot edit ${quote(path)}: the new text is the same as the old`);
  }
  // The file must still be the one that was read: somebody else may have written meanwhile.
  const written = context.files.write(full, encode(result.text, mark), {
    shown: path,
    ...(before === undefined ? { createOnly: true } : { expectedSha256: before }),
  });
  const line = lineOf(result.text, result.at);
  return { ...written, replaced: result.replaced, line, snippet: snippetOf(result.text, line) };
}

/** Applies all edits, or throws an error that names the one that can't be applied. */
export function applyEdits(path: string, text: string, edits: readonly Edit[]) {
  let current = text;
  let replaced = 0;
  let first = Infinity;
  for (const [index, one] of edits.entries()) {
    const name = edits.length === 1 ? "" : ` (edit ${index + 1} of ${edits.length})`;
    const result = applyOne(path, name, current, one);
    current = result.text;
    replaced += result.count;
    first = Math.min(first, result.at);
  }
  return { text: current, replaced, at: Number.isFinite(first) ? first : 0 };
}

function applyOne(
  path: string,
  name: string,
  text: string,
  edit: Edit,
): { text: string; count: number; at: number } {
  const { old_string, new_string, replace_all, expected_replacements } = edit;
  if (old_string === "") {
    if (text !== "") {
      throw new AgentError(`Cannot edit ${quote(path)}${name}: old_string is empty, and the file is not`);
    }
    return { text: new_string, count: 1, at: 0 };
  }
  if (old_string === new_string) {
    throw new AgentError(`Cannot edit ${quote(path)}${name}: old_string and new_string are the same`);
  }
  const places = findAll(text, old_string);
  if (places.length === 0) throw explainMiss(path, name, text, old_string);
  const wanted = expected_replacements ?? (replace_all ? places.length : 1);
  if (places.length !== wanted) {
    const lines = places.slice(0, 10).map((place) => lineOf(text, place.start)).join(", ");
    throw new AgentError(
      `Cannot edit ${
        quote(path)
      }${name}: old_string stands in ${places.length} places (lines ${lines}), not ${wanted}`,
      "add lines around it until it is unique, or set replace_all or expected_replacements",
    );
  }
  return replacePlaces(text, places, new_string);
}

interface Span {
  start: number;
  end: number;
}

/**
 * All places where `wanted` stands, left to right, not overlapping. Line ends are folded: an LF in `wanted` also
 * matches a CR LF in the text.
 */
export function findAll(text: string, wanted: string): Span[] {
  if (!wanted.includes("\n") || !text.includes("\r\n")) return spans(text, wanted);
  return foldedSpans(text, wanted.replaceAll("\r\n", "\n"));
}

function spans(text: string, wanted: string): Span[] {
  const found: Span[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    found.push({ start: at, end: at + wanted.length });
  }
  return found;
}

/** Looked for in a copy with LF only, and mapped back: a place never starts or ends inside a CR LF. */
function foldedSpans(text: string, wanted: string): Span[] {
  const folded = text.replaceAll("\r\n", "\n");
  const breaks: number[] = [];
  for (let at = text.indexOf("\r\n"), dropped = 0; at >= 0; at = text.indexOf("\r\n", at + 2)) {
    breaks.push(at - dropped++);
  }
  // A folded index grows by one for every CR that was dropped before it.
  const back = (index: number) => index + countBelow(breaks, index);
  return spans(folded, wanted).map(({ start, end }) => ({ start: back(start), end: back(end) }));
}

function countBelow(sorted: readonly number[], value: number): number {
  let low = 0, high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** New lines take the end that the replaced text, or its neighbourhood, has. No pattern is ever expanded. */
function replacePlaces(text: string, places: readonly Span[], replacement: string) {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of places) {
    parts.push(text.slice(at, start), withNeighbourEnds(text, start, end, replacement));
    at = end;
  }
  parts.push(text.slice(at));
  return { text: parts.join(""), count: places.length, at: places[0]!.start };
}

function withNeighbourEnds(text: string, start: number, end: number, replacement: string): string {
  if (!replacement.includes("\n") || replacement.includes("\r\n")) return replacement;
  const inside = text.slice(start, end).indexOf("\n");
  const after = text.indexOf("\n", end);
  const before = text.lastIndexOf("\n", start - 1);
  const nearest = inside >= 0 ? start + inside : after >= 0 ? after : before;
  const crlf = nearest > 0 && text.charCodeAt(nearest - 1) === 13;
  return crlf ? replacement.replaceAll("\n", "\r\n") : replacement;
}

/** The changed place with two lines around it, numbered as a reading would number them. */
function snippetOf(text: string, line: number): string {
  const lines = text.split("\n", line + 8);
  // A last newline ends a line and starts none.
  if (lines.at(-1) === "") lines.pop();
  const from = Math.max(0, line - 3);
  return lines.slice(from, line + 6).map((content, index) =>
    `${from + index + 1}\t${content.replace(/\r$/, "").slice(0, 300)}`
  ).join("\n");
}
