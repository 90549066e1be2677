/** Codex' way to run commands: an answer after some time, whether the command is over or not. */
import { type AnyTool, type Context, defineTool, type Output } from "../core/tool.ts";
import { randomHex } from "../core/hash.ts";
import { host } from "../core/runtime.ts";
import { isUsualShell, shellArguments } from "../shell/command_line.ts";
import type { ShellSession } from "../shell/session.ts";
import type { ShellSessions } from "../shell/sessions.ts";
import { type ShellParts, startCommand } from "./shell/start.ts";
import { workingFolder } from "./shell/folder.ts";
import { asText } from "./shell/text.ts";
import { commandTraits } from "./shell/traits.ts";
import { withheldNote } from "./shell/withheld.ts";
import { GOES_ON, looked, type Polled, stopOf, write, writing } from "./shell_session.ts";

export interface ExecArgs {
  cmd: string;
  workdir?: string;
  shell?: string;
  login?: boolean;
  tty?: boolean;
  yield_time_ms?: number;
  max_output_tokens?: number;
}

export interface WriteArgs {
  session_id: number;
  chars?: string;
  yield_time_ms?: number;
  max_output_tokens?: number;
}

/** What a command printed so far, and whether it goes on. */
export interface Chunk extends Polled {
  /** All that came, before it was cut. */
  chars: number;
  seconds: number;
  notes?: string[];
}

const YIELD_MS = 10_000;
const LEAST_YIELD_MS = 250;
const MOST_YIELD_MS = 30_000;
/** A poll without characters waits for output, and may wait long. */
const LEAST_POLL_MS = 5_000;
const MOST_POLL_MS = 300_000;
const COLS = 80;
const ROWS = 24;
/** Characters of a token, as a rule of thumb. */
const TOKEN_CHARS = 4;

export function execCommandTool(parts: ShellParts): AnyTool {
  return defineTool<ExecArgs, Chunk>({
    name: "exec_command",
    runsCommands: true,
    input: (z) =>
      z.strictObject({
        cmd: z.string().min(1).describe("the command"),
        workdir: z.string().min(1).optional().describe(
          "the folder to run in; the working folder where absent",
        ),
        shell: z.string().min(1).optional().describe("the shell that runs it; the usual one where absent"),
        login: z.boolean().optional().describe("run as a login shell"),
        tty: z.boolean().optional().describe("in a terminal, for programs that need one"),
        yield_time_ms: z.int().min(0).optional().describe("time to wait for its end; 10,000 where absent"),
        max_output_tokens: z.int().min(1).optional().describe("how much of the output to give back"),
      }),
    traits: (args, place) => commandTraits(commandOf(args), args.workdir, place),
    limit: { chars: 30_000, keep: "middle" },
    run: (args, context) => start(parts, args, context),
    present: presentChunk,
  });
}

export function writeStdinTool({ sessions }: ShellParts): AnyTool {
  return defineTool<WriteArgs, Chunk>({
    name: "write_stdin",
    input: (z) =>
      z.strictObject({
        session_id: z.int().min(1).describe("the session's number"),
        chars: z.string().optional().describe(
          "what to write; may be empty (\\u0003 interrupts, \\u0004 ends the input)",
        ),
        yield_time_ms: z.int().min(0).optional().describe("time to wait for output"),
        max_output_tokens: z.int().min(1).optional().describe("how much of the output to give back"),
      }),
    traits: ({ session_id, chars }) => writing(session_id, chars),
    limit: { chars: 30_000, keep: "middle" },
    async run({ session_id, chars = "", yield_time_ms, max_output_tokens }, context) {
      const session = sessions.get(session_id);
      const started = host.now();
      const refused = chars === "" ? undefined : write(session, chars);
      if (refused === undefined) {
        const time = chars === ""
          ? clamped(yield_time_ms ?? LEAST_POLL_MS, LEAST_POLL_MS, MOST_POLL_MS)
          : clamped(yield_time_ms ?? LEAST_YIELD_MS, LEAST_YIELD_MS, MOST_YIELD_MS);
        await session.until(
          () => session.state !== "running" || chars === "" && session.collector.hasNew,
          time,
          context.signal,
        );
      }
      const stopped = stopOf(context, "write_stdin", GOES_ON);
      return {
        ...await chunkOf(session, started, context, max_output_tokens, stopped !== undefined),
        ...(refused !== undefined && { refused }),
        ...(stopped !== undefined && { stopped }),
      };
    },
    present: presentChunk,
  });
}

