/** `agent mods list`: plugins with their state. */
import type { HandlerStatus, ModStatus } from "../../mods/host.ts";
import type { Invocation } from "../command.ts";
import { openRuntime } from "../open.ts";

export async function run(invocation: Invocation): Promise<number> {
  const runtime = await openRuntime(invocation);
  try {
    await runtime.start();
    show(runtime.mods(), invocation);
    return 0;
  } catch (error) {
    // Without a plugin that is required nothing starts; this is where one looks why.
    if (runtime.mods().length > 0) show(runtime.mods(), invocation);
    throw error;
  } finally {
    await runtime.close();
  }
}

function show(mods: readonly ModStatus[], { flags, printer }: Invocation): void {
  if (flags.has("json")) return printer.json(mods);
  if (mods.length === 0) printer.note("no plugins");
  for (const mod of mods) {
    const time = flags.has("timing") ? `, ${mod.loadMs} ms` : "";
    printer.line(`${mod.name}  ${mod.state}${mod.phase ? ` in ${mod.phase}` : ""}${time}`);
    printer.line(`  ${mod.path}`);
    if (mod.reason !== undefined) printer.line(`  ${mod.reason}`);
    if (mod.tools.length > 0) printer.line(`  tools: ${mod.tools.join(", ")}`);
    if (mod.handlers.length > 0) {
      printer.line(`  events: ${[...new Set(mod.handlers.map(inWords))].join(", ")}`);
    }
    if (mod.uses.length > 0) printer.line(`  uses: ${mod.uses.join(", ")}`);
  }
}

/** `tool_start (Bash, Write; late)` */
function inWords({ event, tools, effect, order }: HandlerStatus): string {
  const narrowed = [tools?.join(", "), effect, order === "normal" ? undefined : order]
    .filter((part) => part !== undefined).join("; ");
  return narrowed === "" ? event : `${event} (${narrowed})`;
}
