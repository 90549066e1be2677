/** What became of a call at each step that did something to it, for those who want to know why: `tool_end` carries it. */
import { put } from "./json.ts";
import type { Redactor } from "./redact.ts";
import type { StreamEvent } from "./stream.ts";

export type TrailStep = NonNullable<Extract<StreamEvent, { type: "tool_end" }>["trail"]>[number];

/** What of an argument is kept at most, in characters of its JSON. */
const MOST_CHARS = 400;

/** The arguments that differ, each as it was and as it is; long ones shortened. */
export function changesBetween(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): NonNullable<TrailStep["changed"]> {
  const changes: NonNullable<TrailStep["changed"]> = {};
  for (const key of Object.keys(before)) {
    const from = before[key];
    if (!Object.hasOwn(after, key)) put(changes, key, { from: shortened(from) });
    else if (!isSame(from, after[key])) {
      put(changes, key, { from: shortened(from), to: shortened(after[key]) });
    }
  }
  for (const key of Object.keys(after)) {
    if (!Object.hasOwn(before, key)) put(changes, key, { to: shortened(after[key]) });
  }
  return changes;
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other ||
    (typeof one === "object" && typeof other === "object" && JSON.stringify(one) === JSON.stringify(other));
}

function shortened(value: unknown): unknown {
  if (typeof value === "string") return clipped(value);
  if (typeof value !== "object" || value === null) return value;
  const text = JSON.stringify(value);
  return text.length <= MOST_CHARS ? value : clipped(text);
}

/** A text of no more characters than the trail keeps. */
export function clipped(text: string): string {
  return text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS)}… (${text.length} characters)`;
}

/** A time as the stream has it. */
export function millis(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** What isn't ours in it, redacted. */
export function redacted(trail: readonly TrailStep[], redactor: Redactor): TrailStep[] {
  if (!redactor.active) return [...trail];
  return trail.map((step) => {
    const { by, reason, changed } = step;
    return {
      ...step,
      ...(by !== undefined && { by: redactor.redact(by) }),
      ...(reason !== undefined && { reason: redactor.redact(reason) }),
      ...(changed && { changed: redactor.redactJson(changed) }),
    };
  });
}
