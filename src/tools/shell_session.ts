/** A background command as an object: what it printed, its end, its input, its terminal. */
import { ranOutOfTime } from "../core/abort.ts";
import { AgentError, quote } from "../core/errors.ts";
import { action, defineObjectTool } from "../core/object_tool.ts";
import type { AnyTool, Context, Output, Subject, Traits } from "../core/tool.ts";
import { isNotice } from "../core/fit.ts";
import { host } from "../core/runtime.ts";
import { LineSearch } from "../shell/line_search.ts";
import type { LineFilter, Look, ShellSession } from "../shell/session.ts";
import { MOST_POLL_S, MOST_WAIT_S } from "../shell/session_limits.ts";
import { type ShellSessions, shortened } from "../shell/sessions.ts";

/** New output of a session, and how it stands. */
export interface Polled extends Look {
  session: ShellSession;
  /** The program reads no more, and why. */
  refused?: string;
  /** The call was stopped, and its output so far stays new. */
  stopped?: string;
  /** Output was asked for by its place: what stands behind it, and how much there is. */
  place?: { next: number; total: number };
  /** Whether the line came that was waited for. */
  seen?: boolean;
  /** A person asked, not a model. */
  person?: boolean;
}

interface PollArgs {
  session_id: number;
  chars?: string;
  keys?: string[];
  peek?: boolean;
  offset?: number;
  filter?: string;
  yield_time_ms?: number;
}

interface WaitArgs {
  session_id: number;
  timeout_s?: number;
  until_output?: string;
}

/** Time that a poll gives a program to answer what was written, and to print where nothing was. */
const ANSWER_MS = 250;
const QUIET_MS = 5_000;
const WAIT_S = 30;
/** Room for the lines about a session beside its output. */
const NOTES_CHARS = 400;
/** Lines of a watched session's new output that the list shows. */
const SHOWN_LINES = 5;

export function shellSessionTool(sessions: ShellSessions): AnyTool {
  return defineObjectTool({
    name: "shell_session",
    looksAfter: "sessions",
    toolsets: ["lean", "codex_snake", "gemini_snake"],
    limit: { chars: 30_000, keep: "middle" },
    actions: {
      poll: action<PollArgs, Polled>({
        about: "new output; may write to the program before",
        input: (z) => ({
          session_id: z.int().min(1).describe("the session's number"),
          chars: z.string().optional().describe("text to write, as it is (end a line with \\n)"),
          keys: z.array(z.string()).optional().describe(
            "keys to press after it: enter, up, ctrl-c (interrupts), ctrl-d (ends the input), …",
          ),
          peek: z.boolean().optional().describe("show the output and keep it as new"),
          offset: z.int().min(0).optional().describe(
            "give all output from this character on, new or not; the answer says where it goes on",
          ),
          filter: z.string().optional().describe("a regular expression: new lines that it fits"),
          yield_time_ms: z.int().min(0).max(MOST_POLL_S * 1000).optional()
            .describe("time to wait for output; 250 after writing, else 5,000"),
        }),
        traits: ({ session_id, chars, keys }) => writing(session_id, chars, keys),
        run: (args, context) => poll(sessions, args, context),
        present: presentPolled,
      }),
      wait: action<WaitArgs, Polled>({
        about: "waits for its end, or for output",
        input: (z) => ({
          session_id: z.int().min(1).describe("the session's number"),
          timeout_s: z.number().min(0).max(MOST_WAIT_S).optional().describe(
            `at most so long; ${WAIT_S} where absent`,
          ),
          until_output: z.string().optional().describe("a regular expression that a line of new output fits"),
        }),
        traits: ({ session_id }) => looking(session_id),
        run: (args, context) => wait(sessions, args, context),
        present: presentPolled,
      }),
      kill: action<{ session_id: number }, Polled>({
        about: "ends it with all that it started",
        input: (z) => ({ session_id: z.int().min(1).describe("the session's number") }),
        traits: ({ session_id }) => ({ effect: "run", keys: [keyOf(session_id)], subjects: [] }),
        run: ({ session_id }, context) => kill(sessions, session_id, context),
        present: presentPolled,
      }),
      list: action<Record<string, never>, ShellSession[]>({
        about: "all that run, and those whose end was not told yet",
        input: () => ({}),
        traits: () => ({ effect: "read", keys: [ALL_SESSIONS], subjects: [] }),
        run: () =>
          sessions.list().filter(({ isLive, told, collector }) => isLive || !told || collector.hasNew),
        present: presentList,
      }),
      resize: action<{ session_id: number; cols: number; rows: number }, ShellSession>({
        about: "its terminal's size",
        input: (z) => ({
          session_id: z.int().min(1).describe("the session's number"),
          cols: z.int().min(1).max(1000).describe("columns"),
          rows: z.int().min(1).max(1000).describe("rows"),
        }),
        traits: ({ session_id }) => looking(session_id),
        run: ({ session_id, cols, rows }) => resize(sessions.get(session_id), cols, rows),
        present: ({ id }, { cols, rows }) => ({
          content: `Session ${id} has ${cols} columns and ${rows} rows`,
        }),
      }),
      unwatch: action<{ session_id: number; watcher_id?: number }, ShellSession>({
        about: "drops a watcher, or all of them",
        input: (z) => ({
          session_id: z.int().min(1).describe("the session's number"),
          watcher_id: z.int().min(1).optional().describe("the watcher's number; all where absent"),
        }),
        traits: ({ session_id }) => looking(session_id),
        run: ({ session_id, watcher_id }) => unwatch(sessions.get(session_id), watcher_id),
        present: ({ id, watchers }) => ({
          content: watchers.length === 0
            ? `Session ${id} is watched by nobody`
            : `Session ${id} is still watched by ${watchers.join(", ")}`,
        }),
      }),
    },
  });
}

