/** How long the handlers of plugins took: of one call, for its `tool_end` in the stream; of many, for people. */
import type { Handler } from "./events.ts";
import { put } from "./json.ts";

/** Milliseconds by plugin and event. */
export type Times = Record<string, Record<string, number>>;

/** One call's. Handlers that one plugin has for one event are added up. */
export class HandlerTimes {
  readonly #entries: { mod: string; event: string; ms: number }[] = [];

  add({ mod, event }: Pick<Handler, "mod" | "event">, ms: number): void {
    for (const entry of this.#entries) {
      if (entry.mod !== mod || entry.event !== event) continue;
      entry.ms += ms;
      return;
    }
    this.#entries.push({ mod, event, ms });
  }

  /** `undefined` where no handler was asked. */
  told(): Times | undefined {
    if (this.#entries.length === 0) return undefined;
    const times: Times = {};
    for (const { mod, event, ms } of this.#entries) {
      if (!Object.hasOwn(times, mod)) put(times, mod, {});
      times[mod]![event] = Math.round(ms * 100) / 100;
    }
    return times;
  }
}

/** What many calls came to. */
export interface TimeTotal {
  event: string;
  calls: number;
  totalMs: number;
  mostMs: number;
}

/** Sums up the times of many calls, by plugin; events in the order in which they were met. */
export function totalTimes(all: readonly Times[]): Map<string, TimeTotal[]> {
  const totals = new Map<string, Map<string, TimeTotal>>();
  for (const times of all) {
    for (const [mod, events] of Object.entries(times)) {
      const known = totals.get(mod) ?? new Map<string, TimeTotal>();
      totals.set(mod, known);
      for (const [event, ms] of Object.entries(events)) {
        const { calls, totalMs, mostMs } = known.get(event) ?? { calls: 0, totalMs: 0, mostMs: 0 };
        const rounded = Math.round((totalMs + ms) * 1000) / 1000;
        known.set(event, { event, calls: calls + 1, totalMs: rounded, mostMs: Math.max(mostMs, ms) });
      }
    }
  }
  return new Map([...totals].map(([mod, events]) => [mod, [...events.values()]]));
}
