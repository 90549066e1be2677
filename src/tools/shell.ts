/** Runs a shell command to its end. */
import { ranOutOfTime } from "../core/abort.ts";
import { AgentError, quote } from "../core/errors.ts";
import { shellQuote } from "../core/shell_quote.ts";
import { type AnyTool, type Context, defineTool } from "../core/tool.ts";
import { type Collected, Collector } from "../shell/collector.ts";
import { withShell } from "../shell/command_line.ts";
import type { Environment } from "../shell/environment.ts";
import { type Ended, type ProcessGroups, run } from "../shell/process.ts";
import { applyPatch } from "./apply_patch.ts";
import { type HeredocPatch, patchInArguments, patchInScript } from "./patch/heredoc.ts";

export interface ShellArgs {
  command: string | string[];
  workdir?: string;
  timeout_ms?: number;
  login?: boolean;
  description?: string;
}

export interface ShellData extends Collected {
  ended: Ended;
  /** What is said below the output: how it ended, what still runs. */
  notes: string[];
}

export const MOST_MS = 600_000;

/** Names of variables that one note lists. */
const MOST_NAMES = 20;

/** What the tool needs of its session. */
export interface ShellParts {
  environment: Environment;
  groups: ProcessGroups;
  timeoutMs: number;
}

export function shellTool({ environment, groups, timeoutMs: usual }: ShellParts): AnyTool {
  return defineTool<ShellArgs, ShellData>({
    name: "shell",
    toolsets: ["lean"],
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
    async run(args, context) {
      const timeoutMs = Math.min(args.timeout_ms ?? usual, MOST_MS);
      const cwd = args.workdir === undefined ? context.cwd : context.resolve(args.workdir);
      const collector = new Collector(context.gate, (text, stream) => context.output(text, stream));
      const command = asText(args.command);
      const folder = workingFolder(cwd, context, args.workdir);
      const env = environment.forCommand(command, context.gate.secretsNamedIn(command));
      const runs = (argv: readonly string[]) =>
        run({
          argv,
          cwd: folder,
          env,
          timeoutMs,
          signal: context.signal,
          onOutput: (chunk, stream) => collector.push(chunk, stream),
        }, groups);
      // A list is run as it is.
      const ended = typeof args.command === "string"
        ? await withShell(args.command, args.login ?? false, runs)
        : await runs(args.command);
      const notes = notesOf(ended, timeoutMs, ranOutOfTime(context.signal));
      if (failed(ended)) notes.unshift(...withheldNote(environment.withheldFrom(command)));
      const room = notes.reduce((sum, note) => sum + note.length + 1, 0);
      const clean = collector.sawEscapes ? (await import("strip-ansi")).default : (text: string) => text;
      // The notes have their room, so that no cut ever falls on the exit code.
      return { ...collector.finish(context.gate.limit - room, clean), ended, notes };
    },
    present({ text, stdout, stderr, overflow, ended, notes }) {
      return {
        content: [withoutLastNewlines(text), ...notes].filter((part) => part !== "").join("\n"),
        status: failed(ended) ? "error" : "success",
        ...(ended.why === "timeout" && { outcome: "timeout" as const }),
        ...(ended.why === "interrupted" && { outcome: "interrupted" as const }),
        stdout: stdout === "" ? [] : [stdout],
        stderr: stderr === "" ? [] : [stderr],
        ...(ended.exitCode !== undefined && { exitCode: ended.exitCode }),
        ...(overflow !== undefined && { overflow }),
      };
    },
  });
}

/** Arguments that say nothing about what is done; with any other, a call is what it is. */
const ABOUT_RUNNING = ["timeout_ms", "login", "description"];

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
  { why, exitCode, signal, survivors }: Ended,
  timeoutMs: number,
  outOfTime: boolean,
): string[] {
  const notes: string[] = [];
  if (survivors) notes.push("[processes that it started still run; they end with this session]");
  if (why === "timeout") {
    notes.push(`[timed out after ${timeoutMs} ms; the command and all it started were ended]`);
  } else if (why === "interrupted") {
    notes.push(`[${outOfTime ? "out of time" : "interrupted"}; the command and all it started were ended]`);
  } else if (exitCode !== 0) {
    notes.push(`[Exit code: ${exitCode}${signal === undefined ? "" : `, ended by ${signal}`}]`);
  }
  return notes;
}

/** A list as the text that rules and hooks look at: each word quoted where it needs to be. */
export function asText(command: string | readonly string[]): string {
  if (typeof command === "string") return command;
  const script = scriptOf(command);
  if (script !== undefined) return script;
  return command.map(shellQuote).join(" ");
}

/** `["bash", "-lc", "…"]` is that script, for whoever judges it. */
function scriptOf(command: readonly string[]): string | undefined {
  const [program, flag, script] = command;
  if (command.length !== 3 || !/^(?:\/(?:usr\/)?bin\/)?(?:ba|z)?sh$/.test(program!)) return undefined;
  return /^-l?c$/.test(flag!) ? script : undefined;
}

/** The folder that a command starts in. One that is gone is said to be gone, not blamed on the shell. */
function workingFolder(cwd: string, context: Context, asked: string | undefined): string {
  const found = context.files.info(cwd);
  if (found?.kind === "directory") return cwd;
  const name = quote(asked ?? cwd);
  throw new AgentError(`Cannot run a command in ${name}: ${found ? "it is not a folder" : "no such folder"}`);
}
