/**
 * Reads a command line that is in order, from the declarations. Anything else (an unknown word, a flag without its
 * value, a call for help) is left to commander, which explains it; a cold start doesn't load commander.
 */
import { type Command, Flags } from "./command.ts";
export interface Parsed {
    command: Command;
    flags: Flags;
    args: string[];
}
/** `undefined`: not understood, or help is wanted. */
export declare function parse(words: readonly string[]): Parsed | undefined;
