export declare function checkLayers(root: string): string[];
