/**
 * Redaction of known secrets, in the forms in which a program may print them. It sits at the gate, before
 * anything is cut, stored, shown or given to a hook or mod. Not covered: a value that was rewritten by
 * arithmetic of its own.
 */
import type { Secret } from "./secrets.ts";
/** Text in, text out, with every known secret replaced by `<redacted:NAME>`. */
export interface Redactor {
    /** False where there is no secret to look for. */
    readonly active: boolean;
    redact(text: string): string;
    /** For text that comes in pieces: holds back exactly the end that may begin a secret. */
    stream(): RedactStream;
    /** The same for any JSON value; strings and keys are redacted, the rest is left. */
    redactJson<T>(value: T): T;
}
export interface RedactStream {
    push(text: string): string;
    /** What was held back, at the end of the stream. */
    flush(): string;
}
/** True for text that holds a redaction mark: such text is never written to a file. */
export declare function hasPlaceholder(text: string): boolean;
/** A redactor for these secrets; costs nothing where there are none. */
export declare function redactor(secrets: readonly Secret[]): Redactor;
