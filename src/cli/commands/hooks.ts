/** `agent hooks list`: command hooks in the order in which they count. */
import { isHostEvent } from "../../core/hooks.ts";
import { resolvePath } from "../../core/paths.ts";
import { host } from "../../core/runtime.ts";
import { type AnyHook, nameOf } from "../../mods/hook_config.ts";
import { hookGroups, type HookPlaces } from "../../mods/load_hooks.ts";
import { trustedClaudePlugins } from "../../mods/trusted_plugins.ts";
import type { Invocation } from "../command.ts";
import { settingsInForce } from "../open.ts";

export async function run(invocation: Invocation): Promise<number> {
  const { flags, printer } = invocation;
  const groups = await hookGroups(await hookPlaces(invocation), (text) => printer.warn(text));
  if (flags.has("json")) {
    const rows = groups.map(({ event, matcher, sequential, source, hooks }) => ({
      event,
      matcher,
      sequential,
      source,
      hostOnly: isHostEvent(event),
      hooks,
    }));
    printer.json({ groups: rows });
    return 0;
  }
  if (groups.length === 0) printer.note("no hooks");
  for (const { event, matcher, sequential, source, hooks } of groups) {
    const how = sequential ? " (in turn)" : "";
    printer.line(`${event} ${matcher === "" ? "*" : matcher}${how}  ${source}`);
    if (isHostEvent(event)) printer.line("  fired by hosts alone");
    for (const hook of hooks) printer.line(`  ${nameOf(hook)}  (${inWords(hook)})`);
  }
  return 0;
}

/** Where the hooks of a runtime with these flags are written, without those that it would leave out. */
export async function hookPlaces(invocation: Invocation): Promise<HookPlaces> {
  const { flags, printer } = invocation;
  const settings = await settingsInForce(invocation);
  const absolute = (flag: string) => flags.all(flag).map((path) => resolvePath(host.cwd(), path));
  const search = { settings, named: absolute("plugins"), namedOnly: false };
  const plugins = trustedClaudePlugins(search, (text) => printer.warn(text));
  return { settings, project: host.cwd(), files: absolute("hooks"), plugins };
}

function inWords(hook: AnyHook): string {
  return [
    `${hook.timeoutMs / 1000} s`,
    hook.type === "http" ? "http" : hook.persistent ? "one process a session" : "",
    hook.if === undefined ? "" : `if ${hook.if}`,
    hook.async ? "in the background" : "",
    hook.onFailure === "block" ? "blocks when it fails" : "",
  ].filter((part) => part !== "").join(", ");
}
