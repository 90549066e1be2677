/** What a turn shows: the tools of a toolset or of a list of names, as `surface` handlers leave them. */
import { nearest, quote, UsageError } from "./errors.ts";
import { type HandlerLimits, type Handlers, runChain } from "./events.ts";
import type { Family } from "./face.ts";
import type { Entry } from "./registry.ts";
import { unknownTool } from "./result.ts";
import { surfaceOf } from "./turn.ts";

/** The tools of these names. A name that several families have is `family`'s. */
export function surfaceOfNames(
  entries: readonly Entry[],
  names: readonly string[],
  family: Family,
): Entry[] {
  const preferred = (entry: Entry) =>
    entry.tier !== "builtin" || entry.family === family ||
    !entries.some((other) => other.name === entry.name && other.family === family);
  const surface = surfaceOf(entries, (entry) => names.includes(entry.name) && preferred(entry));
  const unknown = names.find((name) => !surface.some((entry) => entry.name === name));
  if (unknown === undefined) return surface;
  const near = nearest(unknown, entries.map(({ name }) => name));
  throw new UsageError(
    `Cannot show the tool ${quote(unknown)}: no such tool`,
    unknownTool(unknown, near).hint,
  );
}

/** `surface` handlers hide or redescribe tools, before anything is hashed. */
export async function rework(
  surface: Entry[],
  handlers: Handlers["surface"],
  limits: HandlerLimits,
): Promise<Entry[]> {
  let current = surface;
  const shown = () =>
    Object.freeze(current.map(({ name, description }) => Object.freeze({ name, description })));
  await runChain(handlers, limits, () => [shown()], ({ hide = [], describe = {} }) => {
    current = current.filter(({ name }) => !hide.includes(name)).map((entry) =>
      Object.hasOwn(describe, entry.name)
        ? { ...entry, schema: entry.schema, description: String(describe[entry.name]) }
        : entry
    );
  });
  return current;
}
