/** What a host tells of an event, checked before any hook hears of it: it would harm the hook, or silence one. */
import { quote, UsageError } from "./errors.ts";
import { HOST_EVENTS, type HostEvent, type HostEvents } from "./hooks.ts";
import { copy, isRecord, NotJson } from "./json.ts";

/** Fields that are ours to tell. */
const OURS: readonly string[] = [
  "session_id",
  "transcript_path",
  "cwd",
  "hook_event_name",
  "permission_mode",
];

/** The fields as JSON. Throws a `UsageError` that names the event and what is wrong. */
export function eventFields<E extends HostEvent>(event: E, fields: HostEvents[E]): HostEvents[E] {
  const wrong = (what: string, hint?: string) => new UsageError(`Cannot fire ${event}: ${what}`, hint);
  if (!isRecord(fields)) throw wrong("its fields are no object");
  const taken = OURS.find((name) => Object.hasOwn(fields, name));
  if (taken !== undefined) throw wrong(`${quote(taken)} is the session's own`, "leave it out");
  const key = HOST_EVENTS[event] as string | undefined;
  const named: unknown = key && (fields as Record<string, unknown>)[key];
  // A notification may be of no kind.
  if (key !== undefined && typeof named !== "string" && !(named === undefined && event === "Notification")) {
    throw wrong(`${quote(key)} is no string, which matchers are held against`, `${key}: a string`);
  }
  try {
    return copy(fields) as HostEvents[E];
  } catch (error) {
    throw error instanceof NotJson ? wrong(`a field ${error.fault}`) : error;
  }
}
