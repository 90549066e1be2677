/**
 * The result of a call, and the shaping of whatever a tool returned into it.
 */
import { quote } from "./errors.ts";
import { isStrings } from "./json.ts";
import type { Block, Output } from "./tool.ts";

/** What became of a call. */
export const OUTCOMES = [
  "success",
  "error",
  "denied",
  "answered",
  "interrupted",
  "timeout",
  "unknown",
  "invalid",
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** One shape for `--json`, our dialect, the log and the library. */
export interface Result {
  id: string;
  /** The name as the call had it. */
  name: string;
  /** The canonical name of the capability; absent for an unknown tool. */
  tool?: string;
  outcome: Outcome;
  status: "success" | "error";
  content: readonly Block[];
  stdout?: readonly string[];
  stderr?: readonly string[];
  exitCode?: number;
  /** The file that holds what was cut. */
  overflow?: string;
  /** That file was cut too, at its cap: it holds so many bytes of the text, the first ones. */
  overflowCutAt?: number;
  structured?: unknown;
  /** Present where mods or hooks changed the arguments: what ran, in the canonical form, and who changed it. */
  rewritten?: { args: unknown; by: readonly string[] };
  durationMs: number;
  /** When it ended: local time, ISO 8601 with offset. */
  at: string;
  weekday: string;
}

export interface Shaped extends Omit<Output, "content"> {
  content: readonly Block[];
  status: "success" | "error";
}

/** A shaped value with what became of the call. */
export type Ended = Omit<Shaped, "outcome"> & { outcome: Outcome };

/** The result of a call, its fields in one order whatever became of it. */
export function resultOf(
  call: Pick<Result, "id" | "name" | "tool" | "rewritten">,
  { outcome, status, content, stdout, stderr, exitCode, overflow, overflowCutAt, structured }: Ended,
  durationMs: number,
  { at, weekday }: Stamp,
): Result {
  const result: Partial<Result> = { id: call.id, name: call.name };
  if (call.tool !== undefined) result.tool = call.tool;
  result.outcome = outcome;
  result.status = status;
  result.content = content;
  if (stdout) result.stdout = stdout;
  if (stderr) result.stderr = stderr;
  if (exitCode !== undefined) result.exitCode = exitCode;
  if (overflow !== undefined) result.overflow = overflow;
  if (overflowCutAt !== undefined) result.overflowCutAt = overflowCutAt;
  if (structured !== undefined) result.structured = structured;
  if (call.rewritten) result.rewritten = call.rewritten;
  result.durationMs = durationMs;
  result.at = at;
  result.weekday = weekday;
  return result as Result;
}

/**
 * Blocks from whatever a tool returned: nothing, a string, blocks, `{content}`, `{output}`, `{message}` alone,
 * `{files}`, `{todos}`, and anything else as JSON. Never throws: a value that can't be told as JSON is an error
 * result that says so.
 */
export function shape(value: unknown): Shaped {
  try {
    return shapeValue(value);
  } catch {
    return {
      content: text("The tool returned a value that is not JSON (circular, or with a throwing getter)"),
      status: "error",
    };
  }
}

function shapeValue(value: unknown): Shaped {
  if (value === undefined || value === null) return success("");
  if (typeof value === "string") return success(value);
  if (Array.isArray(value)) {
    return isBlocks(value) ? { content: value.map(block), status: "success" } : success(json(value));
  }
  if (typeof value !== "object") return success(json(value));
  const record = value as Record<string, unknown>;
  const status = record.status === "error" ? "error" : "success";
  const shaped = (content: readonly Block[]): Shaped => ({ ...pickOutput(record), content, status });
  const { content, output, message, files, todos } = record;
  if (isBlocks(content)) return shaped(content.map(block));
  if (Array.isArray(content) && content.length === 0) return shaped([]);
  if (typeof content === "string") return shaped(text(content));
  if (typeof output === "string") return shaped(text(output));
  const keys = Object.keys(record).filter((key) => key !== "status");
  if (typeof message === "string" && keys.length === 1) return shaped(text(message));
  if (Array.isArray(files)) {
    return shaped(text([`Found ${files.length} files`, ...files.map(String)].join("\n")));
  }
  if (Array.isArray(todos)) return shaped(text(`Updated ${todos.length} todos`));
  return shaped(text(json(value)));
}

/** The optional fields of `Output`, taken over only where their types are right: a mod may return anything. */
function pickOutput(record: Record<string, unknown>): Omit<Output, "content" | "status"> {
  const picked: Omit<Output, "content" | "status"> = {};
  if (isStrings(record.stdout)) picked.stdout = record.stdout;
  if (isStrings(record.stderr)) picked.stderr = record.stderr;
  if (Number.isInteger(record.exitCode)) picked.exitCode = record.exitCode as number;
  if (typeof record.overflow === "string") {
    picked.overflow = record.overflow;
    if (Number.isInteger(record.overflowCutAt)) picked.overflowCutAt = record.overflowCutAt as number;
  }
  if (record.outcome === "timeout" || record.outcome === "interrupted") picked.outcome = record.outcome;
  if (record.structured !== undefined) picked.structured = JSON.parse(JSON.stringify(record.structured));
  return picked;
}

function isBlocks(value: unknown): value is Block[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => {
    if (typeof item !== "object" || item === null) return false;
    const { type, text, data, mediaType } = item as Record<string, unknown>;
    if (type === "text") return typeof text === "string";
    return type === "image" && typeof data === "string" && typeof mediaType === "string" &&
      /^image\/[\w.+-]{1,40}$/.test(mediaType);
  });
}

/** Only the fields of a block, in one order. */
function block(given: Block): Block {
  if (given.type === "text") return { type: "text", text: given.text };
  return { type: "image", mediaType: given.mediaType, data: given.data };
}

function success(value: string): Shaped {
  return { content: text(value), status: "success" };
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? String(value);
}

export function text(value: string): Block[] {
  return value === "" ? [] : [{ type: "text", text: value }];
}

/** The text blocks of a result, joined; images are named in brackets. */
export function textOf(content: readonly Block[]): string {
  if (content.length === 1 && content[0]!.type === "text") return content[0]!.text;
  return content.map((item) => item.type === "text" ? item.text : `[image ${item.mediaType}]`).join("\n");
}

export interface Stamp {
  at: string;
  weekday: string;
}

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;

/** `at` and `weekday` of a moment, in local time. By hand: `Intl.DateTimeFormat` costs half a cold start. */
export function stamp(ms: number): Stamp {
  const date = new Date(ms);
  const two = (value: number) => value < 10 ? `0${value}` : String(value);
  const offset = -date.getTimezoneOffset();
  const sign = offset < 0 ? "-" : "+";
  const zone = `${sign}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return { at: `${day}T${time}${zone}`, weekday: WEEKDAYS[date.getDay()]! };
}

/** For display: the first `lines` lines and how many follow. The model's text is never touched by this. */
export function clip(value: string, lines: number): string {
  const all = value.split("\n");
  if (all.length <= lines) return value;
  return [...all.slice(0, lines), `… ${all.length - lines} more lines`].join("\n");
}

/** The canonical sentence for a call that its user stopped. */
export const INTERRUPTED = "User interrupted tool execution";

export function unknownTool(name: string, near: readonly string[]): { message: string; hint: string } {
  return {
    message: `Cannot call ${quote(name)}: no such tool`,
    hint: near.length > 0 ? `did you mean ${near.join(", ")}?` : "agent tools lists what there is",
  };
}
