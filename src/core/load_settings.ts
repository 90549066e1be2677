/** The settings of a start: flags, variables, the project's if it is trusted, the user's. */
import { dirs } from "./dirs.ts";
import { isRecord } from "./json.ts";
import { environmentLayers, fileLayer, type Layer, type SettingName, Settings } from "./settings.ts";
import { claudeFile, openProject, type PinnedUser, pinnedUser } from "./trust.ts";
import { entryOf } from "./trust_store.ts";

export interface LoadOptions {
  /** The folder whose project may bring settings. */
  cwd: string;
  /** The project is trusted for this run. */
  trustProject?: boolean;
  warn(text: string): void;
}

/** Everything that is set, below what the command line or a host says. */
export async function loadSettings(
  flags: ReadonlyMap<SettingName, unknown>,
  { cwd, trustProject = false, warn }: LoadOptions,
): Promise<Settings> {
  const above: Layer[] = [{ origin: "command line", values: flags }, ...environmentLayers()];
  const file = await fileLayer(dirs().settingsFile, warn);
  const isWatched = new Settings(above).get("trust.pinUser");
  const pinned: PinnedUser = isWatched ? await pinnedUser(file, warn) : { layer: file };
  const { layer: user, pins } = pinned;
  const project = await openProject(cwd, trustProject, user, warn);
  const imported = user && await importedBy(user, pinned, warn);
  const layers = [user, imported].filter((layer) => layer !== undefined);
  return new Settings([...above, ...project.layers, ...layers], { project, pins });
}

/** What the user's own hooks import; a project's import nothing. */
async function importedBy(
  user: Layer,
  { pins, changed = new Set() }: PinnedUser,
  warn: (text: string) => void,
): Promise<Layer | undefined> {
  const hooks = user.values.get("hooks");
  if (!isRecord(hooks) || hooks.import === undefined) return undefined;
  const { claudeLayer, importsFrom } = await import("./claude_settings.ts");
  if (!importsFrom(hooks, "claude")) return undefined;
  const known = pins && { is: entryOf(pins.scripts, claudeFile())?.is, changed };
  return await claudeLayer(warn, known, hooks.failClosed === true);
}
