import { type Mode } from "./permission.ts";
/** Everything that can be set, by its dotted name in `settings.json`. */
export declare const SETTINGS: {
    readonly "mods.enabled": {
        readonly kind: "boolean";
        readonly fallback: true;
        readonly about: "load plugins";
    };
    readonly "mods.loadTimeoutMs": {
        readonly kind: "number";
        readonly fallback: 10000;
        readonly about: "time a plugin may take to load, in ms";
    };
    readonly "mods.handlerTimeoutMs": {
        readonly kind: "number";
        readonly fallback: 5000;
        readonly about: "time a handler may take, in ms";
    };
    readonly "mods.required": {
        readonly kind: "strings";
        readonly fallback: readonly [];
        readonly about: "plugins without which nothing runs";
    };
    readonly plugins: {
        readonly kind: "object";
        readonly fallback: {};
        readonly about: "options of plugins, by name";
    };
    readonly hooks: {
        readonly kind: "object";
        readonly fallback: {};
        readonly about: "command hooks, in Claude Code's format";
    };
    readonly "permissions.allow": {
        readonly kind: "strings";
        readonly fallback: readonly [];
        readonly about: "rules for calls that may run";
    };
    readonly "permissions.ask": {
        readonly kind: "strings";
        readonly fallback: readonly [];
        readonly about: "rules for calls that need a yes";
    };
    readonly "permissions.deny": {
        readonly kind: "strings";
        readonly fallback: readonly [];
        readonly about: "rules for calls that never run";
    };
    readonly "permissions.defaultMode": {
        readonly kind: "string";
        readonly fallback: "default";
        readonly about: "what happens where no rule decides";
        readonly env: "AGENT_MODE";
        readonly oneOf: readonly ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"];
    };
    readonly toolset: {
        readonly kind: "string";
        readonly fallback: "default";
        readonly about: "the tools a model is shown";
    };
    readonly limits: {
        readonly kind: "object";
        readonly fallback: {};
        readonly about: "characters of a result, by tool";
    };
    readonly "limits.result": {
        readonly kind: "number";
        readonly fallback: 32000;
        readonly about: "characters of any result";
    };
    readonly "overflow.enabled": {
        readonly kind: "boolean";
        readonly fallback: true;
        readonly about: "keep what was cut in a file";
        readonly env: "AGENT_OVERFLOW";
    };
    readonly "overflow.fileCapBytes": {
        readonly kind: "number";
        readonly fallback: number;
        readonly about: "size of one overflow file";
    };
    readonly "overflow.totalCapBytes": {
        readonly kind: "number";
        readonly fallback: number;
        readonly about: "size of all overflow files";
    };
    readonly "log.enabled": {
        readonly kind: "boolean";
        readonly fallback: true;
        readonly about: "keep a log of calls";
        readonly env: "AGENT_LOG";
    };
    readonly secrets: {
        readonly kind: "strings";
        readonly fallback: readonly [];
        readonly about: "names of environment variables that hold secrets";
    };
    readonly "env.keep": {
        readonly kind: "strings";
        readonly fallback: readonly [];
        readonly about: "variables that commands get though they look secret";
    };
    readonly "env.drop": {
        readonly kind: "strings";
        readonly fallback: readonly [];
        readonly about: "variables that commands never get";
    };
    readonly "shell.timeoutMs": {
        readonly kind: "number";
        readonly fallback: 120000;
        readonly about: "time a command may take, in ms";
    };
};
export type SettingName = keyof typeof SETTINGS;
interface Kinds {
    number: number;
    boolean: boolean;
    string: string;
    strings: readonly string[];
    object: Readonly<Record<string, unknown>>;
}
export type SettingValue<N extends SettingName> = Kinds[(typeof SETTINGS)[N]["kind"]];
/** One place that sets values, strongest first in `Settings`. */
export interface Layer {
    /** For people: a path, `environment`, `command line`. */
    origin: string;
    values: ReadonlyMap<SettingName, unknown>;
}
export declare class Settings {
    #private;
    constructor(layers: readonly Layer[]);
    get<N extends SettingName>(name: N): SettingValue<N>;
    /** The value and where it comes from. */
    origin(name: SettingName): {
        value: unknown;
        origin: string;
    };
    /** Every layer's value: for rules and hooks, which add up instead of replacing each other. */
    all<N extends SettingName>(name: N): {
        value: SettingValue<N>;
        origin: string;
    }[];
    get mode(): Mode;
}
/** The user's settings and the environment, below what the command line says. */
export declare function loadSettings(flags: ReadonlyMap<SettingName, unknown>, warn: (text: string) => void): Promise<Settings>;
/** The name of the variable that sets a setting: `mods.loadTimeoutMs` → `AGENT_MODS_LOAD_TIMEOUT_MS`. */
export declare function variableOf(name: SettingName): string;
/** A settings file as a layer; `undefined` where there is none. Bad JSON and wrong types are usage errors. */
export declare function fileLayer(path: string, warn: (text: string) => void): Promise<Layer | undefined>;
/** Plain JSON needs no library; one with comments or trailing commas gets `jsonc-parser`. */
export declare function parseJsonc(text: string, path: string): Promise<unknown>;
export {};
