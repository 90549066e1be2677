import type { Found } from "./places.ts";
export interface Bundle {
    format: "cjs" | "esm";
    /** The file in the cache. */
    file: string;
    /** Modules of the host's that must be loaded before it runs. */
    needs: readonly string[];
}
export declare class BundleCache {
    #private;
    constructor(cache: string);
    /** The plugin's bundle, built if need be. Throws esbuild's message where it can't be built. */
    bundle(found: Found): Promise<Bundle>;
    /** The script of a bundle. */
    read(bundle: Bundle): string;
    /** Writes the index if something changed. A cache that can't be written costs time, nothing else. */
    save(): void;
}
/** The name under which module bundles find the host. */
export declare const HOST_SYMBOL = "agent.plugin-host";
