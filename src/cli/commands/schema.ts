/** `agent schema`: JSON Schemas of the event stream, or of one tool's arguments. */
import { UsageError } from "../../core/errors.ts";
import { publishSchema } from "../../core/publish_schema.ts";
import { unknownTool } from "../../core/result.ts";
import { streamSchemas } from "../../core/stream.ts";
import type { Invocation } from "../command.ts";
import { surfaceOptions, withRuntime } from "../open.ts";

export async function run(invocation: Invocation): Promise<number> {
  const { args: [tool], printer } = invocation;
  if (tool !== undefined) return await toolSchema(invocation, tool);
  const z = await import("zod");
  const events = Object.entries(streamSchemas(z)).map(([name, schema]) => [name, z.toJSONSchema(schema)]);
  printer.line(JSON.stringify(Object.fromEntries(events), null, 2));
  return 0;
}

function toolSchema(invocation: Invocation, name: string): Promise<number> {
  return withRuntime(invocation, async (runtime) => {
    const turn = await runtime.prepareTurn({ open: true, ...surfaceOptions(invocation.flags) });
    const entry = turn.find(name);
    if (!entry) {
      const { message, hint } = unknownTool(name, turn.near(name));
      throw new UsageError(message, hint);
    }
    invocation.printer.line(JSON.stringify(publishSchema(entry.schema), null, 2));
    return 0;
  });
}
