/** `agent mods list`: plugins with their state. */
import type { Invocation } from "../command.ts";
import { withRuntime } from "../open.ts";

export function run(invocation: Invocation): Promise<number> {
  const { flags, printer } = invocation;
  return withRuntime(invocation, (runtime) => {
    const mods = runtime.mods();
    if (flags.has("json")) printer.json(mods);
    else if (mods.length === 0) printer.note("no plugins");
    for (const mod of flags.has("json") ? [] : mods) {
      const time = flags.has("timing") ? `, ${mod.loadMs} ms` : "";
      printer.line(`${mod.name}  ${mod.state}${mod.phase ? ` in ${mod.phase}` : ""}${time}`);
      printer.line(`  ${mod.path}`);
      if (mod.reason !== undefined) printer.line(`  ${mod.reason}`);
      if (mod.tools.length > 0) printer.line(`  tools: ${mod.tools.join(", ")}`);
      if (mod.events.length > 0) printer.line(`  events: ${mod.events.join(", ")}`);
      if (mod.uses.length > 0) printer.line(`  uses: ${mod.uses.join(", ")}`);
    }
    return Promise.resolve(0);
  });
}
