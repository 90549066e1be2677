/** The fields of hooks' answers: what each may be, and where it stands. What is only nearly an answer is none. */
import { quote } from "../core/errors.ts";
import type { HookEvent } from "../core/hooks.ts";
import { isRecord } from "../core/json.ts";

/** What a field may be. `null` stands for one that is left out. */
interface Field {
  is(value: unknown): boolean;
  what: string;
}

type Fields = Readonly<Record<string, Field>>;

const TEXT: Field = { is: (value) => typeof value === "string", what: "a string" };
const SWITCH: Field = { is: (value) => typeof value === "boolean", what: "true or false" };
const OBJECT: Field = { is: isRecord, what: "an object" };
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
export const SPECIFIC: Fields = {
  hookEventName: TEXT,
  permissionDecision: word("allow, deny or ask", "allow", "deny", "ask"),
  permissionDecisionReason: TEXT,
  updatedInput: OBJECT,
  additionalContext: TEXT,
  updatedToolOutput: ANYTHING,
};

/** Where somebody is asked for leave. */
const SPECIFIC_OF_PERMISSION: Fields = { hookEventName: TEXT, decision: OBJECT };

/** Those of its decision. */
export const DECISION: Fields = {
  behavior: word("allow or deny", "allow", "deny"),
  updatedInput: OBJECT,
  updatedPermissions: ANYTHING,
  message: TEXT,
  interrupt: SWITCH,
};

/** Where these stand in the other's place, somebody meant to be heard. */
const MISPLACED = {
  top: ["permissionDecision", "updatedInput", "behavior"],
  specific: ["decision", "continue"],
};
const MISPLACED_OF_PERMISSION = ["permissionDecision", "updatedInput", "behavior", "continue"];

/** Fields by which text is known as an answer. */
export const TOP_KEYS: ReadonlySet<string> = new Set([...Object.keys(TOP), ...MISPLACED.top]);

/** What is nearly an answer would let a call through as if nothing had been said; says what is wrong with it. */
export function unclear(json: Record<string, unknown>, event: HookEvent): string | undefined {
  const specific = isRecord(json.hookSpecificOutput) ? json.hookSpecificOutput : {};
  const { hookEventName: named } = specific;
  const asksLeave = event === "PermissionRequest";
  const decision = asksLeave && isRecord(specific.decision) ? specific.decision : {};
  return wrongIn(json, TOP, "its answer") ??
    wrongIn(specific, asksLeave ? SPECIFIC_OF_PERMISSION : SPECIFIC, "its hookSpecificOutput") ??
    wrongIn(decision, DECISION, "its decision") ??
    misplaced(json, MISPLACED.top, "belongs in hookSpecificOutput") ??
    (asksLeave
      ? misplaced(
        specific,
        MISPLACED_OF_PERMISSION,
        "doesn't belong in hookSpecificOutput, but in its decision",
      )
      : misplaced(specific, MISPLACED.specific, "doesn't belong in hookSpecificOutput")) ??
    (isGiven(named) && named !== event
      ? `its hookEventName is ${quote(String(named))}, not ${event}`
      : undefined);
}

const WORDS: ReadonlySet<string> = new Set(["systemMessage", "suppressOutput", "reason", "stopReason"]);

/** Does it decide anything, or say something that only a whole answer says? */
export function decides(json: Record<string, unknown>): boolean {
  return Object.keys(json).some((key) => !WORDS.has(key) && isGiven(json[key]));
}

/** A no, wherever it stands and in whichever event's words: what is only nearly an answer may hold back, no more. */
export function saysNo(json: Record<string, unknown>): boolean {
  const specific = isRecord(json.hookSpecificOutput) ? json.hookSpecificOutput : {};
  const decision = isRecord(specific.decision) ? specific.decision : {};
  const isNo = (value: unknown) => value === "deny" || value === "block";
  return [json, specific, decision].some(({ decision, permissionDecision, behavior }) =>
    isNo(decision) || isNo(permissionDecision) || isNo(behavior)
  );
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

/** Scripts write `null` for what they leave out. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
