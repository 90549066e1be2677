/** Runs a shell command to its end. */
import { AgentError, quote } from "../core/errors.ts";
import { host } from "../core/runtime.ts";
import { type AnyTool, type Context, defineTool } from "../core/tool.ts";
import { type Collected, Collector } from "../shell/collector.ts";
import type { Environment } from "../shell/environment.ts";
import { type Ended, type ProcessGroups, run } from "../shell/process.ts";

export interface ShellArgs {
  command: string | string[];
  workdir?: string;
  timeout_ms?: number;
  login?: boolean;
  description?: string;
}

export interface ShellData extends Collected {
  ended: Ended;
  timeoutMs: number;
}

export const MOST_MS = 600_000;

/** Room that is left for the notes and the exit code, so that the cut never falls on them. */
const NOTES_CHARS = 400;

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
    traits: ({ command, workdir }, place) => ({
      effect: "run",
      streams: true,
      subjects: [
        { kind: "command", value: asText(command), access: "run" },
        ...(workdir === undefined
          ? []
          : [{ kind: "path", value: place.identify(workdir), access: "read" } as const]),
      ],
    }),
    limit: { chars: 30_000, keep: "middle" },
    async run(args, context) {
      const timeoutMs = Math.min(args.timeout_ms ?? usual, MOST_MS);
      const cwd = args.workdir === undefined ? context.cwd : context.resolve(args.workdir);
      const collector = new Collector(context.gate, (text, stream) => context.output(text, stream));
      const command = asText(args.command);
      const ended = await run({
        argv: argvOf(args),
        cwd: workingFolder(cwd, context, args.workdir),
        env: environment.forCommand(command, context.gate.secretsNamedIn(command)),
        timeoutMs,
        signal: context.signal,
        onOutput: (chunk, stream) => collector.push(chunk, stream),
      }, groups);
      const clean = collector.sawEscapes ? (await import("strip-ansi")).default : (text: string) => text;
      return { ...collector.finish(context.gate.limit - NOTES_CHARS, clean), ended, timeoutMs };
    },
    present({ text, stdout, stderr, overflow, ended, timeoutMs }) {
      const failed = ended.why !== "exit" || ended.exitCode !== 0;
      const body = text.replace(/\n+$/, "");
      return {
        content: [body, ...notesOf(ended, timeoutMs)].filter((part) => part !== "").join("\n"),
        status: failed ? "error" : "success",
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

function notesOf({ why, exitCode, signal, survivors }: Ended, timeoutMs: number): string[] {
  const notes: string[] = [];
  if (survivors) notes.push("[processes that it started still run; they end with this session]");
  if (why === "timeout") {
    notes.push(`[timed out after ${timeoutMs} ms; the command and all it started were ended]`);
  } else if (why === "interrupted") notes.push("[interrupted; the command and all it started were ended]");
  else if (exitCode !== undefined && exitCode !== 0) notes.push(`[Exit code: ${exitCode}]`);
  else if (exitCode === undefined) notes.push(`[ended by ${signal}]`);
  return notes;
}

/** A list is run as it is; text goes to the shell as one argument, untouched. */
function argvOf({ command, login }: ShellArgs): string[] {
  if (Array.isArray(command)) return command;
  if (host.platform === "win32") {
    return ["powershell.exe", "-NoProfile", "-NonInteractive", "-Command", command];
  }
  return [shellProgram(), login ? "-lc" : "-c", command];
}

/** bash where there is one; on macOS zsh, because bash 3.2 there fails on quotes in heredocs. */
function shellProgram(): string {
  return host.platform === "darwin" ? "/bin/zsh" : "bash";
}

/** A list as the text that rules and hooks look at: each word quoted where it needs to be. */
export function asText(command: string | readonly string[]): string {
  if (typeof command === "string") return command;
  const script = scriptOf(command);
  if (script !== undefined) return script;
  return command.map((word) => /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)
    .join(" ");
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
