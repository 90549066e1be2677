/**
 * All that a plugin may import, as `"agent"` (or `"agent-runtime/sdk"`). Everything else reaches a plugin through the `agent` object that
 * `setup` is given.
 */
import type { EventName, HandlerFn } from "./core/events.ts";
import type { Files } from "./core/files.ts";
import type { Result } from "./core/result.ts";
import type { JsonSchema } from "./core/schema.ts";
import type { Effect, Place, Traits, Zod } from "./core/tool.ts";

export type { Answer, EventName, Events, HandlerFn, ModCall, ModResult, ResultLike } from "./core/events.ts";
export type { Block, Effect, Output, Place, Subject, Traits } from "./core/tool.ts";
export type { Outcome, Result } from "./core/result.ts";
export type { JsonSchema } from "./core/schema.ts";
export type { Change, Content, Files, Snapshot, WriteOptions, Written } from "./core/files.ts";

/** What a plugin's tool and its commands may use while they run. */
export interface WorkContext extends Place {
  readonly id: string;
  readonly signal: AbortSignal;
  /** Files by absolute path; `resolve` makes one. What is changed through it can be undone. */
  readonly files: Files;
  log(message: string): void;
  /**
   * Asks whoever is at the terminal; one of `choices` where they are given. Rejects where nobody can answer, or nobody
   * does.
   */
  ask(question: string, choices?: readonly string[]): Promise<string>;
  /** Needs `uses: ["secrets:NAME"]`. */
  secret(name: string): string | undefined;
  /** Runs a shell command outside the tools' permission; needs `uses: ["exec"]`. */
  exec(command: string): Promise<Executed>;
  /** Calls another tool on the same path, permission and mods included; needs `uses: ["call"]`. */
  call(name: string, args: Record<string, unknown>): Promise<Result>;
}

/** What a plugin's tool may use while it runs. */
export interface ModContext extends WorkContext {
  /** Sends text to whoever watches the call, secrets redacted. */
  output(text: string): void;
}

/** What a plugin's command may use while it runs. */
export interface CommandContext extends WorkContext {
  /** Text on standard output, secrets redacted; a line's end is added where there is none. */
  print(text: string): void;
}

/** How a command of `exec` ended. */
export interface Executed {
  /** A megabyte of each stream at most. */
  stdout: string;
  stderr: string;
  /** `undefined` when a signal ended it. */
  exitCode: number | undefined;
  /** It was ended after `shell.timeoutMs`. */
  timedOut: boolean;
  /** More was printed than is here. */
  cut: boolean;
}

/** A schema of zod's, seen from outside: its output type is what `run` gets. */
interface ZodLike<Output> {
  _zod: { output: Output };
}

/** A tool that a plugin brings. `input` is a zod schema or a JSON Schema. */
export interface ModTool<Args = Record<string, unknown>> {
  name: string;
  description: string;
  input?: ZodLike<Args> | JsonSchema;
  /** What it does at most, where `traits` doesn't say more; `run` where absent. */
  effect?: Effect;
  traits?(args: Args, place: Place): Traits;
  /** Characters of its result; the rest goes to an overflow file. */
  limit?: number;
  /** Text, blocks, a `{content, status}` object, or any JSON value. */
  run(args: Args, context: ModContext): unknown;
}

/** A command that a plugin brings: `agent x NAME [ARGS...]`. */
export interface ModCommand {
  /** Letters, digits, `-` and `_`. */
  name: string;
  /** One line, for the list of `agent x`. */
  description: string;
  /** The words behind its name, as they were typed. May return a text to print, or an exit code from 0 to 255. */
  run(args: readonly string[], context: CommandContext): unknown;
}

export interface HandlerOptions {
  /** Names of tools, any face's; the handler then sees their calls only. */
  tools?: readonly string[];
  effect?: Effect;
  /** Before or after the handlers of other plugins. */
  order?: "early" | "late";
}

/** The handle that `setup` is given. Once the plugin's disposal has ended every use of it is an error. */
export interface Agent {
  /** The plugin's name. */
  readonly name: string;
  /** A folder of the plugin's own, made when asked for. */
  readonly storage: string;
  /** Adds a tool; returns the remover. A built-in's name puts it before the built-in. */
  tool<Args = Record<string, unknown>>(tool: ModTool<Args>): () => void;
  /** Listens to an event; returns the remover. */
  on<E extends EventName>(event: E, handler: HandlerFn<E>, options?: HandlerOptions): () => void;
  /** Adds a command for people, `agent x NAME`; returns the remover. */
  command(command: ModCommand): () => void;
  /** A line on standard error, with the plugin's name. */
  log(message: string): void;
}

export interface Plugin<Options = Record<string, unknown>> {
  /** Letters, digits, `-` and `_`. */
  name: string;
  /**
   * What it uses beyond tools and events: `exec`, `call`, `permission`, `surface`, `secrets:NAME`. In a process of its own
   * also `read:PATH`, `write:PATH`, `net:HOST`, `env:NAME`, `run`.
   */
  uses?: readonly string[];
  /** `process`: it runs in a child of its own, with what `uses` says and nothing else. To be written plainly here. */
  isolation?: "process";
  /** A zod schema for the options of `plugins: {name: {…}}` in settings. */
  options?: { safeParse(value: unknown): { success: boolean; data?: unknown; error?: { message: string } } };
  /** Registers everything; may return what is to be called when the plugin is disposed. */
  setup(agent: Agent, options: Options): void | (() => unknown) | Promise<void | (() => unknown)>;
}

/** Gives a plugin its types; the default export of a plugin's file. */
export function definePlugin<Options = Record<string, unknown>>(plugin: Plugin<Options>): Plugin<Options> {
  return plugin;
}

/** The zod module, for those who only need its type. */
export type { Zod };
