/** All hook configurations of a session, as `Hooks`. */
import { quote } from "../core/errors.ts";
import type { Hooks } from "../core/hooks.ts";
import type { Matchers } from "../core/permission.ts";
import type { Settings } from "../core/settings.ts";
import type { Effect } from "../core/tool.ts";
import { CommandHooks, type CommandHooksParts } from "./command_hooks.ts";
import { type HookConfig, type HookGroup, readHooks, readHooksFile } from "./hook_config.ts";
import { HookRules } from "./hook_rules.ts";

export interface LoadHooksParts
  extends Pick<CommandHooksParts, "transcript" | "groups" | "shorten" | "complain"> {
  settings: Settings;
  /** Files of `--hooks`. */
  files: readonly string[];
  /** Every name that a matcher may mean. */
  toolNames: ReadonlySet<string>;
  /** For hooks that a permission rule limits. */
  matchers: Matchers;
  covers: ReadonlyMap<string, Effect>;
  warn(text: string): void;
}

/** Hooks of settings and files add up, settings first. */
export async function loadHooks(parts: LoadHooksParts): Promise<Hooks> {
  const { settings, files, warn, matchers, covers } = parts;
  const { groups, failClosed } = await hookConfig(settings, files, warn);
  for (const group of groups) reportMatcher(group, parts);
  const rules = new HookRules(matchers, covers);
  return new CommandHooks({
    ...parts,
    hooks: groups,
    failClosed,
    ruleFits: (rule, call) => rules.fits(rule, call),
  });
}

/** All that is configured, in the order in which answers count. */
export async function hookConfig(
  settings: Settings,
  files: readonly string[],
  warn: (text: string) => void,
): Promise<HookConfig> {
  const sources: { hooks: unknown; source: string }[] = settings.all("hooks")
    .map(({ value, origin }) => ({ hooks: value, source: origin }));
  for (const path of files) sources.push({ hooks: await readHooksFile(path), source: path });
  const configs = sources.map(({ hooks, source }) => readHooks(hooks, source, warn));
  return {
    groups: configs.flatMap(({ groups }) => groups),
    hostEvents: configs.flatMap(({ hostEvents }) => hostEvents),
    failClosed: configs.some(({ failClosed }) => failClosed),
  };
}

/** A matcher for tools that fits none is most likely a slip. */
function reportMatcher(
  { event, matcher, matches, source }: HookGroup,
  { toolNames, warn }: LoadHooksParts,
): void {
  if (event === "SessionStart" || event === "SessionEnd" || matcher.includes("mcp__")) return;
  for (const name of toolNames) if (matches(name)) return;
  warn(`${source}: the matcher ${quote(matcher)} of ${event} fits no known tool`);
}
