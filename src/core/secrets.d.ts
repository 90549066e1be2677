export interface Secret {
    name: string;
    value: string;
}
export declare class SecretStore {
    #private;
    constructor(secrets: Iterable<Secret>);
    get(name: string): string | undefined;
    names(): string[];
    /** What redaction looks for: all but values that are too short or too common to be told from text. */
    redactable(): Secret[];
    /** The secrets that a command names as `$NAME` or `${NAME}`, for that child's environment. */
    namedIn(command: string): Record<string, string>;
}
/** The store from settings (`secrets`: names and patterns such as `*_TOKEN`) and `secrets.env`. */
export declare function loadSecrets(patterns: readonly string[]): SecretStore;
/** True for names that `pattern` stands for; `*` is any run of characters. */
export declare function namePattern(pattern: string): (name: string) => boolean;
