import { type EventName, type Handlers } from "../core/events.ts";
import type { Registry } from "../core/registry.ts";
import { type Watchdog } from "../core/watchdog.ts";
import type { ModContext } from "../sdk.ts";
import type { Found } from "./places.ts";
export type Phase = "build" | "import" | "setup" | "ready" | "disposed" | "disabled";
/** A plugin as `agent mods list` shows it. */
export interface ModStatus {
    name: string;
    path: string;
    place: string;
    state: "ready" | "failed" | "disabled" | "disposed";
    /** Where it failed, and why. */
    phase?: Phase;
    reason?: string;
    uses: readonly string[];
    tools: readonly string[];
    events: readonly EventName[];
    loadMs: number;
}
export interface ModHostParts {
    registry: Registry;
    watchdog: Watchdog;
    cacheFolder: string;
    storageFolder: string;
    loadTimeoutMs: number;
    options: Readonly<Record<string, unknown>>;
    required: readonly string[];
    exec(command: string, cwd: string, signal: AbortSignal): ReturnType<ModContext["exec"]>;
    /** A diagnostic for people. */
    warn(text: string): void;
}
export declare class ModHost {
    #private;
    constructor(parts: ModHostParts);
    /** Loads all plugins at once and sets them up one after another, in the order given. */
    load(found: readonly Found[]): Promise<void>;
    /** Everything registered, in running order; a snapshot. */
    handlers(): Handlers;
    list(): ModStatus[];
    /** Disposes all plugins, the last first. Their handles say "stale" from here on. */
    dispose(): Promise<void>;
    /** The plugin whose script appears in an error's stack. */
    ownerOf(stack: string): string | undefined;
}
