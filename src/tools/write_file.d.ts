export interface WriteArgs {
    path: string;
    content: string;
    expected_sha256?: string;
    create_only?: boolean;
}
export interface WriteData {
    path: string;
    content: string;
    created: boolean;
    oldSha256: string | undefined;
    newSha256: string;
    notes: string[];
}
export declare const writeFile: import("../core/tool.ts").AnyTool;
