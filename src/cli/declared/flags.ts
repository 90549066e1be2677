/** Flags that several commands take. */
import { MODES } from "../../core/permission.ts";
import { TOOLSETS } from "../../tools/toolsets.ts";
import type { Flag } from "../command.ts";

/** Flags that every command takes. */
export const COMMON: readonly Flag[] = [
  { name: "directory", short: "C", value: "DIR", about: "run as if started in DIR" },
  {
    name: "color",
    value: "WHEN",
    choices: ["auto", "always", "never"],
    about: "colour",
  },
  { name: "no-input", about: "never ask; what would be asked is a no" },
  { name: "debug", about: "show stacks of errors" },
  { name: "help", short: "h", about: "-h for short help, --help for all of it" },
];

/** Flags of commands that build a runtime. */
export const RUNTIME: readonly Flag[] = [
  { name: "plugins", value: "DIR", about: "load plugins from DIR" },
  { name: "no-mods", about: "load no plugins" },
  { name: "hooks", value: "FILE", about: "load command hooks from FILE" },
  { name: "allow", value: "RULE", about: "allow calls, e.g. 'Bash(make *)'" },
  { name: "ask", value: "RULE", about: "ask before these calls" },
  { name: "deny", value: "RULE", about: "refuse these calls" },
  { name: "mode", value: "MODE", choices: MODES, about: "what holds without a rule" },
  { name: "session", value: "NAME", about: "join the session NAME" },
  { name: "trust-project", about: "take the repository's settings, hooks and plugins for this run" },
];

/** Flags that a call can't have which a daemon runs: it has what settings name. */
export const DETACHED_HAS_NOT: readonly string[] = ["plugins", "hooks"];

/** Flags that say which tools there are. */
export const SURFACE: readonly Flag[] = [
  { name: "toolset", value: "NAME", choices: Object.keys(TOOLSETS), about: "the tools of a model family" },
  { name: "model", value: "HANDLE", about: "choose the toolset by model, e.g. openai/gpt-5" },
  { name: "tools", value: "A,B", about: "these tools alone, from all there are" },
];

export const JSON_FLAG: Flag = { name: "json", about: "print JSON" };
