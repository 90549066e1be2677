import type { Turn } from "./turn.ts";
export type StreamName = "stdout" | "stderr";
export declare class OutputStreams {
    #private;
    /** `limit`: characters that the stream carries of this call. */
    constructor(turn: Turn, id: string, limit: number);
    /** Returns the redacted text that is safe to show now. */
    push(chunk: string, stream: StreamName): string;
    /** What redaction held back is let go; what was left out is counted. */
    end(): void;
}
