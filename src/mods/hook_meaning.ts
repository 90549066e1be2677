/** What hooks' answers mean, in words: for those who try a hook out. */
import { quote, quoteWhole } from "../core/errors.ts";
import type {
  EventAnswer,
  HookCall,
  HookEvent,
  Hooks,
  HookSession,
  HostEvent,
  HostEvents,
  PermissionAnswer,
  PostAnswer,
  PreAnswer,
} from "../core/hooks.ts";
import type { Understood } from "./hook_answer.ts";

/** A question by hand. */
export type Trial =
  | {
    event: "PreToolUse" | "PermissionRequest" | "PostToolUse" | "PostToolUseFailure";
    call: HookCall;
    response: unknown;
    error: string;
  }
  | { event: HostEvent | "SessionStart" | "SessionEnd"; fields: Record<string, unknown> };

/** What all answers together come to: in words, and as words to expect. */
export interface Asked {
  words: string;
  comesTo: string[];
}

/** Asks all hooks of the event. */
export async function ask(hooks: Hooks, trial: Trial, session: HookSession): Promise<Asked> {
  switch (trial.event) {
    case "PreToolUse": {
      const { decision, reason = "", input, contexts = [] } = await hooks.pre(trial.call) ?? {};
      return told([
        decision && [decision, `${DECISIONS[decision]}${because(reason)}`],
        input && decision !== "deny" && ["rewrite", `the input becomes ${JSON.stringify(input)}`],
        ...contexts.map((text) => ["context", `the model is told ${quote(text)}`] as const),
      ], "the call goes on as it is");
    }
    case "PermissionRequest": {
      const { behavior, message = "", input } = await hooks.permission(trial.call) ?? {};
      return told([
        behavior && [behavior, `${DECISIONS[behavior]}${because(message)}`],
        input && ["rewrite", `the input becomes ${JSON.stringify(input)}`],
      ], "nobody has answered for the person");
    }
    case "PostToolUse":
    case "PostToolUseFailure": {
      const asking = trial.event === "PostToolUse"
        ? hooks.post(trial.call, trial.response, 0)
        : hooks.failure(trial.call, trial.error, false, 0);
      const { notes = [], output } = await asking ?? {};
      return told([
        output === undefined ? undefined : ["rewrite", `the result becomes ${quote(output)}`],
        ...notes.map((text) => ["context", `the model is told ${quote(text)}`] as const),
      ], "the result stays as it is");
    }
    case "SessionStart":
    case "SessionEnd": {
      const { fields: { source, reason } } = trial;
      const detail = String((trial.event === "SessionStart" ? source : reason) ?? DETAILS[trial.event]);
      const { contexts = [], variables = {} } = await hooks.session(trial.event, detail, session) ?? {};
      return told([
        ...contexts.map((text) => ["context", `the model is told ${quote(text)}`] as const),
        Object.keys(variables).length > 0 &&
        ["context", `commands get ${Object.keys(variables).join(", ")}`],
      ], "nothing changes");
    }
    default: {
      const verdict = await hooks.fire(
        trial.event,
        trial.fields as unknown as HostEvents[HostEvent],
        session,
      );
      return told([
        verdict?.continue === false && ["block", `the run is stopped${because(verdict.stopReason)}`],
        verdict?.blocked && ["block", `${BLOCKED[trial.event] ?? "it is blocked"}${because(verdict.reason)}`],
        ...(verdict?.contexts ?? []).map((text) => ["context", `the model is told ${quote(text)}`] as const),
      ], "nothing changes");
    }
  }
}

/** What one hook of an event answers. */
export type HookAnswer = PreAnswer | PermissionAnswer | PostAnswer | EventAnswer;

/** One hook's answer; its texts whole, since nobody has redacted them yet. `blocks`: its failure does. */
export function meaning(
  event: HookEvent,
  { failure, message }: Understood,
  answer: HookAnswer,
  blocks: boolean,
): string[] {
  const said: string[] = [];
  if (failure !== undefined) {
    said.push(`it has failed: ${failure}; ${blocks ? "that blocks" : "all goes on without it"}`);
  }
  if (message !== undefined) said.push(`the person is told ${quoteWhole(message)}`);
  said.push(...inWords(event, answer));
  return said.length > 0 ? said : ["no opinion"];
}

/** An answer has the fields of its event alone. */
function inWords(
  event: HookEvent,
  answer: PreAnswer & PermissionAnswer & PostAnswer & EventAnswer,
): string[] {
  const { stop, decision, reason, behavior, message, block, input, feedback, context, output } = answer;
  const told = (text: string | undefined) =>
    text === undefined ? undefined : `the model is told ${quoteWhole(text)}`;
  return [
    stop === undefined ? undefined : `the run is stopped: ${stop}`,
    decision && `${DECISIONS[decision]}${because(reason)}`,
    behavior && `${DECISIONS[behavior]}${because(message)}`,
    block === undefined ? undefined : `${BLOCKED[event] ?? "it is blocked"}: ${block}`,
    input && `the input becomes ${JSON.stringify(input)}`,
    told(feedback),
    told(context),
    output === undefined ? undefined : `the result becomes ${quoteWhole(output)}`,
  ].filter((text) => text !== undefined);
}

const DECISIONS = { allow: "the call is allowed", ask: "a person is asked", deny: "the call is denied" };
const DETAILS = { SessionStart: "startup", SessionEnd: "exit" };
const BLOCKED: { readonly [E in HookEvent]?: string } = {
  UserPromptSubmit: "the prompt is blocked",
  Stop: "it goes on instead of ending",
  SubagentStop: "it goes on instead of ending",
  PreCompact: "the compaction is blocked",
};

type Part = readonly [word: string, words: string] | false | undefined;

function told(parts: readonly Part[], otherwise: string): Asked {
  const given = parts.filter((part) => part !== undefined && part !== false);
  return {
    words: given.length === 0 ? otherwise : given.map(([, words]) => words).join("; "),
    comesTo: [...new Set(given.map(([word]) => word))],
  };
}

function because(reason: string | undefined): string {
  return reason === undefined || reason === "" ? "" : `: ${reason}`;
}