async function start(parts: ShellParts, args: ExecArgs, context: Context): Promise<Chunk> {
  const { cmd, workdir, shell, login, tty = false, yield_time_ms = YIELD_MS, max_output_tokens } = args;
  parts.sessions.needRoom();
  const { folder, notes } = workingFolder(workdir, context);
  const began = host.now();
  const started = await startCommand(parts, context, {
    command: cmd,
    cwd: folder,
    shell,
    login,
    stdin: "open",
    tty: tty ? { cols: COLS, rows: ROWS } : undefined,
  });
  const session = parts.sessions.begin(started);
  started.onOutput((text) => session.heard(text));
  const time = clamped(yield_time_ms, LEAST_YIELD_MS, MOST_YIELD_MS);
  await session.until(() => session.state !== "running", time, context.signal);
  const stopped = session.state === "running"
    ? stopOf(context, "exec_command", "the command and all it started were ended")
    : undefined;
  if (stopped !== undefined) await session.kill();
  started.handOver();
  keep(parts.sessions, session);
  const chunk = await chunkOf(session, began, context, max_output_tokens);
  if ((session.end?.exitCode ?? 0) !== 0) {
    notes.push(...withheldNote(parts.environment, cmd, () => chunk.output));
  }
  return { ...chunk, ...(stopped !== undefined && { stopped }), notes };
}

/** One that goes on gets its number; one that is over needs none. */
function keep(sessions: ShellSessions, session: ShellSession): void {
  if (!session.isLive) return sessions.drop(session);
  sessions.number(session);
  if (session.state === "running") sessions.announceEnd(session);
  else sessions.announceRest(session);
}

/** What is run, for rules and hooks: with another program as the shell, that one. */
export function commandOf({ cmd, shell, login = false }: ExecArgs): string {
  return shell === undefined || isUsualShell(shell) ? cmd : asText(shellArguments(shell, login, cmd));
}

function clamped(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

async function chunkOf(
  session: ShellSession,
  began: number,
  context: Context,
  tokens = Infinity,
  peek = false,
): Promise<Chunk> {
  const seconds = (host.now() - began) / 1000;
  const chars = session.collector.newChars;
  return { ...await looked(session, context, peek, tokens * TOKEN_CHARS), chars, seconds };
}

function presentChunk(
  { session, output, isScreen, note, chars, seconds, refused, stopped, notes = [] }: Chunk,
): Output {
  const { id, state, end, status } = session;
  const isOver = state === "exited" || state === "adopted";
  const exitCode = isOver ? end?.exitCode : undefined;
  const how = state === "running"
    ? `Process running with session ID ${id}`
    : `Process ${exitCode === undefined ? status : `exited with code ${exitCode}`}`;
  const left = state === "adopted" ? [`Processes that it started still run, as session ID ${id}`] : [];
  const content = [
    ...notes,
    ...(refused === undefined ? [] : [refused]),
    ...(stopped === undefined ? [] : [stopped]),
    `Chunk ID: ${randomHex(6)}`,
    `Wall time: ${seconds.toFixed(4)} seconds`,
    how,
    ...left,
    ...(note === undefined ? [] : [note]),
    `Original token count: ${Math.ceil(chars / TOKEN_CHARS)}`,
    isScreen ? "Screen:" : "Output:",
    output,
  ].join("\n");
  return {
    content,
    status: (exitCode ?? 0) !== 0 || (refused ?? stopped) !== undefined ? "error" : "success",
    ...(stopped !== undefined && { outcome: "interrupted" as const }),
    ...(exitCode !== undefined && { exitCode }),
    structured: { ...(id > 0 && { session: id }), state },
  };
}
