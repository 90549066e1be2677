import type { Invocation } from "../command.ts";
export declare function run({ flags, args, printer }: Invocation): Promise<number>;
