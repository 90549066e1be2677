/**
 * The composition root: settings → tools, plugins, hooks → a runtime that prepares turns and runs calls.
 */
import { type CallOptions, type CallRequest } from "./core/call.ts";
import { type Mode, type Rule } from "./core/permission.ts";
import { Registry } from "./core/registry.ts";
import { type Result } from "./core/result.ts";
import type { JsonSchema } from "./core/schema.ts";
import { Session } from "./core/session.ts";
import type { Settings } from "./core/settings.ts";
import { type Sink } from "./core/stream.ts";
import type { Context, Traits } from "./core/tool.ts";
import { type Turn } from "./core/turn.ts";
import type { ModStatus } from "./mods/host.ts";
export interface RuntimeParts {
    settings: Settings;
    cwd: string;
    /** A named session is joined: its log goes on. */
    session?: string;
    /** Folders of `--plugins`, before the user's. */
    plugins?: readonly string[];
    /** Files of `--hooks`. */
    hookFiles?: readonly string[];
    /** Rules of the command line, before those of settings. */
    rules?: readonly Rule[];
    /** Everything the log holds, as it happens. */
    onEvent?: Sink;
    /** Diagnostics for people. */
    warn(text: string): void;
}
/** A tool whose work is done elsewhere: an MCP server's, an SDK host's. */
export interface ExternalTool {
    name: string;
    description: string;
    inputSchema: JsonSchema;
    /** Where it comes from, for people. */
    source?: string;
    /** Hidden unless a turn chooses this scope. */
    scope?: string;
    /** What it does; absent: it may do anything, and runs alone. */
    traits?: Traits;
    execute(args: Record<string, unknown>, context: Context): unknown;
}
export interface TurnOptions {
    toolset?: string;
    /** Names from everything there is, instead of a toolset. */
    tools?: readonly string[];
    /** Scopes of external tools that this turn shows. */
    scopes?: readonly string[];
    cwd?: string;
    mode?: Mode;
    /** A model's turn calls what it was shown; a person may call any tool. */
    open?: boolean;
}
export declare class Runtime {
    #private;
    readonly session: Session;
    readonly registry: Registry;
    readonly settings: Settings;
    constructor(parts: RuntimeParts);
    /** Loads plugins and hooks, and starts the session. */
    start(): Promise<void>;
    /** A frozen turn: what a model is shown now, and what its calls will run. */
    prepareTurn(options?: TurnOptions): Promise<Turn>;
    /** Runs a call in a turn, given itself or by id. Never rejects but for an unknown turn. */
    call(turn: Turn | string, request: CallRequest, options?: CallOptions): Promise<Result>;
    /** Ends a turn that a host no longer needs. Calls in flight keep it. */
    releaseTurn(id: string): Promise<void>;
    /** Adds a tool whose work is done elsewhere; turns prepared from now on have it. Returns the remover. */
    addExternal(external: ExternalTool): () => void;
    mods(): ModStatus[];
    /** The plugin that an error's stack leads to, in words. */
    modOf(stack: string): string | undefined;
    get logPath(): string | undefined;
    /** Ends the session: hooks, plugins, everything that commands left running, the log. */
    close(reason?: string): Promise<void>;
    /** The same in a hurry, when the process is about to end. */
    kill(): void;
}
