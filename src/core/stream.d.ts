/**
 * The event stream: what `--jsonl` prints and the log holds, one JSON object a line. Fields are only ever added.
 * The schemas are written once, for zod; types follow from them, and `agent schema` prints them as JSON Schema.
 */
import type * as zod from "zod";
import type { Zod } from "./tool.ts";
export declare const STREAM_VERSION = 1;
/** All events by type. `z` is handed in so that nothing but `agent schema` loads zod. */
export declare function streamSchemas(z: Zod): {
    session_start: zod.ZodObject<{
        type: zod.ZodLiteral<"session_start">;
        version: zod.ZodLiteral<1>;
        session: zod.ZodString;
        cwd: zod.ZodString;
        runtime: zod.ZodString;
        agent: zod.ZodString;
        at: zod.ZodString;
    }, zod.core.$strip>;
    tool_start: zod.ZodObject<{
        type: zod.ZodLiteral<"tool_start">;
        id: zod.ZodString;
        parent: zod.ZodOptional<zod.ZodString>;
        name: zod.ZodString;
        args: zod.ZodUnknown;
        at: zod.ZodString;
    }, zod.core.$strip>;
    tool_output: zod.ZodObject<{
        type: zod.ZodLiteral<"tool_output">;
        id: zod.ZodString;
        stream: zod.ZodEnum<{
            stderr: "stderr";
            stdout: "stdout";
        }>;
        text: zod.ZodString;
        omitted: zod.ZodOptional<zod.ZodInt>;
    }, zod.core.$strip>;
    tool_end: zod.ZodObject<{
        id: zod.ZodString;
        name: zod.ZodString;
        tool: zod.ZodOptional<zod.ZodString>;
        outcome: zod.ZodEnum<{
            answered: "answered";
            denied: "denied";
            error: "error";
            interrupted: "interrupted";
            invalid: "invalid";
            success: "success";
            timeout: "timeout";
            unknown: "unknown";
        }>;
        status: zod.ZodEnum<{
            error: "error";
            success: "success";
        }>;
        content: zod.ZodReadonly<zod.ZodArray<zod.ZodUnion<readonly [zod.ZodObject<{
            type: zod.ZodLiteral<"text">;
            text: zod.ZodString;
        }, zod.core.$strip>, zod.ZodObject<{
            type: zod.ZodLiteral<"image">;
            mediaType: zod.ZodString;
            data: zod.ZodString;
        }, zod.core.$strip>]>>>;
        stdout: zod.ZodOptional<zod.ZodReadonly<zod.ZodArray<zod.ZodString>>>;
        stderr: zod.ZodOptional<zod.ZodReadonly<zod.ZodArray<zod.ZodString>>>;
        exitCode: zod.ZodOptional<zod.ZodInt>;
        overflow: zod.ZodOptional<zod.ZodString>;
        structured: zod.ZodOptional<zod.ZodUnknown>;
        durationMs: zod.ZodNumber;
        at: zod.ZodString;
        weekday: zod.ZodString;
        type: zod.ZodLiteral<"tool_end">;
    }, zod.core.$strip>;
    notice: zod.ZodObject<{
        type: zod.ZodLiteral<"notice">;
        source: zod.ZodString;
        text: zod.ZodString;
        at: zod.ZodString;
    }, zod.core.$strip>;
    session_end: zod.ZodObject<{
        type: zod.ZodLiteral<"session_end">;
        session: zod.ZodString;
        reason: zod.ZodString;
        at: zod.ZodString;
    }, zod.core.$strip>;
    result: zod.ZodObject<{
        type: zod.ZodLiteral<"result">;
        calls: zod.ZodInt;
        failed: zod.ZodInt;
        exitCode: zod.ZodInt;
    }, zod.core.$strip>;
    error: zod.ZodObject<{
        type: zod.ZodLiteral<"error">;
        message: zod.ZodString;
        hint: zod.ZodOptional<zod.ZodString>;
    }, zod.core.$strip>;
};
type Schemas = ReturnType<typeof streamSchemas>;
/** Any event of the stream. */
export type StreamEvent = {
    [E in keyof Schemas]: zod.infer<Schemas[E]>;
}[keyof Schemas];
/** Whoever takes the stream: the log, the command line, a host. */
export type Sink = (event: StreamEvent) => void;
export {};
