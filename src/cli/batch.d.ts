/** Calls from standard input: read as they come, run some at once, answered in call order. */
import type { Runtime } from "../agent.ts";
import type { CallOptions } from "../core/call.ts";
import type { Turn } from "../core/turn.ts";
import type { Invocation } from "./command.ts";
import { type Totals } from "./commands/exec.ts";
export declare function batch(runtime: Runtime, turn: Turn, options: CallOptions, invocation: Invocation): Promise<Totals>;
