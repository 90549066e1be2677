export declare function sha256(data: string | Uint8Array): string;
/** `count` random hex digits; for ids, not for keys. */
export declare function randomHex(count: number): string;
