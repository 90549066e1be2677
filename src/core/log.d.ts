import type { StreamEvent } from "./stream.ts";
export declare class CallLog {
    #private;
    readonly path: string;
    /** The file is made at the first event. `complain` hears once when the log can't be written. */
    constructor(folder: string, session: string, complain: (message: string) => void);
    write(event: StreamEvent): void;
    close(): void;
}
/** Files of the log, oldest first, by the time in or of their names. */
export declare function logFiles(folder: string): {
    session: string;
    path: string;
    mtimeMs: number;
}[];
/** The events of a log file. A line cut short by a kill is passed over. */
export declare function readLog(path: string): StreamEvent[];
