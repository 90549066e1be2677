/** Refuses text that can't be stored as it is: lone surrogates, and marks that stand for a redacted secret. */
export declare function refuseUnwritable(action: string, path: string, ...texts: readonly string[]): void;
