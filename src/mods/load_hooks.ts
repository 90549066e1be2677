/** All hook configurations of a session, as `Hooks`. */
import type { HookCall, Hooks } from "../core/hooks.ts";
import { quote } from "../core/errors.ts";
import type { Settings } from "../core/settings.ts";
import type { ProcessGroups } from "../shell/process.ts";
import { commandHooks } from "./command_hooks.ts";
import { type HookGroup, readHookGroups, readHooksFile } from "./hook_config.ts";

export interface LoadHooksParts {
  settings: Settings;
  /** Files of `--hooks`. */
  files: readonly string[];
  /** Every name that a matcher may mean. */
  toolNames: ReadonlySet<string>;
  transcript: string;
  processes: ProcessGroups;
  ruleFits(rule: string, call: HookCall): Promise<boolean>;
  shorten(text: string): string;
  complain(text: string): void;
  warn(text: string): void;
}

/** Hooks of settings and files add up, settings first. */
export async function loadHooks(parts: LoadHooksParts): Promise<Hooks> {
  const { groups, failClosed } = await hookGroups(parts.settings, parts.files, parts.warn);
  for (const group of groups) reportMatcher(group, parts);
  return commandHooks({
    groups,
    failClosed,
    transcript: parts.transcript,
    groupsOfProcesses: parts.processes,
    ruleFits: parts.ruleFits,
    shorten: parts.shorten,
    complain: parts.complain,
  });
}

/** The configured groups, in the order in which their answers count. */
export async function hookGroups(settings: Settings, files: readonly string[], warn: (text: string) => void) {
  const groups: HookGroup[] = [];
  let failClosed = false;
  const sources: { hooks: unknown; source: string }[] = settings.all("hooks")
    .map(({ value, origin }) => ({ hooks: value, source: origin }));
  for (const path of files) sources.push({ hooks: await readHooksFile(path), source: path });
  for (const { hooks, source } of sources) {
    groups.push(...readHookGroups(hooks, source, warn));
    failClosed ||= (hooks as { failClosed?: unknown }).failClosed === true;
  }
  return { groups, failClosed };
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
