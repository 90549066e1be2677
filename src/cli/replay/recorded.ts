/** Calls that were made another time: from a log, or from a file of calls that somebody wrote. */
import { fileError, messageOf, quote, UsageError } from "../../core/errors.ts";
import { isRecord } from "../../core/json.ts";
import { markIn } from "../../core/redact.ts";
import type { Origin, StandIn } from "../../core/request.ts";
import { host } from "../../core/runtime.ts";
import type { EndEvent, StartEvent } from "../logged.ts";
import { type Expectation, readExpectation } from "./expect.ts";

export interface Recorded {
  id: string | undefined;
  parent: string | undefined;
  name: string;
  args: unknown;
  origin: Origin;
  cwd: string | undefined;
  /** What the tool gave; absent where it never ran, or nobody wrote it down. */
  given: StandIn["result"] | undefined;
  /** `given` may differ from what the tool gave: somebody changed it, and the log didn't keep what it was. */
  isChanged: boolean;
  /** As it was logged; absent for a call that somebody wrote, and for one that was cut short. */
  end: EndEvent | undefined;
  expect: Expectation | undefined;
  /** What somebody said who was asked about a call that this one made. */
  askedWithin: boolean | undefined;
  /** Why it can't be made again. */
  unfit: string | undefined;
  /** Where it stands, for people. */
  where: string;
}

/** The calls of a text of JSON lines: events as `agent log export` prints them, or `{name, args, result, expect}`. */
export function readCalls(text: string, place: string): Recorded[] {
  const calls: Recorded[] = [];
  const open = new Map<string, Recorded>();
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const where = `line ${index + 1}`;
    const value = parsed(line, place, where);
    if (value === undefined) continue;
    if (value.type === undefined) calls.push(written(value, `${where} of ${quote(place)}`, where));
    else if (value.type === "tool_start") {
      needFields(value, START_FIELDS, `${where} of ${quote(place)}`);
      const call = logged(value as unknown as StartEvent, where);
      calls.push(call);
      open.set(String(call.id), call);
    } else if (value.type === "tool_end") {
      needFields(value, END_FIELDS, `${where} of ${quote(place)}`);
      const end = value as unknown as EndEvent;
      const call = open.get(end.id);
      if (call) close(call, end);
      open.delete(end.id);
      const outer = call?.parent === undefined ? undefined : open.get(call.parent);
      if (outer) outer.askedWithin = end.asked ?? call?.askedWithin ?? outer.askedWithin;
    }
  }
  return calls;
}

/** A file without calls tests nothing, which must not look like success. */
export function needCalls(calls: Recorded[], place: string): Recorded[] {
  if (calls.length > 0) return calls;
  throw new UsageError(`Cannot use ${quote(place)}: there is no call in it`, EXAMPLE);
}

type FieldTest = (value: unknown) => boolean;

const isText: FieldTest = (value) => typeof value === "string";
const START_FIELDS: Readonly<Record<string, FieldTest>> = { id: isText, name: isText };
const END_FIELDS: Readonly<Record<string, FieldTest>> = {
  id: isText,
  outcome: isText,
  status: isText,
  content: (value) => Array.isArray(value) && value.every((block) => isRecord(block) && isText(block.type)),
};

/** What of an event is looked at must be what our log writes: another program's is none of ours. */
function needFields(event: Record<string, unknown>, fields: typeof START_FIELDS, at: string): void {
  for (const [name, fits] of Object.entries(fields)) {
    if (fits(event[name])) continue;
    const why = event[name] === undefined ? "is missing" : "is of another kind";
    throw new UsageError(
      `Cannot read the ${String(event.type)} in ${at}: its ${quote(name)} ${why}`,
      "agent log export prints what can be replayed",
    );
  }
}

/** A last line that a kill cut short is passed over, as the log's reader does. */
function parsed(line: string, place: string, where: string): Record<string, unknown> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    if (/^\{"type":"/.test(line)) return undefined;
    throw new UsageError(`Cannot read ${where} of ${quote(place)}: ${messageOf(error)}`);
  }
  if (isRecord(value)) return value;
  throw new UsageError(`Cannot read ${where} of ${quote(place)}: not an object`, EXAMPLE);
}

