/**
 * What a hook's exit and output mean. The format is Claude Code's; golden tests pin it.
 */
import type {
  EventAnswer,
  HookDecision,
  HookEvent,
  PermissionAnswer,
  PostAnswer,
  PreAnswer,
} from "../core/hooks.ts";
import { isRecord } from "../core/json.ts";
import { decides, DECISION, isGiven, saysNo, SPECIFIC, TOP_KEYS, unclear } from "./hook_fields.ts";

/** How much of standard output is looked at: an answer may bring a whole new input. */
export const ANSWER_MB = 16;
export const TOO_LONG = `its answer is too long: more than ${ANSWER_MB} MB`;

/** How a hook ended, and what it said. */
export interface HookRun {
  exitCode: number | undefined;
  signal: string | undefined;
  timedOut: boolean;
  /** There was more on standard output than is looked at. */
  tooLong: boolean;
  /** It gave no answer at all: it could not be started, or reached; in words. */
  fault?: string;
  /** The person has been told so before. */
  isKnown?: true;
  /** Of a server's answer. */
  status?: number;
  /** Where a server answers, its answer. */
  stdout: string;
  stderr: string;
}

/** A run that gave nothing. */
export function failedRun(fault: string, more: Partial<HookRun> = {}): HookRun {
  const nothing = { exitCode: undefined, signal: undefined, timedOut: false, tooLong: false };
  return { ...nothing, stdout: "", stderr: "", fault, ...more };
}

/** Events at which exit 2 says something; at the others it is a failure like any other. */
const EXIT_2_SPEAKS = new Set<HookEvent>([
  "PreToolUse",
  "PermissionRequest",
  "PostToolUse",
  "PostToolUseFailure",
  "UserPromptSubmit",
  "Stop",
  "SubagentStop",
  "PreCompact",
]);

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
  const blocks = run.exitCode === 2 && EXIT_2_SPEAKS.has(event);
  const base = { json, message, plain: json ? "" : text, blocks };
  if (base.blocks) return { ...base, failure: undefined };
  if (run.fault !== undefined) return { ...base, failure: run.fault };
  if (run.tooLong) return { ...base, failure: TOO_LONG };
  const isClean = !run.timedOut && run.signal === undefined && run.exitCode === 0;
  // A clear answer counts even when the hook's end was not clean; an empty object is none, nor is one that decides nothing.
  const says = json !== undefined && (isClean ? Object.keys(json).length > 0 : decides(json));
  if (says) return { ...base, failure: unclear(json, event) };
  if (run.timedOut) return { ...base, failure: "it ran out of time" };
  if (run.signal !== undefined) return { ...base, failure: `it was ended by ${run.signal}` };
  if (run.exitCode !== 0) {
    return { ...base, failure: `it ended with exit code ${run.exitCode}${lastLine(run.stderr)}` };
  }
  if (json !== undefined) return { ...base, failure: undefined };
  return { ...base, failure: muffled(text) };
}

/** Why a text that is no answer may have been meant as one; `undefined` for plain words. */
function muffled(text: string): string | undefined {
  if (text.startsWith("{")) return "its JSON is malformed";
  if (text.includes("\0")) return "its output is not UTF-8";
  if (text.startsWith("[") && isAnswer(parsed(text))) return "its JSON is a list, not an object";
  const end = text.lastIndexOf("}") + 1;
  const isAmong = [text.indexOf("{"), text.indexOf("\n{") + 1]
    .some((at) => at >= 0 && at < end && isAnswer(parsed(text.slice(at, end))));
  return isAmong ? "JSON after noise: something printed beside its JSON" : undefined;
}

/** Has it the fields of an answer, or one of a list? */
function isAnswer(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isAnswer);
  return isRecord(value) && Object.keys(value).some((key) => TOP_KEYS.has(key));
}

