/** Asks a person on the terminal whether a call may run. */
import type { Question } from "../core/call.ts";
import type { Printer } from "./printer.ts";
/** One question at a time; "always" writes a rule to the user's settings. `undefined` without a terminal. */
export declare function terminalAsker(printer: Printer): ((question: Question) => Promise<boolean>) | undefined;
