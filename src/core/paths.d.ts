export declare function isAbsolute(path: string): boolean;
/** Drops `.`, empty parts and `x/..`; keeps no slash at the end. */
export declare function normalize(path: string): string;
export declare function join(...parts: string[]): string;
export declare function dirname(path: string): string;
export declare function basename(path: string): string;
/** `path` seen from `folder`; `undefined` when it isn't inside. `""` is the folder itself. */
export declare function inside(folder: string, path: string): string | undefined;
/** An absolute path from what was written: `~` and `~/x` are the home folder, anything else is relative to `cwd`. */
export declare function resolvePath(cwd: string, path: string): string;
/**
 * The identity of a path: its real path, links followed. For what doesn't exist yet, the real path of its
 * nearest existing parent and the rest as written. Locks, rules and read records all use this.
 */
export declare function realPath(path: string): string;
/**
 * Makes a folder and its missing parents. Climbs by hand: a recursive `mkdir` below `/proc` never returns on
 * Node 20.
 */
export declare function makeFolder(path: string, mode?: number): void;
export declare function exists(path: string): boolean;
