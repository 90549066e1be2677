/**
 * Settings: one table of what can be set, and where each value came from. Flag > `AGENT_*` > project (once
 * trusted) > user > default. Files are JSON with comments.
 */
import { AgentError, errorCode, fileError, nearest, quote, UsageError } from "./errors.ts";
import { isRecord, isStrings } from "./json.ts";
import { type Mode, MODES } from "./permission.ts";
import type { ParseError, printParseErrorCode } from "jsonc-parser";
import { host } from "./runtime.ts";
import type { Project } from "./trust.ts";
import type { UserPins } from "./trust_store.ts";

type Kind = "number" | "boolean" | "string" | "strings" | "numbers" | "object";

export interface Setting {
  kind: Kind;
  fallback: unknown;
  about: string;
  /** An `AGENT_*` variable with a name of its own. */
  env?: string;
  oneOf?: readonly string[];
  /** The smallest number. */
  least?: number;
  /** A trusted project may set it too. */
  project?: true;
  /** It says what runs and what may: a change of the user's own file is noticed (`trust.ts`). */
  watched?: true;
}

/** A text that is cut needs room for the notice that says so. */
const LEAST_LIMIT = 500;

/** Everything that can be set, by its dotted name in `settings.json`. */
export const SETTINGS = {
  "mods.enabled": { kind: "boolean", fallback: true, about: "load plugins", watched: true },
  "mods.loadTimeoutMs": { kind: "number", fallback: 10_000, about: "time a plugin may take to load, in ms" },
  "mods.handlerTimeoutMs": { kind: "number", fallback: 5_000, about: "time a handler may take, in ms" },
  "mods.required": {
    kind: "strings",
    fallback: [],
    about: "plugins without which nothing runs",
    watched: true,
  },
  "plugins": {
    kind: "object",
    fallback: {},
    about: "options of plugins, by name",
    project: true,
    watched: true,
  },
  "hooks": {
    kind: "object",
    fallback: {},
    about: "command hooks, in Claude Code's format",
    project: true,
    watched: true,
  },
  "permissions.allow": {
    kind: "strings",
    fallback: [],
    about: "rules for calls that may run",
    project: true,
    watched: true,
  },
  "permissions.ask": {
    kind: "strings",
    fallback: [],
    about: "rules for calls that need a yes",
    project: true,
    watched: true,
  },
  "permissions.deny": {
    kind: "strings",
    fallback: [],
    about: "rules for calls that never run",
    project: true,
    watched: true,
  },
  "permissions.defaultMode": {
    kind: "string",
    fallback: "default",
    about: "what happens where no rule decides",
    env: "AGENT_MODE",
    oneOf: MODES,
    project: true,
    watched: true,
  },
  "toolset": { kind: "string", fallback: "default", about: "the tools a model is shown", project: true },
  "limits": {
    kind: "numbers",
    fallback: {},
    about: "characters of a result, by tool",
    least: LEAST_LIMIT,
    project: true,
  },
  "resultLimit": {
    kind: "number",
    fallback: 32_000,
    about: "characters of any result",
    least: LEAST_LIMIT,
    project: true,
  },
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
  "journal.enabled": {
    kind: "boolean",
    fallback: true,
    about: "keep old contents of files for agent undo",
    env: "AGENT_JOURNAL",
    watched: true,
  },
  "journal.totalCapBytes": {
    kind: "number",
    fallback: 512 * 1024 * 1024,
    about: "size of all old contents",
  },
  "journal.keepDays": { kind: "number", fallback: 30, about: "days that old contents are kept" },
  "log.enabled": {
    kind: "boolean",
    fallback: true,
    about: "keep a log of calls",
    env: "AGENT_LOG",
    watched: true,
  },
  "log.trails": {
    kind: "boolean",
    fallback: true,
    about: "log what was done to each call, step by step, for agent log explain",
  },
  "log.originals": {
    kind: "boolean",
    fallback: false,
    about: "log what a tool gave also where hooks or plugins changed it",
  },
  "secrets": {
    kind: "strings",
    fallback: [],
    about: "names of environment variables that hold secrets",
    watched: true,
  },
  "env.keep": {
    kind: "strings",
    fallback: [],
    about: "variables that commands get though they look secret",
    watched: true,
  },
  "env.drop": {
    kind: "strings",
    fallback: [],
    about: "variables that commands get only where they name them",
    watched: true,
  },
  "shell.timeoutMs": {
    kind: "number",
    fallback: 120_000,
    about: "time a command may take, in ms",
    project: true,
  },
  "sessions.idleMs": {
    kind: "number",
    fallback: 60_000,
    about: "time after which agent sessions serve ends, with nothing to do, in ms",
  },
  "trust.pinUser": {
    kind: "boolean",
    fallback: true,
    about: "hold your own plugins and hooks against what they were when you last trusted them",
    watched: true,
  },
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
  /** For people: a path, a variable's name, `command line`. */
  origin: string;
  values: ReadonlyMap<SettingName, unknown>;
  /** It was written for another program, which has tools and events that aren't here. */
  foreign?: true;
  /** The project that sets them: its folder, a real path. */
  project?: string;
}

/** What goes with the settings of a start. */
export interface Trusted {
  project?: Project;
  /** What the user's own plugins are held against. */
  pins?: UserPins | undefined;
}

/** A layer's value of one setting. */
export type Given<N extends SettingName> = Omit<Layer, "values"> & { value: SettingValue<N> };

