/** Starting a command for a tool: its environment, its shell, its output's collector. */
import type { OverflowFile } from "../../core/overflow.ts";
import type { Context } from "../../core/tool.ts";
import { type Child, type ChildStart, startChild, type StartedChild } from "../../shell/child.ts";
import { Collector } from "../../shell/collector.ts";
import { commandLine } from "../../shell/command_line.ts";
import type { Environment } from "../../shell/environment.ts";
import type { ProcessGroups } from "../../shell/groups.ts";
import type { SessionParts } from "../../shell/session.ts";
import type { ShellSessions } from "../../shell/sessions.ts";
import { asText } from "./text.ts";

/** What shell tools need of their session. */
export interface ShellParts {
  environment: Environment;
  groups: ProcessGroups;
  sessions: ShellSessions;
  timeoutMs: number;
}

export interface CommandStart {
  /** Text for the shell, or a program and its arguments. */
  command: string | readonly string[];
  cwd: string;
  login?: boolean | undefined;
  /** Another shell than the usual one. */
  shell?: string | undefined;
  stdin: "none" | "open";
  tty?: { cols: number; rows: number } | undefined;
  /** Variables beside those of the environment. */
  env?: Readonly<Record<string, string>>;
}

/** A command that runs, and what is needed to make a session of it. */
export interface Started<C extends Child = Child> extends SessionParts {
  child: C;
  /** The call ends: what comes from now on isn't its output any more. */
  handOver(): void;
  /** Calls with each piece of output, redacted, and as it came otherwise. */
  onOutput(listener: (text: string) => void): void;
}

/** Characters that a screen begins with, of those that came before a program drew on it. */
const BEFORE = 16_384;

/** In a terminal or, by pipes, without one. */
export async function startCommand(
  parts: ShellParts,
  context: Context,
  start: CommandStart,
): Promise<Started> {
  const { tty } = start;
  if (!tty) return await startPiped(parts, context, start);
  const [{ startTerminal }, { Screen }] = await Promise.all([
    import("../../shell/terminal.ts"),
    import("../../shell/screen.ts"),
  ]);
  const result = await started(
    parts,
    context,
    start,
    (common) => startTerminal({ ...common, ...tty }, parts.groups),
  );
  let screen: InstanceType<typeof Screen> | undefined, before = "";
  const redact = (text: string) => {
    const redaction = context.gate.redaction();
    return redaction.push(text) + redaction.flush();
  };
  result.onOutput((text) => {
    // To draw is heavy, and most sessions print plain lines.
    if (!screen && !text.includes("\x1b")) {
      before = (before + text).slice(-BEFORE);
      return;
    }
    if (!screen) {
      screen = new Screen(tty.cols, tty.rows, (answer) => void result.child.write(answer), redact);
      screen.write(before);
    }
    screen.write(text);
  });
  return { ...result, screen: () => screen };
}

export function startPiped(
  parts: ShellParts,
  context: Context,
  start: CommandStart,
): Promise<Started<StartedChild>> {
  return started(
    parts,
    context,
    start,
    (common) => startChild({ ...common, stdin: start.stdin }, parts.groups),
  );
}

async function started<C extends Child>(
  { environment, groups }: ShellParts,
  context: Context,
  start: CommandStart,
  open: (common: Omit<ChildStart, "stdin">) => Promise<C>,
): Promise<Started<C>> {
  const { command, cwd, tty } = start;
  const { gate } = context;
  const text = asText(command);
  const heard: ((text: string) => void)[] = [];
  let shown = "";
  let output: Context["output"] | undefined = context.output;
  let file: OverflowFile | undefined;
  const collector = new Collector({
    limit: gate.limit,
    redaction: () => gate.redaction(),
    overflow: () => file = gate.overflow(),
    secretsNamedIn: (text) => gate.secretsNamedIn(text),
  }, (chunk, stream) => {
    output?.(chunk, stream);
    // Made to text for whoever listens only.
    if (heard.length > 0) shown += chunk;
  });
  const env = { ...environment.forCommand(text, gate.secretsNamedIn(text)), ...start.env };
  const { argv, done } = typeof command === "string"
    ? commandLine(command, start.login ?? false, start.shell, groups.live)
    : { argv: command, done: () => {} };
  const tell = () => {
    const text = shown;
    shown = "";
    for (const listener of heard) listener(text);
  };
  const onOutput = (chunk: Uint8Array, stream: "stdout" | "stderr") => {
    collector.push(chunk, stream);
    tell();
  };
  let child: C;
  try {
    child = await open({ argv, cwd, env, onOutput });
  } catch (error) {
    done();
    throw error;
  }
  void child.ended.then(() => {
    done();
    // What was held back, in case it was the start of a secret.
    collector.end();
    if (shown !== "") tell();
  });
  return {
    command: text,
    cwd,
    tty: tty !== undefined,
    hasInput: start.stdin === "open",
    child,
    collector,
    file: () => file?.saved,
    handOver: () => output = undefined,
    onOutput: (listener) => void heard.push(listener),
  };
}
