/**
 * What a command is: one declaration, from which parser, help, completions and the docs page are made. Reading
 * (this file, `parse.ts`) and doing (`commands/`) are apart.
 */
import type { Printer } from "./printer.ts";
export interface Flag {
    /** Without the dashes. */
    name: string;
    short?: string;
    /** The value's name in help; absent for a switch. */
    value?: string;
    /** May be given more than once. */
    repeat?: boolean;
    choices?: readonly string[];
    about: string;
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
    /** How many there may be; any number where absent. */
    most?: number;
    flags: readonly Flag[];
    examples: readonly Example[];
    /** Not shown. */
    hidden?: boolean;
    load(): Promise<{
        run(invocation: Invocation): Promise<number>;
    }>;
}
/** A command as it was typed, read and checked against its declaration. */
export interface Invocation {
    command: Command;
    flags: Flags;
    args: readonly string[];
    printer: Printer;
}
/** The given flags by name. */
export declare class Flags {
    #private;
    constructor(values: ReadonlyMap<string, readonly string[]>);
    has(name: string): boolean;
    /** The last value given. */
    get(name: string): string | undefined;
    all(name: string): readonly string[];
}
