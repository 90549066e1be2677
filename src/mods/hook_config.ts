/** Reads hook configurations: the `hooks` of settings, a file of that shape, or a whole Claude settings file. */
import { quote, UsageError } from "../core/errors.ts";
import type { HookEvent } from "../core/hooks.ts";
import { parseRule } from "../core/permission.ts";
import { parseJsonc } from "../core/settings.ts";
import { host } from "../core/runtime.ts";
import { fileError, messageOf } from "../core/errors.ts";

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

/** Events that the runtime has itself. */
export const HOOK_EVENTS: readonly HookEvent[] = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "SessionStart",
  "SessionEnd",
];

/** Events of the format that hosts fire; they are known, and never an error. */
const OTHER_EVENTS = new Set(
  "PermissionRequest UserPromptSubmit Stop SubagentStop SubagentStart PreCompact Notification Setup".split(
    " ",
  ),
);

const DEFAULT_TIMEOUT_S = 600;
/** What a timer can count; one that is set for longer goes off at once. */
const MOST_MS = 2 ** 31 - 1;

/** The groups of one `hooks` object, in declared order. What can't be used is said and skipped. */
export function readHookGroups(hooks: unknown, source: string, warn: (text: string) => void): HookGroup[] {
  if (typeof hooks !== "object" || hooks === null || Array.isArray(hooks)) {
    throw new UsageError(`Cannot read the hooks of ${quote(source)}: not an object of events`);
  }
  const groups: HookGroup[] = [];
  for (const [event, list] of Object.entries(hooks)) {
    if (event === "failClosed" || event === "import") continue;
    if (!HOOK_EVENTS.includes(event as HookEvent)) {
      const known = OTHER_EVENTS.has(event);
      warn(
        `${source}: hooks for ${event} are skipped: ${known ? "nothing here emits it yet" : "no such event"}`,
      );
      continue;
    }
    if (!Array.isArray(list)) {
      throw new UsageError(`Cannot read the hooks of ${quote(source)}: ${event} is not a list`);
    }
    for (const group of list) {
      const read = readGroup(event as HookEvent, group, source, warn);
      if (read) groups.push(read);
    }
  }
  return groups;
}

function readGroup(
  event: HookEvent,
  group: unknown,
  source: string,
  warn: (text: string) => void,
): HookGroup | undefined {
  const { matcher = "", hooks, sequential } = (group ?? {}) as Record<string, unknown>;
  if (typeof matcher !== "string" || !Array.isArray(hooks)) {
    throw new UsageError(
      `Cannot read the hooks of ${quote(source)}: a group of ${event} needs "hooks", and a text as "matcher"`,
    );
  }
  const matches = compileMatcher(matcher);
  if (!matches) {
    warn(
      `${source}: the matcher ${quote(matcher)} of ${event} is no regular expression; its hooks never run`,
    );
    return undefined;
  }
  const read = hooks.flatMap((hook) => readHook(event, hook, source, warn) ?? []);
  return { event, matcher, matches, sequential: sequential === true, hooks: read, source };
}

function readHook(
  event: HookEvent,
  hook: unknown,
  source: string,
  warn: (text: string) => void,
): CommandHook | undefined {
  const given = (hook ?? {}) as Record<string, unknown>;
  const { type, command, args, if: rule, timeout, onFailure } = given;
  if (type !== "command") {
    warn(`${source}: a hook of ${event} is skipped: type ${quote(String(type))} is not supported`);
    return undefined;
  }
  if (given.persistent === true) {
    warn(
      `${source}: ${
        quote(String(command))
      } of ${event} is run once per call: persistent hooks are not there yet`,
    );
  }
  if (typeof command !== "string" || command === "") {
    throw new UsageError(`Cannot read the hooks of ${quote(source)}: a hook of ${event} has no command`);
  }
  if (args !== undefined && !(Array.isArray(args) && args.every((arg) => typeof arg === "string"))) {
    throw new UsageError(
      `Cannot read the hooks of ${quote(source)}: args of ${quote(command)} is not a list of texts`,
    );
  }
  if (timeout !== undefined && !(typeof timeout === "number" && timeout > 0)) {
    throw new UsageError(
      `Cannot read the hooks of ${quote(source)}: timeout of ${quote(command)} is not a number of seconds`,
    );
  }
  if (onFailure !== undefined && onFailure !== "block" && onFailure !== "continue") {
    throw new UsageError(
      `Cannot read the hooks of ${quote(source)}: onFailure of ${
        quote(command)
      } is neither block nor continue`,
    );
  }
  if (rule !== undefined) {
    if (typeof rule !== "string") {
      throw new UsageError(
        `Cannot read the hooks of ${quote(source)}: if of ${quote(command)} is not a rule`,
      );
    }
    // What is wrong with it is said now, not at the first call.
    parseRule(rule, "deny", "/");
  }
  return {
    command,
    ...(args !== undefined && { args: args as string[] }),
    ...(rule !== undefined && { if: rule as string }),
    timeoutMs: Math.min((timeout as number | undefined ?? DEFAULT_TIMEOUT_S) * 1000, MOST_MS),
    onFailure: onFailure as CommandHook["onFailure"] ?? "continue",
    async: given.async === true,
  };
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
    text = new TextDecoder().decode(host.files.read(path));
  } catch (error) {
    throw new UsageError(messageOf(fileError("read hooks from", path, error)));
  }
  const parsed = await parseJsonc(text, path) as { hooks?: unknown } | null;
  // A settings file holds them under "hooks"; a file of hooks alone is such an object itself.
  return parsed?.hooks ?? parsed;
}
