import type { PlainTool } from "../core/registry.ts";
import type { ModContext, ModTool } from "../sdk.ts";
/** What a plugin's tools need from the host. */
export interface ModToolParts {
    mod: string;
    source: string;
    uses: readonly string[];
    /** Throws once the plugin is disposed. */
    alive(): void;
    zod: object | undefined;
    exec(command: string, cwd: string, signal: AbortSignal): ReturnType<ModContext["exec"]>;
}
export declare function modTool(given: ModTool<never>, parts: ModToolParts): PlainTool;
