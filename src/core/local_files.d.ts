import type { Files } from "./files.ts";
export declare function localFiles(): Files;
