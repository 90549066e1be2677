/** Reads the texts that bash evaluates, and those that they lead to, for the commands in them. */
import type { Word } from "unbash";
import { QUIET } from "./programs.ts";
import type { Variables } from "./variables.ts";

/** How bash takes a text: as an expression, as a variable's name, as a string with expansions in it, as a command. */
export type As = "number" | "name" | "string" | "command";

/** What an evaluation comes to. */
export interface Evaluated {
  /** Scripts that hold the commands which it may run. */
  scripts: readonly string[];
  /** It may run what isn't in the text. */
  unknown: boolean;
}

/** How many texts that lead to each other are followed. */
const MOST_TEXTS = 500;

/** What one evaluation leads to. */
export class Reading {
  readonly #variables: Variables;
  readonly #scripts = new Set<string>();
  readonly #seen = new Set<string>();
  #unknown = false;
  #happens = false;

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  /** `undefined`: nothing but numbers and plain names. */
  result(): Evaluated | undefined {
    return this.#happens ? { scripts: [...this.#scripts], unknown: this.#unknown } : undefined;
  }

  /** Something is evaluated here. */
  mark(): void {
    this.#happens = true;
  }

  /** A text is evaluated here that isn't known. */
  miss(): void {
    this.#happens = this.#unknown = true;
  }

  /** The values of a variable, as bash takes them. */
  value(name: string, as: As): void {
    this.#happens = true;
    const texts = this.#variables.valuesOf(name);
    if (!texts) this.#unknown = true;
    for (const text of texts ?? []) this.text(text, as);
  }

  /** The texts that a word may come to. */
  word(word: Word, as: As): void {
    const texts = this.#variables.textsOf(word);
    // A variable that the script doesn't set may still hold anything in a shell that runs on.
    if (as !== "name" || !texts || texts.includes("")) this.#happens = true;
    if (texts) return texts.forEach((text) => this.text(text, as));
    this.#unknown = true;
    // What is written of it may be enough for a rule that denies.
    this.#substitutions(word.text);
  }

  /** A text that bash evaluates. */
  text(text: string, as: As): void {
    const key = `${as} ${text}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    if (this.#seen.size > MOST_TEXTS) {
      this.miss();
      return;
    }
    if (as === "command") {
      if (text.trim() === "") return;
      if (!QUIET.has(text.trim())) this.#happens = true;
      this.#scripts.add(text.replace(/^\s*[|!]-?/, ""));
      return;
    }
    if (as === "string" || as === "number") this.#substitutions(text);
    if (as === "name") {
      const at = text.indexOf("[");
      if (at < 0) return;
      this.#happens = true;
      return this.text(text.slice(at), "number");
    }
    if (as !== "number") return;
    for (const [name] of text.matchAll(/[A-Za-z_]\w*|(?<=\$\{?)(?:\d+|[@*])/g)) this.value(name, "number");
  }

  /** The commands in a text that bash expands as it does a heredoc. */
  #substitutions(text: string): void {
    if (!/\$[\w({[@*]|`/.test(text)) return;
    this.#happens = true;
    // Each evaluation takes off a backslash, and nobody counts how often it is done.
    const bare = text.replace(/\\+(?=[$`])/g, "");
    let end = "END";
    while (bare.includes(end)) end += "_";
    this.#scripts.add(`: <<${end}\n${bare}\n${end}`);
  }
}
