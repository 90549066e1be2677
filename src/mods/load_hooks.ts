/** All hook configurations of a session, as `Hooks`. */
import { dirs } from "../core/dirs.ts";
import { printable, quote } from "../core/errors.ts";
import type { Hooks } from "../core/hooks.ts";
import { join, realPath } from "../core/paths.ts";
import { isRecord } from "../core/json.ts";
import type { Matchers } from "../core/permission.ts";
import { findProject } from "../core/project.ts";
import type { Settings } from "../core/settings.ts";
import type { Effect } from "../core/tool.ts";
import { hooksIn, runBy, withoutHooks } from "../core/trust_hooks.ts";
import { exists } from "../core/upkeep.ts";
import { type ClaudePlugin, readPluginHooks } from "./claude_plugins.ts";
import { CommandHooks, type CommandHooksParts } from "./command_hooks.ts";
import { type HookGroup, type HookSource, isCallEvent, readHooks, readHooksFile } from "./hook_config.ts";
import { HookRules } from "./hook_rules.ts";
import { variablesFile } from "./hook_variables.ts";

/** Where hooks are written. */
export interface HookPlaces {
  settings: Settings;
  /** The session's folder. */
  project: string;
  /** Files of `--hooks`. */
  files: readonly string[];
  /** Plugins of Claude Code's, whose hooks come last. */
  plugins: readonly ClaudePlugin[];
}

export interface LoadHooksParts
  extends HookPlaces, Pick<CommandHooksParts, "transcript" | "groups" | "shorten" | "complain" | "heard"> {
  /** Every name that a matcher may mean. */
  toolNames: ReadonlySet<string>;
  /** For hooks that a permission rule limits. */
  matchers: Matchers;
  covers: ReadonlyMap<string, Effect>;
  warn(text: string): void;
}

/** Hooks of settings, files and plugins add up, in this order. */
export async function loadHooks(parts: LoadHooksParts): Promise<Hooks> {
  const groups = await hookGroups(parts, parts.warn);
  for (const group of groups) reportMatcher(group, parts);
  return hooksOf(groups, parts);
}

/** These groups, as `Hooks`. */
export function hooksOf(groups: readonly HookGroup[], parts: LoadHooksParts): CommandHooks {
  const { matchers, covers, project, groups: processes, complain } = parts;
  const rules = new HookRules(matchers, covers);
  const folder = join(dirs().sessions, "env");
  return new CommandHooks({
    ...parts,
    hooks: groups,
    ruleFits: (rule, call) => rules.fits(rule, call),
    variables: () => variablesFile({ folder, project, groups: processes, complain }),
  });
}

/** All that is configured, in the order in which answers count. */
export async function hookGroups(
  { settings, project: session, files, plugins }: HookPlaces,
  warn: (text: string) => void,
): Promise<HookGroup[]> {
  const { settingsFile, storage } = dirs();
  // The user's word, or a host's, is about all; any other file's about its own hooks alone.
  const failClosed = settings.all("hooks").some(({ value, project, foreign }) =>
    project === undefined && !foreign && isRecord(value) && value.failClosed === true
  );
  // What stands in a stranger's folder isn't what the user's own hooks mean, though they run there.
  const isStrange = settings.trusted.project?.content === undefined &&
    findProject(realPath(session)) !== undefined;
  const sources: HookSource[] = settings.all("hooks").map(({ value, origin, foreign, project }) => ({
    hooks: isStrange && project === undefined
      ? withoutStrangers(value, session, origin, failClosed, warn)
      : value,
    source: origin,
    isUsers: origin === settingsFile,
    ...(foreign && { foreign }),
    ...(project !== undefined && { folder: project }),
  }));
  for (const path of files) sources.push({ hooks: await readHooksFile(path), source: path });
  for (const plugin of plugins) {
    const hooks = readPluginHooks(plugin, warn);
    if (hooks === undefined) continue;
    const folders = { root: plugin.root, data: join(storage, plugin.name) };
    sources.push({ hooks, source: plugin.file, foreign: true, plugin: folders });
  }
  return sources.flatMap((source) => readHooks({ ...source, failClosed }, warn));
}

/** The hooks without those that would run a file of the folder that they happen to run in. */
function withoutStrangers(
  hooks: unknown,
  folder: string,
  source: string,
  failClosed: boolean,
  warn: (text: string) => void,
): unknown {
  if (!isRecord(hooks)) return hooks;
  const strangers = (hook: Readonly<Record<string, unknown>>) =>
    runBy(hook, folder).find((path) => exists(path));
  const found = new Set(hooksIn(hooks).flatMap(({ hook }) => strangers(hook) ?? []));
  if (found.size === 0) return hooks;
  const why = `it would run ${
    [...found].map(printable).join(", ")
  }, which isn't trusted; name your own by its whole path`;
  warn(`hooks of ${printable(source)} are off here: ${why}`);
  return withoutHooks(hooks, (hook) => strangers(hook) !== undefined, why, failClosed);
}

/** A matcher for tools that fits none is most likely a slip; another program's may mean tools that only that one has. */
function reportMatcher(
  { event, matcher, matches, source, foreign }: HookGroup,
  { toolNames, warn }: LoadHooksParts,
): void {
  if (!isCallEvent(event) || foreign || matcher.includes("mcp__")) return;
  for (const name of toolNames) if (matches(name)) return;
  warn(`${source}: the matcher ${quote(matcher)} of ${event} fits no known tool`);
}
