import type { Invocation } from "../command.ts";
export declare function run({ args: [shell] }: Invocation): Promise<number>;
