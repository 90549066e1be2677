/** What a command that fails is told of variables that it didn't get, where it looks as if it wanted them. */
import type { Environment, Reason } from "../../shell/environment.ts";

/** Names that one note lists. */
const MOST_NAMES = 20;

const REASONS: Readonly<Record<Reason, string>> = {
  secret: "a secret",
  looks: "named like a secret",
  dropped: "in the setting env.drop",
};

/**
 * For a command that failed: those of the variables kept from it that its text or its output has the name of. The others
 * may have nothing to do with it.
 */
export function withheldNote(environment: Environment, command: string, output: () => string): string[] {
  const withheld = environment.withheldFrom(command);
  if (withheld.length === 0) return [];
  const words = wordsOf(`${command}\n${output()}`);
  const wanted = withheld.filter(({ name }) => words.has(name));
  if (wanted.length === 0) return [];
  const shown = wanted.slice(0, MOST_NAMES).map(({ name, reason }) => `${name} (${REASONS[reason]})`).join(
    ", ",
  );
  const more = wanted.length > MOST_NAMES ? ` and ${wanted.length - MOST_NAMES} more` : "";
  const kept = wanted.some(({ reason }) => reason !== "secret") ? ", or list it in the setting env.keep" : "";
  return [`[kept from this command: ${shown}${more}; name one in it as $${wanted[0]!.name}${kept}]`];
}

/** A redaction mark has a name in it because its value was there. */
function wordsOf(text: string): Set<string> {
  return new Set(text.replace(/<redacted:[^>\r\n]*>/g, " ").match(/\w+/g));
}
