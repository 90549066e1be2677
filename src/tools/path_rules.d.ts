/** Does the pattern fit the path or a folder that it is in? */
export declare function pathMatches(pattern: string, path: string, root: string): boolean;