/** Whoever looks at all of them waits for calls before it that may change one, or start one. */
const ALL_SESSIONS = "session:*";

export function keyOf(id: number): string {
  return `session:${id}`;
}

function looking(id: number): Traits {
  return { effect: "read", keys: [keyOf(id)], subjects: [] };
}

/** What is written to a program is a command, to rules and hooks. */
export function writing(id: number, chars = "", keys: readonly string[] = []): Traits {
  if (chars === "" && keys.length === 0) return looking(id);
  const text = writtenText(chars, keys);
  const subjects: Subject[] = text.trim() === "" ? [] : [{ kind: "command", value: text, access: "run" }];
  return { effect: "run", keys: [keyOf(id)], subjects };
}

/** Keys that a shell takes for text. */
const AS_TEXT: Readonly<Record<string, string>> = { enter: "\n", return: "\n", space: " ", tab: "\t" };

/**
 * What is written, as one text for rules and hooks: keys that are text as that, others as `<name>`. What a control
 * character does to a line nobody can tell, so a new command may begin there.
 */
export function writtenText(chars = "", keys: readonly string[] = []): string {
  const pressed = keys.map((key) => {
    const name = key.trim().toLowerCase();
    if ([...key].length === 1) return key;
    if (Object.hasOwn(AS_TEXT, name)) return AS_TEXT[name]!;
    return /^(?:c|ctrl|control)[-+].$/.test(name) || /^\^.$/.test(name) ? "\n" : `<${key}>`;
  });
  return (chars + pressed.join("")).replace(/\r\n?|[\0-\x08\x0b-\x1f\x7f]/g, "\n");
}

async function poll(sessions: ShellSessions, args: PollArgs, context: Context): Promise<Polled> {
  const { session_id, chars = "", keys = [], peek = false, offset, filter } = args;
  const session = sessions.get(session_id);
  const fits = filter === undefined ? undefined : await lineFilter(filter);
  const written = chars + (keys.length === 0 ? "" : await keyBytes(keys, session));
  if (written !== "") {
    const refused = write(session, written);
    if (refused !== undefined) return { ...await looked(session, context, peek), refused };
  }
  const time = args.yield_time_ms ?? (written === "" ? QUIET_MS : ANSWER_MS);
  const { collector } = session;
  // After writing the whole time is given: an answer comes in pieces.
  const over = () => !session.isLive;
  if (written !== "") await session.until(over, time, context.signal);
  else if (offset !== undefined) {
    await session.until(() => over() || collector.length > offset, time, context.signal);
  } else if (fits) await lineCame(fits, session, time, context);
  else await session.until(() => over() || collector.hasNew, time, context.signal);
  const stays = peek || context.signal.aborted;
  const polled = offset !== undefined
    ? lookedFrom(offset, session, context, stays, fits)
    : fits
    ? await lookedFor(fits, session, context, stays)
    : await looked(session, context, stays);
  const stopped = stopOf(context, "shell_session poll", GOES_ON);
  return { ...polled, ...(stopped !== undefined && { stopped }) };
}

