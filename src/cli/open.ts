/** A runtime from the flags of a command. */
import { Runtime, type RuntimeParts, type TurnOptions } from "../agent.ts";
import { EXIT } from "../core/errors.ts";
import { type Behavior, parseRules } from "../core/permission.ts";
import { realPath, resolvePath } from "../core/paths.ts";
import { host } from "../core/runtime.ts";
import { loadSettings, type SettingName, type Settings } from "../core/settings.ts";
import { toolsetFor } from "../tools/toolsets.ts";
import type { Flags, Invocation } from "./command.ts";

/** Settings with the flags above them. */
export function settingsOf({ flags, printer }: Invocation): Promise<Settings> {
  const values = new Map<SettingName, unknown>();
  const mode = flags.get("mode");
  if (mode !== undefined) values.set("permissions.defaultMode", mode);
  if (flags.has("no-mods")) values.set("mods.enabled", false);
  return loadSettings(values, (text) => printer.warn(text));
}

/** Not started yet: `start()` loads plugins and hooks. */
export async function openRuntime(
  invocation: Invocation,
  more: Partial<RuntimeParts> = {},
): Promise<Runtime> {
  const { flags, printer } = invocation;
  const cwd = host.cwd();
  const session = flags.get("session") ?? (host.env("AGENT_SESSION") || undefined);
  const rules = (["deny", "ask", "allow"] as Behavior[])
    .flatMap((behavior) => flags.all(behavior).flatMap((text) => parseRules(text, behavior, realPath(cwd))));
  const absolute = (paths: readonly string[]) => paths.map((path) => resolvePath(cwd, path));
  const runtime = new Runtime({
    settings: await settingsOf(invocation),
    cwd,
    session,
    plugins: absolute(flags.all("plugins")),
    hookFiles: absolute(flags.all("hooks")),
    rules,
    strictRules: true,
    catchStrays: true,
    warn: (text) => printer.warn(text),
    note: (text) => printer.note(text),
    ...more,
  });
  printer.onBrokenPipe = () => {
    runtime.kill();
    host.exit(EXIT.done);
  };
  return runtime;
}

/** Which tools a turn shows, from `--toolset`, `--model` and `--tools`. */
export function surfaceOptions(flags: Flags): TurnOptions {
  const model = flags.get("model");
  const toolset = flags.get("toolset") ?? (model === undefined ? undefined : toolsetFor(model));
  const tools = flags.get("tools")?.split(",").map((name) => name.trim()).filter((name) => name !== "");
  return { toolset, tools };
}

/** Opens, starts, does `work`, and closes whatever happens. */
export async function withRuntime<T>(
  invocation: Invocation,
  work: (runtime: Runtime) => Promise<T>,
): Promise<T> {
  const runtime = await openRuntime(invocation);
  try {
    await runtime.start();
    return await work(runtime);
  } finally {
    await runtime.close();
  }
}
