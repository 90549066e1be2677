/** The exports of `file`, which stands beside the running script. `build` is the file's content hash. */
export declare function loadCached(file: string, build: string, parent: NodeModule): unknown;
