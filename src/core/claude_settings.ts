/**
 * `hooks.import: ["claude"]`: hooks and permission rules of Claude Code's own settings, as a layer below the user's.
 * Nothing else of that file is taken, and what can't be read of it is said and skipped: it isn't ours.
 */
import { errorCode, messageOf, printable, quote } from "./errors.ts";
import { isRecord, isStrings } from "./json.ts";
import { type Behavior, parseRules } from "./permission.ts";
import { host } from "./runtime.ts";
import { type Layer, parseJsonc, type SettingName } from "./settings.ts";
import { claudeFile } from "./trust.ts";
import { failing, HOW, withoutChanged } from "./trust_hooks.ts";

/** What is known of the file and of the scripts that its hooks run. */
export interface KnownImport {
  /** The SHA-256 that the file must have; another than a file can have where none is known. */
  is: string | undefined;
  changed: ReadonlySet<string>;
}

/** Does a `hooks` object ask for those of `from`? */
export function importsFrom(hooks: unknown, from: string): boolean {
  return isRecord(hooks) && isStrings(hooks.import) && hooks.import.includes(from);
}

interface Read {
  /** The file's SHA-256, or `absent`. */
  is: string;
  given: unknown;
  hooks?: unknown;
  /** Why nothing of it can be used. */
  fault?: string;
}

/** What is hashed is what is read. */
export async function readClaude(): Promise<Read> {
  const origin = claudeFile();
  let is = "absent";
  try {
    const bytes = host.files.read(origin);
    is = await host.sha256(bytes);
    const given: unknown = await parseJsonc(host.decode(bytes) ?? "", origin);
    if (isRecord(given)) return { is, given, hooks: given.hooks };
    return { is, given, fault: `${quote(origin)} holds no settings` };
  } catch (error) {
    const fault = errorCode(error) === "ENOENT" ? `there is no ${quote(origin)}` : messageOf(error);
    return { is, given: undefined, fault };
  }
}

/**
 * The layer. Where the file isn't what is known, what could run or allow something is left out: rules that ask or deny
 * stand. `failClosed`: the user's hooks block when they fail.
 */
export async function claudeLayer(
  warn: (text: string) => void,
  known?: KnownImport,
  failClosed = false,
): Promise<Layer> {
  const origin = claudeFile();
  const { is, given, fault } = await readClaude();
  const isHeld = known !== undefined && known.is !== is;
  const values = new Map<SettingName, unknown>();
  if (fault !== undefined) warn(`hooks.import: nothing is imported: ${fault}`);
  const why = `${printable(origin)} changed since it was trusted`;
  if (isHeld) {
    warn(`${why}, so its hooks and allow rules are off, and its ask and deny rules stand; ${HOW}`);
    if (failClosed) values.set("hooks", { PreToolUse: [{ hooks: [failing(`${why}; ${HOW}`)] }] });
  }
  const { hooks, permissions, disableAllHooks } = isRecord(given) ? given : {};
  if (!isHeld && isRecord(hooks) && disableAllHooks !== true) {
    values.set("hooks", known ? withoutChanged(hooks, known.changed, failClosed) : hooks);
  }
  for (const behavior of ["allow", "ask", "deny"] as const) {
    if (isHeld && behavior === "allow") continue;
    const rules = isRecord(permissions) ? permissions[behavior] : undefined;
    if (rules === undefined) continue;
    if (isStrings(rules)) values.set(`permissions.${behavior}`, readable(rules, behavior, origin, warn));
    else warn(`${origin}: permissions.${behavior} is skipped: it is no list of texts`);
  }
  return { origin, values, foreign: true };
}

function readable(
  rules: readonly string[],
  behavior: Behavior,
  origin: string,
  warn: (text: string) => void,
): string[] {
  return rules.filter((rule) => {
    try {
      return parseRules(rule, behavior, "/").length > 0;
    } catch (error) {
      warn(`${origin}: ${messageOf(error)}`);
      return false;
    }
  });
}
