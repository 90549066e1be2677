/** `agent complete -- WORDS`: what may come next, for the completion scripts. */
import type { Invocation } from "../command.ts";
export declare function run({ args }: Invocation): Promise<number>;
