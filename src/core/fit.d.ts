/**
 * The last steps of the gate: cut text to a limit with a true notice, and make every outgoing string well-formed.
 * Limits count UTF-16 code units.
 */
import type { Block } from "./tool.ts";
/** Where a cut falls: `middle` keeps both ends (the end holds the error), `head` keeps the start. */
export type Keep = "middle" | "head";
/** The last limit, for anything whoever made it: a text cut at 30,000 plus its notice isn't cut again. */
export declare const LAST_LIMIT = 32000;
/** `text` within `limit`, notice included, cut on grapheme borders. `where` is added to the notice. */
export declare function cut(text: string, limit: number, keep: Keep, where?: string): string;
/** At most the first `count` code units, ending on a grapheme border. */
export declare function takeHead(text: string, count: number): string;
/** At most the last `count` code units, starting on a grapheme border. */
export declare function takeTail(text: string, count: number): string;
/** The sentence that stands where text was cut. */
export declare function notice(omitted: number, where?: string): string;
/** Replaces lone surrogates: one of them makes a provider refuse this and every later request. */
export declare function wellFormed(text: string): string;
/** The last clamp: all text blocks together within `limit`, each well-formed; images are left alone. */
export declare function clamp(content: readonly Block[], limit?: number): readonly Block[];
