export interface PrinterOptions {
    color?: string | undefined;
    debug: boolean;
}
export declare class Printer {
    #private;
    /** Called once when nobody reads standard output any more. */
    onBrokenPipe: () => void;
    constructor(options: PrinterOptions);
    out(text: string): void;
    line(text: string): void;
    json(value: unknown): void;
    warn(text: string): void;
    note(text: string): void;
    /** `error: Cannot …`, a blank line, `hint: …`. */
    error(error: unknown): void;
    /** A failed call's text, which has its hint already. */
    failure(text: string): void;
}
