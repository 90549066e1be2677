/**
 * The text of a file: its encoding, byte-order mark, line ends and last newline are known, and kept when it is
 * written again. Here: UTF-8 with and without a mark. Other bytes can be shown, with a note, and are never
 * rewritten.
 */
export interface FileText {
    /** Without the mark; line ends as they are. */
    text: string;
    /** The file starts with a UTF-8 byte-order mark. */
    mark: boolean;
    /** The bytes are not UTF-8: some characters of `text` are replacements, so it must not be written back. */
    undecodable: boolean;
}
export declare function decode(bytes: Uint8Array): FileText;
/** The bytes of `text`. Lone surrogates have no bytes, so the caller refuses them before. */
export declare function encode(text: string, mark: boolean): Uint8Array;
/**
 * Binary is told from the bytes, never from the name: a NUL, or many control characters and bytes that are no
 * UTF-8, in the first 8 KB. A character cut in half by the sample's end doesn't count.
 */
export declare function isBinary(bytes: Uint8Array): boolean;
/** The line end that most lines have. A file without any, or with as many of each, has LF. */
export declare function dominantEnd(text: string): "\n" | "\r\n";
/** `text` with `end` for every LF; CR LF and lone CR are left as they are when `end` is LF. */
export declare function withEnds(text: string, end: "\n" | "\r\n"): string;