/** Why it could not be written; `undefined` where it was. */
export function write(session: ShellSession, text: string): string | undefined {
  const { id } = session;
  if (!session.isLive) return `Cannot write to session ${id}: it ${session.pastStatus}`;
  const outcome = session.write(text);
  if (outcome === "ok") return undefined;
  const state = outcome === "full"
    ? "it doesn't read what it was given before"
    : session.state === "adopted"
    ? `it ${session.pastStatus}`
    : !session.hasInput
    ? "it was started without an input; start it with exec_command to write to it"
    : "its standard input is closed";
  return `Cannot write to session ${id}: ${state}`;
}

async function keyBytes(keys: readonly string[], session: ShellSession): Promise<string> {
  const { keysText } = await import("../shell/keys.ts");
  return keysText(keys, session.applicationKeys);
}

/** A model's pattern runs in linear time, whatever it is. */
async function lineFilter(pattern: string): Promise<LineFilter> {
  const { RE2JS } = await import("re2js");
  try {
    const compiled = RE2JS.compile(pattern);
    return (line) => compiled.matcher(line).find();
  } catch (error) {
    throw new AgentError(`Cannot use the pattern ${quote(pattern)}: ${(error as Error).message}`);
  }
}

/** What is new, or the screen; `peek`: and stays new. */
export async function looked(
  session: ShellSession,
  context: Context,
  peek = false,
  room = Infinity,
): Promise<Polled> {
  const look = session.look(Math.min(context.gate.limit - NOTES_CHARS, room), !peek);
  session.tells();
  return { session, person: context.person, ...await look };
}

/** The same of the lines that fit. */
async function lookedFor(
  fits: LineFilter,
  session: ShellSession,
  context: Context,
  peek: boolean,
): Promise<Polled> {
  const look = session.lookFor(fits, context.gate.limit - NOTES_CHARS, !peek, context.signal);
  session.tells();
  return { session, person: context.person, ...await look };
}

/** All output from a character on, or of that the lines that fit. */
function lookedFrom(
  offset: number,
  session: ShellSession,
  context: Context,
  peek: boolean,
  fits: LineFilter = () => true,
): Polled {
  const { text, ...place } = session.lookFrom(offset, context.gate.limit - NOTES_CHARS, !peek);
  session.tells();
  const output = text.split("\n").filter((line) => fits(line) || isNotice(line)).join("\n");
  return { session, person: context.person, output, isScreen: false, place };
}

/** Of a call that was stopped while it waited for a session. */
export const GOES_ON = "the session goes on, and what is shown stays new";

/** What is said of a call that was stopped while it waited; `what` is its tool, and its action. */
export function stopOf({ signal }: Context, what: string, state: string): string | undefined {
  if (!signal.aborted) return undefined;
  return `[${what} ${ranOutOfTime(signal) ? "ran out of time" : "was interrupted"}; ${state}]`;
}

async function wait(sessions: ShellSessions, args: WaitArgs, context: Context): Promise<Polled> {
  const session = sessions.get(args.session_id);
  const ms = (args.timeout_s ?? WAIT_S) * 1000;
  if (args.until_output === undefined) {
    await session.until(() => !session.isLive, ms, context.signal);
    return waited(session, context);
  }
  const fits = await lineFilter(args.until_output);
  const seen = await lineCame(fits, session, ms, context);
  return { ...await waited(session, context), seen };
}

