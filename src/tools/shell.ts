/** Runs a shell command: to its end, or in the background. */
import { ranOutOfTime } from "../core/abort.ts";
import { type AnyTool, type Context, defineTool } from "../core/tool.ts";
import type { Collected } from "../shell/collector.ts";
import { type Ended, toEnd } from "../shell/process.ts";
import type { ShellSession } from "../shell/session.ts";
import type { ShellSessions } from "../shell/sessions.ts";
import { applyPatch } from "./apply_patch.ts";
import { type HeredocPatch, patchInArguments, patchInScript } from "./patch/heredoc.ts";
import { follow, workingFolder } from "./shell/folder.ts";
import { type ShellParts, startPiped } from "./shell/start.ts";
import { asText, scriptOf } from "./shell/text.ts";
import { commandTraits } from "./shell/traits.ts";
import { withheldNote } from "./shell/withheld.ts";

export interface ShellArgs {
  command: string | string[];
  workdir?: string;
  timeout_ms?: number;
  login?: boolean;
  background?: boolean;
  keep_folder?: boolean;
  description?: string;
}

export interface ShellData extends Collected {
  /** Absent for one that goes on in the background. */
  ended?: Ended;
  /** The session that goes on, or that is left behind. */
  session?: ShellSession;
  /** What is said below the output: how it ended, what still runs. */
  notes: string[];
}

export const MOST_MS = 600_000;

export function shellTool(parts: ShellParts): AnyTool {
  return defineTool<ShellArgs, ShellData>({
    name: "shell",
    runsCommands: true,
    toolsets: ["lean"],
    covers: "run",
    aliases: ["bash", "sh", "terminal", "run", "execute_command"],
    input: (z) =>
      z.strictObject({
        command: z.union([z.string().min(1), z.array(z.string()).min(1)])
          .describe("text for the shell, or a program and its arguments as a list"),
        workdir: z.string().min(1).optional().describe(
          "the folder to run in; the working folder where absent",
        ),
        timeout_ms: z.int().min(1).max(MOST_MS).optional().describe("120,000 where absent, 600,000 at most"),
        login: z.boolean().optional().describe("run as a login shell"),
        background: z.boolean().optional().describe("give back a session's number at once, and let it run"),
        keep_folder: z.boolean().optional().describe(
          "later calls work in the folder that the command ends in",
        ),
        description: z.string().optional().describe("what it does, in a few words, for people"),
      }),
    traits: (args, place) =>
      commandTraits(patchIn(args)?.command ?? asText(args.command), args.workdir, place),
    limit: { chars: 30_000, keep: "middle" },
    divert,
    run: (args, context) =>
      args.background ? inBackground(parts, args, context) : toItsEnd(parts, args, context),
    present({ text, stdout, stderr, overflow, overflowCutAt, ended, session, notes }) {
      return {
        content: [withoutLastNewlines(text), ...notes].filter((part) => part !== "").join("\n"),
        status: ended && failed(ended) ? "error" : "success",
        ...(ended?.why === "timeout" && { outcome: "timeout" as const }),
        ...(ended?.why === "interrupted" && { outcome: "interrupted" as const }),
        stdout: stdout === "" ? [] : [stdout],
        stderr: stderr === "" ? [] : [stderr],
        ...(ended?.exitCode !== undefined && { exitCode: ended.exitCode }),
        ...(overflow !== undefined && { overflow }),
        ...(overflowCutAt !== undefined && { overflowCutAt }),
        ...(session && { structured: { session: session.id, state: session.state } }),
      };
    },
  });
}

async function inBackground(parts: ShellParts, args: ShellArgs, context: Context): Promise<ShellData> {
  const { sessions } = parts;
  sessions.needRoom();
  const { folder, notes } = workingFolder(args.workdir, context);
  const started = await startPiped(parts, context, { ...args, cwd: folder, stdin: "none" });
  const session = sessions.add(started);
  started.onOutput((piece) => session.heard(piece));
  started.handOver();
  sessions.announceEnd(session);
  notes.push(`Command running in background with ID: ${session.id}`);
  if (args.timeout_ms !== undefined) {
    notes.push(
      `[its time limit of ${args.timeout_ms} ms doesn't hold there: it runs until it ends or is ended]`,
    );
  }
  return { ...NOTHING, session, notes };
}

