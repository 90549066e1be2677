/** What no tool writes to a file, whatever the model says. */
import { AgentError, quote } from "../core/errors.ts";
import { hasPlaceholder } from "../core/redact.ts";

/** Refuses text that can't be stored as it is: lone surrogates, and marks that stand for a redacted secret. */
export function refuseUnwritable(action: string, path: string, ...texts: readonly string[]): void {
  for (const text of texts) {
    if (!text.isWellFormed()) {
      throw new AgentError(
        `Cannot ${action} ${quote(path)}: the text holds half of a character (a lone surrogate)`,
        "send the whole character",
      );
    }
    if (hasPlaceholder(text)) {
      throw new AgentError(
        `Cannot ${action} ${quote(path)}: the text holds a mark that stands for a redacted secret`,
        "edit around it, or name the secret as an environment variable",
      );
    }
  }
}
