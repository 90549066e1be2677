/** How rehearsed calls are shown to people. */
import { diffLines } from "../../core/text_diff.ts";

const MOST_LINES = 20;

/** A diff of two values, indented; at most so many lines that people read it. */
export function shownDiff(before: unknown, after: unknown): string[] {
  const text = (value: unknown) => typeof value === "string" ? value : JSON.stringify(value ?? {}, null, 2);
  const lines = diffLines(text(before), text(after)).filter((line) => !line.startsWith("@@"));
  const shown = lines.slice(0, MOST_LINES).map((line) => `    ${line}`);
  return lines.length > MOST_LINES ? [...shown, `    … ${lines.length - MOST_LINES} more lines`] : shown;
}

/** `3 denied, 1 changed`, in the order in which they were met. */
export function counted(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${count} ${word}`).join(", ");
}

export function firstLine(text: string): string {
  const [line = ""] = text.split("\n");
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}

export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
