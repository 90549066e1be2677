/**
 * What the host and a plugin's own process say to each other, one JSON object a line: orders of the host with their
 * answers, questions of the plugin's with theirs, and words that want none. Neither side trusts the other's lines.
 */
import type { EventName } from "../core/events.ts";
import type { JsonSchema } from "../core/schema.ts";
import type { Effect } from "../core/tool.ts";
import type { HandlerOptions } from "../sdk.ts";

/** Characters of one line. */
export const MOST_LINE = 16 * 1024 * 1024;

/** What the host may order. */
export interface Orders {
  import: { entry: string; format: "cjs" | "esm"; code: string; needsZod: boolean };
  setup: { options: Record<string, unknown>; storage: string };
  handle: { handler: number; args: unknown[] };
  check: { tool: number; args: unknown };
  traits: { tool: number; args: unknown; cwd: string };
  run: { tool: number; args: unknown; context: ContextFacts };
  command: { command: number; args: readonly string[]; context: ContextFacts };
  dispose: Record<string, never>;
}

/** A call's context, as far as it can be told before. */
export interface ContextFacts {
  id: string;
  cwd: string;
  /** Values of the secrets that the plugin declares; `null` where one has none. */
  secrets: Record<string, string | null>;
}

export type Order = { [D in keyof Orders]: { order: number; do: D; with: Orders[D] } }[keyof Orders];

/** What the plugin's context asks the host for, beside the number of the order that it works on. */
export interface Question {
  question: number;
  order: number;
  do: string;
  with: unknown[];
}

export type Answer = { value?: unknown } | { error: { message: string; hint?: string | undefined } };

export type ToChild = Order | { abort: number } | ({ reply: number } & Answer);

export type FromChild =
  | ({ answer: number } & Answer)
  | Question
  | { add: Registered; number: number }
  | { remove: number }
  | { say: "output" | "log" | "print"; order: number; text: string }
  | { say: "note" | "stray"; text: string };

/** One thing that the plugin registered. */
export type Registered =
  | {
    kind: "tool";
    name: string;
    description: string;
    effect?: Effect | undefined;
    limit?: number | undefined;
    schema?: JsonSchema | undefined;
    /** Its own process checks arguments, and tells traits. */
    checks: boolean;
    hasTraits: boolean;
  }
  | { kind: "handler"; event: EventName; options: HandlerOptions }
  | { kind: "command"; name: string; description: string };
