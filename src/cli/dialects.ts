/**
 * Calls and results in the forms that providers use. A call may come alone, as one JSON object, or inside a whole
 * response body; its result goes out in the same form.
 */
import type { CallRequest } from "../core/request.ts";
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

/** As it came: an answer goes out under the very id that its call had. */
type Id = string | number | undefined;

/** One call of a form, and how its result is written in that form. */
interface Call {
  request: CallRequest;
  answer(result: Result): unknown;
}

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
export function malformed(id: string | number, problem: string, dialect: DialectName = "agent"): Batch {
  const request = { id: String(id), name: "", args: {}, malformed: problem };
  return alone({ request, answer: (result) => ANSWERS[dialect](result, id) });
}

/** How each dialect answers a call that it can't read. */
const ANSWERS: Record<DialectName, (result: Result, id: Id) => unknown> = {
  agent: (result) => result,
  anthropic: anthropicResult,
  openai: (result, id) => responsesResult(result, id, "function_call"),
};

/** The id that a value carries, whatever else is wrong with it: its answer goes under that id. */
export function idOf(value: unknown): Id {
  const id = isObject(value) ? value.call_id ?? value.id : undefined;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

function alone({ request, answer }: Call): Batch {
  return { calls: [request], render: ([result]) => answer(result!) };
}

/** A list of answers, or what `wrap` makes of it. */
function together(
  calls: readonly Call[],
  wrap: (answers: unknown[]) => unknown = (answers) => answers,
): Batch {
  return {
    calls: calls.map(({ request }) => request),
    render: (results) => wrap(results.map((result, index) => calls[index]!.answer(result))),
  };
}

interface Form {
  dialect: DialectName;
  read(value: Json): Batch | undefined;
}

const FORMS: readonly Form[] = [
  { dialect: "anthropic", read: anthropicBatch },
  { dialect: "openai", read: responsesBatch },
  { dialect: "openai", read: chatBatch },
  { dialect: "agent", read: agentBatch },
];

// ─ ours

function agentBatch(value: Json): Batch | undefined {
  if (typeof value.name !== "string" || "type" in value) return undefined;
  const request = { ...withId(idOf(value)), name: value.name, args: value.args ?? {} };
  return alone({ request, answer: (result) => result });
}

// ─ Anthropic

function anthropicBatch(value: Json): Batch | undefined {
  if (value.type === "tool_use") return alone(anthropicCall(value));
  const { role, content, tool_calls } = value;
  if (role !== "assistant" || !Array.isArray(content) || Array.isArray(tool_calls)) return undefined;
  const uses = content.filter((block): block is Json => isObject(block) && block.type === "tool_use");
  return together(uses.map(anthropicCall), (answers) => ({ role: "user", content: answers }));
}

function anthropicCall(value: Json): Call {
  const id = idOf(value);
  return {
    request: request(id, value.name, value.input, "claude"),
    answer: (result) => anthropicResult(result, id),
  };
}

function anthropicResult(result: Result, id: Id): unknown {
  const content = withStamp(result).map((block) =>
    block.type === "text" ? block : {
      type: "image",
      source: { type: "base64", media_type: block.mediaType, data: block.data },
    }
  );
  return { type: "tool_result", tool_use_id: id ?? result.id, content, is_error: result.status === "error" };
}

// ─ OpenAI: the Responses interface

function responsesBatch(value: Json): Batch | undefined {
  const call = responsesCall(value);
  if (call) return alone(call);
  if (!Array.isArray(value.output)) return undefined;
  return together(value.output.flatMap((item) => isObject(item) ? responsesCall(item) ?? [] : []));
}

function responsesCall(value: Json): Call | undefined {
  const { type, name } = value;
  if (type !== "function_call" && type !== "custom_tool_call") return undefined;
  const id = idOf(value);
  return {
    request: type === "function_call"
      ? withArguments(id, name, value.arguments)
      : request(id, name, { input: value.input }, "codex"),
    answer: (result) => responsesResult(result, id, type),
  };
}

function responsesResult(result: Result, id: Id, type: "function_call" | "custom_tool_call"): unknown {
  return { type: `${type}_output`, call_id: id ?? result.id, output: plainText(result) };
}

// ─ OpenAI: chat completions

function chatBatch(value: Json): Batch | undefined {
  const { type, choices } = value;
  const single = type === "function" || type === "custom" || (type === undefined && isObject(value.function));
  if (single) return alone(chatCall(value));
  const messages = Array.isArray(choices)
    ? choices.map((choice) => isObject(choice) && isObject(choice.message) ? choice.message : {})
    : "tool_calls" in value
    ? [value]
    : undefined;
  const lists = messages?.map(({ tool_calls }) => tool_calls ?? []);
  return lists?.every(Array.isArray) ? together(lists.flat().map(chatCall)) : undefined;
}

/** Whatever stands in a list of calls is one, though it be broken. */
function chatCall(value: unknown): Call {
  const id = idOf(value);
  const { type, custom, function: called } = isObject(value) ? value : {} as Json;
  return {
    request: type === "custom" && isObject(custom)
      ? request(id, custom.name, { input: custom.input }, "codex")
      : isObject(called)
      ? withArguments(id, called.name, called.arguments)
      : request(id, undefined, {}, "codex"),
    answer: (result) => ({ role: "tool", tool_call_id: id ?? result.id, content: plainText(result) }),
  };
}

// ─ shared

function withId(id: Id): { id?: string } {
  return id === undefined ? {} : { id: String(id) };
}

/** A call without a name is answered all the same: a conversation with an open call can't go on. */
function request(id: Id, name: unknown, args: unknown, family: Family): CallRequest {
  const common = { ...withId(id), args: args ?? {}, family };
  if (typeof name === "string") return { ...common, name };
  return { ...common, name: "", malformed: "Cannot read the call: its name is missing" };
}

/** Arguments that come as JSON in a string; broken JSON is that call's own fault and nobody else's. */
function withArguments(id: Id, name: unknown, text: unknown): CallRequest {
  if (typeof text !== "string" || typeof name !== "string") return request(id, name, text, "codex");
  try {
    return request(id, name, text.trim() === "" ? {} : JSON.parse(text), "codex");
  } catch {
    return {
      ...request(id, name, {}, "codex"),
      malformed: `Cannot call ${name}: its arguments are not JSON`,
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