/** What a PreToolUse hook wants. Where it failed and doesn't block by that, it may hold a call back, no more. */
export function preAnswer(understood: Understood, stderr: string): PreAnswer {
  const { json = {}, blocks, failure } = understood;
  const specific = record(json.hookSpecificOutput);
  const answer: PreAnswer = {};
  const { permissionDecision } = specific;
  if (SPECIFIC.permissionDecision!.is(permissionDecision)) {
    answer.decision = permissionDecision as HookDecision;
  } else if (json.decision === "block") answer.decision = "deny";
  else if (json.decision === "approve") answer.decision = "allow";
  const reason = string(specific.permissionDecisionReason) ?? string(json.reason);
  if (reason !== undefined) answer.reason = reason;
  if (isRecord(specific.updatedInput)) answer.input = specific.updatedInput;
  const context = string(specific.additionalContext);
  if (context !== undefined) answer.context = context;
  if (json.continue === false) answer.stop = string(json.stopReason) || "a hook stopped the run";
  if (failure !== undefined) {
    if (answer.decision === "allow") delete answer.decision;
    if (saysNo(json)) answer.decision = "deny";
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
  const { json = {}, blocks, failure } = understood;
  const specific = record(json.hookSpecificOutput);
  const answer: PostAnswer = {};
  if (blocks) {
    answer.feedback = string(json.reason) || stderr.trim() || "a hook reported a problem (exit code 2)";
  } else if (json.decision === "block") answer.feedback = string(json.reason) || "a hook reported a problem";
  const context = string(specific.additionalContext);
  if (context !== undefined) answer.context = context;
  const output = specific.updatedToolOutput ?? json.updatedToolOutput;
  if (isGiven(output) && failure === undefined) {
    answer.output = typeof output === "string" ? output : JSON.stringify(output);
  }
  if (json.continue === false) answer.stop = string(json.stopReason) || "a hook stopped the run";
  return answer;
}

/** What a PermissionRequest hook wants. Where it failed, it may say no, no more. */
export function permissionAnswer(understood: Understood, stderr: string): PermissionAnswer {
  const { json = {}, blocks, failure } = understood;
  const specific = record(json.hookSpecificOutput);
  const { behavior, message, updatedInput } = record(specific.decision);
  const answer: PermissionAnswer = {};
  if (DECISION.behavior!.is(behavior)) answer.behavior = behavior as "allow" | "deny";
  // In PreToolUse's words, it is heard as far as it says no.
  else if (saysNo(json)) answer.behavior = "deny";
  const why = string(message) ?? string(specific.permissionDecisionReason) ?? string(json.reason);
  if (why !== undefined) answer.message = why;
  if (isRecord(updatedInput)) answer.input = updatedInput;
  if (json.continue === false) answer.stop = string(json.stopReason) || "a hook stopped the run";
  if (failure !== undefined) {
    if (answer.behavior === "allow") delete answer.behavior;
    delete answer.input;
  }
  if (blocks) {
    answer.behavior = "deny";
    answer.message = why || stderr.trim() || "a hook said no (exit code 2)";
    delete answer.input;
  }
  return answer;
}

/** Events at which text that is no JSON is context. */
const TEXT_IS_CONTEXT = new Set<HookEvent>(["SessionStart", "UserPromptSubmit"]);

/** What a hook of a session's or a host's event wants. */
export function eventAnswer(
  { json, plain, blocks }: Understood,
  stderr: string,
  event: HookEvent,
): EventAnswer {
  const answer: EventAnswer = {};
  const context = json
    ? string(record(json.hookSpecificOutput).additionalContext)
    : TEXT_IS_CONTEXT.has(event) && !blocks
    ? string(plain)
    : undefined;
  if (context !== undefined) answer.context = context;
  const reason = string(json?.reason);
  if (blocks) answer.block = reason || stderr.trim() || "a hook blocked this (exit code 2)";
  else if (json?.decision === "block" && EXIT_2_SPEAKS.has(event)) {
    answer.block = reason || "a hook blocked this";
  }
  if (json?.continue === false) answer.stop = string(json.stopReason) || "a hook stopped the run";
  return answer;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  const value = parsed(text);
  return isRecord(value) ? value : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function record(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

function string(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The last line of what a program said, to stand behind a failure. What it says last is what it failed of: a stack trace's end. Without the punctuation at its end. */
export function lastLine(text: string): string {
  const line = text.trim().split("\n").at(-1)!.trim().slice(0, 200).replace(/[\s:;,.]+$/, "");
  return line === "" ? "" : `: ${line}`;
}
