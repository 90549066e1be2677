/** The request that a client meant, and what its exit code says. */
import type { Runtime } from "../../agent.ts";
import { EXIT } from "../../core/errors.ts";
import { isRecord } from "../../core/json.ts";
import type { CallRequest } from "../../core/request.ts";
import type { Result } from "../../core/result.ts";
import type { Asked } from "./wire.ts";

/** A call without a name is one of the tool that looks after sessions, whatever it is called. */
export function requestOf({ registry }: Runtime, { name, args }: Asked): CallRequest {
  if (name !== undefined) return { name, args };
  const found = registry.entries().find(({ tier, name, tool }) =>
    tier === "builtin" && tool.looksAfter === "sessions" && name === tool.name
  );
  return { name: found!.name, args };
}

/** Is the session that a call waited for still running? */
export function goesOn({ outcome, structured }: Result): boolean {
  return outcome === "success" && isRecord(structured) &&
    (structured.state === "running" || structured.state === "adopted");
}

/**
 * The exit code of a call that waited for a session: the command's own. Where that goes on, the time is over; where a line
 * was waited for, 0 says that it came. `undefined` where the call failed, which has codes of its own.
 */
export function sessionCode(result: Result): number | undefined {
  const { outcome, structured } = result;
  if (outcome !== "success" || !isRecord(structured)) return undefined;
  const { exitCode, seen } = structured;
  if (seen === true) return EXIT.done;
  if (goesOn(result)) return EXIT.timeout;
  const code = typeof exitCode === "number" ? exitCode : EXIT.failed;
  return seen === false && code === EXIT.done ? EXIT.failed : code;
}
