/** The request that a client meant. */
import type { Runtime } from "../../agent.ts";
import type { CallRequest } from "../../core/request.ts";
import type { Asked } from "./wire.ts";

/** A call without a name is one of the tool that looks after sessions, whatever it is called. */
export function requestOf({ registry }: Runtime, { name, args }: Asked): CallRequest {
  if (name !== undefined) return { name, args };
  const found = registry.entries().find(({ tier, name, tool }) =>
    tier === "builtin" && tool.looksAfter === "sessions" && name === tool.name
  );
  return { name: found!.name, args };
}
