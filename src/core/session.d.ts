import type { Mode } from "./permission.ts";
export declare class Session {
    readonly id: string;
    /** The folder the session started in: the working folder that permission speaks of. A real path. */
    readonly project: string;
    /** The folder that relative paths are relative to, now. */
    cwd: string;
    mode: Mode;
    constructor(options: {
        id?: string;
        cwd: string;
        mode: Mode;
    });
    /** Folders whose files may be read without asking. */
    get folders(): readonly string[];
}
/** Sorts by time, and is safe as a file's name. */
export declare function newSessionId(now?: Date): string;
/** A session's name from the command line becomes a file's name, so only plain characters are taken. */
export declare function isSessionName(name: string): boolean;
