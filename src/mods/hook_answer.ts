/**
 * What a command hook's exit and output mean. The format is Claude Code's; golden tests pin it.
 */
import type { PostAnswer, PreAnswer } from "../core/hooks.ts";

/** How a hook's process ended. */
export interface HookRun {
  exitCode: number | undefined;
  signal: string | undefined;
  timedOut: boolean;
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

/** Reads exit code and standard output, whatever event they are for. */
export function understand(run: HookRun): Understood {
  const text = run.stdout.replace(/^\uFEFF/, "").trim();
  const json = text.startsWith("{") ? parseObject(text) : undefined;
  const message = string(json?.systemMessage);
  const base = { json, message, plain: json ? "" : text, blocks: run.exitCode === 2 };
  if (base.blocks) return { ...base, failure: undefined };
  if (run.missing !== undefined) return { ...base, failure: run.missing };
  // A clear answer counts even when the hook's end was not clean.
  if (json !== undefined) return { ...base, failure: unclear(json) };
  if (run.timedOut) return { ...base, failure: "it ran out of time" };
  if (run.signal !== undefined) return { ...base, failure: `it was ended by ${run.signal}` };
  if (run.exitCode !== 0) {
    return { ...base, failure: `it ended with exit code ${run.exitCode}${lastLine(run.stderr)}` };
  }
  if (text.startsWith("{")) return { ...base, failure: "its JSON is malformed" };
  if (hasAnswer(text)) {
    return { ...base, failure: "JSON after noise: something printed before its JSON" };
  }
  return { ...base, failure: undefined };
}

/** A word that is no decision, or an input that is none, would let a call through as if nothing had been said. */
function unclear(json: Record<string, unknown>): string | undefined {
  const { permissionDecision, updatedInput } = record(json.hookSpecificOutput);
  if (isGiven(permissionDecision) && !DECISIONS.has(permissionDecision)) {
    return `its permissionDecision is ${JSON.stringify(permissionDecision)}, not allow, deny or ask`;
  }
  if (isGiven(updatedInput) && !isObject(updatedInput)) return "its updatedInput is not an object";
  return undefined;
}

const DECISIONS = new Set<unknown>(["allow", "deny", "ask"]);

/** Is the end of the text an answer as hooks give them? */
function hasAnswer(text: string): boolean {
  if (!text.endsWith("}")) return false;
  return [text.indexOf("{"), text.indexOf("\n{") + 1].some((at) => {
    const json = at > 0 ? parseObject(text.slice(at)) : undefined;
    return json !== undefined && ANSWERS.some((key) => key in json);
  });
}

const ANSWERS = ["hookSpecificOutput", "decision", "continue", "systemMessage", "suppressOutput"];

/** What a PreToolUse hook wants. `failure` is left to the caller, who knows the hook's failure mode. */
export function preAnswer(understood: Understood, stderr: string): PreAnswer {
  const { json = {}, blocks } = understood;
  const specific = record(json.hookSpecificOutput);
  const answer: PreAnswer = {};
  const decision = specific.permissionDecision ?? OLD_DECISIONS[String(json.decision)];
  if (decision === "allow" || decision === "deny" || decision === "ask") answer.decision = decision;
  const reason = string(specific.permissionDecisionReason) ?? string(json.reason);
  if (reason !== undefined) answer.reason = reason;
  if (isObject(specific.updatedInput)) answer.input = specific.updatedInput;
  const context = string(specific.additionalContext);
  if (context !== undefined) answer.context = context;
  if (json.continue === false) answer.stop = string(json.stopReason) || "a hook stopped the run";
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

const OLD_DECISIONS: Record<string, "allow" | "deny" | undefined> = { approve: "allow", block: "deny" };

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
