import type { Command, Flag } from "./command.ts";
/** Flags that every command takes. */
export declare const COMMON: readonly Flag[];
export declare const COMMANDS: readonly Command[];
/** Environment variables, for help. */
export declare const ENVIRONMENT: readonly (readonly [string, string])[];
export declare const EXIT_CODES: readonly (readonly [string, string])[];
