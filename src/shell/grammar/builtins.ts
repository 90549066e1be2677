/** The words of builtins that name variables: bash evaluates their subscripts, and what they set has a text from elsewhere. */
import type { Assignment, Command, Word } from "unbash";
import { plain, setOf } from "./words.ts";

/** A builtin without `builtin` and `command` in front. */
export interface Builtin {
  name: string;
  words: readonly Word[];
  assignments: readonly Assignment[];
}

/** The builtin that a command runs, should its name be one's. */
export function builtinOf(node: Command): Builtin | undefined {
  let name = node.name && plain(node.name);
  let words = node.args.filter((part): part is Word => part.type === "Word");
  while (name !== undefined && FORWARDERS.has(name)) {
    const at = words.findIndex(({ value }) => !value.startsWith("-"));
    if (at < 0) return undefined;
    name = plain(words[at]!);
    words = words.slice(at + 1);
  }
  const assignments = node.args.filter((part): part is Assignment => part.type === "Assignment");
  return name === undefined ? undefined : { name, words, assignments };
}

/** Builtins that give variables attributes and values. */
export const DECLARERS = setOf("declare typeset local export readonly");
const FORWARDERS = setOf("builtin command");

interface Named {
  /** Options whose value is a text. */
  text: string;
  /** Options whose value names a variable. */
  name: string;
  /** Which operands name variables. */
  operands: "all" | "none" | "second";
  /** They get a text that isn't written here. */
  sets: boolean;
}

const NAMED: Readonly<Record<string, Named>> = {
  read: { text: "dinNptu", name: "a", operands: "all", sets: true },
  mapfile: { text: "dnOsucC", name: "", operands: "all", sets: true },
  readarray: { text: "dnOsucC", name: "", operands: "all", sets: true },
  getopts: { text: "", name: "", operands: "second", sets: true },
  printf: { text: "", name: "v", operands: "none", sets: true },
  wait: { text: "", name: "p", operands: "none", sets: false },
  unset: { text: "", name: "", operands: "all", sets: false },
};
for (const name of DECLARERS) {
  Object.assign(NAMED, { [name]: { text: "", name: "", operands: "all", sets: false } });
}

/** A word of a builtin that names a variable; one that is cut out of a word is a text. */
export type Name = { word: Word } | { text: string };

export interface Names {
  names: readonly Name[];
  /** Words that only the shell knows stand where options may: anything may be named. */
  unsure: readonly Word[];
  /** What isn't an option or an option's value. */
  operands: readonly Word[];
  /** The letters of its options. */
  letters: string;
  /** The variables get a text that isn't written here. */
  sets: boolean;
}

/** The variables that a builtin's words name; `undefined` for any other program. */
export function namesIn({ name, words }: Builtin): Names | undefined {
  if (name === "test" || name === "[") {
    return { names: tested(words), unsure: [], operands: [], letters: "", sets: false };
  }
  const kind = Object.hasOwn(NAMED, name) ? NAMED[name]! : undefined;
  if (!kind) return undefined;
  const names: Name[] = [], unsure: Word[] = [];
  let letters = "", index = 0;
  for (; index < words.length; index++) {
    const word = words[index]!;
    const text = plain(word);
    if (text === undefined && mayBeOption(word)) unsure.push(word);
    if (text === undefined || !/^[-+]./.test(text) || text === "--") break;
    for (let i = 1; i < text.length; i++) {
      const letter = text[i]!;
      letters += letter;
      const named = kind.name.includes(letter);
      if (!named && !kind.text.includes(letter)) continue;
      const value: Name | undefined = i + 1 < text.length
        ? { text: text.slice(i + 1) }
        : next(words, ++index);
      if (named && value) names.push(value);
      break;
    }
  }
  if (index < words.length && plain(words[index]!) === "--") index++;
  const operands = words.slice(index);
  const named = kind.operands === "all" ? operands : kind.operands === "second" ? operands.slice(1, 2) : [];
  names.push(...named.map((word) => ({ word })));
  return { names, unsure, operands, letters, sets: kind.sets };
}

function next(words: readonly Word[], index: number): Name | undefined {
  const word = words[index];
  return word && { word };
}

/** What follows `-v`, `-R` or an operator that only the shell knows; words without quotes may be several. */
function tested(words: readonly Word[]): Name[] {
  return words.flatMap((word, index): Name[] => {
    const before = index > 0 ? plain(words[index - 1]!) : "";
    const named = before === undefined || before === "-v" || before === "-R";
    return named || isSplit(word) ? [{ word }] : [];
  });
}

/** May bash make several words of this one? */
function isSplit(word: Word): boolean {
  return (word.parts ?? []).some(({ type }) =>
    type === "SimpleExpansion" || type === "ParameterExpansion" || type === "CommandExpansion"
  );
}

function mayBeOption(word: Word): boolean {
  const first = word.parts?.[0];
  const inner = first?.type === "DoubleQuoted" ? first.parts[0] : first;
  if (!inner || inner.type === "ArithmeticExpansion" || inner.type === "ProcessSubstitution") return false;
  return !("value" in inner && inner.value && !/^[-+{]/.test(inner.value));
}
