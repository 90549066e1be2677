/** The version of `package.json`; a test compares the two. */
export declare const VERSION = "0.1.0";
