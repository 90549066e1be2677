/**
 * Plugins of Claude Code's in the folders for plugins: of those only their hooks are used, `hooks/hooks.json`. Small,
 * because every start runs the search.
 */
import { messageOf, quote } from "../core/errors.ts";
import { isRecord } from "../core/json.ts";
import { basename, join } from "../core/paths.ts";
import { host } from "../core/runtime.ts";
import { namesIn } from "../core/upkeep.ts";

export interface ClaudePlugin {
  name: string;
  root: string;
  /** The file of its hooks. */
  file: string;
  /** What it held when it was held against what is trusted. */
  text?: string;
}

/** In the folders themselves, where they were named, and one below; sorted by name. */
export function findClaudePlugins(named: readonly string[], user: string): ClaudePlugin[] {
  return [...named.flatMap((place) => pluginIn(place) ?? inPlace(place)), ...inPlace(user)];
}

function inPlace(place: string): ClaudePlugin[] {
  return namesIn(place).filter((name) => !name.startsWith(".") && name !== "node_modules")
    .sort((a, b) => a < b ? -1 : a > b ? 1 : 0)
    .flatMap((name) => pluginIn(join(place, name)) ?? []);
}

function pluginIn(root: string): ClaudePlugin | undefined {
  const file = join(root, "hooks/hooks.json");
  try {
    return host.files.stat(file).kind === "file" ? { name: basename(root), root, file } : undefined;
  } catch {
    return undefined;
  }
}

/** Its hooks; `undefined`, and said, where the file can't be read. */
export function readPluginHooks({ file, text }: ClaudePlugin, warn: (text: string) => void): unknown {
  try {
    const parsed: unknown = JSON.parse(text ?? host.files.readText(file));
    return isRecord(parsed) && "hooks" in parsed ? parsed.hooks : parsed;
  } catch (error) {
    warn(`the hooks of ${quote(file)} are skipped: ${messageOf(error)}`);
    return undefined;
  }
}
