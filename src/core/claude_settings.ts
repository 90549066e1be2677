/**
 * `hooks.import: ["claude"]`: hooks and permission rules of Claude Code's own settings, as a layer below the user's.
 * Nothing else of that file is taken, and what can't be read of it is said and skipped: it isn't ours.
 */
import { errorCode, messageOf, quote } from "./errors.ts";
import { isRecord, isStrings } from "./json.ts";
import { join } from "./paths.ts";
import { type Behavior, parseRules } from "./permission.ts";
import { host } from "./runtime.ts";
import { type Layer, parseJsonc, type SettingName } from "./settings.ts";

/** Do these settings of the user's ask for it? */
export function importsClaude({ values }: Layer): boolean {
  const hooks = values.get("hooks");
  return isRecord(hooks) && isStrings(hooks.import) && hooks.import.includes("claude");
}

export async function claudeLayer(warn: (text: string) => void): Promise<Layer | undefined> {
  const origin = join(host.home(), ".claude/settings.json");
  let given: unknown;
  try {
    given = await parseJsonc(host.files.readText(origin), origin);
  } catch (error) {
    const state = errorCode(error) === "ENOENT" ? `there is no ${quote(origin)}` : messageOf(error);
    warn(`hooks.import: nothing is imported: ${state}`);
    return undefined;
  }
  if (!isRecord(given)) {
    warn(`hooks.import: nothing is imported: ${quote(origin)} holds no settings`);
    return undefined;
  }
  const values = new Map<SettingName, unknown>();
  const { hooks, permissions, disableAllHooks } = given;
  if (isRecord(hooks) && disableAllHooks !== true) values.set("hooks", hooks);
  for (const behavior of ["allow", "ask", "deny"] as const) {
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
