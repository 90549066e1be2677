export interface EnvironmentPolicy {
    keep: readonly string[];
    drop: readonly string[];
}
/** Environments for the commands of one session. */
export declare class Environment {
    #private;
    constructor({ keep, drop }: EnvironmentPolicy);
    /** The variables for `command`, with the secrets that it names. */
    forCommand(command: string, secrets: Record<string, string>): Record<string, string>;
    /** Names that commands don't get, for the note that explains a failing login. */
    droppedNames(): string[];
}
