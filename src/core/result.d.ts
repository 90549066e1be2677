import type { Block, Output } from "./tool.ts";
/** What became of a call. */
export type Outcome = "success" | "error" | "denied" | "answered" | "interrupted" | "timeout" | "unknown" | "invalid";
/** One shape for `--json`, our dialect, the log and the library. */
export interface Result {
    id: string;
    /** The name as the call had it. */
    name: string;
    /** The canonical name of the capability; absent for an unknown tool. */
    tool?: string;
    outcome: Outcome;
    status: "success" | "error";
    content: readonly Block[];
    stdout?: readonly string[];
    stderr?: readonly string[];
    exitCode?: number;
    /** The file that holds what was cut. */
    overflow?: string;
    structured?: unknown;
    durationMs: number;
    /** When it ended: local time, ISO 8601 with offset. */
    at: string;
    weekday: string;
}
export interface Shaped extends Omit<Output, "content"> {
    content: readonly Block[];
    status: "success" | "error";
}
/**
 * Blocks from whatever a tool returned: nothing, a string, blocks, `{content}`, `{output}`, `{message}` alone,
 * `{files}`, `{todos}`, and anything else as JSON. Never throws: a value that can't be told as JSON is an error
 * result that says so.
 */
export declare function shape(value: unknown): Shaped;
export declare function text(value: string): Block[];
/** The text blocks of a result, joined; images are named in brackets. */
export declare function textOf(content: readonly Block[]): string;
export interface Stamp {
    at: string;
    weekday: string;
}
/** `at` and `weekday` of a moment, in local time. By hand: `Intl.DateTimeFormat` costs half a cold start. */
export declare function stamp(ms: number): Stamp;
/** For display: the first `lines` lines and how many follow. The model's text is never touched by this. */
export declare function clip(value: string, lines: number): string;
/** The canonical sentence for a call that its user stopped. */
export declare const INTERRUPTED = "User interrupted tool execution";
export declare function unknownTool(name: string, near: readonly string[]): {
    message: string;
    hint: string;
};
