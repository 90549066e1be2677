import { type Output } from "../core/tool.ts";
export interface ReadArgs {
    path: string;
    offset?: number;
    limit?: number;
}
/** A page of a file: the lines as they are, without their ends. */
export interface Page {
    path: string;
    lines: string[];
    /** The number of the first line, from 1. */
    start: number;
    total: number;
    /** The page ended because its characters, not its lines, ran out. */
    full: boolean;
    undecodable: boolean;
    note?: string;
}
/** Lines a page has at most, characters a line shows at most. */
export declare const PAGE_LINES = 2000;
export declare const LINE_CHARS = 2000;
export declare const readFile: import("../core/tool.ts").AnyTool;
/** A page as text: each line behind its mark, then what is left and the call that continues. */
export declare function presentPage(data: Page, mark: (line: number) => string, next: (line: number) => string): Output;
