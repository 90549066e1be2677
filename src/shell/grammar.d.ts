import type { Part } from "../core/permission.ts";
/** `undefined`: not bash, so nobody can tell what it would do. */
export declare function commandParts(command: string, cwd: string): Promise<Part[] | undefined>;
/**
 * `git:*` and `git *` stand for `git` with anything after it; `*` elsewhere for any run of characters; a pattern
 * without `*` for exactly that command.
 */
export declare function commandMatches(pattern: string, command: string): boolean;
