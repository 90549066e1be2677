/** JSON Schema out: the form in which a tool's schema is published. */
import { isRecord, put } from "./json.ts";
import type { JsonSchema } from "./schema.ts";

/**
 * No `$schema`, no bounds that only say "a safe integer", an object at the root. Key order is that of the source, so
 * the bytes are the same everywhere.
 */
export function publishSchema(schema: JsonSchema): JsonSchema {
  if (!isRecord(schema)) return { type: "object", properties: {} };
  const { type, ...rest } = clean(schema) as JsonSchema;
  if (type === "object") return { type, ...rest };
  return type === undefined && rest.properties
    ? { type: "object", ...rest }
    : { type: "object", properties: {} };
}

function clean(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(clean);
  if (!isRecord(node)) return node;
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) {
    if (key === "$schema" || key === "~standard") continue;
    if ((key === "minimum" || key === "maximum") && Math.abs(value as number) === Number.MAX_SAFE_INTEGER) {
      continue;
    }
    put(result, key, clean(value));
  }
  return result;
}
