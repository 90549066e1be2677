/**
 * What a script's variables may hold, as far as its own text says: every text that it ever gives them, in whatever
 * order. Bash evaluates those as expressions and names, so they may be commands.
 */
import type { ParameterExpansionPart, Script, SyntaxNode, Word, WordPart } from "unbash";
import { builtinOf, DECLARERS, type Name, namesIn } from "./builtins.ts";
import { type Unbash, walk } from "./tree.ts";
import { plain } from "./words.ts";

/** Texts that a word may stand for; `undefined` where one of them isn't in the script. */
export type Texts = readonly string[] | undefined;

const MOST_TEXTS = 64;
const LONGEST_TEXT = 100_000;
/** How many variables a value may stand for, one in the other. */
const DEEPEST = 100;
/** Set by bash, to texts of elsewhere. */
const OPEN = /^(_|REPLY|MAPFILE|OPTARG|COPROC|DIRSTACK|FUNCNAME|BASH_(?!VERS)[A-Z]*|COMP_\w*|READLINE_\w*)$/;
const NUMBERS = /^[#?$!-]$/;
const POSITIONAL = /^(\d+|[@*])$/;
/** Programs that print numbers alone, given words like these. */
const COUNTERS: Readonly<Record<string, RegExp>> = {
  wc: /^-\w+$/,
  nproc: /^-/,
  date: /^\+%[sYmdHMSNj]$/,
  seq: /^-?\d*$/,
};
/** No part of a text like this can be a command, whatever it is put together with. */
const TAME = /^[^$`\\]*$/;

interface Given {
  /** What it is set to somewhere: words, texts, and `undefined` for a text from elsewhere. */
  values: (Word | string | undefined)[];
  appended: boolean;
}

export class Variables {
  readonly #given = new Map<string, Given>();
  readonly #outer: Variables | undefined;
  readonly #reading = new Set<string>();
  readonly #known = new Map<string, Texts>();
  /** Anything may be set here. */
  #any = false;
  /** Words that may be options, by which others than are written down would be set. */
  readonly #unsure: Word[] = [];
  readonly #references = new Set<string>();
  /** Variables that are given the attribute of a number. */
  readonly integers = new Set<string>();
  /** Variables whose subscripts are plain words. */
  readonly tables = new Set<string>();

  /** `positional`: the words that a script inside a command may be handed. */
  constructor(unbash: Unbash, script: SyntaxNode, outer?: Variables, positional: readonly Word[] = []) {
    this.#outer = outer;
    this.#give("@", ...positional);
    const functions = new Set<string>();
    walk(unbash, script, (node) => {
      if (node.type === "Function") functions.add(node.name.value);
    });
    walk(unbash, script, (node) => this.#collect(node, functions));
    for (const name of this.#references) this.#refer(name);
    this.#known.clear();
    this.#any ||= this.#unsure.some((word) =>
      this.textsOf(word)?.every((text) => !/^[-+]/.test(text)) !== true
    );
  }

  /** The texts that a variable may hold; none for one that the script never sets, which is the environment's. */
  valuesOf(name: string): Texts {
    if (NUMBERS.test(name)) return ["0"];
    const key = POSITIONAL.test(name) ? "@" : name;
    if (this.#any || OPEN.test(key)) return undefined;
    const given = this.#given.get(key);
    const outer = this.#outer ? this.#outer.valuesOf(key) : [];
    if (!given || outer === undefined) return outer;
    if (this.#known.has(key)) return this.#known.get(key);
    if (this.#reading.has(key) || this.#reading.size > DEEPEST) return undefined;
    this.#reading.add(key);
    const all = given.values.map((value) => {
      return typeof value === "object" ? this.textsOf(value) : value === undefined ? undefined : [value];
    });
    this.#reading.delete(key);
    const texts = union(outer, ...all);
    const values = given.appended && !texts?.every((text) => TAME.test(text)) ? undefined : texts;
    this.#known.set(key, values);
    return values;
  }

  /** The texts that a word may come to. */
  textsOf(word: Word): Texts {
    if (!word.parts) return [word.value];
    return this.#joined(word.parts);
  }

  #collect(node: SyntaxNode, functions: ReadonlySet<string>): void {
    switch (node.type) {
      case "Assignment": {
        const { name, value, append } = node;
        this.#give(name, ...(value.type === "Word" ? [value] : value.elements));
        if (append) this.#given.get(name)!.appended = true;
        return;
      }
      case "For": {
        const words = node.wordlist ?? [];
        this.#give(node.name.value, ...words.map((word) => hasGlob(word) ? undefined : word));
        return;
      }
      case "Select":
        return this.#give(node.name.value, undefined);
      case "ParameterExpansion":
        if (node.operation?.type === "Default" && node.operation.operator.endsWith("=")) {
          this.#give(node.parameter, node.operation.operand);
        }
        return;
      case "Command": {
        const builtin = builtinOf(node);
        if (!builtin) return;
        if (/^(eval|\.|source)$/.test(builtin.name)) this.#any = true;
        if (builtin.name === "set" || functions.has(builtin.name)) {
          const texts = builtin.assignments.map(({ text }) => text);
          return this.#give("@", ...builtin.words, ...texts);
        }
        const named = namesIn(builtin);
        if (!named) return;
        if (DECLARERS.has(builtin.name)) {
          return this.#declare(named.operands, builtin.assignments, named.letters);
        }
        if (!named.sets) return;
        this.#unsure.push(...named.unsure);
        const value = builtin.name === "printf" ? this.#printed(named.operands) : [undefined];
        for (const name of named.names) this.#set(name, ...value);
        return;
      }
    }
  }

  /** What `printf -v` gives, where that is a plain text. */
  #printed(operands: readonly Word[]): readonly (Word | undefined)[] {
    const tame = operands.every((word) => TAME.test(plain(word) ?? "$"));
    return tame ? operands : [undefined];
  }

  #declare(operands: readonly Word[], assignments: readonly { name: string }[], letters: string): void {
    const names = assignments.map(({ name }) => name);
    for (const word of operands) {
      const [, name, value] = /^(\w+)(?:\[[^]*\])?(?:\+?=([^]*))?$/.exec(plain(word) ?? "") ?? [];
      const start = /^"?(\w+)=/.exec(word.text)?.[1];
      if (name !== undefined) names.push(name);
      if (name !== undefined && value !== undefined) this.#give(name, value);
      else if (name === undefined && start !== undefined) this.#give(start, undefined);
      else if (name === undefined) this.#any = true;
    }
    for (const name of names) {
      if (letters.includes("i")) this.integers.add(name);
      if (letters.includes("A")) this.tables.add(name);
      if (letters.includes("n")) this.#references.add(name);
    }
  }

  /** What a name for another variable is set to, that one may be. */
  #refer(name: string): void {
    const targets = this.valuesOf(name);
    if (!targets) this.#any = true;
    for (const target of targets ?? []) {
      if (target !== name) this.#give(/^\w*/.exec(target)![0], ...this.#given.get(name)?.values ?? []);
    }
  }

  #set(name: Name, ...values: Given["values"]): void {
    const text = "text" in name ? name.text : plain(name.word);
    if (text === undefined) this.#any = true;
    else this.#give(/^\w*/.exec(text)![0], ...values);
  }

  #give(name: string, ...values: Given["values"]): void {
    const given = this.#given.get(name) ?? { values: [], appended: false };
    for (const value of values) given.values.push(value);
    this.#given.set(name, given);
  }

  #joined(parts: readonly WordPart[]): Texts {
    let texts: readonly string[] = [""];
    for (const part of parts) {
      const next = this.#textsOfPart(part);
      if (!next) return undefined;
      const ends = next.length === 0 ? [""] : next;
      texts = texts.flatMap((start) => ends.map((end) => start + end));
      if (texts.length > MOST_TEXTS || texts.some(({ length }) => length > LONGEST_TEXT)) return undefined;
    }
    return texts;
  }

  #textsOfPart(part: WordPart): Texts {
    switch (part.type) {
      case "Literal":
      case "SingleQuoted":
      case "AnsiCQuoted":
        return [part.value];
      case "DoubleQuoted":
      case "LocaleString":
        return this.#joined(part.parts);
      case "SimpleExpansion":
        return this.valuesOf(part.text.slice(1));
      case "ParameterExpansion":
        return this.#textsOfParameter(part);
      case "ArithmeticExpansion":
        return ["0"];
      case "CommandExpansion":
        return this.#counts(part.script) ? ["0"] : undefined;
      case "ProcessSubstitution":
        return ["/dev/fd/63"];
      case "Glob":
        return part.kind === "bracket" ? this.#joined(part.parts)?.map((text) => `[${text}]`) : [part.value];
      default:
        return TAME.test(part.text) ? [part.text] : undefined;
    }
  }

  /** Does a substitution print numbers, whatever it counts? */
  #counts(script: Script | undefined): boolean {
    let last: SyntaxNode | undefined = script?.commands.length === 1
      ? script.commands[0]!.command
      : undefined;
    if (last?.type === "Pipeline") last = last.commands.at(-1);
    const name = last?.type === "Command" && last.name && plain(last.name);
    if (!name || last?.type !== "Command" || !Object.hasOwn(COUNTERS, name)) return false;
    const fits = (text: string) => COUNTERS[name]!.test(text);
    return last.args.every((part) => part.type === "Word" && (this.textsOf(part)?.every(fits) ?? false));
  }

  #textsOfParameter({ parameter, prefix, operation, index }: ParameterExpansionPart): Texts {
    if (prefix === "#") return ["0"];
    // The subscripts of an array.
    if (prefix === "!" && /^[@*]$/.test(index?.text ?? "") && !this.tables.has(parameter)) return ["0"];
    if (prefix !== undefined) return undefined;
    const held = this.valuesOf(parameter);
    if (!operation) return held;
    if (operation.type === "Default") return union(held, this.textsOf(operation.operand));
    const added = operation.type === "Replace" ? this.textsOf(operation.replacement) : [];
    const texts = union(held, added);
    return texts?.every((text) => TAME.test(text)) ? texts : undefined;
  }
}

function union(...all: (Texts | undefined)[]): Texts {
  const texts = new Set<string>();
  for (const some of all) {
    if (some === undefined) return undefined;
    for (const text of some) texts.add(text);
  }
  return texts.size > MOST_TEXTS ? undefined : [...texts];
}

function hasGlob(word: Word): boolean {
  return (word.parts ?? []).some(({ type }) => type === "Glob" || type === "ExtendedGlob");
}
