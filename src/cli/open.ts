/** A runtime from the flags of a command. */
import { Runtime, type RuntimeParts, type TurnOptions } from "../agent.ts";
import { EXIT } from "../core/errors.ts";
import { type Behavior, parseRules } from "../core/permission.ts";
import { realPath, resolvePath } from "../core/paths.ts";
import { host } from "../core/runtime.ts";
import { loadSettings } from "../core/load_settings.ts";
import type { SettingName, Settings } from "../core/settings.ts";
import type { Answerer } from "../mods/asker.ts";
import { toolsetFor } from "../tools/toolsets.ts";
import type { Flags, Invocation } from "./command.ts";
import type { Printer } from "./printer.ts";

/** Settings with the flags above them. */
export function settingsOf(
  { flags, printer }: Invocation,
  more: readonly [SettingName, unknown][] = [],
): Promise<Settings> {
  const values = new Map<SettingName, unknown>(more);
  const mode = flags.get("mode");
  if (mode !== undefined) values.set("permissions.defaultMode", mode);
  if (flags.has("no-mods")) values.set("mods.enabled", false);
  const warn = (text: string) => printer.warn(text);
  return loadSettings(values, { cwd: host.cwd(), trustProject: flags.has("trust-project"), warn });
}

/** The same for whoever obeys them: what the project brings and isn't trusted is said to be left out. */
export async function settingsInForce(
  invocation: Invocation,
  more: readonly [SettingName, unknown][] = [],
): Promise<Settings> {
  const settings = await settingsOf(invocation, more);
  const { leftOut } = settings.trusted.project ?? {};
  if (leftOut !== undefined) invocation.printer.warn(leftOut);
  return settings;
}

/** Not started yet: `start()` loads plugins and hooks. */
export async function openRuntime(
  invocation: Invocation,
  more: Partial<RuntimeParts> = {},
): Promise<Runtime> {
  const { flags, printer } = invocation;
  const cwd = host.cwd();
  const named = flags.get("session") ?? (host.env("AGENT_SESSION") || undefined);
  const session = more.rehearsal ? undefined : named;
  const rules = (["deny", "ask", "allow"] as Behavior[])
    .flatMap((behavior) => flags.all(behavior).flatMap((text) => parseRules(text, behavior, realPath(cwd))));
  const canAsk = !flags.has("no-input") && host.isTerminal(2);
  const absolute = (paths: readonly string[]) => paths.map((path) => resolvePath(cwd, path));
  const runtime = new Runtime({
    settings: more.settings ?? await settingsInForce(invocation),
    cwd,
    session,
    plugins: absolute(flags.all("plugins")),
    hookFiles: absolute(flags.all("hooks")),
    rules,
    strictRules: true,
    catchStrays: true,
    warn: (text) => printer.warn(text),
    note: (text) => printer.note(text),
    askPerson: canAsk ? answerer(printer) : undefined,
    ...more,
  });
  printer.onBrokenPipe = () => {
    runtime.kill();
    host.exit(EXIT.done);
  };
  return runtime;
}

/** The terminal is opened by the first question. */
function answerer(printer: Printer): Answerer {
  let asked: Promise<Answerer> | undefined;
  return async (question) => {
    asked ??= import("./answer.ts").then(({ terminalAnswerer }) => terminalAnswerer(printer));
    return await (await asked)(question);
  };
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
