export interface Dirs {
    /** Settings, plugins and hooks of the user's. */
    config: string;
    /** Log, journal and overflow files. */
    state: string;
    /** Bundles of plugins; may be removed at any time. */
    cache: string;
    settingsFile: string;
    secretsFile: string;
    plugins: string;
    log: string;
    overflow: string;
    /** Storage of plugins, a folder each. */
    storage: string;
}
/** As the specification says, a relative value of an XDG variable is ignored. */
export declare function dirs(): Dirs;
