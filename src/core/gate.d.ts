import type { OverflowStore } from "./overflow.ts";
import type { Redactor } from "./redact.ts";
import { type Shaped, type Stamp } from "./result.ts";
import type { Limit } from "./tool.ts";
export interface GateOptions {
    redactor: Redactor;
    overflow: OverflowStore;
    /** Characters that any result may have, whoever made it. */
    lastLimit: number;
    /** Limits by canonical tool name that replace the tools' own. */
    limits: Readonly<Record<string, number>>;
}
export declare class Gate {
    #private;
    readonly redactor: Redactor;
    readonly overflow: OverflowStore;
    constructor(options: GateOptions);
    /** The limit that holds for a tool: the user's, else its own, else the last one. */
    limitOf(tool: string, own: Limit | undefined): Limit;
    /** A tool's value: shaped into blocks, redacted, cut to the tool's limit with the whole in an overflow file. */
    admit(value: unknown, tool: string, limit: Limit): Shaped;
    /** The last step before a result leaves: redacted again, well-formed, within the last limit. */
    finish(shaped: Shaped, tool: string): Shaped;
    /** Now, as results and events carry it. Made once a second: a call asks for it four times. */
    stamp(): Stamp;
    redact(text: string): string;
}
