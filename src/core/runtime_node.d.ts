/** `Host` on Node. Modules are fetched by `getBuiltinModule`, so that Deno never loads them for this file. */
import type { Host } from "./runtime.ts";
export declare function nodeHost(): Host;
