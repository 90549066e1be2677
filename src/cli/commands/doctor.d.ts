import type { Invocation } from "../command.ts";
export declare function run(invocation: Invocation): Promise<number>;
