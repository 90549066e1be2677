/** Whether the project is trusted, and its settings if it is. Loaded where there is a `.agent`. */
import { AgentError, messageOf, printable } from "./errors.ts";
import { isRecord } from "./json.ts";
import { join } from "./paths.ts";
import type { Mode } from "./permission.ts";
import { PROJECT_FOLDER } from "./project.ts";
import { type Layer, type Setting, type SettingName, SETTINGS, Settings, textLayer } from "./settings.ts";
import { type Content, readContent } from "./trust_content.ts";
import { entryOf, readTrust } from "./trust_store.ts";
import { knownOf, refreshKnown } from "./trust_write.ts";
import { exists } from "./upkeep.ts";

/** What came of looking at a project. */
export interface Looked {
  content?: Content;
  /** What is left out and what to do, in one line; absent where nothing is. */
  leftOut?: string;
}

/**
 * Without a record of the project not a byte of it is read; with one it must be what was trusted, to the byte. `once`: the
 * person's word for one run.
 */
export function lookAt(root: string, once: boolean): Looked {
  if (once) return { content: readContent(root) };
  const { projects, broken } = readTrust();
  const trusted = entryOf(projects, root);
  if (!trusted) {
    return left(root, broken === undefined ? "is not trusted" : `is not trusted (trust.json: ${broken})`);
  }
  try {
    const known = knownOf(root);
    const content = readContent(root, {
      known: known?.hash === trusted.hash ? known : undefined,
      extras: trusted.extras.filter((extra) => typeof extra === "string"),
    });
    if (content.hash !== trusted.hash) return left(root, "has changed since it was trusted");
    if (content.hashed) refreshKnown(root, content.known());
    return { content };
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return left(root, `is not trusted (${messageOf(error)})`);
  }
}

function left(root: string, why: string): Looked {
  const there = presentIn(root);
  if (there.length === 0) return {};
  const folder = printable(join(root, PROJECT_FOLDER));
  const are = there.length === 1 && there[0] !== "plugins" ? "is" : "are";
  return {
    leftOut: `${folder} ${why}, so its ${there.join(" and ")} ${are} left out; ` +
      "agent trust shows them, --trust-project takes them for this run",
  };
}

/** What could take effect, by names alone. */
export function presentIn(root: string): string[] {
  const has = (name: string) => exists(join(root, PROJECT_FOLDER, name));
  return ["settings.json", "settings.local.json", "plugins"].filter(has);
}

/** From the most that may happen to the least. */
const STRICTER: readonly Mode[] = ["bypassPermissions", "acceptEdits", "default", "dontAsk", "plan"];

/**
 * A trusted project's settings, the strongest first. What only the user decides is left out and said: settings that the
 * table doesn't open to repositories, a mode looser than the user's, imports of hooks.
 */
export async function projectLayers(
  content: Content,
  user: Layer | undefined,
  warn: (text: string) => void,
): Promise<Layer[]> {
  const layers: Layer[] = [];
  const mode = new Settings(user ? [user] : []).mode;
  for (const name of ["settings.local.json", "settings.json"]) {
    const own = join(PROJECT_FOLDER, name);
    const text = content.texts.get(own);
    if (text === undefined) continue;
    const origin = join(content.root, own);
    const layer = await textLayer(text, origin, warn);
    layers.push({ origin, values: mayStand(layer, mode, warn), project: content.root });
  }
  return layers;
}

function mayStand(
  { origin, values }: Layer,
  userMode: Mode,
  warn: (text: string) => void,
): Map<SettingName, unknown> {
  const kept = new Map<SettingName, unknown>();
  const refused: string[] = [];
  const refuse = (name: string, why = "") => refused.push(name + why);
  for (const [name, value] of values) {
    const { project }: Setting = SETTINGS[name];
    if (!project) refuse(name);
    else if (name === "permissions.defaultMode" && isLooser(value as Mode, userMode)) {
      refuse(name, ` ${String(value)} (more than your own ${userMode})`);
    } else if (name === "hooks" && isRecord(value) && value.import !== undefined) {
      const { import: _, ...hooks } = value;
      refuse("hooks.import");
      kept.set(name, hooks);
    } else kept.set(name, value);
  }
  if (refused.length > 0) {
    warn(`${printable(origin)}: what a project may not set is left out: ${refused.join(", ")}`);
  }
  return kept;
}

function isLooser(mode: Mode, than: Mode): boolean {
  return STRICTER.indexOf(mode) < STRICTER.indexOf(than);
}
