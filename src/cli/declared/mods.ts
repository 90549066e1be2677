/** Commands for those who write plugins and hooks. */
import type { Command } from "../command.ts";
import { JSON_FLAG, RUNTIME } from "./flags.ts";

/** What the hooks of an event may come to, for `hooks test`. */
const EXPECTED = ["allow", "ask", "deny", "block", "rewrite", "context", "failure", "none"];

export const MODS: readonly Command[] = [
  {
    name: "mods list",
    about: "show plugins: state, tools, events, what they may use",
    most: 0,
    flags: [
      JSON_FLAG,
      {
        name: "timing",
        about: "time each took to load, and its handlers in the newest session that has any",
      },
      { name: "watch", about: "load them again whenever one of their files changes, until Ctrl-C" },
      ...RUNTIME,
    ],
    examples: [
      { line: "agent mods list --plugins ./plugins", about: "the plugins of a folder" },
      { line: "agent mods list --watch --plugins ./mine", about: "while you write one" },
    ],
    load: () => import("../commands/mods.ts"),
  },
  {
    name: "mods add",
    about: "install a plugin into the user's folder, from npm, a folder or a tarball",
    args: "NAME|FOLDER",
    most: 1,
    flags: [{ name: "yes", about: "don't ask" }],
    examples: [
      { line: "agent mods add ./my-plugin", about: "shows what it may use, and asks" },
      {
        line: "agent mods add agent-plugin-x@1.2.0 --yes",
        about: "without install scripts, in that version",
      },
    ],
    load: () => import("../commands/mods_add.ts"),
  },
  {
    name: "mods remove",
    about: "remove a plugin that mods add installed",
    args: "NAME",
    most: 1,
    flags: [],
    examples: [{ line: "agent mods remove my-plugin", about: "its storage stays" }],
    load: () => import("../commands/mods_remove.ts"),
  },
  {
    name: "mods new",
    about: "make a plugin that runs at once, with types and a test",
    args: "NAME",
    most: 1,
    flags: [{ name: "dir", value: "DIR", about: "in DIR, not in the folder of your plugins" }],
    examples: [{ line: "agent mods new my-plugin --dir .", about: "./my-plugin" }],
    load: () => import("../commands/mods_new.ts"),
  },
  {
    name: "mods check",
    about: "check plugins without a call: types, names, what they use and shadow",
    args: "PATH",
    most: 1,
    flags: [JSON_FLAG],
    examples: [{ line: "agent mods check ./my-plugin", about: "exit code 1 where something is wrong" }],
    load: () => import("../commands/mods_check.ts"),
  },
  {
    name: "mods test",
    about: "send recorded calls through a plugin, while no tool is run",
    args: "PLUGIN [CALLS]",
    most: 2,
    flags: [JSON_FLAG],
    examples: [
      {
        line: "agent mods test ./guard.ts calls.jsonl",
        about: "what it refuses, changes, answers; 1 if not as expected",
      },
      { line: "agent log export | agent mods test guard -", about: "the calls of the newest session" },
    ],
    load: () => import("../commands/mods_test.ts"),
  },
  {
    name: "replay",
    about: "make logged calls again, with the plugins, hooks and rules of today",
    args: "[LOG]",
    most: 1,
    flags: [
      JSON_FLAG,
      { name: "run", about: "run the tools, in a copy of the folder; commands can reach what is outside it" },
      ...RUNTIME,
    ],
    examples: [
      {
        line: "agent replay",
        about: "the newest session: what would differ now, and exit code 1 if anything does",
      },
      { line: "agent replay calls.jsonl --plugins ./plugins --json", about: "for CI" },
    ],
    load: () => import("../commands/replay.ts"),
  },
  {
    name: "x",
    about: "run a command of a plugin's, or list them",
    args: "[NAME] [ARGS...]",
    passesOn: true,
    flags: RUNTIME,
    examples: [
      { line: "agent x", about: "what there is" },
      { line: "agent x report --since monday", about: "what stands behind the name is the command's own" },
    ],
    load: () => import("../commands/x.ts"),
  },
  {
    name: "hooks list",
    about: "show command hooks in the order in which they count",
    most: 0,
    flags: [JSON_FLAG, ...RUNTIME],
    examples: [{ line: "agent hooks list --hooks hooks.json", about: "the hooks of a file" }],
    load: () => import("../commands/hooks.ts"),
  },
  {
    name: "hooks test",
    about: "ask the hooks of an event about a call that isn't run",
    args: "EVENT",
    most: 1,
    flags: [
      { name: "tool", value: "NAME", about: "the tool of the call" },
      { name: "args", value: "JSON", about: "its arguments" },
      { name: "response", value: "JSON", about: "what it gave, for PostToolUse" },
      { name: "error", value: "TEXT", about: "its error, for PostToolUseFailure" },
      { name: "fields", value: "JSON", about: 'what other events tell, e.g. {"prompt": "hi"}' },
      { name: "script", value: "CMD", about: "this hook, in place of those that are configured" },
      {
        name: "expect",
        value: "WORD",
        choices: EXPECTED,
        about: "exit code 1 unless this is what it comes to",
      },
      JSON_FLAG,
      ...RUNTIME,
    ],
    examples: [
      {
        line: 'agent hooks test PreToolUse --tool Bash --args \'{"command": "rm -rf /"}\' --expect deny',
        about: "what all that match say, and exit code 1 if it isn't a no",
      },
      {
        line: 'agent hooks test PreToolUse --tool Read --args \'{"file_path": ".env"}\' --script ./guard.py',
        about: "a script that is configured nowhere yet",
      },
    ],
    load: () => import("../commands/hooks_test.ts"),
  },
];
