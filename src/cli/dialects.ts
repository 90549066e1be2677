/**
 * Calls and results in the forms that providers use. A call may come alone, as one JSON object, or inside a whole
 * response body; its result goes out in the same form.
 */
import type { CallRequest } from "../core/call.ts";
import { messageOf, UsageError } from "../core/errors.ts";
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

/** Reads one JSON value. Throws a `UsageError` for a value that holds no call of a known form. */
export function readBatch(value: unknown, fixed?: DialectName): Batch {
  const forms = FORMS.filter(({ dialect }) => fixed === undefined || dialect === fixed);
  for (const form of forms) {
    const batch = isObject(value) ? form.read(value) : undefined;
    if (batch) return batch;
  }
  const known = fixed ?? "agent, anthropic or openai";
  throw new UsageError(
    `Cannot find a call in this JSON: not of the form ${known}`,
    'e.g. {"id": "1", "name": "Read", "args": {"file_path": "x"}}',
  );
}

/** A batch of one malformed call, answered in our own form. */
export function malformed(id: string, problem: string): Batch {
  return { calls: [{ id, name: "", args: {}, malformed: problem }], render: ([result]) => result };
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
  const id = typeof value.id === "string" || typeof value.id === "number" ? String(value.id) : undefined;
  return {
    calls: [{ ...(id !== undefined && { id }), name: value.name, args: value.args ?? {} }],
    render: ([result]) => result,
  };
}

// ─ Anthropic

function anthropicCall(value: Json): Batch | undefined {
  if (value.type !== "tool_use" || typeof value.name !== "string") return undefined;
  return {
    calls: [request(value.id, value.name, value.input, "claude")],
    render: ([result]) => anthropicResult(result!),
  };
}

function anthropicMessage(value: Json): Batch | undefined {
  if (value.role !== "assistant" || !Array.isArray(value.content)) return undefined;
  const calls = value.content.filter((block) =>
    isObject(block) && block.type === "tool_use" && typeof block.name === "string"
  );
  return {
    calls: calls.map((block: Json) => request(block.id, block.name as string, block.input, "claude")),
    render: (results) => ({ role: "user", content: results.map(anthropicResult) }),
  };
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
  if (typeof value.name !== "string") return undefined;
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
  const choice = Array.isArray(value.choices)
    ? value.choices[0] as { message?: Json } | undefined
    : undefined;
  const calls = (choice?.message ?? value).tool_calls;
  if (!Array.isArray(calls)) return undefined;
  const requests = calls.flatMap((call) => isObject(call) ? chatRequest(call) ?? [] : []);
  return { calls: requests, render: (results) => results.map(chatResult) };
}

function chatRequest(value: Json): CallRequest | undefined {
  const called = value.function as Json | undefined;
  if (value.type !== "function" || !isObject(called) || typeof called.name !== "string") return undefined;
  return withArguments(value.id, called.name, called.arguments);
}

function chatResult(result: Result): unknown {
  return { role: "tool", tool_call_id: result.id, content: plainText(result) };
}

// ─ shared

function request(id: unknown, name: string, args: unknown, family: Family): CallRequest {
  return { ...(typeof id === "string" && { id }), name, args: args ?? {}, family };
}

/** Arguments that come as JSON in a string; broken JSON is that call's own fault and nobody else's. */
function withArguments(id: unknown, name: string, text: unknown): CallRequest {
  if (typeof text !== "string") return request(id, name, text, "codex");
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
