/** Reads hook configurations: the `hooks` of settings, a file of that shape, or a whole Claude settings file. */
import { fileError, messageOf, quote, UsageError } from "../core/errors.ts";
import { CALL_EVENTS, HOOK_EVENTS, type HookEvent } from "../core/hooks.ts";
import { isRecord, isStrings } from "../core/json.ts";
import { parseRule } from "../core/permission.ts";
import { host } from "../core/runtime.ts";
import { parseJsonc } from "../core/settings.ts";
import { type HttpHook, readHttp } from "./hook_http_config.ts";

/** What every hook has, whatever runs it. */
export interface HookCommon {
  /** One permission rule that limits it. */
  if?: string;
  timeoutMs: number;
  /** Its own word, else its file's, else the user's. */
  onFailure: "block" | "continue";
  async: boolean;
}

/** A program. */
export interface CommandHook extends HookCommon {
  type: "command";
  command: string;
  /** Present: the program is run directly, without a shell. */
  args?: readonly string[];
  /** One process for the session, which answers each line with a line. */
  persistent: boolean;
  /** The Claude plugin that it belongs to. */
  plugin?: PluginFolders;
  /** Where it runs, if not in the session's folder. */
  folder?: string;
}

export interface PluginFolders {
  root: string;
  /** Its own place for what it keeps; made when it is first run. */
  data: string;
}

export type AnyHook = CommandHook | HttpHook;

export interface HookGroup {
  event: HookEvent;
  matcher: string;
  matches(name: string): boolean;
  sequential: boolean;
  hooks: readonly AnyHook[];
  /** The file it stands in. */
  source: string;
  /** It was written for another program, which has more tools and events. */
  foreign: boolean;
}

/** One `hooks` object with what is known of where it stands. */
export interface HookSource {
  hooks: unknown;
  source: string;
  /** The user's own settings, which alone may import others'. */
  isUsers?: boolean;
  /** Written for another program: what is wrong in it is said and skipped. */
  foreign?: boolean;
  plugin?: PluginFolders;
  /** Where its hooks run: a project's in its root, as its relative scripts were trusted from there. */
  folder?: string;
  /** What holds where it doesn't say itself whether its hooks block when they fail. */
  failClosed?: boolean;
}

/** Of the format, and not there yet: said wherever they are used. */
const LATER_TYPES = new Set<unknown>(["prompt", "agent"]);
/** What `import` may name. */
const IMPORTS = ["claude"];

const DEFAULT_TIMEOUT_S = 600;

/** What a hook is called in what is said of it. */
export function nameOf(hook: AnyHook): string {
  return hook.type === "http" ? hook.shown : [hook.command, ...hook.args ?? []].join(" ");
}

/** One `hooks` object. What is of the format and can't be used is said and skipped; what is wrong is an error. */
export function readHooks(from: HookSource, warn: (text: string) => void): HookGroup[] {
  if (!from.foreign) return new Reader(from, warn).read();
  // A file that isn't ours says all it has to say in one line.
  const faults: string[] = [];
  const groups = new Reader(from, (text) => faults.push(text.slice(from.source.length + 2))).read();
  if (faults.length > 0) warn(`${from.source}: ${faults.join("; ")}`);
  return groups;
}

type Given = Record<string, unknown>;

class Reader {
  readonly #from: HookSource;
  readonly #warn: (text: string) => void;
  #failClosed = false;

  constructor(from: HookSource, warn: (text: string) => void) {
    this.#from = from;
    this.#warn = warn;
  }

