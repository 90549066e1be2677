/** `agent mods remove`: takes away what `agent mods add` installed. */
import { dirs } from "../../core/dirs.ts";
import { fileError, nearest, quote, UsageError } from "../../core/errors.ts";
import { isRecord } from "../../core/json.ts";
import { inside, join } from "../../core/paths.ts";
import { host } from "../../core/runtime.ts";
import { namesIn } from "../../core/upkeep.ts";
import { changePins } from "../../mods/trusted_plugins.ts";
import type { Invocation } from "../command.ts";

export async function run({ args: [name], printer }: Invocation): Promise<number> {
  if (name === undefined) {
    throw new UsageError("Cannot remove a plugin: no name was given", "agent mods list");
  }
  const { plugins } = dirs();
  const added = namesIn(plugins).filter((one) => addedFrom(join(plugins, one)) !== undefined);
  if (!added.includes(name)) {
    const [near] = nearest(name, added, 1);
    const hint = near === undefined
      ? `its files are yours to remove, in ${plugins}`
      : `did you mean ${near}?`;
    throw new UsageError(`Cannot remove ${quote(name)}: agent mods add didn't install it`, hint);
  }
  const folder = join(plugins, name);
  const own = entryOf(folder);
  try {
    host.files.removeTree(folder);
  } catch (error) {
    throw fileError("remove", folder, error);
  }
  changePins((pins) =>
    Object.fromEntries(
      Object.entries(pins).filter(([entry]) => entry !== own && inside(folder, entry) === undefined),
    )
  );
  printer.note(`${name} was removed; what it stored stays in ${join(dirs().storage, name)}`);
  return 0;
}

/** What `agent mods add` wrote down of a folder; `undefined` where it made none. */
function addedFrom(folder: string): string | undefined {
  return noted(folder, "added");
}

/** Its file, which lies outside where an older `agent mods add` let it; not where it is another plugin's of the user's. */
function entryOf(folder: string): string | undefined {
  const entry = noted(folder, "plugin");
  const path = entry === undefined ? undefined : join(folder, entry);
  return path === undefined || inside(dirs().plugins, path) !== undefined ? undefined : path;
}

function noted(folder: string, key: "added" | "plugin"): string | undefined {
  try {
    const manifest: unknown = JSON.parse(host.files.readText(join(folder, "package.json")));
    const agent = isRecord(manifest) && isRecord(manifest.agent) ? manifest.agent : {};
    const value = agent[key];
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
