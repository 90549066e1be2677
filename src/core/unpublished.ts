/** What callers of a model family send beside a face's published parameters, which stay few. */
import { isRecord } from "./json.ts";
import type { JsonSchema } from "./schema.ts";

export interface Unpublished {
  /** Other names of published parameters: `{ bash_id: "shell_id" }`. */
  names?: Readonly<Record<string, string>>;
  /** Parameters of the tool's own, by the name that callers use: `{ is_background: "background" }`. */
  passes?: Readonly<Record<string, string>>;
  /** What means nothing here, and is dropped. */
  ignored?: readonly string[];
}

/** Arguments under published names, without what is ignored. Where a parameter is there under two names, both stay. */
export function published(args: unknown, { names = {}, ignored = [] }: Unpublished): unknown {
  if (!isRecord(args)) return args;
  const other = (key: string) => Object.hasOwn(names, key) && !Object.hasOwn(args, names[key]!);
  const keys = Object.keys(args);
  if (!keys.some((key) => ignored.includes(key) || other(key))) return args;
  const kept = keys.filter((key) => !ignored.includes(key));
  return Object.fromEntries(kept.map((key) => [other(key) ? names[key]! : key, args[key]]));
}

/** The schema with what is passed on, as the tool's own schema has it. */
export function withPassed(schema: JsonSchema, { passes = {} }: Unpublished, own: JsonSchema): JsonSchema {
  const more = Object.entries(passes).map(([name, parameter]) => [name, own.properties![parameter]!]);
  return { ...schema, properties: { ...schema.properties, ...Object.fromEntries(more) } };
}

/** Checked arguments apart: those of the face, and what is passed on, by the tool's names. */
export function apart(
  args: Record<string, unknown>,
  { passes = {} }: Unpublished,
): { own: Record<string, unknown>; passed: Record<string, unknown> } {
  const own = { ...args }, passed: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(passes)) {
    if (!Object.hasOwn(own, name)) continue;
    passed[parameter] = own[name];
    delete own[name];
  }
  return { own, passed };
}
