/** Looking things up in the call log. */
import { dirs } from "../core/dirs.ts";
import { quote, UsageError } from "../core/errors.ts";
import { type LogFile, logFiles, readLog } from "../core/log.ts";
import type { StreamEvent } from "../core/stream.ts";

export type StartEvent = Extract<StreamEvent, { type: "tool_start" }>;
export type EndEvent = Extract<StreamEvent, { type: "tool_end" }>;

/** A call as logged; without `end` where it was cut short. */
export interface LoggedCall {
  session: string;
  start: StartEvent;
  end: EndEvent | undefined;
}

/** What became of it. */
export function outcomeOf({ end }: LoggedCall): string {
  return end?.outcome ?? "unfinished";
}

export interface Wanted {
  /** The newest so many. */
  limit?: number;
  session?: string | undefined;
  outcome?: string | undefined;
}

/** Calls of all sessions, oldest first. Sessions are read from the newest back, until there are enough. */
export function loggedCalls({ limit = Infinity, session, outcome }: Wanted = {}): LoggedCall[] {
  const files = session === undefined ? logFiles(dirs().log) : [sessionLog(session)];
  let calls: LoggedCall[] = [];
  for (const file of files.reverse()) {
    if (calls.length >= limit) break;
    const found = callsOf(file.session, readLog(file.path));
    calls = [...found.filter((call) => outcome === undefined || outcomeOf(call) === outcome), ...calls];
  }
  return calls.slice(-limit);
}

function callsOf(session: string, events: readonly StreamEvent[]): LoggedCall[] {
  const calls: LoggedCall[] = [];
  const open = new Map<string, LoggedCall>();
  for (const event of events) {
    if (event.type === "tool_start") {
      const call: LoggedCall = { session, start: event, end: undefined };
      calls.push(call);
      open.set(event.id, call);
    } else if (event.type === "tool_end") {
      const call = open.get(event.id);
      if (call) call.end = event;
      open.delete(event.id);
    }
  }
  return calls;
}

/** The one call whose id starts with `id`. */
export function findCall(id: string): LoggedCall {
  const calls = loggedCalls();
  const exact = calls.findLast(({ start }) => start.id === id);
  if (exact) return exact;
  const found = calls.filter(({ start }) => start.id.startsWith(id));
  if (found.length === 1) return found[0]!;
  const state = found.length === 0 ? "no such call is logged" : `${found.length} calls start so`;
  throw new UsageError(`Cannot show the call ${quote(id)}: ${state}`, "agent log list shows the ids");
}

/** A session's log; the newest where no name is given. */
export function sessionLog(name: string | undefined): LogFile {
  const files = logFiles(dirs().log);
  const file = name === undefined ? files.at(-1) : files.find(({ session }) => session === name);
  if (file) return file;
  if (name === undefined) throw new UsageError("Cannot export: nothing is logged yet");
  throw new UsageError(
    `Cannot read the session ${quote(name)}: no such log`,
    "agent log list shows the sessions",
  );
}
