/** A plugin that was found, not yet loaded. */
export interface Found {
    /** The file's name without its ending, or the folder's. */
    name: string;
    /** The file to load. */
    entry: string;
    /** Where it was found, for people. */
    place: string;
    /** `package.json` of a folder, which is an input of the bundle. */
    manifest?: string;
}
/** All plugins of all places. A place that was named and can't be read is an error; the user's may be missing. */
export declare function findPlugins(named: readonly string[], user: string): Found[];
