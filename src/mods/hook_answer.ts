/**
 * What a command hook's exit and output mean. The format is Claude Code's; golden tests pin it.
 */
import { quote } from "../core/errors.ts";
import type { HookEvent, PostAnswer, PreAnswer } from "../core/hooks.ts";

/** How much of standard output is looked at: an answer may bring a whole new input. */
export const ANSWER_MB = 16;

/** How a hook's process ended. */
export interface HookRun {
  exitCode: number | undefined;
  signal: string | undefined;
  timedOut: boolean;
  /** There was more on standard output than is looked at. */
  tooLong: boolean;
  /** It could not be started. */
  missing?: string;
  stdout: string;
  stderr: string;
}

export interface Understood {
  json: Record<string, unknown> | undefined;
  /** `systemMessage`: what the hook tells the person. */
  message: string | undefined;
  /** Text on standard output that isn't JSON. */
  plain: string;
  /** Exit 2. */
  blocks: boolean;
  /** Neither a decision nor a clean end; in words. */
  failure: string | undefined;
}

/** Reads exit code and standard output, checked against what hooks of `event` may say. */
export function understand(run: HookRun, event: HookEvent): Understood {
  const text = run.stdout.replace(/^\uFEFF/, "").trim();
  const json = text.startsWith("{") ? parseObject(text) : undefined;
  const message = string(json?.systemMessage);
  const base = { json, message, plain: json ? "" : text, blocks: run.exitCode === 2 };
  if (base.blocks) return { ...base, failure: undefined };
  if (run.missing !== undefined) return { ...base, failure: run.missing };
  if (run.tooLong) return { ...base, failure: `its answer is too long: more than ${ANSWER_MB} MB` };
  // A clear answer counts even when the hook's end was not clean; an empty object is none.
  const says = json !== undefined && Object.keys(json).length > 0;
  if (says) return { ...base, failure: unclear(json, event) };
  if (run.timedOut) return { ...base, failure: "it ran out of time" };
  if (run.signal !== undefined) return { ...base, failure: `it was ended by ${run.signal}` };
  if (run.exitCode !== 0) {
    return { ...base, failure: `it ended with exit code ${run.exitCode}${lastLine(run.stderr)}` };
  }
  if (json !== undefined) return { ...base, failure: undefined };
  if (text.startsWith("{")) return { ...base, failure: "its JSON is malformed" };
  if (hasAnswer(text)) {
    return { ...base, failure: "JSON after noise: something printed before its JSON" };
  }
  return { ...base, failure: undefined };
}

/** What a field may be. `null` stands for one that is left out. */
interface Field {
  is(value: unknown): boolean;
  what: string;
}

type Fields = Readonly<Record<string, Field>>;

const TEXT: Field = { is: (value) => typeof value === "string", what: "a string" };
const SWITCH: Field = { is: (value) => typeof value === "boolean", what: "true or false" };
const OBJECT: Field = { is: isObject, what: "an object" };
const ANYTHING: Field = { is: () => true, what: "anything" };

function word(what: string, ...words: string[]): Field {
  return { is: (value) => words.includes(value as string), what };
}

/** The fields of an answer. */
const TOP: Fields = {
  continue: SWITCH,
  stopReason: TEXT,
  systemMessage: TEXT,
  suppressOutput: SWITCH,
  decision: word("approve or block", "approve", "block"),
  reason: TEXT,
  hookSpecificOutput: OBJECT,
  updatedToolOutput: ANYTHING,
};

/** Those of its hookSpecificOutput. */
const SPECIFIC: Fields = {
  hookEventName: TEXT,
  permissionDecision: word("allow, deny or ask", "allow", "deny", "ask"),
  permissionDecisionReason: TEXT,
  updatedInput: OBJECT,
  additionalContext: TEXT,
  updatedToolOutput: ANYTHING,
};

/** Where these stand in the other's place, somebody meant to be heard. */
const MISPLACED = { top: ["permissionDecision", "updatedInput"], specific: ["decision", "continue"] };

/** What is nearly an answer would let a call through as if nothing had been said; says what is wrong with it. */
function unclear(json: Record<string, unknown>, event: HookEvent): string | undefined {
  const specific = record(json.hookSpecificOutput);
  const { hookEventName: named } = specific;
  return wrongIn(json, TOP, "its answer") ?? wrongIn(specific, SPECIFIC, "its hookSpecificOutput") ??
    misplaced(json, MISPLACED.top, "belongs in hookSpecificOutput") ??
    misplaced(specific, MISPLACED.specific, "doesn't belong in hookSpecificOutput") ??
    (isGiven(named) && named !== event
      ? `its hookEventName is ${quote(String(named))}, not ${event}`
      : undefined);
}

