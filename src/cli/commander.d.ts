/** Prints help or the error, and gives back the exit code. */
export declare function explain(words: readonly string[]): number;
