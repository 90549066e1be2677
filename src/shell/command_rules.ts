/** The patterns of permission rules for commands. */
import { wildcardMatches } from "../core/wildcard.ts";

/**
 * `git:*` and `git *` stand for `git` with anything after it; `*` elsewhere for any run of characters; a pattern
 * without `*` for exactly that command.
 */
export function commandMatches(pattern: string, command: string): boolean {
  let wanted = pattern.trim();
  if (wanted.endsWith(":*")) wanted = `${wanted.slice(0, -2)} *`;
  if (wanted.endsWith(" *") && !wanted.slice(0, -2).includes("*")) {
    const start = wanted.slice(0, -2);
    return command === start || command.startsWith(start + " ");
  }
  return wildcardMatches(wanted, command);
}
