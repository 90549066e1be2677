/**
 * The chunks of an update, applied to a text in memory. Lines that a chunk doesn't change are copied from the file,
 * byte for byte, also where they were found by a forgiving pass. A new line gets the end that the line after it has.
 */
import { AgentError, quote } from "../../core/errors.ts";
import type { Change, Chunk } from "./parse.ts";
import { seek, type Sought } from "./seek.ts";

interface Line {
  text: string;
  /** `\n`, `\r\n`, `\r`, or nothing for a last line without one. */
  end: string;
}

/** The text after all chunks. Throws an error that names the first one that finds no place of its own. */
export function applyChunks(path: string, text: string, chunks: readonly Chunk[]): string {
  const lines = splitLines(text);
  const places = findPlaces(path, lines.map((line) => line.text), chunks);
  const result: Line[] = [];
  let at = 0;
  for (const { start, changes } of places) {
    while (at < start) result.push(lines[at++]!);
    for (const { kind, text } of changes) {
      if (kind === "add") result.push({ text, end: "" });
      else if (kind === "keep") result.push(lines[at++]!);
      else at++;
    }
  }
  while (at < lines.length) result.push(lines[at++]!);
  return joined(result, lines);
}

function splitLines(text: string): Line[] {
  const lines: Line[] = [];
  for (const match of text.matchAll(/([^\r\n]*)(\r\n|\n|\r|$)/g)) {
    if (match[0] !== "") lines.push({ text: match[1]!, end: match[2]! });
  }
  return lines;
}

interface Placed {
  start: number;
  changes: readonly Change[];
}

function findPlaces(path: string, lines: readonly string[], chunks: readonly Chunk[]): Placed[] {
  const places: Placed[] = [];
  let from = 0;
  for (const chunk of chunks) {
    for (const context of chunk.contexts) {
      from = placeOf(seek(lines, [context], from, false), () => `context '${context}' in ${path}`, chunk) + 1;
    }
    const placed = findPlace(path, lines, chunk, from);
    places.push(placed);
    // What is only added takes nothing of the file, so the next chunk is looked for from the same place.
    const taken = placed.changes.filter(isOld).length;
    if (taken > 0) from = placed.start + taken;
  }
  return places.sort((a, b) => a.start - b.start);
}

function findPlace(path: string, lines: readonly string[], chunk: Chunk, from: number): Placed {
  const { changes, contexts, atEnd } = chunk;
  const old = changes.filter(isOld).map(({ text }) => text);
  // An addition alone stands after its context, or at the end.
  if (old.length === 0) return { start: contexts.length > 0 ? from : lines.length, changes };
  const sought = seek(lines, old, from, atEnd);
  if ("missing" in sought && old.length > 1 && old.at(-1) === "") {
    // A last empty line in the patch may stand for the file's last newline.
    const shorter = seek(lines, old.slice(0, -1), from, atEnd);
    if ("at" in shorter) {
      const dropped = changes.findLastIndex(isOld);
      return { start: shorter.at, changes: changes.filter((_, index) => index !== dropped) };
    }
  }
  return { start: placeOf(sought, () => `expected lines in ${path}:\n${old.join("\n")}`, chunk), changes };
}

function isOld({ kind }: Change): boolean {
  return kind !== "add";
}

function placeOf(sought: Sought, what: () => string, chunk: Chunk): number {
  if ("at" in sought) return sought.at;
  if ("missing" in sought) {
    throw new AgentError(
      `Failed to find ${what()}`,
      `the hunk on line ${chunk.line} of the patch; read the file again`,
    );
  }
  const lines = sought.ambiguous.slice(0, 5).map((at) => at + 1).join(", ");
  throw new AgentError(
    `Cannot place ${
      quote(what().split("\n")[0]!)
    }: no line is the same, and several are alike (lines ${lines})`,
    "copy the lines exactly, or add a line of context",
  );
}

/** Added lines get the end of the next line of the file, else the one that the file usually has. */
function joined(lines: readonly Line[], before: readonly Line[]): string {
  const usual = usualEnd(before);
  const last = before.at(-1);
  let next = "";
  const ends: string[] = [];
  for (let i = lines.length - 1; i >= 0; i--) {
    const { end } = lines[i]!;
    // Only the file's own last line may stay without an end, and only where it is still the last.
    const bare = end === "" && i === lines.length - 1 && lines[i] === last;
    ends[i] = bare ? "" : end || next || usual;
    if (end !== "") next = end;
  }
  return lines.map(({ text }, index) => text + ends[index]).join("");
}

function usualEnd(lines: readonly Line[]): string {
  const counts = new Map<string, number>();
  for (const { end } of lines) if (end !== "") counts.set(end, (counts.get(end) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "\n";
}
