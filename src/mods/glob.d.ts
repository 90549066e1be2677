export declare function compileGlob(pattern: string): (path: string) => boolean;
