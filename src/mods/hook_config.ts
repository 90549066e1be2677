/** Reads hook configurations: the `hooks` of settings, a file of that shape, or a whole Claude settings file. */
import { fileError, messageOf, quote, UsageError } from "../core/errors.ts";
import { HOOK_EVENTS, type HookEvent } from "../core/hooks.ts";
import { parseRule } from "../core/permission.ts";
import { host } from "../core/runtime.ts";
import { parseJsonc } from "../core/settings.ts";

export interface CommandHook {
  command: string;
  /** Present: the program is run directly, without a shell. */
  args?: readonly string[];
  /** One permission rule that limits it. */
  if?: string;
  timeoutMs: number;
  onFailure: "block" | "continue";
  async: boolean;
}

export interface HookGroup {
  event: HookEvent;
  matcher: string;
  matches(name: string): boolean;
  sequential: boolean;
  hooks: readonly CommandHook[];
  /** The file it stands in. */
  source: string;
}

export interface HookConfig {
  /** In declared order. */
  groups: HookGroup[];
  /** Events of the format that only hosts fire: a runtime alone never runs their hooks. */
  hostEvents: { event: string; source: string }[];
  /** A failing hook blocks, unless it says otherwise itself. */
  failClosed: boolean;
}

const HOST_EVENTS = new Set(
  "UserPromptSubmit Stop SubagentStop SubagentStart PreCompact Notification Setup".split(" "),
);
/** Of the format, and not there yet: said wherever they are used. */
const LATER_EVENTS = new Set(["PermissionRequest"]);
const LATER_TYPES = new Set<unknown>(["http", "prompt", "agent"]);

const DEFAULT_TIMEOUT_S = 600;

/** One `hooks` object. What is of the format and can't be used is said and skipped; what is wrong is an error. */
export function readHooks(hooks: unknown, source: string, warn: (text: string) => void): HookConfig {
  return new Reader(source, warn).read(hooks);
}

type Given = Record<string, unknown>;

class Reader {
  readonly #source: string;
  readonly #warn: (text: string) => void;

  constructor(source: string, warn: (text: string) => void) {
    this.#source = source;
    this.#warn = warn;
  }

  read(hooks: unknown): HookConfig {
    if (!isRecord(hooks)) throw this.#wrong("not an object of events");
    const { failClosed, import: imports, ...events } = hooks;
    if (imports !== undefined) this.#say("hooks can't import others yet: import is skipped");
    const config: HookConfig = {
      groups: [],
      hostEvents: [],
      failClosed: this.#flag(failClosed, "failClosed"),
    };
    for (const [event, groups] of Object.entries(events)) {
      if (HOST_EVENTS.has(event)) config.hostEvents.push({ event, source: this.#source });
      else if (!isHookEvent(event)) {
        const why = LATER_EVENTS.has(event) ? "nothing fires it yet" : "no such event";
        this.#say(`hooks for ${event} are skipped: ${why}`);
      } else if (!Array.isArray(groups)) throw this.#wrong(`${event} is not a list`);
      else config.groups.push(...groups.flatMap((group) => this.#group(event, group) ?? []));
    }
    return config;
  }

  #group(event: HookEvent, group: unknown): HookGroup | undefined {
    const { matcher = "", hooks, sequential } = (group ?? {}) as Given;
    if (typeof matcher !== "string" || !Array.isArray(hooks)) {
      throw this.#wrong(`a group of ${event} needs "hooks", and a text as "matcher"`);
    }
    const read = {
      event,
      matcher,
      sequential: this.#flag(sequential, `sequential of a group of ${event}`),
      hooks: hooks.flatMap((hook) => this.#hook(event, hook) ?? []),
      source: this.#source,
    };
    const matches = compileMatcher(matcher);
    if (matches) return { ...read, matches };
    this.#say(
      `the matcher ${quote(matcher)} of ${event} is no regular expression; its hooks never run`,
    );
    return undefined;
  }

  #hook(event: HookEvent, hook: unknown): CommandHook | undefined {
    const { type, command, args, if: rule, timeout = DEFAULT_TIMEOUT_S, onFailure = "continue", ...flags } =
      (hook ?? {}) as Given;
    if (LATER_TYPES.has(type)) {
      this.#say(`a hook of ${event} is skipped: hooks of the type ${type} are not there yet`);
      return undefined;
    }
    if (type !== "command") throw this.#wrong(`a hook of ${event} needs "type": "command"`);
    if (typeof command !== "string" || command === "") throw this.#wrong(`a hook of ${event} has no command`);
    const of = (key: string) => `${key} of ${quote(command)}`;
    if (args !== undefined && !isTexts(args)) throw this.#wrong(`${of("args")} is not a list of texts`);
    if (typeof timeout !== "number" || !(timeout > 0)) {
      throw this.#wrong(`${of("timeout")} is not a number of seconds`);
    }
    if (onFailure !== "block" && onFailure !== "continue") {
      throw this.#wrong(`${of("onFailure")} is neither block nor continue`);
    }
    if (rule !== undefined && typeof rule !== "string") throw this.#wrong(`${of("if")} is not a rule`);
    // What is wrong with it is said now, not at the first call.
    if (rule !== undefined) parseRule(rule, "deny", "/");
    if (this.#flag(flags.persistent, of("persistent"))) {
      this.#say(`${quote(command)} of ${event} is run once per call: persistent hooks are not there yet`);
    }
    return {
      command,
      ...(args !== undefined && { args }),
      ...(rule !== undefined && { if: rule }),
      timeoutMs: timeout * 1000,
      onFailure,
      async: this.#flag(flags.async, of("async")),
    };
  }

  #flag(value: unknown, what: string): boolean {
    if (value !== undefined && typeof value !== "boolean") {
      throw this.#wrong(`${what} is neither true nor false`);
    }
    return value ?? false;
  }

  #wrong(what: string): UsageError {
    return new UsageError(`Cannot read the hooks of ${quote(this.#source)}: ${what}`);
  }

  #say(text: string): void {
    this.#warn(`${this.#source}: ${text}`);
  }
}

function isHookEvent(event: string): event is HookEvent {
  return (HOOK_EVENTS as readonly string[]).includes(event);
}

function isRecord(value: unknown): value is Given {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/**
 * Absent, `""` and `"*"`: everything. Only letters, digits, `_`, `-`, blank, `,` and `|`: exact names. Anything
 * else is an unanchored regular expression; `undefined` where it doesn't compile.
 */
export function compileMatcher(matcher: string): ((name: string) => boolean) | undefined {
  if (matcher === "" || matcher === "*") return () => true;
  if (/^[\w\- ,|]+$/.test(matcher)) {
    const names = new Set(matcher.split(/[|,]/).map((name) => name.trim()));
    return (name) => names.has(name);
  }
  try {
    const expression = new RegExp(matcher);
    return (name) => expression.test(name);
  } catch {
    return undefined;
  }
}

/** `--hooks FILE`: trusted because it was typed. */
export async function readHooksFile(path: string): Promise<unknown> {
  let text: string;
  try {
    text = host.files.readText(path);
  } catch (error) {
    throw new UsageError(messageOf(fileError("read hooks from", path, error)));
  }
  const parsed = await parseJsonc(text, path) as { hooks?: unknown } | null;
  // A settings file holds them under "hooks"; a file of hooks alone is such an object itself.
  return parsed?.hooks ?? parsed;
}
