import type { StreamName } from "./collector.ts";
export interface Start {
    /** The program and its arguments; nothing is interpreted. */
    argv: readonly string[];
    cwd: string;
    env: Record<string, string>;
    timeoutMs: number;
    signal?: AbortSignal | undefined;
    /** Written to standard input, which is empty otherwise. Whoever doesn't read it changes nothing. */
    input?: string;
    onOutput(chunk: Uint8Array, stream: StreamName): void;
}
export interface Ended {
    /** `undefined` when a signal ended it. */
    exitCode: number | undefined;
    signal: string | undefined;
    why: "exit" | "timeout" | "interrupted";
    /** Processes of the group that outlived the command. */
    survivors: boolean;
}
/** Process groups that may still have members; all are ended with the session. */
export declare class ProcessGroups {
    #private;
    add(group: number): void;
    remove(group: number): void;
    /** Ends every group, TERM first. */
    endAll(): Promise<void>;
    /** The same without waiting, for a process that is about to die. */
    killAll(): void;
}
/** Runs a command to its end. Rejects only where it can't be started. */
export declare function run(start: Start, groups: ProcessGroups): Promise<Ended>;
/** TERM, a moment, KILL. Resolves when no process of the group is left, or KILL was sent. */
export declare function endGroup(group: number): Promise<void>;
/** Not run on our machines; its argument list is tested. */
export declare function taskkillArgs(pid: number): string[];
export declare function sleep(ms: number): Promise<void>;
