/**
 * Calls and results in the forms that providers use. A call may come alone, as one JSON object, or inside a whole
 * response body; its result goes out in the same form.
 */
import type { CallRequest } from "../core/call.ts";
import { type Result } from "../core/result.ts";
export type DialectName = "agent" | "anthropic" | "openai";
/** The calls of one JSON value, and how their results are written: one value for all of them. */
export interface Batch {
    calls: CallRequest[];
    /** One JSON value. `results` are in the order of `calls`. */
    render(results: readonly Result[]): unknown;
}
/** Reads one JSON value. Throws a `UsageError` for a value that holds no call of a known form. */
export declare function readBatch(value: unknown, fixed?: DialectName): Batch;
/** A batch of one malformed call, answered in our own form. */
export declare function malformed(id: string, problem: string): Batch;
