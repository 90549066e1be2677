/** `agent hooks list`: command hooks in the order in which they count. */
import { resolvePath } from "../../core/paths.ts";
import { host } from "../../core/runtime.ts";
import { hookConfig } from "../../mods/load_hooks.ts";
import type { Invocation } from "../command.ts";
import { settingsOf } from "../open.ts";

export async function run(invocation: Invocation): Promise<number> {
  const { flags, printer } = invocation;
  const settings = await settingsOf(invocation);
  const files = flags.all("hooks").map((path) => resolvePath(host.cwd(), path));
  const { groups, hostEvents, failClosed } = await hookConfig(settings, files, (text) => printer.warn(text));
  if (flags.has("json")) {
    const rows = groups.map(({ event, matcher, sequential, source, hooks }) => ({
      event,
      matcher,
      sequential,
      source,
      hooks,
    }));
    printer.json({ failClosed, groups: rows, hostEvents });
    return 0;
  }
  if (groups.length + hostEvents.length === 0) printer.note("no hooks");
  for (const { event, matcher, sequential, source, hooks } of groups) {
    printer.line(`${event} ${matcher === "" ? "*" : matcher}${sequential ? " (in turn)" : ""}  ${source}`);
    for (const hook of hooks) {
      const command = [hook.command, ...hook.args ?? []].join(" ");
      const blocks = hook.onFailure === "block" || failClosed ? ", blocks when it fails" : "";
      printer.line(
        `  ${command}  (${hook.timeoutMs / 1000} s${hook.async ? ", in the background" : ""}${blocks})`,
      );
    }
  }
  for (const { event, source } of hostEvents) {
    printer.line(`${event}  ${source}`);
    printer.line("  fired by hosts alone");
  }
  return 0;
}