/** Waits for a new line that fits, or for the end; whether it came. */
async function lineCame(
  fits: LineFilter,
  session: ShellSession,
  ms: number,
  context: Context,
): Promise<boolean> {
  const { passed, heardAt } = session.openLine;
  const search = new LineSearch(fits, () => host.now(), passed);
  search.push(session.collector.peek(context.gate.limit), heardAt);
  const stop = session.read((text) => search.push(text));
  try {
    await session.until(() => search.found() || !session.isLive, ms, context.signal);
  } finally {
    stop();
  }
  return search.found(true);
}

async function waited(session: ShellSession, context: Context): Promise<Polled> {
  const stopped = stopOf(context, "shell_session wait", GOES_ON);
  if (stopped === undefined) return await looked(session, context);
  return { ...await looked(session, context, true), stopped };
}

async function kill(sessions: ShellSessions, id: number, context: Context): Promise<Polled> {
  const session = sessions.get(id);
  await session.kill();
  return looked(session, context);
}

function resize(session: ShellSession, cols: number, rows: number): ShellSession {
  if (!session.isLive) throw new AgentError(`Cannot resize session ${session.id}: it ${session.pastStatus}`);
  if (!session.child.resize) throw new AgentError(`Cannot resize session ${session.id}: it has no terminal`);
  session.resize(cols, rows);
  return session;
}

function unwatch(session: ShellSession, watcher: number | undefined): ShellSession {
  if (session.unwatch(watcher)) return session;
  throw new AgentError(`Cannot drop watcher ${watcher} of session ${session.id}: there is no such one`);
}

function unfitText(lines: number): string {
  return lines === 1
    ? "1 new line, which the filter doesn't fit"
    : `${lines} new lines, none of which the filter fits`;
}

/** To a model, so that it doesn't poll again and again. */
const GOES_ON_ALONE = ". It goes on while you do something else, or end your turn";

function presentPolled(
  { session, output, isScreen, note, unfit, refused, stopped, place, seen, person = false }: Polled,
): Output {
  const { id, isLive, status, end } = session;
  const goesOn = place ? `; ${place.total} characters so far, offset=${place.next} goes on` : "";
  const alone = isLive && stopped === undefined && !person ? GOES_ON_ALONE : "";
  const state = unfit !== undefined
    ? `[session ${id} ${status}; ${unfitText(unfit)}${alone}]`
    : output === "" && isLive && stopped === undefined
    ? `[session ${id} ${status}; nothing new${goesOn}${alone}]`
    : `[session ${id} ${status}${isScreen ? "; this is its screen" : ""}${goesOn}]`;
  return {
    content: [output.replace(/\n+$/, ""), note ?? "", refused ?? "", state, stopped ?? ""]
      .filter((part) => part !== "").join("\n"),
    status: (refused ?? stopped) === undefined ? "success" : "error",
    ...(stopped !== undefined && { outcome: "interrupted" as const }),
    structured: {
      session: id,
      state: session.state,
      ...(end?.exitCode !== undefined && { exitCode: end.exitCode }),
      ...(place && { next: place.next, total: place.total }),
      ...(seen !== undefined && { seen }),
    },
  };
}

/** The last of what a watched session printed and nobody has asked for. */
function newLines({ watched, collector }: ShellSession): string[] {
  if (watched.length === 0 || !collector.hasNew) return [];
  const lines = collector.peek(Infinity).split("\n").filter((line) => line.trim() !== "");
  return lines.slice(-SHOWN_LINES).map((line) => `   [${watched.join(", ")}] ${shortened(line)}`);
}

function presentList(list: ShellSession[]): Output {
  if (list.length === 0) return { content: "No session is running" };
  const rows = list.flatMap((session) => {
    const { id, status, command, cwd } = session;
    const began = `started ${ageText(secondsOf(session))} ago`;
    return [`${id}  ${status}  ${began}  ${shortened(command)}  (in ${cwd})`, ...newLines(session)];
  });
  return {
    content: rows.join("\n"),
    structured: {
      sessions: list.map((session) => {
        const { id, state, command, cwd } = session;
        return { id, state, command, cwd, seconds: secondsOf(session) };
      }),
    },
  };
}

/** Since its start. */
function secondsOf({ startedAt }: ShellSession): number {
  return Math.max(0, Math.round((host.now() - startedAt) / 1000));
}

/** For people and models: `12 s`, `3 min`, `2 h`, `4 days`. */
function ageText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} days`;
}
