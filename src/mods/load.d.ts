import type { Plugin } from "../sdk.ts";
import { type Bundle, type BundleCache } from "./bundle.ts";
/** Modules that plugins share with the host. */
export interface HostModules {
    agent: object;
    zod?: object;
}
/** What a plugin file exports must be a plugin. Throws a sentence without a subject. */
export declare function loadPlugin(entry: string, bundle: Bundle, cache: BundleCache, modules: HostModules): Promise<Plugin>;
/** A stack frame of a plugin's script names it like this, which is how a late error finds its plugin. */
export declare function sourceName(entry: string): string;
/** esbuild's errors come in many lines; the first says what and where. */
export declare function briefly(error: unknown): string;
