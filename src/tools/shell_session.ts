/** A background command as an object: what it printed, its end, its input, its terminal. */
import { AgentError, quote } from "../core/errors.ts";
import { action, defineObjectTool } from "../core/object_tool.ts";
import type { AnyTool, Context, Output, Subject, Traits } from "../core/tool.ts";
import { Lines } from "../shell/lines.ts";
import { type ShellSession, type ShellSessions, shortened } from "../shell/sessions.ts";

/** New output of a session, and how it stands. */
export interface Polled {
  session: ShellSession;
  output: string;
  /** That is what the program's screen shows, not what it printed. */
  isScreen: boolean;
  /** The program reads no more, and why. */
  refused?: string;
}

interface PollArgs {
  session_id: number;
  chars?: string;
  keys?: string[];
  peek?: boolean;
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
const MOST_YIELD_MS = 300_000;
const WAIT_S = 30;
const MOST_WAIT_S = 600;
/** Room for the lines about a session beside its output. */
const NOTES_CHARS = 400;

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
          keys: z.array(z.string()).optional().describe("keys to press after it: enter, ctrl-c, up, …"),
          peek: z.boolean().optional().describe("show the output and keep it as new"),
          filter: z.string().optional().describe("a regular expression: new lines that it fits"),
          yield_time_ms: z.int().min(0).max(MOST_YIELD_MS).optional()
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
        traits: () => ({ effect: "read", keys: [], subjects: [] }),
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
  const { session_id, chars = "", keys = [], peek = false, filter } = args;
  const session = sessions.get(session_id);
  const fits = filter === undefined ? undefined : await lineFilter(filter);
  const written = chars + (keys.length === 0 ? "" : await keyBytes(keys, session));
  if (written !== "") {
    const refused = write(session, written);
    if (refused !== undefined) return { ...await looked(session, context, peek), refused };
  }
  const time = args.yield_time_ms ?? (written === "" ? QUIET_MS : ANSWER_MS);
  // After writing the whole time is given: an answer comes in pieces.
  await session.until(
    () => !session.isLive || written === "" && session.collector.hasNew,
    time,
    context.signal,
  );
  const polled = await looked(session, context, peek);
  return fits ? { ...polled, output: polled.output.split("\n").filter(fits).join("\n") } : polled;
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
    : "its standard input is closed";
  return `Cannot write to session ${id}: ${state}`;
}

async function keyBytes(keys: readonly string[], session: ShellSession): Promise<string> {
  const { keysText } = await import("../shell/keys.ts");
  return keysText(keys, session.applicationKeys);
}

/** A model's pattern runs in linear time, whatever it is. */
async function lineFilter(pattern: string): Promise<(line: string) => boolean> {
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
  if (!session.isLive) session.told = true;
  return { session, ...await look };
}

async function wait(sessions: ShellSessions, args: WaitArgs, context: Context): Promise<Polled> {
  const session = sessions.get(args.session_id);
  const ms = (args.timeout_s ?? WAIT_S) * 1000;
  if (args.until_output === undefined) {
    await session.until(() => !session.isLive, ms, context.signal);
    return looked(session, context);
  }
  const fits = await lineFilter(args.until_output);
  let seen = false;
  const lines = new Lines((line) => seen ||= fits(line));
  lines.push(session.collector.peek(context.gate.limit));
  const stop = session.read((text) => lines.push(text));
  try {
    await session.until(() => seen ||= fits(lines.rest) || !session.isLive, ms, context.signal);
  } finally {
    stop();
  }
  return looked(session, context);
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

export function presentPolled({ session, output, isScreen, refused }: Polled): Output {
  const { id, isLive, status, end } = session;
  const state = output === "" && isLive
    ? `[session ${id} ${status}; nothing new. It goes on while you do something else, or end your turn]`
    : `[session ${id} ${status}${isScreen ? "; this is its screen" : ""}]`;
  return {
    content: [output.replace(/\n+$/, ""), ...(refused === undefined ? [] : [refused]), state]
      .filter((part) => part !== "").join("\n"),
    status: refused === undefined ? "success" : "error",
    structured: {
      session: id,
      state: session.state,
      ...(end?.exitCode !== undefined && { exitCode: end.exitCode }),
    },
  };
}

function presentList(list: ShellSession[]): Output {
  if (list.length === 0) return { content: "No session is running" };
  const rows = list.map(({ id, status, command, cwd }) =>
    `${id}  ${status}  ${shortened(command)}  (in ${cwd})`
  );
  return {
    content: rows.join("\n"),
    structured: { sessions: list.map(({ id, state, command, cwd }) => ({ id, state, command, cwd })) },
  };
}
