/** What a search has to say besides what it found. */
import { quote } from "../../core/errors.ts";
import type { Allowed } from "./allowed.ts";

const MOST_NAMED = 3;

export function filesIn(count: number): string {
  return count === 1 ? "1 file" : `${count} files`;
}

/** Some names of many. */
export function someOf(names: readonly string[], total = names.length): string {
  const shown = names.slice(0, MOST_NAMED).map(quote).join(", ");
  return total > MOST_NAMED ? `${shown}, …` : shown;
}

/** What couldn't be searched: the search went on without it. */
export function warningsOf(complaints: readonly string[], shown: (path: string) => string): string[] {
  if (complaints.length === 0) return [];
  const told = complaints.slice(0, MOST_NAMED).map((line) => {
    const { path, what } = /^(?<path>.+?): (?<what>.*)$/.exec(line)?.groups ?? {};
    return path === undefined ? line : `${quote(shown(path))}: ${what!.replace(/ \(os error \d+\)$/, "")}`;
  });
  const more = complaints.length > MOST_NAMED ? `; and ${complaints.length - MOST_NAMED} more` : "";
  return [`[Not searched: ${told.join("; ")}${more}]`];
}

export function leftOutNotes({ withheld, ignored }: Allowed, ignoreFile: string | undefined): string[] {
  return [
    ...withheld.size === 0
      ? []
      : [`[${filesIn(withheld.size)} left out: permission rules keep them from being read]`],
    ...ignored.size === 0 ? [] : [`[${filesIn(ignored.size)} left out by ${ignoreFile!}]`],
  ];
}
