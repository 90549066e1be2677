/** What permission in core can't do itself; each library is loaded by the first rule that needs it. */
import type { Matchers } from "../core/permission.ts";

export const MATCHERS: Matchers = {
  path: async (pattern, path, root, guards) =>
    (await import("./path_rules.ts")).pathMatches(pattern, path, root, guards),
  command: async (pattern, command) =>
    (await import("../shell/command_rules.ts")).commandMatches(pattern, command),
  commandParts: async (command, cwd) => (await import("../shell/grammar.ts")).commandParts(command, cwd),
};
