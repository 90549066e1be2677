/**
 * Calls and results in the forms that providers use. A call may come alone, as one JSON object, or inside a whole
 * response body; its result goes out in the same form.
 */
import type { CallRequest } from "../core/request.ts";
import { messageOf } from "../core/errors.ts";
import type { Family } from "../core/face.ts";
import { type Result, textOf } from "../core/result.ts";
import type { Block } from "../core/tool.ts";

export type DialectName = "agent" | "anthropic" | "openai";

/** The calls of one JSON value, and how their results are written: one value for all of them. */
export interface Batch {
  calls: CallRequest[];
  /** One JSON value. `results` are in the order of `calls`. */
  render(results: readonly Result[]): unknown;
}

type Json = Record<string, unknown>;

/** Reads one JSON value; `undefined` where it holds no call of a known form. */
export function readBatch(value: unknown, fixed?: DialectName): Batch | undefined {
  if (!isObject(value)) return undefined;
  for (const form of FORMS) {
    const batch = fixed === undefined || form.dialect === fixed ? form.read(value) : undefined;
    if (batch) return batch;
  }
  return undefined;
}

/** A batch of one call that can't be read, answered in the dialect that was asked for, else in ours. */
export function malformed(id: string, problem: string, dialect: DialectName = "agent"): Batch {
  const calls = [{ id, name: "", args: {}, malformed: problem }];
  return { calls, render: ([result]) => ALONE[dialect](result!) };
}

/** How each dialect answers a single call. */
const ALONE: Record<DialectName, (result: Result) => unknown> = {
  agent: (result) => result,
  anthropic: anthropicResult,
  openai: (result) => responsesResult(result, "function_call"),
};

/** The id that a value carries, whatever else is wrong with it: its answer goes under that id. */
export function idOf(value: unknown): string | undefined {
  const id = isObject(value) ? value.call_id ?? value.id : undefined;
  return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
}

interface Form {
  dialect: DialectName;
  read(value: Json): Batch | undefined;
}

const FORMS: readonly Form[] = [
  { dialect: "anthropic", read: anthropicCall },
  { dialect: "anthropic", read: anthropicMessage },
  { dialect: "openai", read: responsesCall },
  { dialect: "openai", read: responsesBody },
  { dialect: "openai", read: chatCall },
  { dialect: "openai", read: chatBody },
  { dialect: "agent", read: agentCall },
];

// ─ ours

function agentCall(value: Json): Batch | undefined {
  if (typeof value.name !== "string" || "type" in value) return undefined;
  const id = idOf(value);
  return {
    calls: [{ ...(id !== undefined && { id }), name: value.name, args: value.args ?? {} }],
    render: ([result]) => result,
  };
}

// ─ Anthropic

function anthropicCall(value: Json): Batch | undefined {
  if (value.type !== "tool_use") return undefined;
  return { calls: [anthropicRequest(value)], render: ([result]) => anthropicResult(result!) };
}

function anthropicMessage(value: Json): Batch | undefined {
  if (value.role !== "assistant" || !Array.isArray(value.content) || "tool_calls" in value) return undefined;
  const calls = value.content.filter((block): block is Json => isObject(block) && block.type === "tool_use");
  return {
    calls: calls.map(anthropicRequest),
    render: (results) => ({ role: "user", content: results.map(anthropicResult) }),
  };
}

function anthropicRequest({ id, name, input }: Json): CallRequest {
  return request(id, name, input, "claude");
}

function anthropicResult(result: Result): unknown {
  const content = withStamp(result).map((block) =>
    block.type === "text" ? block : {
      type: "image",
      source: { type: "base64", media_type: block.mediaType, data: block.data },
    }
  );
  return { type: "tool_result", tool_use_id: result.id, content, is_error: result.status === "error" };
}

// ─ OpenAI: the Responses interface

function responsesCall(value: Json): Batch | undefined {
  const call = responsesRequest(value);
  return call && { calls: [call], render: ([result]) => responsesResult(result!, value.type as string) };
}

function responsesBody(value: Json): Batch | undefined {
  if (!Array.isArray(value.output)) return undefined;
  const items = value.output.filter((item): item is Json =>
    isObject(item) && responsesRequest(item) !== undefined
  );
  return {
    calls: items.map((item) => responsesRequest(item)!),
    render: (results) =>
      results.map((result, index) => responsesResult(result, items[index]!.type as string)),
  };
}

function responsesRequest(value: Json): CallRequest | undefined {
  if (value.type === "function_call") return withArguments(value.call_id, value.name, value.arguments);
  if (value.type === "custom_tool_call") {
    return request(value.call_id, value.name, { input: value.input }, "codex");
  }
  return undefined;
}

function responsesResult(result: Result, type: string): unknown {
  const kind = type === "custom_tool_call" ? "custom_tool_call_output" : "function_call_output";
  return { type: kind, call_id: result.id, output: plainText(result) };
}

// ─ OpenAI: chat completions

function chatCall(value: Json): Batch | undefined {
  const call = chatRequest(value);
  return call && { calls: [call], render: ([result]) => chatResult(result!) };
}

function chatBody(value: Json): Batch | undefined {
  const choice = Array.isArray(value.choices) ? value.choices[0] : undefined;
  const message = isObject(choice) && isObject(choice.message) ? choice.message : value;
  const calls = message === value ? value.tool_calls : message.tool_calls ?? [];
  if (!Array.isArray(calls)) return undefined;
  const requests = calls.flatMap((call) => isObject(call) ? chatRequest(call) ?? [] : []);
  return { calls: requests, render: (results) => results.map(chatResult) };
}

function chatRequest(value: Json): CallRequest | undefined {
  const called = value.function;
  if (value.type !== "function" || !isObject(called)) return undefined;
  return withArguments(value.id, called.name, called.arguments);
}

function chatResult(result: Result): unknown {
  return { role: "tool", tool_call_id: result.id, content: plainText(result) };
}

// ─ shared

/** A call without a name is answered all the same: a conversation with an open call can't go on. */
function request(id: unknown, name: unknown, args: unknown, family: Family): CallRequest {
  const common = { ...(typeof id === "string" && { id }), args: args ?? {}, family };
  if (typeof name === "string") return { ...common, name };
  return { ...common, name: "", malformed: "Cannot read the call: its name is missing" };
}

/** Arguments that come as JSON in a string; broken JSON is that call's own fault and nobody else's. */
function withArguments(id: unknown, name: unknown, text: unknown): CallRequest {
  if (typeof text !== "string" || typeof name !== "string") return request(id, name, text, "codex");
  try {
    return request(id, name, text.trim() === "" ? {} : JSON.parse(text), "codex");
  } catch (error) {
    return {
      ...request(id, name, {}, "codex"),
      malformed: `Cannot call ${name}: its arguments are not JSON: ${messageOf(error)}`,
    };
  }
}

/** The blocks, and one line that says when the result was made: foreign forms have no field for it. */
function withStamp(result: Result): readonly Block[] {
  return [...result.content, { type: "text", text: stampLine(result) }];
}

function plainText(result: Result): string {
  const text = textOf(result.content);
  return text === "" ? stampLine(result) : `${text}\n${stampLine(result)}`;
}

function stampLine({ at, weekday }: Result): string {
  return `[at ${at} ${weekday}]`;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
