import type { Flags } from "./command.ts";
import { Printer } from "./printer.ts";
export declare function run(words: readonly string[]): Promise<number>;
export declare function printerFor(flags: Flags): Printer;
