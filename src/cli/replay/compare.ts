/** What differs between a call as it was logged and the same call today. */
import { textOf } from "../../core/result.ts";
import { sameJson } from "./expect.ts";
import type { Recorded } from "./recorded.ts";
import type { Rehearsed } from "./rehearse.ts";

export type Difference = "outcome" | "args" | "result" | "asks";

export interface Compared {
  differs: readonly Difference[];
  /** The result couldn't be compared: the log doesn't hold what the tool gave. */
  isBlind: boolean;
  before: Side;
  now: Side;
}

export interface Side {
  outcome: string;
  args: Record<string, unknown> | undefined;
  text: string;
}

/** `isRun`: the tool was run, so what it gave counts, whatever the log holds of it. */
export function compare(call: Recorded, came: Rehearsed, isRun: boolean): Compared {
  const { end, isChanged } = call;
  const before: Side = {
    outcome: end?.outcome ?? "unfinished",
    args: (end?.rewritten?.args as Side["args"]) ?? came.argsBefore,
    text: end ? textOf(end.notices ? end.content.slice(0, -end.notices) : end.content) : "",
  };
  const now: Side = { outcome: came.outcome, args: came.args, text: came.text };
  const differs: Difference[] = [];
  const sameWay = wayOf(before.outcome) === wayOf(now.outcome);
  if (!sameWay || (end && before.outcome !== now.outcome)) differs.push("outcome");
  if (end && sameWay && wayOf(now.outcome) === "ran" && !sameJson(before.args, now.args)) {
    differs.push("args");
  }
  const isBlind = !isRun && isChanged && !end?.original && sameWay;
  if (end && sameWay && !isBlind && before.text !== now.text) differs.push("result");
  if (came.asks !== undefined) differs.push("asks");
  return { differs, isBlind, before, now };
}

/** The ways that a call may go; a tool's success and its failure are one. */
function wayOf(outcome: string): string {
  return ["denied", "answered", "unknown", "invalid"].includes(outcome) ? outcome : "ran";
}
