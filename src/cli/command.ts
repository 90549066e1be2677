/**
 * What a command is: one declaration, from which parser, help, completions and the docs page are made. Reading
 * (this file, `parse.ts`) and doing (`commands/`) are apart.
 */
import { quote, UsageError } from "../core/errors.ts";
import type { Printer } from "./printer.ts";

export interface Flag {
  /** Without the dashes. */
  name: string;
  short?: string;
  /** The value's name in help; absent for a switch. */
  value?: string;
  choices?: readonly string[];
  about: string;
}

/** How a flag is written: `--directory`, `-C`. */
export function spelled({ name, short }: Flag): string[] {
  return short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`];
}

export interface Example {
  line: string;
  about: string;
}

export interface Command {
  /** `exec`, or two words such as `mods list`. */
  name: string;
  about: string;
  /** Positional arguments, for help. */
  args?: string;
  /** The first of them is a tool's name. */
  takesTool?: boolean;
  /** What stands behind the first of them is passed on as it is, flags too. */
  passesOn?: true;
  /** How many there may be; any number where absent. */
  most?: number;
  flags: readonly Flag[];
  examples: readonly Example[];
  /** Not shown. */
  hidden?: boolean;
  load(): Promise<{ run(invocation: Invocation): Promise<number> }>;
}

/** A command as it was typed, read and checked against its declaration. */
export interface Invocation {
  command: Command;
  flags: Flags;
  args: readonly string[];
  printer: Printer;
}

/** The given flags by name. */
export class Flags {
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** The last value given. */
  get(name: string): string | undefined {
    return this.#values.get(name)?.at(-1);
  }

  entries(): [string, readonly string[]][] {
    return [...this.#values];
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  /** The last value given, which must be a number above 0. */
  positive(name: string): number | undefined {
    const text = this.get(name);
    if (text === undefined) return undefined;
    const number = Number(text);
    if (text.trim() !== "" && Number.isFinite(number) && number > 0) return number;
    throw new UsageError(`Cannot use --${name} ${quote(text)}: not a number above 0`);
  }
}