/** Fields that nobody knows are fine beside those that are known. */
function wrongIn(given: Record<string, unknown>, fields: Fields, where: string): string | undefined {
  for (const [key, { is, what }] of Object.entries(fields)) {
    const value = Object.hasOwn(given, key) ? given[key] : undefined;
    if (isGiven(value) && !is(value)) return `its ${key} is ${briefly(value)}, not ${what}`;
  }
  const keys = Object.keys(given);
  if (keys.length === 0 || keys.some((key) => Object.hasOwn(fields, key))) return undefined;
  const all = [...MISPLACED.top, ...MISPLACED.specific];
  if (keys.some((key) => all.includes(key))) return undefined;
  return `${where} has no field that is known, only ${quote(keys[0]!)}`;
}

function misplaced(given: Record<string, unknown>, keys: readonly string[], how: string): string | undefined {
  const key = keys.find((key) => Object.hasOwn(given, key) && isGiven(given[key]));
  return key && `its ${key} ${how}`;
}

function briefly(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** Is the end of the text an answer as hooks give them? */
function hasAnswer(text: string): boolean {
  if (!text.endsWith("}")) return false;
  return [text.indexOf("{"), text.indexOf("\n{") + 1].some((at) => {
    const json = at > 0 ? parseObject(text.slice(at)) : undefined;
    return json !== undefined &&
      Object.keys(json).some((key) => Object.hasOwn(TOP, key) || MISPLACED.top.includes(key));
  });
}

/** What a PreToolUse hook wants. Where it failed and doesn't block by that, it may hold a call back, no more. */
export function preAnswer(understood: Understood, stderr: string): PreAnswer {
  const { json = {}, blocks, failure } = understood;
  const specific = record(json.hookSpecificOutput);
  const answer: PreAnswer = {};
  const { permissionDecision } = specific;
  if (SPECIFIC.permissionDecision!.is(permissionDecision)) {
    answer.decision = permissionDecision as "allow" | "deny" | "ask";
  } else if (json.decision === "block") answer.decision = "deny";
  else if (json.decision === "approve") answer.decision = "allow";
  const reason = string(specific.permissionDecisionReason) ?? string(json.reason);
  if (reason !== undefined) answer.reason = reason;
  if (isObject(specific.updatedInput)) answer.input = specific.updatedInput;
  const context = string(specific.additionalContext);
  if (context !== undefined) answer.context = context;
  if (json.continue === false) answer.stop = string(json.stopReason) || "a hook stopped the run";
  if (failure !== undefined) {
    if (answer.decision === "allow") delete answer.decision;
    delete answer.input;
  }
  if (blocks) {
    answer.decision = "deny";
    answer.reason = reason || stderr.trim() || "a hook blocked this call (exit code 2)";
    delete answer.input;
  }
  return answer;
}

/** What a PostToolUse or PostToolUseFailure hook wants. */
export function postAnswer(understood: Understood, stderr: string): PostAnswer {
  const { json = {}, blocks } = understood;
  const specific = record(json.hookSpecificOutput);
  const answer: PostAnswer = {};
  if (blocks) {
    answer.feedback = string(json.reason) || stderr.trim() || "a hook reported a problem (exit code 2)";
  } else if (json.decision === "block") answer.feedback = string(json.reason) || "a hook reported a problem";
  const context = string(specific.additionalContext);
  if (context !== undefined) answer.context = context;
  const output = specific.updatedToolOutput ?? json.updatedToolOutput;
  if (isGiven(output)) answer.output = typeof output === "string" ? output : JSON.stringify(output);
  if (json.continue === false) answer.stop = string(json.stopReason) || "a hook stopped the run";
  return answer;
}

/** What a SessionStart hook adds: its context, or any text it printed. */
export function sessionContext({ json, plain }: Understood): string | undefined {
  return json ? string(record(json.hookSpecificOutput).additionalContext) : plain || undefined;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return record(value);
  } catch {
    return undefined;
  }
}

function record(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Scripts write `null` for what they leave out. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function string(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** What a program says last is what it failed of: a stack trace's end. Without the punctuation at its end. */
function lastLine(text: string): string {
  const line = text.trim().split("\n").at(-1)!.trim().slice(0, 200).replace(/[\s:;,.]+$/, "");
  return line === "" ? "" : `: ${line}`;
}