export class Settings {
  readonly #layers: readonly Layer[];
  readonly trusted: Trusted;

  constructor(layers: readonly Layer[], trusted: Trusted = {}) {
    this.#layers = layers;
    this.trusted = trusted;
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
  all<N extends SettingName>(name: N): Given<N>[] {
    return this.#layers.filter((layer) => layer.values.has(name))
      .map(({ values, ...from }) => ({ ...from, value: values.get(name) as SettingValue<N> }));
  }

  get mode(): Mode {
    return this.get("permissions.defaultMode") as Mode;
  }
}

/** The name of the variable that sets a setting: `mods.loadTimeoutMs` → `AGENT_MODS_LOAD_TIMEOUT_MS`. */
export function variableOf(name: SettingName): string {
  const setting: Setting = SETTINGS[name];
  return setting.env ??
    "AGENT_" + name.replace(/([a-z])([A-Z])/g, "$1_$2").replaceAll(".", "_").toUpperCase();
}

/** Objects stand in files alone. */
export function hasVariable(name: SettingName): boolean {
  const { kind } = SETTINGS[name];
  return kind !== "object" && kind !== "numbers";
}

/** A layer for each variable, so that its name tells where the value comes from. */
export function environmentLayers(): Layer[] {
  const layers: Layer[] = [];
  const set = (origin: string, name: SettingName, value: unknown) =>
    layers.push({ origin, values: new Map([[name, value]]) });
  if (["1", "true"].includes(host.env("AGENT_NO_MODS") ?? "")) set("AGENT_NO_MODS", "mods.enabled", false);
  for (const name of Object.keys(SETTINGS) as SettingName[]) {
    if (!hasVariable(name)) continue;
    const { kind } = SETTINGS[name];
    const variable = variableOf(name);
    const text = host.env(variable);
    if (text !== undefined && text !== "") set(variable, name, parse(name, kind, text, variable));
  }
  return layers;
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
    if (!isAmount(number, leastOf(name))) throw wrong(`a number from ${leastOf(name)} up`);
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
    text = host.files.readText(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw asUsage(fileError("read settings", path, error));
  }
  return await textLayer(text, path, warn);
}

/** The same for a text that was read already; `path` is its origin. */
export async function textLayer(text: string, path: string, warn: (text: string) => void): Promise<Layer> {
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
    const fault = FAULTS[printParseErrorCode(error)];
    throw new UsageError(`Cannot read ${quote(path)}: ${fault} in line ${line}`);
  }
}

/** What is wrong with a text that isn't JSON, in words. */
const FAULTS: Readonly<Record<ReturnType<typeof printParseErrorCode>, string>> = {
  InvalidSymbol: "an unknown word",
  InvalidNumberFormat: "a malformed number",
  PropertyNameExpected: "a name in double quotes is missing",
  ValueExpected: "a value is missing",
  ColonExpected: "a colon is missing",
  CommaExpected: "a comma is missing",
  CloseBraceExpected: "a closing brace is missing",
  CloseBracketExpected: "a closing bracket is missing",
  EndOfFileExpected: "something follows after the end",
  InvalidCommentToken: "a malformed comment",
  UnexpectedEndOfComment: "a comment without an end",
  UnexpectedEndOfString: "a text without its closing quote",
  UnexpectedEndOfNumber: "an unfinished number",
  InvalidUnicode: "a malformed \\u escape",
  InvalidEscapeCharacter: "a backslash before a character that needs none",
  InvalidCharacter: "a character that may not stand in a text",
  "<unknown ParseErrorCode>": "it is not JSON",
};

function flatten(
  node: unknown,
  prefix: string,
  path: string,
  values: Map<SettingName, unknown>,
  warn: (text: string) => void,
): void {
  if (!isRecord(node)) {
    throw new UsageError(
      `Cannot read ${quote(path)}: ${prefix === "" ? "the settings" : prefix} must be an object`,
    );
  }
  for (const [key, value] of Object.entries(node)) {
    const name = prefix === "" ? key : `${prefix}.${key}`;
    if (isSetting(name)) {
      checkSetting(name, value, path);
      values.set(name, value);
    } else if (Object.keys(SETTINGS).some((known) => known.startsWith(`${name}.`))) {
      flatten(value, name, path, values, warn);
    } else if (key !== "$schema") {
      const near = nearest(name, Object.keys(SETTINGS), 1)[0];
      warn(`${path}: there is no setting ${quote(name)}${near ? `; did you mean ${near}?` : ""}`);
    }
  }
}

const FITS: Record<Kind, (value: unknown, least: number) => boolean> = {
  number: isAmount,
  boolean: (value) => typeof value === "boolean",
  string: (value) => typeof value === "string",
  strings: isStrings,
  numbers: (value, least) => isRecord(value) && Object.values(value).every((item) => isAmount(item, least)),
  object: isRecord,
};

function isAmount(value: unknown, least: number): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= least;
}

function leastOf(name: SettingName): number {
  const { least = 0 }: Setting = SETTINGS[name];
  return least;
}

export function isSetting(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

/** Throws where `value` is not what the setting takes; `path` names where it comes from. */
export function checkSetting(name: SettingName, value: unknown, path: string): void {
  const { kind } = SETTINGS[name];
  const least = leastOf(name);
  if (!FITS[kind](value, least)) {
    const expected = {
      strings: "a list of strings",
      numbers: `an object of numbers from ${least} up`,
      object: "an object",
      number: `a number from ${least} up`,
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
