/** Questions of plugins to whoever can answer. */
import { AgentError, quote } from "../core/errors.ts";
import { isStrings } from "../core/json.ts";

export interface PluginQuestion {
  plugin: string;
  question: string;
  /** The answer must be one of them; any text where absent. */
  choices?: readonly string[] | undefined;
}

/** How a host answers; `undefined`: nobody did. */
export type Answerer = (question: PluginQuestion) => Promise<string | undefined>;

export type Asker = (question: PluginQuestion, signal: AbortSignal) => Promise<string>;

const MOST_CHARS = 2_000;

/** `answerer` is absent where nobody can be asked. */
export function askerOf(answerer: Answerer | undefined): Asker {
  return async (asked, signal) => {
    const { question, choices } = checked(asked);
    const cannot = (state: string, hint?: string) =>
      new AgentError(`Cannot ask ${quote(question)}: ${state}`, hint);
    if (!answerer) throw cannot("nobody can answer here", "run it on a terminal, without --no-input");
    if (signal.aborted) throw cannot("the call was ended");
    const ended = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(cannot("the call was ended")), { once: true });
    });
    const answer = await Promise.race([answerer({ ...asked, question, choices }), ended]);
    if (answer === undefined) throw cannot("nobody answered");
    if (choices && !choices.includes(answer)) {
      throw cannot(`${quote(answer)} is none of ${choices.map(quote).join(", ")}`);
    }
    return answer;
  };
}

/** Plugins needn't have been compiled against their types. */
function checked({ question, choices }: PluginQuestion): Pick<PluginQuestion, "question" | "choices"> {
  if (typeof question !== "string" || question.trim() === "") {
    throw new AgentError("Cannot ask: the question is not a text");
  }
  if (choices !== undefined && (!isStrings(choices) || choices.length === 0)) {
    throw new AgentError(`Cannot ask ${quote(question)}: its choices are not a list of texts`);
  }
  return { question: question.slice(0, MOST_CHARS), choices };
}
