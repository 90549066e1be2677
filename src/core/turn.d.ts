import type { HandlerLimits, Handlers } from "./events.ts";
import { type Family } from "./face.ts";
import type { Files } from "./files.ts";
import type { Gate } from "./gate.ts";
import type { Hooks } from "./hooks.ts";
import type { Policy } from "./permission.ts";
import type { Entry } from "./registry.ts";
import type { Schedule } from "./schedule.ts";
import type { SecretStore } from "./secrets.ts";
import type { Session } from "./session.ts";
import type { Sink } from "./stream.ts";
/** A tool as a provider's request carries it. */
export interface ClientTool {
    name: string;
    description: string;
    /** The schema's key is the provider's: `input_schema`, `parameters`, `inputSchema`. */
    [schemaKey: string]: unknown;
}
/** Everything a call needs from outside; made once, never changed. */
export interface TurnParts {
    id: string;
    session: Session;
    family: Family;
    toolset: string;
    /** What the model sees, in order. */
    surface: readonly Entry[];
    /** Everything that may be called by name; the surface alone for a closed turn. */
    callable: readonly Entry[];
    handlers: Handlers;
    handlerLimits: HandlerLimits;
    glob(pattern: string): (path: string) => boolean;
    hooks: Hooks;
    policy: Policy;
    gate: Gate;
    secrets: SecretStore;
    schedule: Schedule;
    files: Files;
    emit: Sink;
}
export interface Turn extends TurnParts {
    /** The tool that a name means here: a mod's, an external one, a built-in; then the aliases. */
    find(name: string, family?: Family): Entry | undefined;
    /** An id for a call that came without one; never given twice. */
    callId(): string;
    /** Names like this one, best first. */
    near(name: string): string[];
    /** The surface as the family's provider takes it; the same bytes for the same surface. */
    clientTools(): ClientTool[];
    /** SHA-256 of `clientTools()` as JSON. */
    surfaceHash(): string;
}
export declare function makeTurn(parts: TurnParts): Turn;
/**
 * The surface of a toolset in publishing order: built-ins, then external, then mod tools, each by code unit. A
 * mod's or external tool that shadows a built-in takes its place.
 */
export declare function surfaceOf(entries: readonly Entry[], chosen: (entry: Entry) => boolean): Entry[];
