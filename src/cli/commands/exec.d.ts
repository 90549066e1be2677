import type { Invocation } from "../command.ts";
export declare function run(invocation: Invocation): Promise<number>;
export interface Totals {
    calls: number;
    failed: number;
    exitCode: number;
}
/** A flag's value as a number above 0. */
export declare function positive(flag: string, text: string): number;
