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
  const base = { json, plain: json ? "" : text, blocks: run.exitCode === 2 };
  if (base.blocks) return { ...base, failure: undefined };
  if (run.missing !== undefined) return { ...base, failure: run.missing };
  // A clear answer counts even when the hook's end was not clean.
  if (json !== undefined) return { ...base, failure: undefined };
  if (run.timedOut) return { ...base, failure: "it ran out of time" };
  if (run.exitCode === undefined) return { ...base, failure: `it was ended by ${run.signal}` };
  if (run.exitCode !== 0) {
    return { ...base, failure: `it ended with exit code ${run.exitCode}${firstLine(run.stderr)}` };
  }
  if (text.startsWith("{")) return { ...base, failure: "its JSON is malformed" };
  if (/\n\s*\{[\s\S]*\}\s*$/.test(text)) {
    return { ...base, failure: "JSON after noise: something printed before its JSON" };
  }
  return { ...base, failure: undefined };
}

/** What a PreToolUse hook wants. `failure` is left to the caller, who knows the hook's failure mode. */
export function preAnswer(understood: Understood, stderr: string): PreAnswer {
  const { json = {}, blocks } = understood;
  const specific = record(json.hookSpecificOutput);
  const answer: PreAnswer = {};
  const decision = specific.permissionDecision ?? OLD_DECISIONS[String(json.decision)];
  if (decision === "allow" || decision === "deny" || decision === "ask") answer.decision = decision;
  const reason = string(specific.permissionDecisionReason) ?? string(json.reason);
  if (reason !== undefined) answer.reason = reason;
  if (typeof specific.updatedInput === "object" && specific.updatedInput !== null) {
    answer.input = specific.updatedInput as Record<string, unknown>;
  }
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
  if (output !== undefined) answer.output = typeof output === "string" ? output : JSON.stringify(output);
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
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Record<string, unknown>
    : {};
}

function string(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function firstLine(text: string): string {
  const line = text.trim().split("\n")[0]!;
  return line === "" ? "" : `: ${line.slice(0, 200)}`;
}
