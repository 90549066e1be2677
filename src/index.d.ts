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
import { type Mode } from "./core/permission.ts";
import { type SettingName } from "./core/settings.ts";
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
export declare function createRuntime(options?: CreateOptions): Promise<Runtime>;
