/** A call and its result as handlers of mods see them: frozen, and made anew only when something changed. */
import type { ModCall, ModResult } from "./events.ts";
import type { Family } from "./face.ts";
import { type Result } from "./result.ts";
import type { Traits } from "./tool.ts";
type Compile = (pattern: string) => (path: string) => boolean;
/** All fields are set in one order, so that the engine gives every call the same shape: these are made by the dozen. */
export declare class CallView implements ModCall {
    #private;
    readonly id: string;
    readonly parent?: string;
    readonly name: string;
    readonly tool: string;
    readonly args: Readonly<Record<string, unknown>>;
    readonly face: {
        readonly args: unknown;
    };
    readonly traits?: Traits;
    readonly family: Family | undefined;
    readonly cwd: string;
    readonly dryRun: boolean;
    constructor(view: Omit<ModCall, "touches">, glob: Compile);
    /** True for a call that may touch anything, and for one whose paths the glob matches. */
    touches(pattern: string): boolean;
}
/** Takes the result over: it is frozen, its blocks too. */
export declare function modResult(result: Result): ModResult;
export {};
