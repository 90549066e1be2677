/**
 * What a tool is. A tool declares its traits; nothing else knows its name.
 */
import type * as zod from "zod";
import type { Files } from "./files.ts";
import type { Keep } from "./fit.ts";
import type { LateText } from "./late_text.ts";
import type { OverflowFile } from "./overflow.ts";
import type { ReadRecords } from "./reads.ts";
import type { RedactStream } from "./redact.ts";
import type { Result } from "./result.ts";
import type { JsonSchema } from "./schema.ts";

/** The zod module, handed to `input` when a schema is needed: tools never import it, so a cold start never does. */
export type Zod = typeof zod;

export type StreamName = "stdout" | "stderr";

/** `read` only looks, `write` changes files, `run` may do anything. */
export type Effect = "read" | "write" | "run";

/** One thing that a call touches, for permission rules to look at. */
export interface Subject {
  kind: "path" | "command" | "url" | "tool";
  /** A real absolute path, a shell command's text, an address or a tool's name. */
  value: string;
  access?: Effect;
  /** The folder that a command starts in, where it isn't the session's. */
  cwd?: string;
}

/** What a tool answers about *this* call. Absent `keys` claim everything: such a call runs alone. */
export interface Traits {
  effect: Effect;
  keys?: readonly string[];
  subjects?: readonly Subject[];
  streams?: true;
}

/** Where a call happens, as far as traits may ask. */
export interface Place {
  cwd: string;
  /** An absolute path from one that was written: `~`, or relative to `cwd`. */
  resolve(path: string): string;
  /** The real path behind a written one, links followed; the identity for keys and subjects. */
  identify(path: string): string;
  /** An absolute path for reading alone: where nothing has this name, the one file whose name looks the same. */
  locate(path: string): string;
}

export type Block = { type: "text"; text: string } | { type: "image"; mediaType: string; data: string };

/** What a tool hands back for the gate to shape. Everything but `content` is optional. */
export interface Output {
  content: string | readonly Block[];
  status?: "success" | "error";
  /** Set where the end was not the tool's own doing. */
  outcome?: "timeout" | "interrupted";
  stdout?: readonly string[];
  stderr?: readonly string[];
  exitCode?: number;
  /** The file that holds what was cut. */
  overflow?: string;
  /** That file was cut too, at its cap: it holds so many bytes of the text, the first ones. */
  overflowCutAt?: number;
  structured?: unknown;
}

/** What a running tool may use. Nothing is smuggled into its arguments. */
export interface Context extends Place {
  readonly signal: AbortSignal;
  readonly files: Files;
  /** The call's own traits: what was judged, which is what it works on. */
  readonly traits: Traits;
  /** Later calls of the session work in this folder. */
  moveTo(folder: string): void;
  /** What this session has seen of files. */
  readonly reads: ReadRecords;
  /**
   * Is a file that the call comes upon, by its real path, kept from being read by a rule? For a tool that shows of many
   * files what it finds in them. `undefined` where there is no such rule.
   */
  readonly withholds: ((path: string) => Promise<boolean>) | undefined;
  /** The call stands on a person's command line: what only guards against a model's slip is taken as meant. */
  readonly person: boolean;
  readonly id: string;
  /** Sends text to whoever watches the call, redacted. */
  output(text: LateText, stream?: StreamName): void;
  /** The value of a secret, for a tool that must use it. */
  secret(name: string): string | undefined;
  /** Runs another tool on the same path, inside this call's claims. */
  call(name: string, args: Record<string, unknown>): Promise<Result>;
  /**
   * The same for a built-in tool, given itself in its canonical form: it works in a turn that doesn't show it, and
   * whatever guards that tool guards this. `present` gives the result's text another voice.
   */
  run(tool: AnyTool, args: Record<string, unknown>, present?: AnyTool["present"]): Promise<Result>;
  log(message: string): void;
  /** For tools whose output comes in pieces and may never end. */
  readonly gate: StreamGate;
}

/** The part of the gate that a streaming tool works with, so that nothing unredacted is ever kept. */
export interface StreamGate {
  /** Characters that the result's text may have. */
  readonly limit: number;
  redaction(): RedactStream;
  /** A file for all that is printed; `undefined` where overflow is off. */
  overflow(): OverflowFile | undefined;
  /** Secrets that a command names, for its environment. */
  secretsNamedIn(command: string): Record<string, string>;
}

export interface Limit {
  /** UTF-16 code units. */
  chars: number;
  keep: Keep;
}

/** `Args` is what `input` describes, `Data` what `run` returns and `present` turns into text. */
export interface Tool<Args = Record<string, unknown>, Data = unknown> {
  name: string;
  /** The schema of the canonical arguments; built into JSON Schema ahead of time. */
  input(z: Zod): zod.ZodType<Args>;
  /** Strict schemas by action, for a tool with several (`object_tool.ts`). */
  variants?(z: Zod): Record<string, zod.ZodType>;
  traits(args: Args, place: Place): Traits;
  /** In place of `traits`, for a tool that is asked elsewhere. */
  traitsLater?(args: Args, place: Place): Promise<Traits>;
  limit?: Limit;
  /** It runs commands of a shell: on Windows its description says what to take care of there. */
  runsCommands?: true;
  /** Toolsets that show it under its canonical name. */
  toolsets?: readonly string[];
  /** A permission rule under this tool's name covers every tool with this effect; `run`: every one given a command. */
  covers?: Effect;
  /** What it looks after, by which those who don't know its name find it. */
  looksAfter?: "sessions";
  /** Names that models blurt out for it. */
  aliases?: readonly string[];
  /**
   * A call that is really another built-in tool's, with its canonical arguments: from here on it is that tool's, and
   * still known by the names of both. Absent, or `undefined`: the call is this tool's own.
   */
  divert?(args: Args): { tool: AnyTool; args: Record<string, unknown> } | undefined;
  run(args: Args, context: Context): Data | Promise<Data>;
  /** The result's text in the tool's own voice; a face may have its own. Absent: `run`'s value is shaped. */
  present?(data: Data, args: Args): Output;
}

/** A tool whose types have been checked by `defineTool` and are not looked at any more. */
export type AnyTool = Tool<Record<string, unknown>, unknown>;

/** Text and schema of a tool or a face, built from their sources ahead of time (`src/generated/tools.ts`). */
export interface Asset {
  description: string;
  schema: JsonSchema;
  /** Strict schemas by action, for a tool with several. */
  variants?: Readonly<Record<string, JsonSchema>>;
  /** A lark grammar, for a face that is free text. */
  grammar?: string;
  runsCommands?: true;
}

/** Checks a tool's types against each other, and forgets them, so that tools can stand in one list. */
export function defineTool<Args, Data>(tool: Tool<Args, Data>): AnyTool {
  return tool as unknown as AnyTool;
}