  /** In declared order. */
  read(): HookGroup[] {
    const { hooks, foreign } = this.#from;
    if (!isRecord(hooks)) {
      const what = "not an object of events";
      if (!foreign) throw this.#wrong(what);
      this.#say(what);
      return [];
    }
    const { failClosed, import: imports, ...events } = hooks;
    this.#checkImport(imports);
    const byDefault = this.#from.failClosed ?? false;
    this.#failClosed = this.#skipping(() => this.#flag(failClosed, "failClosed", byDefault)) ?? byDefault;
    const read: HookGroup[] = [];
    for (const [event, groups] of Object.entries(events)) {
      if (!isHookEvent(event)) {
        // The other program may well have it.
        if (!foreign) this.#say(`hooks for ${event} are skipped: no such event`);
      } else {
        read.push(
          ...this.#skipping(() => this.#list(event, groups))
            ?.flatMap((group) => this.#skipping(() => this.#group(event, group)) ?? []) ?? [],
        );
      }
    }
    return read;
  }

  #checkImport(imports: unknown): void {
    if (imports === undefined) return;
    if (!this.#from.isUsers) this.#say("import is skipped: only the user's own settings may import hooks");
    else if (!isStrings(imports)) throw this.#wrong("import is not a list of texts");
    else {
      for (const name of imports) {
        if (!IMPORTS.includes(name)) throw this.#wrong(`import has ${quote(name)}, which is not "claude"`);
      }
    }
  }

  #list(event: HookEvent, groups: unknown): unknown[] {
    if (!Array.isArray(groups)) throw this.#wrong(`${event} is not a list`);
    return groups;
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
      hooks: hooks.flatMap((hook) => this.#skipping(() => this.#hook(event, hook)) ?? []),
      source: this.#from.source,
      foreign: this.#from.foreign ?? false,
    };
    const matches = compileMatcher(matcher);
    if (matches) return { ...read, matches };
    this.#say(
      `the matcher ${quote(matcher)} of ${event} is no regular expression; its hooks never run`,
    );
    return undefined;
  }

  #hook(event: HookEvent, hook: unknown): AnyHook | undefined {
    const given = (isRecord(hook) ? hook : {}) as Given;
    const { type } = given;
    if (LATER_TYPES.has(type)) {
      this.#say(`a hook of ${event} is skipped: hooks of the type ${type} are not there yet`);
      return undefined;
    }
    if (type === "http") {
      const wrong = (what: string) => this.#wrong(`an http hook of ${event} ${what}`);
      const read = readHttp(given, wrong, (text) => this.#say(text));
      return { ...this.#common(event, given, read.shown), ...read };
    }
    if (type !== "command") throw this.#wrong(`a hook of ${event} needs "type": "command" or "http"`);
    const { command, args, persistent } = given;
    if (typeof command !== "string" || command === "") throw this.#wrong(`a hook of ${event} has no command`);
    const of = (key: string) => `${key} of ${quote(command)}`;
    if (args !== undefined && !isStrings(args)) throw this.#wrong(`${of("args")} is not a list of texts`);
    const { plugin, folder } = this.#from;
    // A shell finds the plugin's folders in its environment; a program that is run directly doesn't.
    const put = (text: string) => plugin && args ? withFolders(text, plugin) : text;
    return {
      ...this.#common(event, given, command),
      type,
      command: put(command),
      ...(args !== undefined && { args: args.map(put) }),
      persistent: this.#flag(persistent, of("persistent")),
      ...(plugin && { plugin }),
      ...(folder !== undefined && { folder }),
    };
  }

  #common(event: HookEvent, given: Given, name: string): HookCommon {
    const byDefault = this.#failClosed ? "block" : "continue";
    const { if: rule, timeout = DEFAULT_TIMEOUT_S, onFailure = byDefault, async } = given;
    const of = (key: string) => `${key} of ${quote(name)}`;
    if (typeof timeout !== "number" || !(timeout > 0)) {
      throw this.#wrong(`${of("timeout")} is not a number of seconds`);
    }
    if (onFailure !== "block" && onFailure !== "continue") {
      throw this.#wrong(`${of("onFailure")} is neither block nor continue`);
    }
    if (rule !== undefined && typeof rule !== "string") throw this.#wrong(`${of("if")} is not a rule`);
    if (rule !== undefined) {
      // What is wrong with it is said now, not at the first call.
      parseRule(rule, "deny", "/");
      if (!isCallEvent(event)) this.#say(`${quote(name)} never runs: only hooks of calls may have an "if"`);
    }
    return {
      ...(rule !== undefined && { if: rule }),
      timeoutMs: timeout * 1000,
      onFailure,
      async: this.#flag(async, of("async")),
    };
  }

  #flag(value: unknown, what: string, byDefault = false): boolean {
    if (value !== undefined && typeof value !== "boolean") {
      throw this.#wrong(`${what} is neither true nor false`);
    }
    return value ?? byDefault;
  }

  /** In a file that isn't ours the rest still holds. */
  #skipping<T>(read: () => T): T | undefined {
    if (!this.#from.foreign) return read();
    try {
      return read();
    } catch (error) {
      this.#say(messageOf(error).replace(/^.*?": /, ""));
      return undefined;
    }
  }

  #wrong(what: string): UsageError {
    return new UsageError(`Cannot read the hooks of ${quote(this.#from.source)}: ${what}`);
  }

  #say(text: string): void {
    this.#warn(`${this.#from.source}: ${text}`);
  }
}

function isHookEvent(event: string): event is HookEvent {
  return (HOOK_EVENTS as readonly string[]).includes(event);
}

/** Is it one of a call, so that matchers are about tools? */
export function isCallEvent(event: HookEvent): boolean {
  return (CALL_EVENTS as readonly string[]).includes(event);
}

function withFolders(text: string, { root, data }: PluginFolders): string {
  return text.replaceAll("${CLAUDE_PLUGIN_ROOT}", root).replaceAll("${CLAUDE_PLUGIN_DATA}", data);
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
