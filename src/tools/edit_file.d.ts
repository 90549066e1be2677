export interface Edit {
    old_string: string;
    new_string: string;
    replace_all?: boolean;
    expected_replacements?: number;
}
export interface EditArgs {
    path: string;
    edits: Edit[];
    expected_sha256?: string;
}
export interface EditData {
    path: string;
    created: boolean;
    replaced: number;
    /** The first changed line, and the text around it as it is now. */
    line: number;
    snippet: string;
    oldSha256: string | undefined;
    newSha256: string;
}
export declare const editFile: import("../core/tool.ts").AnyTool;
/** Applies all edits, or throws an error that names the one that can't be applied. */
export declare function applyEdits(path: string, text: string, edits: readonly Edit[]): {
    text: string;
    replaced: number;
    at: number;
};
interface Span {
    start: number;
    end: number;
}
/**
 * All places where `wanted` stands, left to right, not overlapping. Line ends are folded: an LF in `wanted` also
 * matches a CR LF in the text.
 */
export declare function findAll(text: string, wanted: string): Span[];
export {};
