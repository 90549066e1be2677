/**
 * What bash evaluates although it isn't written as a command. In arithmetic a variable's value is an expression of its
 * own, and a subscript in it may run a command: `x='a[$(rm f)]'; echo $((x))`. So may the subscripts in the words that
 * builtins take for names, prompts (`${x@P}`, `PS4`), and files that shells read first (`BASH_ENV`).
 */
import type { ArithmeticExpression, Command, SyntaxNode, Word } from "unbash";
import { builtinOf, DECLARERS, type Name, namesIn } from "./builtins.ts";
import { isWrapper } from "./programs.ts";
import { type As, type Evaluated, Reading } from "./reading.ts";
import { contains, type Unbash, walk } from "./tree.ts";
import type { Variables } from "./variables.ts";
import { baseName, plain } from "./words.ts";

const NUMBER = /^(\d+|0[xX][0-9a-fA-F]+|\$[#?]|\$\{#\w*\}|)$/;
const COMPARES_NUMBERS = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"]);
/** A variable without a subscript, or with one that says nothing: `x`, `x[2]`, `x[@]`. */
const PLAIN_NAME = /^[^[$`]*(\[(\d+|[@*]|\$[#?])\])?$/;
/** What a transformation does that runs nothing: quoting, case, attributes. `P` expands a value as a prompt. */
const HARMLESS_TRANSFORM = /^[UuLQEAKak]$/;
/** Values that bash expands when it prints a prompt or a trace, or starts another shell. */
const EXPANDED = /^(PS[0-4]|BASH_ENV|ENV)$/;
/** Of these the value names a file that is run. */
const LOADED = /^(BASH_)?ENV$/;
/** Values that are commands: of bash, and of programs that look for their helpers so. */
const COMMANDS =
  /^(PROMPT_COMMAND|\w*(EDITOR|PAGER|VISUAL|ASKPASS|_RSH)|GIT_(SSH|PROXY|SSH_COMMAND|EXTERNAL_DIFF)|LESS(OPEN|CLOSE)|GIT_CONFIG_VALUE_\d+|\w+_COMMAND|BROWSER|FCEDIT)$/;

const EVALUATING: ReadonlySet<string> = new Set<SyntaxNode["type"]>([
  "ArithmeticExpansion",
  "ArithmeticCommand",
  "ArithmeticFor",
  "TestBinary",
  "TestUnary",
  "Assignment",
  "ParameterExpansion",
  "For",
  "Select",
  "FileDescriptorVariable",
  "Command",
]);

/** What bash evaluates at a node of the tree; `undefined` where it is nothing but numbers and plain names. */
export function evaluatedBy(
  unbash: Unbash,
  node: SyntaxNode,
  variables: Variables,
): Evaluated | undefined {
  if (!EVALUATING.has(node.type)) return undefined;
  const reading = new Reading(variables);
  new Evaluation(unbash, variables, reading).node(node);
  return reading.result();
}

class Evaluation {
  readonly #unbash: Unbash;
  readonly #variables: Variables;
  readonly #reading: Reading;

  constructor(unbash: Unbash, variables: Variables, reading: Reading) {
    this.#unbash = unbash;
    this.#variables = variables;
    this.#reading = reading;
  }

  node(node: SyntaxNode): void {
    switch (node.type) {
      case "ArithmeticExpansion":
        // Arithmetic that the parser doesn't know is a text like those in variables.
        if (!node.expression) this.#reading.text(node.text.slice(3, -2), "number");
        return this.#arithmetic(node.expression);
      case "ArithmeticCommand":
        if (!node.expression) this.#reading.text(node.body, "number");
        return this.#arithmetic(node.expression);
      case "ArithmeticFor":
        for (const part of [node.initialize, node.test, node.update]) this.#arithmetic(part);
        return;
      case "TestBinary":
        if (!COMPARES_NUMBERS.has(node.operator)) return;
        this.#number(node.left);
        return this.#number(node.right);
      case "TestUnary":
        if (node.operator !== "-v" && node.operator !== "-R") return;
        return this.#reading.word(node.operand, "name");
      case "Assignment":
        this.#subscript(node.name, node.index);
        if (node.value.type === "ArrayValue") {
          for (const word of node.value.elements) {
            if (word.text.startsWith("[")) this.#reading.word(word, "name");
          }
          return;
        }
        return this.#setting(node.name, node.value);
      case "ParameterExpansion": {
        const { index, operation, prefix, parameter } = node;
        if (index && !/^[@*]$/.test(index.text)) this.#subscript(parameter, index);
        if (operation?.type === "Slice") {
          this.#number(operation.offset);
          this.#number(operation.length);
        } else if (operation?.type === "Unknown") this.#reading.miss();
        else if (operation?.type === "Transform" && !HARMLESS_TRANSFORM.test(operation.operand.text)) {
          this.#reading.value(parameter, "string");
        }
        if (operation?.type === "Default" && operation.operator.endsWith("=")) {
          this.#setting(parameter, operation.operand);
        }
        const lists = operation?.type === "Names" || index && /^[@*]$/.test(index.text);
        if (prefix === "!" && !lists) this.#reading.value(parameter, "name");
        return;
      }
      case "For":
      case "Select":
        for (const word of node.wordlist ?? []) this.#setting(node.name.value, word);
        return;
      case "FileDescriptorVariable":
        if (!PLAIN_NAME.test(node.name)) this.#reading.text(node.name, "name");
        return;
      case "Command":
        return this.#command(node);
    }
  }

  #command(node: Command): void {
    for (const part of node.args) {
      // `{a[…]}>f` keeps a descriptor's number; the parser takes it for a word.
      if (/^\{\w+\[[^]*\]\}$/.test(part.text) && part.type === "Word") this.#reading.word(part, "name");
    }
    const builtin = builtinOf(node);
    if (!builtin) return;
    const { name, words, assignments } = builtin;
    if (name === "let") return words.forEach((word) => this.#number(word));
    const named = namesIn(builtin);
    if (!named) {
      if (isWrapper(baseName(name))) { for (const word of words) this.#assigned(word); }
      return;
    }
    for (const word of named.unsure) this.#option(word);
    for (const one of named.names) this.#name(one, named.sets);
    if (!DECLARERS.has(name)) return;
    for (const word of named.operands) this.#assigned(word);
    const operands = named.operands.map(({ value }) => /^\w*/.exec(value)![0]);
    for (const one of [...operands, ...assignments.map(({ name }) => name)]) {
      if (named.letters.includes("i")) this.#integer(one);
      if (named.letters.includes("n")) this.#reference(one);
    }
  }

  /** `NAME=value` as a word. */
  #assigned(word: Word): void {
    const name = /^\w+(?==)/.exec(word.value)?.[0];
    if (name === undefined) return;
    this.#settingTo(name, this.#variables.textsOf(word)?.map((text) => text.slice(name.length + 1)));
  }

  /** A word that may be an option, and so name a variable. */
  #option(word: Word): void {
    const texts = this.#variables.textsOf(word);
    if (texts?.every((text) => /^[^-+]/.test(text))) return;
    if (!texts) return this.#reading.miss();
    this.#reading.mark();
    for (const text of texts) this.#reading.text(text, "number");
  }

  #name(name: Name, sets: boolean): void {
    const text = "text" in name ? name.text : plain(name.word) ?? name.word.text;
    const bare = text.replace(/^["']/, "").replace(/\+?=[^]*/, "");
    if (sets && (EXPANDED.test(bare) || COMMANDS.test(bare))) this.#reading.miss();
    if (PLAIN_NAME.test(bare)) return;
    if ("text" in name) this.#reading.text(bare, "name");
    else this.#reading.word(name.word, "name");
  }

  #arithmetic(expression: ArithmeticExpression | undefined): void {
    if (!expression || !contains(this.#unbash, expression, namesVariable)) return;
    this.#reading.mark();
    walk(this.#unbash, expression, (node) => {
      if (node.type === "ArithmeticCommandExpansion") {
        const { text, pos, end, script } = node;
        const part = { type: "CommandExpansion", text, pos, end, script } as const;
        this.#reading.word({ type: "Word", text, value: text, pos, end, parts: [part] }, "number");
      }
      if (node.type !== "ArithmeticWord" || NUMBER.test(node.value.trim())) return;
      const { value, pos, end, parts } = node;
      this.#reading.word({ type: "Word", text: value, value, pos, end, parts }, "number");
    });
  }

  #number(word: Word | undefined): void {
    if (word && !NUMBER.test(word.text.trim())) this.#reading.word(word, "number");
  }

  #subscript(name: string, index: Word | undefined): void {
    if (!index || NUMBER.test(index.text.trim())) return;
    this.#reading.mark();
    // What was declared as a table takes a subscript as it is.
    if (!this.#variables.tables.has(name)) this.#reading.word(index, "number");
  }

  #setting(name: string, value: Word): void {
    if (this.#variables.integers.has(name)) this.#number(value);
    this.#settingTo(name, EXPANDED.test(name) || COMMANDS.test(name) ? this.#variables.textsOf(value) : []);
  }

  #settingTo(name: string, texts: readonly string[] | undefined): void {
    const as: As | undefined = EXPANDED.test(name) ? "string" : COMMANDS.test(name) ? "command" : undefined;
    if (!as) return;
    if (!texts) this.#reading.miss();
    for (const text of texts ?? []) {
      this.#reading.text(text, as);
      if (LOADED.test(name) && text !== "" && text !== "/dev/null") this.#reading.miss();
    }
  }

  #integer(name: string): void {
    const texts = this.#variables.valuesOf(name);
    if (texts?.every((text) => NUMBER.test(text))) return;
    this.#reading.value(name, "number");
  }

  /** A variable that stands for another: which one, is an evaluated name. */
  #reference(name: string): void {
    const texts = this.#variables.valuesOf(name);
    if (texts?.every((text) => PLAIN_NAME.test(text))) return;
    this.#reading.value(name, "name");
  }
}

function namesVariable(node: SyntaxNode): boolean {
  return node.type === "ArithmeticCommandExpansion" ||
    node.type === "ArithmeticWord" && !NUMBER.test(node.value.trim());
}
