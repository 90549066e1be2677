/** Why `old_string` was not found, and the place that comes nearest. Nothing is guessed: the model decides. */
import { AgentError } from "../core/errors.ts";
import type { FileText } from "../core/text.ts";

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
  const { text } = file;
  for (const { fold, because } of DIFFERENCES) {
    const folded = fold(wanted);
    if (folded === "") continue;
    const at = fold(text).indexOf(folded);
    if (at >= 0) return new AgentError(message, `it is there but for ${because(text)}${near(text, wanted)}`);
  }
  const hint = near(text, wanted);
  return new AgentError(
    message,
    hint === "" ? "read the file again and copy the text exactly" : `no exact match${hint}`,
  );
}

/** What may differ without the eye noticing, each with a fold that makes it the same. */
const DIFFERENCES: readonly { fold(text: string): string; because(text: string): string }[] = [
  { fold: (text) => text.replace(/\r\n?/g, "\n"), because: () => "its line ends" },
  { fold: withoutLastBlanks, because: () => "blanks at the ends of lines" },
  {
    fold: (text) => text.replace(/^[ \t]+/gm, ""),
    because: (text) => `its indentation: the file indents with ${indentation(text)}`,
  },
  {
    fold: (text) => text.replace(/[‘’‚‛]/g, "'").replace(/[“”„‟]/g, '"'),
    because: () => "straight and curly quotes",
  },
  {
    fold: (text) => text.normalize("NFC").replace(/[\u00a0\u2007\u202f]/g, " ").replace(/[‐‑‒–—]/g, "-"),
    because: () => "look-alike characters",
  },
  { fold: unescape, because: () => "escaping: old_string looks escaped once too often" },
];

/** Line by line: one expression over the whole text takes quadratic time on a long run of blanks. */
function withoutLastBlanks(text: string): string {
  return text.split("\n").map((line) => line.trimEnd()).join("\n");
}

function indentation(text: string): string {
  const tabs = /^\t/m.test(text), spaces = /^ /m.test(text);
  return tabs && spaces ? "tabs in some lines and spaces in others" : tabs ? "tabs" : "spaces";
}

function unescape(text: string): string {
  const plain: Record<string, string> = { n: "\n", t: "\t", r: "\r" };
  return text.replace(/\\([ntr"'`\\$])/g, (_, character: string) => plain[character] ?? character);
}

/** The line that shares most words with the first telling line of `wanted`. */
function near(text: string, wanted: string): string {
  const sought = wanted.split("\n").find((line) => line.trim().length > 2);
  if (sought === undefined) return "";
  const words = new Set(sought.match(/\w+/g) ?? [sought.trim()]);
  let best = { score: 0, line: 0 };
  const lines = text.split("\n", 200_000);
  for (const [index, line] of lines.entries()) {
    const found = line.match(/\w+/g) ?? [];
    const shared = found.filter((word) => words.has(word)).length;
    const score = shared / Math.max(words.size, found.length, 1);
    if (score > best.score) best = { score, line: index };
  }
  if (best.score < 0.5) return "";
  const shown = lines.slice(best.line, best.line + 5).map((line, index) =>
    `${best.line + index + 1}\t${line.slice(0, 200)}`
  );
  return `; the nearest place is line ${best.line + 1}:\n${shown.join("\n")}`;
}