const NOTHING: Collected = { text: "", stdout: "", stderr: "", overflow: undefined };

async function toItsEnd(parts: ShellParts, args: ShellArgs, context: Context): Promise<ShellData> {
  const { environment, sessions, timeoutMs: usual } = parts;
  const timeoutMs = Math.min(args.timeout_ms ?? usual, MOST_MS);
  const { folder, notes } = workingFolder(args.workdir, context);
  const probe = args.keep_folder && typeof args.command === "string"
    ? parts.groups.folders.probe(args.command)
    : undefined;
  const started = await startPiped(parts, context, {
    ...args,
    cwd: folder,
    stdin: "none",
    ...(probe && { env: probe.env }),
  });
  const { child, collector } = started;
  const ended = await toEnd(child, { timeoutMs, signal: context.signal });
  notes.push(...follow(probe?.end(), folder, context));
  // Who is left behind is looked after like any other in the background.
  const session = ended.survivors ? sessions.add({ ...started, end: ended }) : undefined;
  started.handOver();
  if (!session) child.release();
  notes.unshift(...notesOf(ended, timeoutMs, ranOutOfTime(context.signal), leftNotes(session, sessions)));
  if (failed(ended)) {
    const output = () => collector.peek(context.gate.limit);
    notes.unshift(...withheldNote(environment, asText(args.command), output));
  }
  const room = notes.reduce((sum, note) => sum + note.length + 1, 0);
  // The notes have their room, so that no cut ever falls on the exit code.
  const collected = collector.finish(context.gate.limit - room, session !== undefined);
  if (session) {
    collector.take(Infinity);
    session.tells();
    started.onOutput((piece) => session.heard(piece));
    sessions.announceRest(session);
  }
  return { ...collected, ended, ...(session && { session }), notes };
}

/** Arguments that say nothing about what is done; with any other, a call is what it is. */
const ABOUT_RUNNING = ["timeout_ms", "login", "keep_folder", "description"];

/** The patch that a call applies, where it does nothing else. */
function patchIn({ command, workdir: _, ...more }: ShellArgs): HeredocPatch | undefined {
  const odd = Object.entries(more).some(([key, value]) => value !== false && !ABOUT_RUNNING.includes(key));
  if (odd) return undefined;
  const script = typeof command === "string" ? command : scriptOf(command);
  return script === undefined ? patchInArguments(command as string[]) : patchInScript(script);
}

/** Such a call is one of the tool for patches, so that it is judged, planned and taken back like one. */
function divert(args: ShellArgs): ReturnType<NonNullable<AnyTool["divert"]>> {
  const patch = patchIn(args);
  if (!patch) return undefined;
  const { workdir } = args, { input, folder } = patch;
  const place = folder === undefined || workdir === undefined || /^[/~]/.test(folder)
    ? folder ?? workdir
    : `${workdir}/${folder}`;
  return { tool: applyPatch, args: { input, ...(place !== undefined && { workdir: place }) } };
}

function failed({ why, exitCode }: Ended): boolean {
  return why !== "exit" || exitCode !== 0;
}

function withoutLastNewlines(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 10) end--;
  return text.slice(0, end);
}

function leftNotes(session: ShellSession | undefined, { lifetime }: ShellSessions): string[] {
  if (!session) return [];
  return [`[processes that it started still run, as session ${session.id}; they ${lifetime}]`];
}

function notesOf(
  { why, exitCode, signal }: Ended,
  timeoutMs: number,
  outOfTime: boolean,
  left: string[],
): string[] {
  const notes = [...left];
  if (why === "timeout") {
    notes.push(`[timed out after ${timeoutMs} ms; the command and all it started were ended]`);
  } else if (why === "interrupted") {
    notes.push(`[${outOfTime ? "out of time" : "interrupted"}; the command and all it started were ended]`);
  } else if (exitCode !== 0) {
    notes.push(`[Exit code: ${exitCode}${signal === undefined ? "" : `, ended by ${signal}`}]`);
  }
  return notes;
}
