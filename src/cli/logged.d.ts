import type { StreamEvent } from "../core/stream.ts";
export type StartEvent = Extract<StreamEvent, {
    type: "tool_start";
}>;
export type EndEvent = Extract<StreamEvent, {
    type: "tool_end";
}>;
/** A call as logged; without `end` where it was cut short. */
export interface LoggedCall {
    session: string;
    start: StartEvent;
    end: EndEvent | undefined;
}
/** Calls of all sessions, oldest first. Stops reading sessions once `enough` calls are found, from the newest back. */
export declare function loggedCalls(enough?: number): LoggedCall[];
/** The one call whose id starts with `id`. */
export declare function findCall(id: string): LoggedCall;
/** A session's log file; the newest where no name is given. */
export declare function sessionLog(name: string | undefined): string;
