import type { Effect, Place, Traits } from "../core/tool.ts";

/** The traits of a call that works on one file: its key, and what permission looks at for each kind of access. */
export function pathTraits(place: Place, path: string, effect: Effect, ...access: Effect[]): Traits {
  const value = place.identify(path);
  return {
    effect,
    keys: [`path:${value}`],
    subjects: access.map((one) => ({ kind: "path", value, access: one })),
  };
}
