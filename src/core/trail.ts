/** What became of a call at each step that did something to it, for those who want to know why: `tool_end` carries it. */
import { takeHead } from "./fit.ts";
import { put } from "./json.ts";
import type { Redactor } from "./redact.ts";
import type { StreamEvent } from "./stream.ts";

export type TrailStep = NonNullable<Extract<StreamEvent, { type: "tool_end" }>["trail"]>[number];

/** What of an argument is kept at most, in characters of its JSON. */
const MOST_CHARS = 400;

/** The arguments that differ, each as it was and as it is. Whole: half a secret would pass the redaction unknown. */
export function changesBetween(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): NonNullable<TrailStep["changed"]> {
  const changes: NonNullable<TrailStep["changed"]> = {};
  for (const key of Object.keys(before)) {
    const from = before[key];
    if (!Object.hasOwn(after, key)) put(changes, key, { from });
    else if (!isSame(from, after[key])) put(changes, key, { from, to: after[key] });
  }
  for (const key of Object.keys(after)) {
    if (!Object.hasOwn(before, key)) put(changes, key, { to: after[key] });
  }
  return changes;
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other ||
    (typeof one === "object" && typeof other === "object" && JSON.stringify(one) === JSON.stringify(other));
}

/** A time as the stream has it. */
export function millis(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/**
 * As it leaves, once: what isn't ours in the steps redacted, then shortened, in place. Only what hooks say may be long and
 * stand nowhere else.
 */
export function told(trail: TrailStep[], redactor: Redactor): readonly TrailStep[] {
  for (const step of trail) {
    const { did, by, reason, changed } = step;
    if (redactor.active) {
      if (by !== undefined) step.by = redactor.redact(by);
      if (reason !== undefined) step.reason = redactor.redact(reason);
      if (changed) step.changed = redactor.redactJson(changed);
    }
    if (did === "said") step.reason = clipped(step.reason ?? "");
    if (step.changed) shorten(step.changed);
  }
  return trail;
}

function shorten(changes: NonNullable<TrailStep["changed"]>): void {
  for (const sides of Object.values(changes)) {
    // Where redaction left something out, a text says so.
    if (typeof sides !== "object") continue;
    if (sides.from !== undefined) sides.from = clippedValue(sides.from);
    if (sides.to !== undefined) sides.to = clippedValue(sides.to);
  }
}

function clippedValue(value: unknown): unknown {
  if (typeof value === "string") return clipped(value);
  if (typeof value !== "object" || value === null) return value;
  const text = JSON.stringify(value);
  return text.length <= MOST_CHARS ? value : clipped(text);
}

function clipped(text: string): string {
  return text.length <= MOST_CHARS ? text : `${takeHead(text, MOST_CHARS)}… (${text.length} characters)`;
}
