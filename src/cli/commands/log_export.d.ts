import type { Invocation } from "../command.ts";
export declare function run({ args, printer }: Invocation): Promise<number>;
