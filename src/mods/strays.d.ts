/** Watches until the returned function is called. `owner` names the plugin that a stack leads to. */
export declare function watchStrays(owner: (stack: string) => string | undefined, warn: (text: string) => void): () => void;
