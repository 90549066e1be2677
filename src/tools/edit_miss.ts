/** Why `old_string` was not found, and the place that comes nearest. Nothing is guessed: the model decides. */
import { AgentError, nearest } from "../core/errors.ts";
import { takeWords } from "../core/fit.ts";
import type { FileText } from "../core/file_text.ts";

/** Larger files are not compared line by line. */
const MOST_BYTES = 16 * 1024 * 1024;

/** The number of the line that holds `index`, from 1. */
export function lineOf(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < index; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

/** An error that says in which respect the text differs, and shows the nearest lines. */
export function explainMiss(named: string, file: FileText, wanted: string): AgentError {
  const message = `Cannot edit ${named}: old_string was not found`;
  if (file.bytes.length > MOST_BYTES) {
    return new AgentError(message, "read the place again and copy the text exactly");
  }
  const text = withLf(file.text), sought = withLf(wanted);
  const lines = linesOf(text);
  const difference = differenceOf(text, sought);
  if (difference) {
    const { because, line } = difference;
    return new AgentError(message, `it is there but for ${because}; ${placeAt(lines, line - 1)}`);
  }
  const place = nearestPlace(lines, sought.split("\n"));
  const hint = place === "" ? "read the file again and copy the text exactly" : `no exact match; ${place}`;
  return new AgentError(message, hint);
}

/** In which one respect, and the line where it stands. */
function differenceOf(text: string, sought: string): { because: string; line: number } | undefined {
  const exact = text.indexOf(sought);
  if (exact >= 0) return { because: "its line ends", line: lineOf(text, exact) };
  for (const { fold, foldSought = fold, because } of DIFFERENCES) {
    const folded = foldSought(sought);
    if (folded === "") continue;
    const inside = fold(text);
    const at = inside.indexOf(folded);
    if (at < 0) continue;
    const line = lineOf(inside, at);
    return { because: because(text, sought, line), line };
  }
  return undefined;
}

interface Difference {
  /** Makes the texts the same where they differ in this alone. */
  fold(text: string): string;
  /** For the old text, where it is another one than for the file; empty where it can't be this. */
  foldSought?(sought: string): string;
  /** `line`: where it stands in the file. */
  because(text: string, sought: string, line: number): string;
}

/** What may differ without the eye noticing. */
const DIFFERENCES: readonly Difference[] = [
  { fold: withoutLastBlanks, because: () => "blanks at the ends of lines" },
  {
    fold: (text) => text.replace(/^[ \t]+/gm, ""),
    because: (text, sought, line) => `its indentation: ${indentation(text, sought, line)}`,
  },
  {
    fold: (text) => text,
    foldSought: withoutNumbers,
    because: () => "line numbers: leave out what a reading puts before each line",
  },
  {
    fold: (text) => text.replace(/[‘’‚‛]/g, "'").replace(/[“”„‟]/g, '"'),
    because: () => "straight and curly quotes",
  },
  {
    fold: (text) => text.normalize("NFC").replace(/[\u00a0\u2007\u202f]/g, " ").replace(/[‐‑‒–—]/g, "-"),
    because: () => "look-alike characters",
  },
  { fold: (text) => text.toLowerCase(), because: () => "upper and lower case" },
  { fold: unescape, because: () => "escaping: old_string looks escaped once too often" },
];

function withLf(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** Line by line: one expression over the whole text takes quadratic time on a long run of blanks. */
function withoutLastBlanks(text: string): string {
  return text.split("\n").map((line) => line.trimEnd()).join("\n");
}

/** Without `12<TAB>` or `L12: ` before each line. */
function withoutNumbers(sought: string): string {
  const prefix = /^(?: *\d+\t|L\d+: ?)/;
  const lines = sought.replace(/\n$/, "").split("\n");
  return lines.every((line) => prefix.test(line))
    ? lines.map((line) => line.replace(prefix, "")).join("\n")
    : "";
}

function indentation(text: string, sought: string, first: number): string {
  const wanted = sought.split("\n").map(leadOf);
  const found = text.split("\n", first - 1 + wanted.length).slice(first - 1).map(leadOf);
  const at = wanted.findIndex((lead, index) =>
    // The first line may have been copied from its middle on.
    index === 0 ? !found[0]!.endsWith(lead) : lead !== found[index]
  );
  const inFile = kindOf(found), inSought = kindOf(wanted);
  if (inFile === "nothing") return "the file has none there";
  if (inFile !== inSought || at < 0) return `the file indents with ${inFile}, old_string with ${inSought}`;
  const [is, was] = [found[at]!, wanted[at]!].map(counted);
  return `it differs by its width: line ${
    first + at
  } begins with ${is} in the file, with ${was} in old_string`;
}

function leadOf(line: string): string {
  return /^[ \t]*/.exec(line)![0];
}

function kindOf(leads: readonly string[]): string {
  const all = leads.join("");
  const tabs = all.includes("\t"), spaces = all.includes(" ");
  return tabs && spaces ? "tabs and spaces" : tabs ? "tabs" : spaces ? "spaces" : "nothing";
}

function counted(lead: string): string {
  if (lead === "") return "none";
  const tabs = lead.split("\t").length - 1, spaces = lead.length - tabs;
  const said = (count: number, what: string) =>
    count === 0 ? [] : [`${count} ${what}${count === 1 ? "" : "s"}`];
  return [...said(tabs, "tab"), ...said(spaces, "space")].join(" and ");
}

function unescape(text: string): string {
  const plain: Record<string, string> = { n: "\n", t: "\t", r: "\r" };
  return text.replace(/\\([ntr"'`\\$])/g, (_, character: string) => plain[character] ?? character);
}

/** A last newline ends a line and starts none. */
function linesOf(text: string): string[] {
  const lines = text.split("\n", MOST_LINES);
  if (lines.length < MOST_LINES && lines.at(-1) === "") lines.pop();
  return lines;
}

/** Lines of a file that are compared by words; by letters, where no line shares words. */
const MOST_LINES = 200_000;
const MOST_SPELT = 2000;
/** Shorter ones are near to anything, of longer ones the start alone would be compared. */
const SPELT = { least: 4, most: 64 };

/**
 * `the nearest place is line 12:` and its lines, by the first telling line of what was wanted: the line that shares most
 * words with it, or is spelt nearly like it. Empty where nothing is near.
 */
export function nearestPlace(lines: readonly string[], wanted: readonly string[]): string {
  const sought = wanted.find((line) => line.trim().length > 2);
  if (sought === undefined) return "";
  const at = byWords(lines, sought) ?? bySpelling(lines, sought.trim());
  return at === undefined ? "" : placeAt(lines, at);
}

function placeAt(lines: readonly string[], at: number): string {
  const shown = lines.slice(at, at + 5).map((line, index) => `${at + index + 1}\t${takeWords(line, 200)}`);
  return `the nearest place is line ${at + 1}:\n${shown.join("\n")}`;
}

function byWords(lines: readonly string[], sought: string): number | undefined {
  const words = new Set(sought.match(/\w+/g) ?? [sought.trim()]);
  let best = { score: 0, line: 0 };
  for (const [index, line] of lines.entries()) {
    if (index === MOST_LINES) break;
    const found = line.match(/\w+/g) ?? [];
    const shared = found.filter((word) => words.has(word)).length;
    const score = shared / Math.max(words.size, found.length, 1);
    if (score > best.score) best = { score, line: index };
  }
  return best.score < 0.5 ? undefined : best.line;
}

function bySpelling(lines: readonly string[], sought: string): number | undefined {
  const isShort = ({ length }: string) => length >= SPELT.least && length <= SPELT.most;
  if (lines.length > MOST_SPELT || !isShort(sought)) return undefined;
  const known = lines.map((line) => line.trim());
  const [best] = nearest(sought, new Set(known.filter(isShort)), 1);
  return best === undefined ? undefined : known.indexOf(best);
}
