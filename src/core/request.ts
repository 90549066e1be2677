/** What a call is asked with: the words that hosts, the command line and the core share. */
import type { Family } from "./face.ts";
import type { Outcome } from "./result.ts";
import type { Output } from "./tool.ts";

export interface CallRequest {
  id?: string;
  name: string;
  args: unknown;
  /** The dialect's family, where a name stands for several tools. */
  family?: Family;
  /** The call could not be read: it fails with this sentence, by the same path as any other. */
  malformed?: string;
}

/** `person`: the call stands on somebody's command line. `script`, `model`: an `ask` needs somebody to answer. */
export type Origin = "person" | "script" | "model";

/** The part of an `AbortSignal` that a call uses; a cold start can't afford the real one. */
export interface AbortLike {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

export interface CallOptions {
  origin?: Origin;
  signal?: AbortLike | undefined;
  timeoutMs?: number | undefined;
  /** Every step but the running. */
  dryRun?: boolean;
  /** Stands in for the tool, which isn't run: gives what it gave another time. */
  standIn?: StandIn | undefined;
  /** Asks whoever can answer whether a call may run; absent: nobody can. */
  ask?: ((question: Question) => Promise<boolean>) | undefined;
  /** Characters of output that the stream carries; the rest is only counted. Default 30,000. */
  streamLimit?: number;
}

/** What is known of a call that was run another time. */
export interface StandIn {
  /** The id of the call that made it. */
  parent?: string | undefined;
  /** What the tool gave then; an outcome besides, where the result has one of its own. */
  result: Omit<Output, "outcome"> & { outcome?: Outcome };
  /** The same for hooks, in the tool's form for them; absent: the result's blocks. */
  response?: unknown;
}

export interface Question {
  name: string;
  args: Readonly<Record<string, unknown>>;
  reason: string;
  /** A rule that would settle it for good. */
  rule: string;
}
