/** Runs a shell command: to its end, or in the background. */
import { ranOutOfTime } from "../core/abort.ts";
import { type AnyTool, type Context, defineTool } from "../core/tool.ts";
import type { Collected } from "../shell/collector.ts";
import { type Ended, toEnd } from "../shell/process.ts";
import type { ShellSession } from "../shell/sessions.ts";
import { applyPatch } from "./apply_patch.ts";
import { type HeredocPatch, patchInArguments, patchInScript } from "./patch/heredoc.ts";
import { probeFolder, workingFolder } from "./shell/folder.ts";
import { type ShellParts, startPiped } from "./shell/start.ts";
import { asText, scriptOf } from "./shell/text.ts";

export { asText };
export type { ShellParts };

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

/** Names of variables that one note lists. */
const MOST_NAMES = 20;

export function shellTool(parts: ShellParts): AnyTool {
  return defineTool<ShellArgs, ShellData>({
    name: "shell",
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
    traits: (args, place) => ({
      effect: "run",
      streams: true,
      subjects: [
        {
          kind: "command",
          value: patchIn(args)?.command ?? asText(args.command),
          access: "run",
          ...(args.workdir !== undefined && { cwd: place.resolve(args.workdir) }),
        },
        ...(args.workdir === undefined
          ? []
          : [{ kind: "path", value: place.identify(args.workdir), access: "read" } as const]),
      ],
    }),
    limit: { chars: 30_000, keep: "middle" },
    divert,
    run: (args, context) =>
      args.background ? inBackground(parts, args, context) : toItsEnd(parts, args, context),
    present({ text, stdout, stderr, overflow, ended, session, notes }) {
      return {
        content: [withoutLastNewlines(text), ...notes].filter((part) => part !== "").join("\n"),
        status: ended && failed(ended) ? "error" : "success",
        ...(ended?.why === "timeout" && { outcome: "timeout" as const }),
        ...(ended?.why === "interrupted" && { outcome: "interrupted" as const }),
        stdout: stdout === "" ? [] : [stdout],
        stderr: stderr === "" ? [] : [stderr],
        ...(ended?.exitCode !== undefined && { exitCode: ended.exitCode }),
        ...(overflow !== undefined && { overflow }),
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
  sessions.announceEnd(session);
  notes.push(`Command running in background with ID: ${session.id}`);
  return { ...NOTHING, session, notes };
}

const NOTHING: Collected = { text: "", stdout: "", stderr: "", overflow: undefined };

async function toItsEnd(parts: ShellParts, args: ShellArgs, context: Context): Promise<ShellData> {
  const { environment, sessions, timeoutMs: usual } = parts;
  const timeoutMs = Math.min(args.timeout_ms ?? usual, MOST_MS);
  const { folder, notes } = workingFolder(args.workdir, context);
  const probe = args.keep_folder && typeof args.command === "string"
    ? probeFolder(parts.groups.live)
    : undefined;
  const started = await startPiped(parts, context, {
    ...args,
    cwd: folder,
    stdin: "none",
    ...(probe && { env: probe.env }),
  }).catch((error) => {
    probe?.end();
    throw error;
  });
  const { child, collector } = started;
  const ended = await toEnd(child, { timeoutMs, signal: context.signal });
  const left = probe?.end();
  if (left !== undefined && left !== context.identify(folder)) context.moveTo(left);
  // Who is left behind is looked after like any other in the background, and ends with the runtime.
  const session = ended.survivors ? sessions.add({ ...started, end: ended }) : undefined;
  if (!session) child.release();
  notes.unshift(...notesOf(ended, timeoutMs, ranOutOfTime(context.signal), session));
  if (failed(ended)) notes.unshift(...withheldNote(environment.withheldFrom(asText(args.command))));
  const room = notes.reduce((sum, note) => sum + note.length + 1, 0);
  // The notes have their room, so that no cut ever falls on the exit code.
  const collected = collector.finish(context.gate.limit - room);
  if (session) {
    collector.take(Infinity);
    session.told = true;
    started.onOutput((piece) => session.heard(piece));
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

/** A command that fails for want of a variable explains itself. */
function withheldNote(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, MOST_NAMES).join(", ");
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : "";
  return [
    `[kept from commands, as they look like secrets: ${shown}${more}; name one in the command as $${
      names[0]
    }, or list it in the setting env.keep]`,
  ];
}

function notesOf(
  { why, exitCode, signal }: Ended,
  timeoutMs: number,
  outOfTime: boolean,
  session: ShellSession | undefined,
): string[] {
  const notes: string[] = [];
  if (session) {
    notes.push(`[processes that it started still run, as session ${session.id}; they end with the runtime]`);
  }
  if (why === "timeout") {
    notes.push(`[timed out after ${timeoutMs} ms; the command and all it started were ended]`);
  } else if (why === "interrupted") {
    notes.push(`[${outOfTime ? "out of time" : "interrupted"}; the command and all it started were ended]`);
  } else if (exitCode !== 0) {
    notes.push(`[Exit code: ${exitCode}${signal === undefined ? "" : `, ended by ${signal}`}]`);
  }
  return notes;
}
