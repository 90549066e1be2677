/** What a running tool is given. A class, because one is made for every call. */
import type { Files } from "./files.ts";
import type { OverflowFile } from "./overflow.ts";
import type { RedactStream } from "./redact.ts";
import type { Entry } from "./registry.ts";
import { type Result } from "./result.ts";
import type { Context, Place, StreamGate } from "./tool.ts";
import type { Turn } from "./turn.ts";
/** What a context needs of its call. */
export interface Caller {
    readonly id: string;
    readonly person: boolean;
    readonly signal: AbortSignal;
    output(text: string, stream: "stdout" | "stderr"): void;
    nested(name: string, args: Record<string, unknown>): Promise<Result>;
}
/** Where a call happens. The folder is read when it is asked for: it is the session's and may change. */
export declare class TurnPlace implements Place {
    readonly cwd: string;
    constructor(cwd: string);
    resolve(path: string): string;
    identify(path: string): string;
}
export declare class CallContext implements Context, StreamGate {
    #private;
    constructor(turn: Turn, entry: Entry, caller: Caller, place: Place);
    get id(): string;
    get person(): boolean;
    get cwd(): string;
    get files(): Files;
    /** Made when asked for: most tools never look. */
    get signal(): AbortSignal;
    get gate(): StreamGate;
    resolve(path: string): string;
    identify(path: string): string;
    output(text: string, stream?: "stdout" | "stderr"): void;
    secret(name: string): string | undefined;
    call(name: string, args: Record<string, unknown>): Promise<Result>;
    log(message: string): void;
    get limit(): number;
    redaction(): RedactStream;
    overflow(): OverflowFile | undefined;
    secretsNamedIn(command: string): Record<string, string>;
}
