/** What Claude's faces have in common. */

export const FAMILY = { family: "claude", toolsets: ["default"] } as const;

/** `input` without `shown`: what a hook wasn't shown and so can't have meant to drop. */
export function hidden<T extends object>(before: T, shown: readonly (keyof T)[]): Partial<T> {
  const rest = { ...before };
  for (const key of shown) delete rest[key];
  return rest;
}

/** An object without the keys that are undefined. */
export function given(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
