/**
 * Settings: one table of what can be set, and where each value came from. Flag > `AGENT_*` > project (once
 * trusted) > user > default. Files are JSON with comments.
 */
import { AgentError, errorCode, fileError, nearest, quote, UsageError } from "./errors.ts";
import { dirs } from "./dirs.ts";
import { type Mode, MODES } from "./permission.ts";
import type { ParseError } from "jsonc-parser";
import { host } from "./runtime.ts";

type Kind = "number" | "boolean" | "string" | "strings" | "numbers" | "object";

interface Setting {
  kind: Kind;
  fallback: unknown;
  about: string;
  /** An `AGENT_*` variable with a name of its own. */
  env?: string;
  oneOf?: readonly string[];
}

/** Everything that can be set, by its dotted name in `settings.json`. */
export const SETTINGS = {
  "mods.enabled": { kind: "boolean", fallback: true, about: "load plugins" },
  "mods.loadTimeoutMs": { kind: "number", fallback: 10_000, about: "time a plugin may take to load, in ms" },
  "mods.handlerTimeoutMs": { kind: "number", fallback: 5_000, about: "time a handler may take, in ms" },
  "mods.required": { kind: "strings", fallback: [], about: "plugins without which nothing runs" },
  "plugins": { kind: "object", fallback: {}, about: "options of plugins, by name" },
  "hooks": { kind: "object", fallback: {}, about: "command hooks, in Claude Code's format" },
  "permissions.allow": { kind: "strings", fallback: [], about: "rules for calls that may run" },
  "permissions.ask": { kind: "strings", fallback: [], about: "rules for calls that need a yes" },
  "permissions.deny": { kind: "strings", fallback: [], about: "rules for calls that never run" },
  "permissions.defaultMode": {
    kind: "string",
    fallback: "default",
    about: "what happens where no rule decides",
    env: "AGENT_MODE",
    oneOf: MODES,
  },
  "toolset": { kind: "string", fallback: "default", about: "the tools a model is shown" },
  "limits": { kind: "numbers", fallback: {}, about: "characters of a result, by tool" },
  "limits.result": { kind: "number", fallback: 32_000, about: "characters of any result" },
  "overflow.enabled": {
    kind: "boolean",
    fallback: true,
    about: "keep what was cut in a file",
    env: "AGENT_OVERFLOW",
  },
  "overflow.fileCapBytes": { kind: "number", fallback: 64 * 1024 * 1024, about: "size of one overflow file" },
  "overflow.totalCapBytes": {
    kind: "number",
    fallback: 512 * 1024 * 1024,
    about: "size of all overflow files",
  },
  "log.enabled": { kind: "boolean", fallback: true, about: "keep a log of calls", env: "AGENT_LOG" },
  "secrets": { kind: "strings", fallback: [], about: "names of environment variables that hold secrets" },
  "env.keep": { kind: "strings", fallback: [], about: "variables that commands get though they look secret" },
  "env.drop": { kind: "strings", fallback: [], about: "variables that commands never get" },
  "shell.timeoutMs": { kind: "number", fallback: 120_000, about: "time a command may take, in ms" },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;

interface Kinds {
  number: number;
  boolean: boolean;
  string: string;
  strings: readonly string[];
  numbers: Readonly<Record<string, number>>;
  object: Readonly<Record<string, unknown>>;
}
export type SettingValue<N extends SettingName> = Kinds[(typeof SETTINGS)[N]["kind"]];

/** One place that sets values, strongest first in `Settings`. */
export interface Layer {
  /** For people: a path, `environment`, `command line`. */
  origin: string;
  values: ReadonlyMap<SettingName, unknown>;
}

export class Settings {
  readonly #layers: readonly Layer[];

  constructor(layers: readonly Layer[]) {
    this.#layers = layers;
  }

  get<N extends SettingName>(name: N): SettingValue<N> {
    return this.origin(name).value as SettingValue<N>;
  }

  /** The value and where it comes from. */
  origin(name: SettingName): { value: unknown; origin: string } {
    for (const layer of this.#layers) {
      if (layer.values.has(name)) return { value: layer.values.get(name), origin: layer.origin };
    }
    return { value: SETTINGS[name].fallback, origin: "default" };
  }

  /** Every layer's value: for rules and hooks, which add up instead of replacing each other. */
  all<N extends SettingName>(name: N): { value: SettingValue<N>; origin: string }[] {
    return this.#layers.filter((layer) => layer.values.has(name))
      .map((layer) => ({ value: layer.values.get(name) as SettingValue<N>, origin: layer.origin }));
  }

  get mode(): Mode {
    return this.get("permissions.defaultMode") as Mode;
  }
}

/** The user's settings and the environment, below what the command line says. */
export async function loadSettings(flags: ReadonlyMap<SettingName, unknown>, warn: (text: string) => void) {
  const layers: Layer[] = [{ origin: "command line", values: flags }, environmentLayer()];
  const user = await fileLayer(dirs().settingsFile, warn);
  if (user) layers.push(user);
  return new Settings(layers);
}

/** The name of the variable that sets a setting: `mods.loadTimeoutMs` → `AGENT_MODS_LOAD_TIMEOUT_MS`. */
export function variableOf(name: SettingName): string {
  const setting: Setting = SETTINGS[name];
  return setting.env ??
    "AGENT_" + name.replace(/([a-z])([A-Z])/g, "$1_$2").replaceAll(".", "_").toUpperCase();
}

function environmentLayer(): Layer {
  const values = new Map<SettingName, unknown>();
  for (const name of Object.keys(SETTINGS) as SettingName[]) {
    const { kind } = SETTINGS[name];
    if (kind === "object" || kind === "numbers") continue;
    const variable = variableOf(name);
    const text = host.env(variable);
    if (text !== undefined && text !== "") values.set(name, parse(name, kind, text, variable));
  }
  if (["1", "true"].includes(host.env("AGENT_NO_MODS") ?? "")) values.set("mods.enabled", false);
  return { origin: "environment", values };
}

const WORDS: ReadonlyMap<string, boolean> = new Map([
  ...["on", "true", "1", "yes"].map((word) => [word, true] as const),
  ...["off", "false", "0", "no"].map((word) => [word, false] as const),
]);

function parse(name: SettingName, kind: Kind, text: string, from: string): unknown {
  const wrong = (expected: string) =>
    new UsageError(`Cannot use ${from}=${quote(text)}: ${expected} is needed`);
  if (kind === "number") {
    const number = Number(text);
    if (!Number.isFinite(number) || number < 0) throw wrong("a number");
    return number;
  }
  if (kind === "boolean") {
    const value = WORDS.get(text.toLowerCase());
    if (value === undefined) throw wrong("on or off");
    return value;
  }
  if (kind === "strings") return text.split(",").map((item) => item.trim()).filter((item) => item !== "");
  checkOneOf(name, text, from);
  return text;
}

function checkOneOf(name: SettingName, value: unknown, from: string): void {
  const { oneOf }: Setting = SETTINGS[name];
  if (!oneOf || oneOf.includes(value as string)) return;
  throw new UsageError(
    `Cannot use ${quote(String(value))} for ${name} (${from}): no such value`,
    `one of ${oneOf.join(", ")}`,
  );
}

/** A settings file as a layer; `undefined` where there is none. Bad JSON and wrong types are usage errors. */
export async function fileLayer(path: string, warn: (text: string) => void): Promise<Layer | undefined> {
  let text: string;
  try {
    text = new TextDecoder().decode(host.files.read(path));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw asUsage(fileError("read settings", path, error));
  }
  const values = new Map<SettingName, unknown>();
  flatten(await parseJsonc(text, path), "", path, values, warn);
  return { origin: path, values };
}

/** Plain JSON needs no library; one with comments or trailing commas gets `jsonc-parser`. */
export async function parseJsonc(text: string, path: string): Promise<unknown> {
  const plain = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  try {
    return JSON.parse(plain);
  } catch {
    const { parse, printParseErrorCode } = await import("jsonc-parser");
    const errors: ParseError[] = [];
    const value = parse(plain, errors, { allowTrailingComma: true });
    if (errors.length === 0) return value;
    const { error, offset } = errors[0]!;
    const line = plain.slice(0, offset).split("\n").length;
    throw new UsageError(`Cannot read ${quote(path)}: ${printParseErrorCode(error)} in line ${line}`);
  }
}

function flatten(
  node: unknown,
  prefix: string,
  path: string,
  values: Map<SettingName, unknown>,
  warn: (text: string) => void,
): void {
  if (typeof node !== "object" || node === null || Array.isArray(node)) {
    throw new UsageError(
      `Cannot read ${quote(path)}: ${prefix === "" ? "the settings" : prefix} must be an object`,
    );
  }
  for (const [key, value] of Object.entries(node)) {
    const name = prefix === "" ? key : `${prefix}.${key}`;
    if (isSetting(name)) {
      checkSetting(name, value, path);
      values.set(name, value);
      if (!(value !== null && typeof value === "object" && hasDeeper(name))) continue;
    }
    if (hasDeeper(name)) flattenKnown(value, name, path, values, warn);
    else if (key !== "$schema") {
      const near = nearest(name, Object.keys(SETTINGS), 1)[0];
      warn(`${path}: there is no setting ${quote(name)}${near ? `; did you mean ${near}?` : ""}`);
    }
  }
}

/** Below a name that is an object setting itself (`limits`), only the known names are settings. */
function flattenKnown(
  value: unknown,
  name: string,
  path: string,
  values: Map<SettingName, unknown>,
  warn: (text: string) => void,
): void {
  if (!isSetting(name)) return flatten(value, name, path, values, warn);
  for (const [key, item] of Object.entries(value as object)) {
    const deeper = `${name}.${key}`;
    if (!isSetting(deeper)) continue;
    checkSetting(deeper, item, path);
    values.set(deeper, item);
  }
}

function hasDeeper(name: string): boolean {
  return Object.keys(SETTINGS).some((known) => known.startsWith(`${name}.`));
}

const FITS: Record<Kind, (value: unknown) => boolean> = {
  number: isAmount,
  boolean: (value) => typeof value === "boolean",
  string: (value) => typeof value === "string",
  strings: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  numbers: (value) => isRecord(value) && Object.values(value).every(isAmount),
  object: isRecord,
};

function isAmount(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isSetting(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

/** Throws where `value` is not what the setting takes; `path` names where it comes from. */
export function checkSetting(name: SettingName, value: unknown, path: string): void {
  const { kind } = SETTINGS[name];
  const right = FITS[kind](value);
  if (!right) {
    const expected = {
      strings: "a list of strings",
      numbers: "an object of numbers from 0 up",
      object: "an object",
      number: "a number from 0 up",
      boolean: "true or false",
      string: "a string",
    };
    throw new UsageError(`Cannot use ${quote(path)}: ${name} must be ${expected[kind]}`);
  }
  checkOneOf(name, value, path);
}

function asUsage(error: unknown): unknown {
  return error instanceof AgentError ? new UsageError(error.message, error.hint) : error;
}
