/**
 * The event stream: what `--jsonl` prints and the log holds, one JSON object a line. Fields are only ever added.
 * The schemas are written once, for zod; types follow from them, and `agent schema` prints them as JSON Schema.
 */
import type * as zod from "zod";
import { OUTCOMES } from "./result.ts";
import { STREAM_VERSION } from "./stream_version.ts";
import type { Zod } from "./tool.ts";

/** All events by type. `z` is handed in so that nothing but `agent schema` loads zod. */
export function streamSchemas(z: Zod) {
  const at = z.string().describe("local time, ISO 8601 with offset");
  const block = z.union([
    z.object({ type: z.literal("text"), text: z.string() }),
    z.object({ type: z.literal("image"), mediaType: z.string(), data: z.string().describe("base64") }),
  ]);
  const outcome = z.enum(OUTCOMES);
  const result = z.object({
    id: z.string(),
    name: z.string().describe("as the call had it"),
    tool: z.string().optional().describe("the canonical name"),
    outcome,
    status: z.enum(["success", "error"]),
    content: z.array(block).readonly(),
    stdout: z.array(z.string()).readonly().optional(),
    stderr: z.array(z.string()).readonly().optional(),
    exitCode: z.int().optional(),
    overflow: z.string().optional().describe("the file that holds what was cut"),
    overflowCutAt: z.int().optional().describe(
      "where that file was cut too, at its cap: the bytes of the text that it holds, the first ones",
    ),
    structured: z.unknown().optional(),
    rewritten: z.object({ args: z.unknown(), by: z.array(z.string()).readonly() }).optional()
      .describe("what ran where mods or hooks changed the arguments, and who changed them"),
    durationMs: z.number(),
    at,
    weekday: z.string(),
  });
  return {
    session_start: z.object({
      type: z.literal("session_start"),
      version: z.literal(STREAM_VERSION),
      session: z.string(),
      cwd: z.string(),
      runtime: z.string(),
      agent: z.string(),
      at,
    }),
    tool_start: z.object({
      type: z.literal("tool_start"),
      id: z.string(),
      parent: z.string().optional(),
      name: z.string(),
      args: z.unknown().describe("as they came, secrets redacted"),
      origin: z.enum(["person", "script", "model"]).optional().describe("whose call it is"),
      cwd: z.string().optional().describe("the folder that it was made in"),
      at,
    }),
    tool_output: z.object({
      type: z.literal("tool_output"),
      id: z.string(),
      stream: z.enum(["stdout", "stderr"]),
      text: z.string(),
      omitted: z.int().optional().describe(
        "on the call's last event: how many characters of its output the stream left out",
      ),
    }),
    tool_end: result.extend({
      type: z.literal("tool_end"),
      mods: z.record(z.string(), z.record(z.string(), z.number())).optional()
        .describe("milliseconds that handlers took, by plugin and event"),
      asked: z.boolean().optional().describe("whether somebody said yes, where that was needed"),
      notes: z.int().optional().describe(
        "how many blocks of feedback and context hooks put after the result",
      ),
      notices: z.int().optional().describe("how many blocks of notices stand after that"),
      trail: z.array(z.object({
        step: z.string().describe(
          "of the call's life: rules, an event of mods or hooks, permission, wait, run",
        ),
        did: z.string().describe(
          "denied, answered, rewritten, failed, allowed, asked, said, waited, ran",
        ),
        by: z.string().optional().describe("who"),
        reason: z.string().optional(),
        ms: z.number().optional(),
        changed: z.record(z.string(), z.object({ from: z.unknown().optional(), to: z.unknown().optional() }))
          .optional().describe("arguments that changed, long ones shortened"),
      })).readonly().optional().describe("what was done to the call, step by step, secrets redacted"),
      changedBy: z.array(z.string()).readonly().optional()
        .describe("who changed the tool's result: plugins, hooks"),
      original: z.object({
        content: z.array(block).readonly(),
        status: z.enum(["success", "error"]),
        outcome,
        stdout: z.array(z.string()).readonly().optional(),
        stderr: z.array(z.string()).readonly().optional(),
        exitCode: z.int().optional(),
      }).optional().describe("what the tool gave before that, with the setting log.originals"),
    }),
    notice: z.object({ type: z.literal("notice"), source: z.string(), text: z.string(), at }),
    session_end: z.object({ type: z.literal("session_end"), session: z.string(), reason: z.string(), at }),
    result: z.object({
      type: z.literal("result"),
      calls: z.int(),
      failed: z.int(),
      exitCode: z.int(),
    }),
    error: z.object({ type: z.literal("error"), message: z.string(), hint: z.string().optional() }),
  };
}

type Schemas = ReturnType<typeof streamSchemas>;
/** Any event of the stream. */
export type StreamEvent = { [E in keyof Schemas]: zod.infer<Schemas[E]> }[keyof Schemas];

/** Whoever takes the stream: the log, the command line, a host. */
export type Sink = (event: StreamEvent) => void;
