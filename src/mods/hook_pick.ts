/** Which hooks are concerned, and in which order they are asked. */
import type { AnyHook, HookGroup } from "./hook_config.ts";

/** A hook that is about to run. */
export type Due = AnyHook & {
  /** Its failure blocks. */
  blocks: boolean;
};

export interface Picked {
  group: HookGroup;
  hooks: Due[];
}

/** The concerned hooks by group; no names: all of them. The same hook from two places runs once. */
export function pick(groups: readonly HookGroup[], names: readonly string[] | undefined): Picked[] {
  const seen = new Map<string, Due>();
  const picked: Picked[] = [];
  for (const group of groups) {
    if (names && !names.some((name) => group.matches(name))) continue;
    const hooks = group.hooks.flatMap((hook) => {
      const key = keyOf(hook);
      const same = seen.get(key);
      if (same) {
        // One run stands for both, so the longer time holds, and the stricter failure mode.
        same.timeoutMs = Math.max(same.timeoutMs, hook.timeoutMs);
        same.blocks ||= hook.onFailure === "block";
        return [];
      }
      const once = { ...hook, blocks: hook.onFailure === "block" };
      seen.set(key, once);
      return [once];
    });
    if (hooks.length > 0) picked.push({ group, hooks });
  }
  return picked;
}

function keyOf(hook: AnyHook): string {
  const what = hook.type === "http"
    ? [hook.url, hook.headers]
    : [hook.command, hook.args, hook.plugin?.root, hook.persistent];
  return JSON.stringify([...what, hook.if, hook.async]);
}

/** Asks all hooks of all groups at once, those of a sequential group in turn; the answers come in declared order. */
export async function collect<T>(
  picked: readonly Picked[],
  ask: (hook: Due, picked: Picked, before: readonly T[]) => Promise<T>,
  ends: (answer: T) => boolean = () => false,
): Promise<T[]> {
  const [only] = picked;
  // The usual case, without what several need.
  if (only && picked.length === 1 && only.hooks.length === 1) return [await ask(only.hooks[0]!, only, [])];
  const answers = await Promise.all(picked.map(async (one) => {
    if (!one.group.sequential) return await Promise.all(one.hooks.map((hook) => ask(hook, one, [])));
    const inTurn: T[] = [];
    for (const hook of one.hooks) {
      const answer = await ask(hook, one, inTurn);
      inTurn.push(answer);
      if (ends(answer)) break;
    }
    return inTurn;
  }));
  return answers.flat();
}
