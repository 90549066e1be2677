import type { StreamGate } from "../core/tool.ts";
export type StreamName = "stdout" | "stderr";
export interface Collected {
    /** Both streams in order of arrival. */
    text: string;
    stdout: string;
    stderr: string;
    /** Bytes printed, before any cut. */
    bytes: number;
    overflow: string | undefined;
    cut: boolean;
}
/** Collects one command's output. */
export declare class Collector {
    #private;
    /** Something that looks like a terminal's escape code came by. */
    sawEscapes: boolean;
    /** `show` gets the text as it comes; it redacts for itself, since it may have watchers of its own. */
    constructor(gate: StreamGate, show: (text: string, stream: StreamName) => void);
    push(chunk: Uint8Array, stream: StreamName): void;
    /** The end: what decoders and redaction held back is let go. `clean` renders terminal text. */
    finish(limit: number, clean: (text: string) => string): Collected;
}
