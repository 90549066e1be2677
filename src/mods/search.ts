/** Where a session's plugins are looked for. Small, because every start looks. */
import { dirs } from "../core/dirs.ts";
import type { Settings } from "../core/settings.ts";
import { type ClaudePlugin, findClaudePlugins } from "./claude_plugins.ts";
import { findPlugins, type Found } from "./places.ts";

export interface Search {
  settings: Settings;
  /** Files and folders of `--plugins`. */
  named: readonly string[];
  /** No others than those: neither the user's nor the project's. */
  namedOnly: boolean;
}

export function pluginsIn(
  { settings, named, namedOnly }: Search,
  { project } = settings.trusted,
): Found[] {
  if (!settings.get("mods.enabled")) return [];
  if (namedOnly) return findPlugins(named, undefined);
  return findPlugins(named, dirs().plugins, project?.content);
}

export function claudePluginsIn({ settings, named, namedOnly }: Search): ClaudePlugin[] {
  return settings.get("mods.enabled") && !namedOnly ? findClaudePlugins(named, dirs().plugins) : [];
}

/** The plugins that have to be there. */
export function requiredIn({ settings, namedOnly }: Search): readonly string[] {
  return namedOnly ? [] : settings.get("mods.required");
}

/** Is there nothing to load, and nothing that the user's plugins are held against? */
export function isWithoutMods(
  search: Search,
  found: readonly Found[],
  claude: readonly ClaudePlugin[],
): boolean {
  return found.length + claude.length + requiredIn(search).length === 0 && !isPinned(search);
}

/** Some plugins of the user's are known, or none were looked at yet. */
export function isPinned({ settings, namedOnly }: Search): boolean {
  const { pins } = settings.trusted;
  if (!pins || namedOnly || !settings.get("mods.enabled")) return false;
  return pins.plugins === undefined || Object.keys(pins.plugins).length > 0;
}
