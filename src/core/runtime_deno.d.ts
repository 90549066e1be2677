/** `Host` on Deno, with `Deno.*` alone: touching `process` or a `node:` module would cost more than a whole start. */
import type { Host } from "./runtime.ts";
export declare function denoHost(): Host;
