/** Codex' way to run commands: an answer after some time, whether the command is over or not. */
import { type AnyTool, type Context, defineTool, type Output } from "../core/tool.ts";
import { randomHex } from "../core/hash.ts";
import { host } from "../core/runtime.ts";
import type { ShellSession } from "../shell/sessions.ts";
import { type ShellParts, startCommand } from "./shell/start.ts";
import { workingFolder } from "./shell/folder.ts";
import { asText } from "./shell/text.ts";
import { looked, type Polled, write, writing } from "./shell_session.ts";

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
    traits: (args, place) => ({
      effect: "run",
      streams: true,
      subjects: [
        {
          kind: "command",
          value: commandOf(args),
          access: "run",
          ...(args.workdir !== undefined && { cwd: place.resolve(args.workdir) }),
        },
        ...(args.workdir === undefined
          ? []
          : [{ kind: "path", value: place.identify(args.workdir), access: "read" } as const]),
      ],
    }),
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
        chars: z.string().optional().describe("what to write; may be empty"),
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
      return {
        ...await chunkOf(session, started, context, max_output_tokens),
        ...(refused !== undefined && { refused }),
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
  const session = parts.sessions.add(started);
  started.onOutput((text) => session.heard(text));
  try {
    const time = clamped(yield_time_ms, LEAST_YIELD_MS, MOST_YIELD_MS);
    await session.until(() => session.state !== "running", time, context.signal);
  } catch (error) {
    await session.kill();
    throw error;
  }
  if (session.state === "running") parts.sessions.announceEnd(session);
  return { ...await chunkOf(session, began, context, max_output_tokens), notes };
}

/** Shells whose `-c` means the text as rules read it. */
const SHELLS = /^(?:\/(?:usr\/(?:local\/)?)?bin\/)?(?:bash|sh|dash|zsh|ksh)$/;

/** What is run, for rules and hooks: with another program as the shell, that one. */
export function commandOf({ cmd, shell }: ExecArgs): string {
  return shell === undefined || SHELLS.test(shell) ? cmd : asText([shell, "-c", cmd]);
}

function clamped(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

async function chunkOf(
  session: ShellSession,
  began: number,
  context: Context,
  tokens = Infinity,
): Promise<Chunk> {
  const seconds = (host.now() - began) / 1000;
  const chars = session.collector.newChars;
  return { ...await looked(session, context, false, tokens * TOKEN_CHARS), chars, seconds };
}

function presentChunk({ session, output, isScreen, chars, seconds, refused, notes = [] }: Chunk): Output {
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
    `Chunk ID: ${randomHex(6)}`,
    `Wall time: ${seconds.toFixed(4)} seconds`,
    how,
    ...left,
    `Original token count: ${Math.ceil(chars / TOKEN_CHARS)}`,
    isScreen ? "Screen:" : "Output:",
    output,
  ].join("\n");
  return {
    content,
    status: (exitCode ?? 0) !== 0 || refused !== undefined ? "error" : "success",
    ...(exitCode !== undefined && { exitCode }),
    structured: { session: id, state },
  };
}
