/** Arguments on their way in: checked as the face has them, made canonical, checked again, and given their traits. */
import { Stop } from "./abort.ts";
import { AgentError, messageOf, quote } from "./errors.ts";
import { deepFreeze } from "./json.ts";
import { markIn } from "./redact.ts";
import type { Entry } from "./registry.ts";
import { argumentError, type Checked } from "./schema.ts";
import type { AnyTool, Place, Traits } from "./tool.ts";
import { isThenable } from "./watchdog.ts";

/** Canonical arguments that passed, frozen, with the traits they have. */
export interface Accepted {
  readonly args: Record<string, unknown>;
  readonly traits: Traits;
}

/** The arguments as a model wrote them. Throws a `Stop` that names the call as the model did. */
export async function accept(entry: Entry, given: unknown, place: Place, name: string): Promise<Accepted> {
  const checking = entry.check(given ?? {});
  const checked = isThenable(checking) ? await checking : checking;
  if (!checked.ok) throw invalid(name, checked, entry);
  return await acceptCanonical(entry, entry.toCanonical(checked.value), place, name);
}

/** New arguments from a mod or a hook, in the canonical form; `by` is named where they don't pass. */
export function acceptRewritten(
  entry: Entry,
  args: unknown,
  place: Place,
  name: string,
  by: string,
): Accepted | Promise<Accepted> {
  const blame = (error: unknown): never => {
    const hint = error instanceof AgentError ? error.hint : undefined;
    throw new Stop("invalid", `${messageOf(error)} (arguments as rewritten by ${by})`, hint);
  };
  try {
    const accepting = acceptCanonical(entry, args, place, name);
    return isThenable(accepting) ? accepting.catch(blame) : accepting;
  } catch (error) {
    return blame(error);
  }
}

/** The same arguments in another folder. */
export function acceptAgain(
  entry: Entry,
  { args }: Accepted,
  place: Place,
  name: string,
): Accepted | Promise<Accepted> {
  return acceptCanonical(entry, args, place, name);
}

/** A call with the tool that runs it. */
export interface Taken {
  readonly entry: Entry;
  readonly accepted: Accepted;
}

/** Where a tool says that the call is another's: that tool, with its arguments, which go the same way as any. */
export function divert(
  { entry, accepted }: Taken,
  canonical: (tool: AnyTool) => Entry | undefined,
  place: Place,
  name: string,
): Taken | Promise<Taken> | undefined {
  const target = entry.tool.divert?.(accepted.args);
  const other = target && canonical(target.tool);
  if (!other) return undefined;
  const accepting = acceptCanonical(other, target.args, place, name);
  const take = (passed: Accepted): Taken => ({ entry: other, accepted: passed });
  return isThenable(accepting) ? accepting.then(take) : take(accepting);
}

function acceptCanonical(
  entry: Entry,
  args: unknown,
  place: Place,
  name: string,
): Accepted | Promise<Accepted> {
  const blame = (error: unknown): never => {
    const hint = error instanceof AgentError ? error.hint : undefined;
    throw new Stop("invalid", `Cannot call ${name}: ${messageOf(error)}`, hint);
  };
  const take = (checked: Checked): Accepted | Promise<Accepted> => {
    if (!checked.ok) throw invalid(name, checked, entry);
    const args = deepFreeze(checked.value);
    const { tool } = entry;
    const withTraits = (traits: Traits): Accepted => {
      refuseMarks(deepFreeze(traits));
      return { args, traits };
    };
    try {
      if (tool.traitsLater) return tool.traitsLater(args, place).then(withTraits).catch(blame);
      return withTraits(tool.traits(args, place));
    } catch (error) {
      return blame(error);
    }
  };
  const checking = entry.checkCanonical(args);
  return isThenable(checking) ? checking.then(take) : take(checking);
}

/** What a command does with a mark nobody can tell; it may write it over the secret that it stands for. */
function refuseMarks({ subjects = [] }: Traits): void {
  for (const { kind, value } of subjects) {
    const name = kind === "command" ? markIn(value) : undefined;
    if (name === undefined) continue;
    const way = /^[a-z_]\w*$/i.test(name) ? `a command that names $${name} gets its value; ` : "";
    throw new AgentError(
      `the command holds ${quote(`<redacted:${name}>`)}, a mark that stands for a secret`,
      `${way}a pattern such as "<redacted[:]" finds marks`,
    );
  }
}

function invalid(name: string, checked: Extract<Checked, { ok: false }>, entry: Entry): Stop {
  const { schema: meant = entry.schema } = checked;
  // A face may have names of its own, which are the ones that its caller knows.
  const isKnown = Object.keys(meant.properties ?? {}).every((key) => key in (entry.schema.properties ?? {}));
  const { message, hint } = argumentError(name, checked.issues, isKnown ? meant : entry.schema);
  return new Stop("invalid", message, hint);
}
