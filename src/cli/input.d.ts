/** The arguments. Values of `key=value` are texts; the tool's schema makes them numbers and the like. */
export declare function readArguments(words: readonly string[]): Promise<Record<string, unknown>>;
/** Lines of standard input as they come, without their ends; blank ones too, so that numbers stay true. */
export declare function stdinLines(): AsyncGenerator<string>;
