/**
 * Errors a person or a model reads: action, quoted value, state (`Cannot read "x": no such file`), then a hint
 * that names the next step.
 */
/** Exit codes of the command line (`docs/cli.md`). */
export declare const EXIT: {
    readonly done: 0;
    readonly failed: 1;
    readonly usage: 2;
    readonly denied: 3;
    readonly credentials: 4;
    readonly timeout: 124;
    readonly interrupted: 130;
};
/** An error whose message is meant for whoever made the call. `hint` names the next step. */
export declare class AgentError extends Error {
    readonly name = "AgentError";
    readonly hint: string | undefined;
    constructor(message: string, hint?: string);
}
/** The command line or the settings are wrong: exit 2. */
export declare class UsageError extends AgentError {
    readonly usage = true;
}
/** The code of a system error, such as `ENOENT`; `undefined` for any other value. */
export declare function errorCode(error: unknown): string | undefined;
/** One line for any thrown value; never throws itself, whatever a stranger threw. */
export declare function messageOf(error: unknown): string;
/** `Cannot <action> "<path>": <state>` for a system error on a path; any other error comes back as it is. */
export declare function fileError(action: string, path: string, error: unknown): unknown;
/** The value in double quotes on one line, control characters escaped, so that an error can't forge a second line. */
export declare function quote(value: string): string;
/** The entries of `known` nearest to `name` by edit distance, best first, at most `count`. */
export declare function nearest(name: string, known: Iterable<string>, count?: number): string[];
