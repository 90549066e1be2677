/**
 * The library: for hosts that talk to a model themselves and want its tools run well.
 *
 *     const runtime = await createRuntime({ cwd: "/work/project" });
 *     const turn = await runtime.prepareTurn({ toolset: "default" });
 *     // send turn.clientTools() to the model; for each call it makes:
 *     const result = await runtime.call(turn, { id, name, args });
 *     await runtime.close();
 */
import { Runtime } from "./agent.ts";
import { nearest, quote, UsageError } from "./core/errors.ts";
import { type Behavior, type Mode, MODES, parseRules } from "./core/permission.ts";
import { realPath, resolvePath } from "./core/paths.ts";
import { host } from "./core/runtime.ts";
import { loadSettings } from "./core/load_settings.ts";
import { checkSetting, isSetting, type SettingName, SETTINGS } from "./core/settings.ts";
import type { StreamEvent } from "./core/stream.ts";
import type { PluginQuestion } from "./mods/asker.ts";

export type { CallOptions, CallRequest, Origin, Question } from "./core/request.ts";
export type { Family } from "./core/face.ts";
export type { HostEvent, HostEvents, HostVerdict } from "./core/hooks.ts";
export type { Mode } from "./core/permission.ts";
export type { Outcome, Result } from "./core/result.ts";
export type { JsonSchema } from "./core/schema.ts";
export type { StreamEvent } from "./core/stream.ts";
export type { Block, Context, Effect, Subject, Traits } from "./core/tool.ts";
export type { ClientTool, Turn } from "./core/turn.ts";
export type { EndedCommand, ExternalTool, Runtime, TurnOptions } from "./agent.ts";
export type { PluginQuestion } from "./mods/asker.ts";
export type { ModStatus } from "./mods/status.ts";
export { AgentError, UsageError } from "./core/errors.ts";
export { clip, textOf } from "./core/result.ts";
export { toolsetFor } from "./tools/toolsets.ts";

export interface CreateOptions {
  /** The working folder; the process' own where absent. */
  cwd?: string;
  mode?: Mode;
  /** A name joins several runs into one session. */
  session?: string;
  /** Folders of plugins, before the user's own. */
  plugins?: readonly string[];
  hookFiles?: readonly string[];
  allow?: readonly string[];
  ask?: readonly string[];
  deny?: readonly string[];
  /** Settings by dotted name, as flags would set them. */
  settings?: Partial<Record<SettingName, unknown>>;
  /** Takes the settings, hooks and plugins of the folder's repository for this runtime, whether it is trusted or not. */
  trustProject?: boolean;
  onEvent?(event: StreamEvent): void;
  /** Diagnostics; standard error where absent. */
  warn?(text: string): void;
  /** What plugins have to say to people; told like a diagnostic where absent. */
  note?(text: string): void;
  /** Answers questions of plugins, e.g. by asking a person; `undefined` where nobody answered. */
  askPerson?(question: PluginQuestion): Promise<string | undefined>;
}

/** Every option, so that a misspelt one is an error and not silence. */
const OPTIONS: Readonly<Record<keyof CreateOptions, true>> = {
  cwd: true,
  mode: true,
  session: true,
  plugins: true,
  hookFiles: true,
  allow: true,
  ask: true,
  deny: true,
  settings: true,
  trustProject: true,
  onEvent: true,
  warn: true,
  note: true,
  askPerson: true,
};

function unknownName(what: string, name: string, known: readonly string[]): UsageError {
  const [near] = nearest(name, known, 1);
  const hint = near === undefined ? `one of ${known.join(", ")}` : `did you mean ${near}?`;
  return new UsageError(`Cannot use the ${what} ${quote(name)}: no such ${what}`, hint);
}

function isFolder(path: string): boolean {
  try {
    return host.files.stat(path).kind === "directory";
  } catch {
    return false;
  }
}

/** Reads settings, loads plugins and hooks, and starts a session. `close()` ends it. */
export async function createRuntime(options: CreateOptions = {}): Promise<Runtime> {
  const warn = options.warn ?? ((text: string) => host.write(2, `warning: ${text}\n`));
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(OPTIONS, name)) throw unknownName("option", name, Object.keys(OPTIONS));
  }
  const cwd = realPath(resolvePath(host.cwd(), options.cwd ?? "."));
  if (!isFolder(cwd)) {
    throw new UsageError(`Cannot start in ${quote(options.cwd ?? cwd)}: no such folder`);
  }
  const flags = new Map<SettingName, unknown>();
  for (const [name, value] of Object.entries(options.settings ?? {})) {
    if (!isSetting(name)) throw unknownName("setting", name, Object.keys(SETTINGS));
    checkSetting(name, value, "createRuntime");
    flags.set(name, value);
  }
  if (options.mode !== undefined) {
    if (!MODES.includes(options.mode)) throw unknownName("mode", options.mode, MODES);
    flags.set("permissions.defaultMode", options.mode);
  }
  const rules = (["deny", "ask", "allow"] as Behavior[])
    .flatMap((behavior) => (options[behavior] ?? []).flatMap((text) => parseRules(text, behavior, cwd)));
  const settings = await loadSettings(flags, { cwd, trustProject: options.trustProject ?? false, warn });
  const { leftOut } = settings.trusted.project ?? {};
  if (leftOut !== undefined) warn(leftOut);
  const runtime = new Runtime({
    settings,
    cwd,
    rules,
    warn,
    note: options.note ?? options.warn ?? ((text) => host.write(2, `${text}\n`)),
    ...(options.session !== undefined && { session: options.session }),
    ...(options.plugins && { plugins: options.plugins.map((path) => resolvePath(cwd, path)) }),
    ...(options.hookFiles && { hookFiles: options.hookFiles.map((path) => resolvePath(cwd, path)) }),
    ...(options.askPerson && { askPerson: (question) => options.askPerson!(question) }),
    ...(options.onEvent && { onEvent: options.onEvent }),
  });
  try {
    await runtime.start();
  } catch (error) {
    await runtime.close();
    throw error;
  }
  return runtime;
}
