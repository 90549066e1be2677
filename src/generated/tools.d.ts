export declare const ASSETS: Readonly<Record<string, {
    description: string;
    schema: object;
}>>;
