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
import { UsageError } from "./core/errors.ts";
import { type Behavior, type Mode, MODES, parseRule } from "./core/permission.ts";
import { realPath, resolvePath } from "./core/paths.ts";
import { host } from "./core/runtime.ts";
import { checkSetting, isSetting, loadSettings, type SettingName } from "./core/settings.ts";
import type { StreamEvent } from "./core/stream.ts";

export type { CallOptions, CallRequest, Origin, Question } from "./core/call.ts";
export type { Family } from "./core/face.ts";
export type { Mode } from "./core/permission.ts";
export type { Outcome, Result } from "./core/result.ts";
export type { JsonSchema } from "./core/schema.ts";
export type { StreamEvent } from "./core/stream.ts";
export type { Block, Context, Effect, Subject, Traits } from "./core/tool.ts";
export type { ClientTool, Turn } from "./core/turn.ts";
export type { ExternalTool, Runtime, TurnOptions } from "./agent.ts";
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
  onEvent?(event: StreamEvent): void;
  /** Diagnostics; standard error where absent. */
  warn?(text: string): void;
}

/** Reads settings, loads plugins and hooks, and starts a session. `close()` ends it. */
export async function createRuntime(options: CreateOptions = {}): Promise<Runtime> {
  const warn = options.warn ?? ((text: string) => host.write(2, `warning: ${text}\n`));
  const cwd = realPath(resolvePath(host.cwd(), options.cwd ?? "."));
  const flags = new Map<SettingName, unknown>();
  for (const [name, value] of Object.entries(options.settings ?? {})) {
    if (!isSetting(name)) throw new UsageError(`Cannot set ${name}: no such setting`);
    checkSetting(name, value, "createRuntime");
    flags.set(name, value);
  }
  if (options.mode !== undefined) {
    if (!MODES.includes(options.mode)) {
      throw new UsageError(`Cannot use the mode ${options.mode}: no such mode`);
    }
    flags.set("permissions.defaultMode", options.mode);
  }
  const rules = (["deny", "ask", "allow"] as Behavior[])
    .flatMap((behavior) => (options[behavior] ?? []).map((text) => parseRule(text, behavior, cwd)));
  const runtime = new Runtime({
    settings: await loadSettings(flags, warn),
    cwd,
    rules,
    warn,
    ...(options.session !== undefined && { session: options.session }),
    ...(options.plugins && { plugins: options.plugins.map((path) => resolvePath(cwd, path)) }),
    ...(options.hookFiles && { hookFiles: options.hookFiles.map((path) => resolvePath(cwd, path)) }),
    ...(options.onEvent && { onEvent: options.onEvent }),
  });
  await runtime.start();
  return runtime;
}