const EXAMPLE = 'a call is {"name": "TOOL", "args": {}, "expect": {"deny": true}}';
const KEYS = ["id", "name", "args", "cwd", "result", "expect"];

function written(value: Record<string, unknown>, at: string, where: string): Recorded {
  const { id, name, args = {}, cwd, result, expect } = value;
  const other = Object.keys(value).find((key) => !KEYS.includes(key));
  if (other !== undefined) {
    throw new UsageError(`Cannot use ${quote(other)} in ${at}: a call has ${KEYS.join(", ")}`, EXAMPLE);
  }
  if (typeof name !== "string") {
    throw new UsageError(`Cannot read the call in ${at}: it has no name`, EXAMPLE);
  }
  return {
    ...blank(where),
    name,
    args,
    ...(typeof id === "string" && { id }),
    ...(typeof cwd === "string" && { cwd }),
    given: givenOf(result, at),
    expect: expect === undefined ? undefined : readExpectation(expect, at),
  };
}

function givenOf(result: unknown, at: string): StandIn["result"] | undefined {
  if (result === undefined) return undefined;
  if (typeof result === "string") return { content: result };
  if (isRecord(result) && (typeof result.content === "string" || Array.isArray(result.content))) {
    return result as unknown as StandIn["result"];
  }
  throw new UsageError(`Cannot use the result in ${at}: neither a text nor an object with content`);
}

function blank(where: string): Recorded {
  return {
    id: undefined,
    parent: undefined,
    name: "",
    args: {},
    origin: "person",
    cwd: undefined,
    given: undefined,
    isChanged: false,
    end: undefined,
    expect: undefined,
    askedWithin: undefined,
    unfit: undefined,
    where,
  };
}

function logged({ id, parent, name, args, origin, cwd }: StartEvent, where: string): Recorded {
  // Logs of before it was told: what was refused then was no person's.
  const call = { ...blank(where), id, parent, name, args, origin: origin ?? "person", cwd };
  const mark = markIn(JSON.stringify(args) ?? "");
  if (mark !== undefined) call.unfit = `its arguments held the secret ${quote(mark)}, which no log shows`;
  return call;
}

function close(call: Recorded, end: EndEvent): void {
  call.end = end;
  if (end.outcome === "invalid" && end.tool === undefined) call.unfit ??= "it could not be read";
  const ran = !["denied", "answered", "unknown", "invalid"].includes(end.outcome);
  const { original, notes = 0, notices = 0 } = end;
  if (original) call.given = original;
  else if (ran) {
    call.isChanged = end.changedBy !== undefined;
    const content = end.content.slice(0, Math.max(0, end.content.length - notes - notices));
    call.given = { ...end, content };
  }
}

/**
 * Nobody was asked whether it may be made. Of a call that another one made only the trail tells that: the leave that the
 * outer one got may have been leave for it.
 */
export function wentUnasked({ end, parent }: Recorded): boolean {
  if (!end || end.asked !== undefined) return false;
  return parent === undefined ||
    (end.trail ?? []).some(({ step, did }) => step === "permission" && did === "allowed");
}

/** What hooks are told that a tool gave: a shell's streams in their form, else the blocks of the result. */
export function responseOf(given: StandIn["result"] | undefined): unknown {
  if (given?.stdout === undefined && given?.stderr === undefined) return undefined;
  const { stdout = [], stderr = [], outcome } = given;
  return {
    stdout: stdout.join(""),
    stderr: stderr.join(""),
    interrupted: outcome === "interrupted" || outcome === "timeout",
    isImage: false,
  };
}

/** The text of a file, or of standard input for `-`. */
export async function readSource(path: string): Promise<string> {
  if (path === "-") {
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of host.stdin()) text += decoder.decode(chunk, { stream: true });
    return text + decoder.decode();
  }
  try {
    return host.files.readText(path);
  } catch (error) {
    throw new UsageError(messageOf(fileError("read", path, error)));
  }
}
