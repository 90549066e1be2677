/** Words of a shell command as rules see them. */
import type { Word, WordPart } from "unbash";

/** A word's text where nothing in it is expanded; `undefined` where only the shell knows it. */
export function plain(word: Word): string | undefined {
  const fixed = (word.parts ?? []).every(({ type }) =>
    type === "Literal" || type === "SingleQuoted" || type === "AnsiCQuoted" ||
    type === "DoubleQuoted"
  );
  const quoted = (word.parts ?? []).filter((part) => part.type === "DoubleQuoted");
  const simple = quoted.every((part) =>
    part.type !== "DoubleQuoted" || part.parts.every(({ type }) => type === "Literal")
  );
  return fixed && simple ? word.value : undefined;
}

/** A word as rules see it: one with blanks keeps its borders, so that it is never taken for two. */
export function shown(word: Word): string {
  const value = plain(word) ?? word.text;
  return value === "" || /\s/.test(value) ? JSON.stringify(value) : value;
}

/** A word's text with something in place of what is expanded in it. */
export function filled(word: Word, filling: string): string {
  const textOf = (part: WordPart): string => {
    if (part.type === "DoubleQuoted" || part.type === "LocaleString") return part.parts.map(textOf).join("");
    return "value" in part
      ? part.value
      : "operator" in part || part.text.startsWith("$")
      ? filling
      : part.text;
  };
  return word.parts ? word.parts.map(textOf).join("") : word.value;
}

/** A word as a path, where that is fixed: a quoted `~` is a plain character, another user's home is unknown. */
export function literalPath(word: Word): string | undefined {
  const value = plain(word);
  if (value === undefined || value === "" || value.startsWith("-")) return undefined;
  if (!value.startsWith("~")) return value;
  if (!word.text.startsWith("~")) return `./${value}`;
  return /^~(\/|$)/.test(word.text) ? value : undefined;
}

/** A program's name without its folder. */
export function baseName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}

/** A set of words that stand between blanks. */
export function setOf(names: string): ReadonlySet<string> {
  return new Set(names.split(" "));
}
