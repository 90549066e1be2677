/** File names below `root` with what they should hold. */
export declare function generated(root: string): Record<string, string>;
