/** `agent log list`: logged calls, newest last. */
import type { Invocation } from "../command.ts";
export declare function run({ flags, printer }: Invocation): Promise<number>;
