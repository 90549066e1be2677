import { type OpenFile } from "./runtime.ts";
export interface OverflowOptions {
    /** The folder that holds a folder per project. */
    folder: string;
    /** The project's folder, for a readable and unique name. */
    project: string;
    enabled: boolean;
    /** Bytes a file may take. */
    fileCap: number;
    /** Bytes all files of all projects may take; the oldest go first. */
    totalCap: number;
}
/** Opens overflow files for one session, and clears old ones away. */
export declare class OverflowStore {
    #private;
    constructor(options: OverflowOptions);
    /** A new file for what `tool` prints; `undefined` where overflow is off or the file can't be made. */
    open(tool: string): OverflowFile | undefined;
    /** Writes a whole text; `undefined` where it could not be saved. */
    save(tool: string, text: string): string | undefined;
    /**
     * Removes files older than a day, and the oldest beyond the total cap. Files of this session stay, and files
     * that aren't ours; what can't be read is passed over.
     */
    clean(now?: number): void;
}
/** One overflow file being written. Write errors end it quietly: the result then says "not saved". */
export declare class OverflowFile {
    #private;
    readonly path: string;
    constructor(path: string, file: OpenFile, cap: number);
    write(text: string): void;
    /** The path of the whole file; `undefined` where it could not be written. */
    close(): string | undefined;
    /** Closes and removes the file: it turned out that nothing was cut. */
    discard(): void;
}
